"""``houseway house-way``: export, compare and check House Ways."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from service.cli.common import (
    choice_notes,
    commission_notes,
    named_as,
    per_cent,
    plain_errors,
    refuse,
    rules_on,
    setting_json,
)
from service.cli.options import AsJson, Commission, Day, HouseWayUnder, Rulebook

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from fractions import Fraction

    from engine.analysis.difference import Difference, Parting, SetDifferently
    from engine.analysis.house_way_check import WayCheck
    from engine.analysis.way_finding import WayFinding
    from engine.house_way import Decision, HouseWay
    from engine.house_way.rules import Place
    from engine.house_way.written.sheet import WayFileError

_PLACES_SHOWN = 2
"""Number of a finding's rules whose places are printed: the last ones."""


def export(
    rulebook: Rulebook,
    *,
    house_way: HouseWayUnder = None,
    on: Day,
    card: Annotated[
        Path | None,
        typer.Option(
            "--card",
            help="Instead, write an HTML page to print: all rules, with tiles drawn, and how every deal is set.",
            metavar="FILE.html",
        ),
    ] = None,
) -> None:
    """Print how all 8,130 hands are set, as CSV: hand, low, high, rule.

    Where the dealer may choose, a fifth column has the other settings as low / high, separated by the word or.
    """
    if card is not None:
        named_as(card, ".html", ".htm", instead="; for a PDF, open the page in a browser and print it to a file")
    with plain_errors():
        way = rules_on(on, rulebook, house_way).house_way
        decisions = way.decisions
    if card is not None:
        _write_card(way, card)
        return
    table = csv.writer(sys.stdout, lineterminator="\n")
    chosen = any(decision.choices for decision in decisions.values())
    table.writerow(("hand", "low", "high", "rule", *(["choices"] if chosen else [])))
    for deal, decision in decisions.items():
        others = [" or ".join(map(str, decision.choices))] if chosen else []
        table.writerow((deal, decision.setting.low, decision.setting.high, decision.rule.cite, *others))


def _write_card(way: HouseWay, out: Path) -> None:
    from service.web.house_way_card import render_card

    with plain_errors():
        page = render_card(way)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        refuse(f"{out} cannot be written: {error.strerror}")
    typer.echo(f"{out}: {_counted(len(way.rules), 'rule')} and 3,620 kinds of deal; print it on A4")


def diff(
    first: Annotated[str, typer.Argument(help="A House Way: id or file.")],
    second: Annotated[str, typer.Argument(help="The House Way to compare it with: id or file.")],
    *,
    on: Day,
    commission: Commission = "5%",
    as_json: AsJson = False,
) -> None:
    """Compare two House Ways: hands set differently, and what it costs the House.

    A summary comes first, then every hand that is set differently, by the rules that differ.
    """
    from engine.analysis.difference import difference
    from engine.analysis.edge import rate
    from engine.books.house_ways import get

    with plain_errors():
        one, other, taken = get(first, on), get(second, on), rate(commission)
        found = difference(one, other, taken)
    if as_json:
        typer.echo(json.dumps(_difference_json(one, other, found, taken, on)))
    else:
        typer.echo(difference_text(one, other, found, taken, on))


def _difference_json(
    one: HouseWay, other: HouseWay, found: Difference, commission: Fraction, day: date
) -> dict[str, Any]:
    return {
        "first": one.rulebook,
        "second": other.rulebook,
        "commission": str(commission),
        "notes": [*commission_notes(commission, day, one.rulebook, other.rulebook), *choice_notes(one, other)],
        "kinds": found.kinds,
        "hands_by_face": len(found.hands),
        "deals": found.deals,
        "of_deals": 35_960,
        "edge_first": float(found.first_edge),
        "edge_second": float(found.second_edge),
        "edge_house_second_player_first": float(found.house_alone_edge),
        "groups": [
            {
                "first_rule": parting.first.cite,
                "second_rule": parting.second.cite,
                "kinds": len(parting.by_kind),
                "deals": parting.deals,
                "adds_to_edge": float(parting.weight),
            }
            for parting in found.partings
        ],
        "hands": [
            {
                "hand": [str(tile) for tile in hand.deal.tiles],
                "deals": hand.deal.ways,
                "first": _decision_json(hand.first),
                "second": _decision_json(hand.second),
                "house_keeps_first": float(hand.kept_by_first),
                "house_keeps_second": float(hand.kept_by_second),
                "house_gains": float(hand.gain),
                "adds_to_edge": float(hand.weight),
            }
            for hand in found.hands
        ],
    }


