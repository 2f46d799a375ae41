"""``houseway irregularity``: what a rulebook says must or may be done when something goes wrong."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import AsJson, plain_errors

if TYPE_CHECKING:
    from engine.vocabulary.irregularities import Irregularities, Remedies
    from engine.vocabulary.remedy import Remedy


def irregularity(
    kind: Annotated[
        str | None, typer.Argument(help="What went wrong, such as wrong-deal. Without it, all kinds are listed.")
    ] = None,
    *,
    rulebook: Annotated[str, typer.Option(help="A rulebook, such as crown-6.1.")],
    moment: Annotated[
        list[str] | None,
        typer.Option(help="What has already happened in the round, such as first-hand-exposed. May be repeated."),
    ] = None,
    whose: Annotated[str | None, typer.Option(help="Whose hand: house, co-bank, player-banker or player.")] = None,
    bank: Annotated[str | None, typer.Option(help="Who holds the bank: house, player or co-bank.")] = None,
    on: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="The day on which the round began. Default: today."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what the rulebook requires or allows when something goes wrong.

    By whom, until when, and what happens to the wagers.
    """
    from engine.books import registry as rulebooks
    from engine.vocabulary import irregularities
    from engine.vocabulary.facts import Bank, Milestone, Whose

    with plain_errors():
        book = rulebooks.rulebook(rulebook, on=None if on is None else on.date()).irregularities
        holder = None if bank is None else irregularities.by_code(Bank, bank)
        asked = None if kind is None else irregularities.by_code(irregularities.Irregularity, kind)
        hand = None if whose is None else irregularities.by_code(Whose, whose)
        reached = [irregularities.by_code(Milestone, word) for word in moment] if moment else None
        found = None if asked is None else book.remedies(asked, hand, reached, bank=holder)
    if found is None:
        kinds = [(irregularities.code(kind), kind.value, kind in book.silent) for kind in irregularities.Irregularity]
        if as_json:
            names = ("irregularity", "happened", "silent")
            listed = [dict(zip(names, each, strict=True)) for each in kinds]
            told = {"rulebook": book.source.rulebook, "rulebook_version": book.source.revision}
            typer.echo(json.dumps({**told, "irregularities": listed}))
            return
        typer.echo(f"{book.source.title}, {book.source.revision}")
        for code, happened, silent in kinds:
            typer.echo(f"  {code:19} {happened}{' (the book is silent)' if silent else ''}")
        return
    typer.echo(json.dumps(_remedies_json(found, book)) if as_json else _remedies_text(found))


def _remedies_json(found: Remedies, book: Irregularities) -> dict[str, Any]:
    from engine.vocabulary.facts import Milestone
    from engine.vocabulary.irregularities import code
    from service.words.irregularities import happened, remedies_words

    reached = found.reached
    return {
        "rulebook": found.rulebook,
        "rulebook_version": book.source.revision,
        "irregularity": code(found.irregularity),
        "happened": str(happened(found)),
        "whose": found.whose and code(found.whose),
        "bank": found.bank and found.bank.value,
        "reached": None if reached is None else [code(each) for each in Milestone if each in reached],
        "silent": found.silent,
        "remedy": str(remedies_words(found)),
        "options": [_option_json(found, option, book) for option in found.options],
    }


def _option_json(found: Remedies, option: Remedy, book: Irregularities) -> dict[str, Any]:
    from engine.vocabulary.facts import Bank, Whose
    from engine.vocabulary.irregularities import code
    from service.words.irregularities import remedy_words

    return {
        "duty": option.duty.value,
        "by": option.by.words,
        "decided_by": [*option.by.titles(book.play.ranks), *sorted(code(each) for each in option.by.people)],
        "text": str(remedy_words(found, option)),
        "effect": code(option.effect),
        "wagers": option.effect.value,
        "rules": [option.cite, *option.also],
        "rulings": list(option.rulings),
        "whose": [code(each) for each in Whose if each in option.whose],
        "banks": [each.value for each in Bank if each in option.banks],
        "given": [code(each) for each in option.given],
        "where": option.where,
        "after": option.after and code(option.after),
        "before": option.before and code(option.before),
    }


def _remedies_text(found: Remedies) -> str:
    from service.words.irregularities import happened, remedy_words

    lines = [f"{found.rulebook}: {happened(found)}"]
    if found.silent:
        lines.append("  The rulebook does not say what to do: the supervisor decides. Options:")
    for option in found.options:
        lines += [
            f"  {option.duty.value:4}  {option.by.words}: {remedy_words(found, option)}",
            f"        wagers: {option.effect.value}",
        ]
    return "\n".join(lines)
