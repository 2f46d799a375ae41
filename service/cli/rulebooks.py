"""``houseway set``, ``irregularity`` and ``rulebook``: look up a rulebook."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import plain_errors, played_under, rules_on, setting_json
from service.cli.options import AsJson, Day, HouseWayUnder, Rulebook, RulebookOnly

if TYPE_CHECKING:
    from engine.house_way import Decision, HouseWay
    from engine.vocabulary.irregularities import Irregularities, Remedies
    from engine.vocabulary.remedy import Remedy
    from service.cli.compliance.coverage import CitedAt, RuleRow


def set_tiles(
    faces: Annotated[list[str], typer.Argument(help="Four tiles: 6-6 6-3 5-4 2-1, or teen day 9 l8.", metavar="TILE")],
    rulebook: Rulebook,
    *,
    house_way: HouseWayUnder = None,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Set four tiles by the House Way, and name the rule that decides.

    Also says why each other setting is not allowed.
    """
    from engine.errors import TileError
    from engine.game.setting import Deal
    from engine.game.tiles import readings_of

    with plain_errors():
        deals = [Deal.of(tiles) for tiles in readings_of(faces)]
        if as_json and len(deals) > 1:
            meant = " or ".join(map(str, deals))
            raise TileError(f"{' '.join(faces)!r} is {meant}: name the tiles by their faces, or as h8 and l8")
        way = rules_on(on, rulebook, house_way).house_way
        decisions = [way.decide(deal) for deal in deals]
    if as_json:
        typer.echo(json.dumps(_decision_json(way, decisions[0])))
    else:
        typer.echo("\n\n".join(_decision_text(way, decision) for decision in decisions))


def _decision_json(way: HouseWay, decision: Decision) -> dict[str, Any]:
    from service.words.rule_sentences import decision_words, refusal_words

    return {
        "rulebook": way.played_under,
        "house_way": way.rulebook,
        "deal": [str(tile) for tile in decision.deal.tiles],
        **setting_json(decision.setting),
        "rule": decision.rule.cite,
        "text": decision.rule.text,
        "explanation": str(decision_words(decision)),
        "choices": [setting_json(setting) for setting in decision.choices],
        "alike": [setting_json(setting) for setting in decision.alike],
        "refused": [
            {**setting_json(one.setting), "reason": str(refusal_words(one.setting, one.rule, decision.setting))}
            for one in decision.refused
        ],
    }


def _decision_text(way: HouseWay, decision: Decision) -> str:
    from service.words.rule_sentences import refusal_words, rule_words

    low, high = decision.setting.low, decision.setting.high
    lines = [
        f"{decision.deal}, {way.source.title}, {way.source.revision}{played_under(way)}",
        f"  low   {low}   {low.describe()}",
        f"  high  {high}   {high.describe()}",
        f"  rule  {rule_words(decision.rule)}",
    ]
    lines += [f"  after {rule_words(step)}" for step in decision.steps[:-1]]
    lines += [f"  or    {setting}: the dealer may choose it ({setting.describe()})" for setting in decision.choices]
    lines += [f"  alike {setting}: ranks the same in both hands" for setting in decision.alike]
    lines += [
        f"  not   {one.setting}: {refusal_words(one.setting, one.rule, decision.setting)}" for one in decision.refused
    ]
    return "\n".join(lines)