def _decision_json(decision: Decision) -> dict[str, Any]:
    choices = {"choices": [setting_json(each) for each in decision.choices]} if decision.choices else {}
    return {**setting_json(decision.setting), **choices, "rule": decision.rule.cite}


def check(
    way: Annotated[str, typer.Argument(help="A House Way: id or file.", metavar="ID_OR_FILE")],
    *,
    as_json: AsJson = False,
) -> None:
    """Check a House Way on every deal, and name each fault with line and column.

    Finds deals that no rule decides, rules that never apply, rules that contradict each other, settings that can only
    lose, and examples with another result. Exit status: 0 if there are no faults (notes are allowed), 1 if there are.
    """
    from engine.analysis.house_way_check import check as checked
    from engine.books.house_ways import declared, ids_beside
    from engine.house_way.written.sheet import WayFileError

    with plain_errors():
        try:
            found = checked(declared(way), ids_beside(way))
        except WayFileError as error:
            typer.echo(json.dumps(_mistakes_json(error)) if as_json else _mistakes_text(error))
            raise typer.Exit(1) from None
    typer.echo(json.dumps(_check_json(found)) if as_json else _check_text(found))
    if found.faults:
        raise typer.Exit(1)


def _mistakes_json(error: WayFileError) -> dict[str, Any]:
    return {
        "file": error.file,
        "faults": len(error.mistakes),
        "notes": 0,
        "findings": [
            {"kind": "fault", "code": "file", "message": each.words, "places": [_place_json(each.place)]}
            for each in error.mistakes
        ],
    }


def _mistakes_text(error: WayFileError) -> str:
    head = f"{error.file} cannot be used: {_counted(len(error.mistakes), 'fault')}"
    return "\n".join([head, *(f"fault  {each}." for each in error.mistakes)])


def _place_json(place: Place) -> dict[str, int]:
    return {"line": place.line, "column": place.column}


def _check_json(found: WayCheck) -> dict[str, Any]:
    return {
        "rulebook": found.way.rulebook,
        "faults": len(found.faults),
        "notes": len(found.notes),
        "of_deals": 35_960,
        "rules": _uses_json(found),
        "later": [{"from": str(each.way.in_force), "rules": _uses_json(each)} for each in found.later],
        "findings": [
            {
                "kind": "fault" if finding.fault else "note",
                "code": finding.code,
                "message": finding.words,
                "places": [_place_json(place) for place in finding.places],
                "rules": [{"rule": rule.cite, "name": rule.name} for rule in finding.rules],
                "deals": finding.ways,
                "hands": [str(deal) for deal in finding.deals],
                "examples": finding.examples,
            }
            for finding in found.findings
        ],
    }


def _uses_json(found: WayCheck) -> list[dict[str, Any]]:
    return [
        {"rule": use.rule.cite, "name": use.rule.name, "refuses": use.refuses, "decides": use.decides}
        for use in found.uses
    ]


def _check_text(found: WayCheck) -> str:
    source = found.way.source
    versions = "; and ".join(map(_version_text, (found, *found.later)))
    faults, notes = _counted(len(found.faults), "fault"), _counted(len(found.notes), "note")
    head = f"{source.rulebook} ({source.title}, {source.revision}): {versions}; {faults}, {notes}"
    return "\n".join([head, *map(_finding_text, found.findings)])


def _version_text(found: WayCheck) -> str:
    since = "" if found.way.in_force is None else f" from {found.way.in_force} on"
    decided = sum(use.decides for use in found.uses)
    return f"{_counted(len(found.way.rules), 'rule')}{since}, {decided:,} of 35,960 deals decided"


def _finding_text(finding: WayFinding) -> str:
    where = f"{' and '.join(map(str, finding.places[-_PLACES_SHOWN:]))}: " if finding.places else ""
    lines = [f"{'fault' if finding.fault else 'note '}  {where}{finding.code}: {finding.words}."]
    lines += [f"         {example}" for example in finding.examples]
    more = len(finding.deals) - len(finding.examples)
    if finding.examples and more > 0:
        lines.append(f"         and {more:,} more by face; --json names them all")
    return "\n".join(lines)


def _counted(number: int, thing: str) -> str:
    return f"{number or 'no'} {thing}{'' if number == 1 else 's'}"


