"""``houseway irregularity``: what a rulebook says must or may be done when something goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from engine.vocabulary.irregularities import Finding, Irregularities, Irregularity, Option


def register(app: typer.Typer) -> None:
    """Add the command to `app`."""
    app.command("irregularity")(irregularity)


def irregularity(
    kind: Annotated[
        str | None, typer.Argument(help="What happened, such as wrong-deal. Without it, all kinds.")
    ] = None,
    *,
    rulebook: Annotated[str, typer.Option(help="Id of a rulebook, such as crown-6.1.")],
    moment: Annotated[
        list[str] | None,
        typer.Option(help="An event of the round so far, such as first-hand-exposed; may be given more than once."),
    ] = None,
    whose: Annotated[str | None, typer.Option(help="Whose hand: house, co-bank, player-banker or player.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Say what must or may be done when something goes wrong, by whom, until when, and what becomes of wagers."""
    import json

    from engine.books import registry as rulebooks
    from engine.errors import EngineError
    from engine.vocabulary import irregularities
    from engine.vocabulary.facts import Milestone

    try:
        book = rulebooks.rulebook(rulebook).irregularities
        asked = None if kind is None else irregularities.by_code(irregularities.Irregularity, kind)
        hand = None if whose is None else irregularities.by_code(irregularities.Whose, whose)
        reached = [irregularities.by_code(Milestone, word) for word in moment] if moment else None
    except EngineError as error:
        typer.echo(f"houseway: {error}", err=True)
        raise typer.Exit(2) from error
    if asked is None:
        typer.echo(json.dumps(_kinds_json(book)) if as_json else _kinds_text(book))
        return
    finding = book.finding(asked, hand, reached)
    typer.echo(json.dumps(_finding_json(finding)) if as_json else _finding_text(finding))


def _kinds(book: Irregularities) -> list[tuple[Irregularity, str, bool]]:
    from engine.vocabulary.irregularities import Irregularity, code

    return [(kind, code(kind), kind in book.silent) for kind in Irregularity]


def _kinds_json(book: Irregularities) -> dict[str, Any]:
    return {
        "rulebook": book.source.rulebook,
        "irregularities": [
            {"irregularity": word, "happened": kind.value, "silent": silent} for kind, word, silent in _kinds(book)
        ],
    }


def _kinds_text(book: Irregularities) -> str:
    lines = [f"{book.source.title}, {book.source.revision}"]
    lines += [
        f"  {word:19} {kind.value}{' (the book is silent)' if silent else ''}" for kind, word, silent in _kinds(book)
    ]
    return "\n".join(lines)


def _finding_json(finding: Finding) -> dict[str, Any]:
    from engine.vocabulary.facts import Milestone
    from engine.vocabulary.irregularities import code

    reached = finding.reached
    return {
        "rulebook": finding.rulebook,
        "irregularity": code(finding.irregularity),
        "happened": finding.happened,
        "whose": finding.whose and code(finding.whose),
        "reached": None if reached is None else [code(each) for each in Milestone if each in reached],
        "silent": finding.silent,
        "remedy": finding.remedy,
        "options": [_option_json(finding, option) for option in finding.options],
    }


def _option_json(finding: Finding, option: Option) -> dict[str, Any]:
    from engine.vocabulary.irregularities import Whose, code

    return {
        "duty": option.duty.value,
        "by": option.by,
        "text": finding.words(option),
        "effect": code(option.effect),
        "wagers": option.effect.value,
        "rules": [option.cite, *option.also],
        "rulings": list(option.rulings),
        "whose": [code(each) for each in Whose if each in option.whose],
        "where": option.where,
        "after": option.after and code(option.after),
        "before": option.before and code(option.before),
    }


def _finding_text(finding: Finding) -> str:
    lines = [f"{finding.rulebook}: {finding.happened}"]
    if finding.silent:
        lines.append("  The book does not say what to do: the supervisor decides. What remains:")
    for option in finding.options:
        lines += [
            f"  {option.duty.value:4}  {option.by}: {finding.words(option)}",
            f"        wagers: {option.effect.value}",
        ]
    return "\n".join(lines)