def irregularity(
    kind: Annotated[
        str | None, typer.Argument(help="What went wrong, such as wrong-deal. Without it, all kinds are listed.")
    ] = None,
    *,
    rulebook: RulebookOnly,
    moment: Annotated[
        list[str] | None,
        typer.Option(help="What has already happened in the round, such as first-hand-exposed. May be repeated."),
    ] = None,
    whose: Annotated[str | None, typer.Option(help="Whose hand: house, co-bank, player-banker or player.")] = None,
    bank: Annotated[str | None, typer.Option(help="Who holds the bank: house, player or co-bank.")] = None,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """Say what the rulebook requires or allows when something goes wrong.

    Also says who decides, until when, and what happens to the wagers.
    """
    from engine.books import registry as rulebooks
    from engine.vocabulary import irregularities
    from engine.vocabulary.facts import Bank, Milestone, Whose

    with plain_errors():
        book = rulebooks.rulebook(rulebook, on).irregularities
        holder = None if bank is None else irregularities.by_code(Bank, bank)
        wanted = None if kind is None else irregularities.by_code(irregularities.Irregularity, kind)
        hand = None if whose is None else irregularities.by_code(Whose, whose)
        reached = [irregularities.by_code(Milestone, word) for word in moment] if moment else None
        found = None if wanted is None else book.remedies(wanted, hand, reached, bank=holder)
    if found is None:
        kinds = [(irregularities.code(kind), kind.value, kind in book.silent) for kind in irregularities.Irregularity]
        if as_json:
            names = ("irregularity", "happened", "silent")
            listed = [dict(zip(names, each, strict=True)) for each in kinds]
            book_json = {"rulebook": book.source.rulebook, "rulebook_version": book.source.revision}
            typer.echo(json.dumps({**book_json, "irregularities": listed}))
            return
        typer.echo(f"{book.source.title}, {book.source.revision}")
        for code, happened, silent in kinds:
            typer.echo(f"  {code:19} {happened}{' (the book is silent)' if silent else ''}")
        return
    typer.echo(json.dumps(_remedies_json(found, book)) if as_json else _remedies_text(found))


def _remedies_json(found: Remedies, book: Irregularities) -> dict[str, Any]:
    from engine.vocabulary.facts import Milestone
    from engine.vocabulary.irregularities import code
    from engine.vocabulary.progress import ANYWHERE
    from service.words.rule_sentences import irregularity_words, remedies_words

    progress = found.progress
    return {
        "rulebook": found.rulebook,
        "rulebook_version": book.source.revision,
        "irregularity": code(found.irregularity),
        "happened": str(irregularity_words(found)),
        "whose": found.whose and code(found.whose),
        "bank": found.bank and found.bank.value,
        "reached": None if progress is ANYWHERE else [code(each) for each in Milestone if each in progress.reached],
        "silent": found.silent,
        "remedy": str(remedies_words(found)),
        "options": [_option_json(found, option, book) for option in found.options],
    }


def _option_json(found: Remedies, option: Remedy, book: Irregularities) -> dict[str, Any]:
    from engine.vocabulary.facts import Bank, Whose
    from engine.vocabulary.irregularities import code
    from service.words.rule_sentences import remedy_words

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
    from service.words.rule_sentences import irregularity_words, remedy_words

    lines = [f"{found.rulebook}: {irregularity_words(found)}"]
    if found.silent:
        lines.append("  The rulebook does not say what to do: the supervisor decides. Options:")
    for option in found.options:
        lines += [
            f"  {option.duty.value:4}  {option.by.words}: {remedy_words(found, option)}",
            f"        wagers: {option.effect.value}",
        ]
    return "\n".join(lines)


def list_rules(
    rulebook: Annotated[str, typer.Argument(help="A rulebook, such as crown-6.1.", metavar="ID")],
    *,
    missing: Annotated[
        bool,
        typer.Option("--missing", help="Only rules that are neither implemented nor declared outside the program."),
    ] = False,
    on: Day,
    as_json: AsJson = False,
) -> None:
    """List every rule of a rulebook, and where it is implemented and tested.

    A rule that no program can apply has the reason instead.
    """
    from engine.books.registry import rulebook as find
    from service.cli.compliance.coverage import RuleState
    from service.cli.compliance.coverage import coverage as cover

    with plain_errors():
        found = cover(find(rulebook, on))
    rows = found.of(RuleState.OPEN) if missing else found.rows
    if as_json:
        typer.echo(json.dumps({"rulebook": found.book.id, "rules": [_rule_json(row) for row in rows]}))
    else:
        typer.echo("\n".join(map(_rule_text, rows)))


def _rule_text(row: RuleRow) -> str:
    lines = [f"{row.rule.number}  {row.rule.words}"]
    lines += [f"    decided by: {', '.join(each.value for each in row.deciders)}"] if row.deciders else []
    lines += [f"    {_at(place)}" for place in row.code]
    lines += [f"    tested: {_at(place)}" for place in row.tests]
    if row.why and not row.rule.leads_in:
        lines.append(f"    outside: {row.why}")
    return "\n".join(lines)


def _at(place: CitedAt) -> str:
    return f"{place.path}:{place.line} {place.name}".rstrip()


def _rule_json(row: RuleRow) -> dict[str, Any]:
    places = {"code": list(map(_at, row.code)), "tests": list(map(_at, row.tests))}
    return {
        "number": row.rule.number,
        "words": row.rule.words,
        "state": row.state.name.lower(),
        "decided_by": [each.value for each in row.deciders],
        **places,
        "why": row.why,
    }