_LARGEST: Final = 3
"""Kinds of hand in the summary."""


def difference_text(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction, day: date) -> str:
    """Describe what changes if the second House Way replaces the first, at a commission on winnings."""
    parts = [_summary(one, other, found, commission)]
    notes = [*commission_notes(commission, day, one.rulebook, other.rulebook), *choice_notes(one, other)]
    if notes:
        parts.append("\n".join(f"note: {note}" for note in notes))
    if found.hands:
        parts.append(
            "In detail, by the two rules that decide. What the House keeps is its share of one unit wagered on such a "
            f"hand,\nagainst players who set {one.rulebook}; a minus means that it pays."
        )
    return "\n\n".join([*parts, *(_parting(one, other, parting) for parting in found.partings)])


def _summary(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction) -> str:
    if not found.hands:
        return f"{one.rulebook} and {other.rulebook} set all 35,960 deals the same way."
    first, second, alone = found.first_edge, found.second_edge, found.house_alone_edge
    both = {f"both sides set {each.rulebook}": edge for each, edge in ((one, first), (other, second))}
    changed = f"the House alone changes to {other.rulebook}"
    width = max(map(len, (*both, changed)))
    kinds = [hands for parting in found.partings for hands in parting.by_kind]
    largest = sorted(kinds, key=lambda hands: -abs(_weight(hands)))[:_LARGEST]
    differing = f"{found.kinds} kinds of hand, {len(found.hands)} by face"
    return "\n".join(
        [
            f"{one.rulebook} and {other.rulebook} set {found.deals:,} of 35,960 deals differently: {differing}.",
            f"House edge at {per_cent(commission)} commission:",
            *(f"  {words:{width}}  {_share(edge, 6)}" for words, edge in both.items()),
            f"  {changed:{width}}  {_share(alone, 6)}: {_gain(alone - first, 6)}",
            "The kinds of hand that matter most:" if len(kinds) > 1 else "The kind of hand:",
            *(f"  {_dealt(hands)}: {_gain(hands[0].gain, 2)} each time" for hands in largest),
        ]
    )


def _parting(one: HouseWay, other: HouseWay, parting: Parting) -> str:
    kinds = parting.by_kind
    size = f"{parting.deals:,} deals, {len(kinds)} kind{'' if len(kinds) == 1 else 's'}"
    lines = [
        f"{parting.first.cite} against {parting.second.cite}: {size}, in all {_gain(parting.weight, 6)}",
        f"    {one.rulebook}: {parting.first.text}",
        f"    {other.rulebook}: {parting.second.text}",
    ]
    return "\n".join([*lines, *(_kind(one, other, hands) for hands in kinds)])


def _kind(one: HouseWay, other: HouseWay, hands: tuple[SetDifferently, ...]) -> str:
    hand = hands[0]
    width = max(len(one.rulebook), len(other.rulebook)) + 1
    return (
        f"  {_dealt(hands)}, such as {hand.deal}; {_gain(hand.gain, 2)}\n"
        f"    {one.rulebook + ':':{width}} {hand.first.words}; the House keeps {_share(hand.kept_by_first, 2)}\n"
        f"    {other.rulebook + ':':{width}} {hand.second.words}; the House keeps {_share(hand.kept_by_second, 2)}"
    )


def _dealt(hands: Sequence[SetDifferently]) -> str:
    names = ", ".join(kind.label for kind in hands[0].deal.kinds)
    return f"{names}: dealt {sum(each.deal.ways for each in hands)} of 35,960"


def _weight(hands: Sequence[SetDifferently]) -> Fraction:
    """Return what a kind of hand adds to the edge, weighted by how often it is dealt."""
    return sum(hand.weight for hand in hands[1:]) + hands[0].weight


def _gain(gain: Fraction, digits: int) -> str:
    """Describe a gain or loss of the House, without a sign.

    >>> from fractions import Fraction
    >>> _gain(Fraction(-166, 10_000), 2), _gain(Fraction(39, 1000), 2), _gain(Fraction(0), 2)
    ('the House loses 1.66 %', 'the House gains 3.90 %', 'the House gains nothing')
    """
    if not gain:
        return "the House gains nothing"
    return f"the House {'loses' if gain < 0 else 'gains'} {_share(abs(gain), digits)}"


def _share(share: Fraction, digits: int) -> str:
    return f"{float(share) * 100:.{digits}f} %"
