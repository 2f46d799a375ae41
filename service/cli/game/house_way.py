"""Commands for the game's owner: ``house-way export``, ``diff``, ``check`` and ``card``."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import (
    AsJson,
    Commission,
    HouseWayUnder,
    Rulebook,
    choice_notes,
    commission_notes,
    per_cent,
    plain_errors,
    refuse,
    setting_json,
)

_PLACES_SHOWN = 2
"""Of the rules that a finding is about: where a deal is left undecided, the last of those that spoke."""

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.analysis.difference import Difference, Parting, SetDifferently
    from engine.analysis.house_way_check import WayCheck
    from engine.analysis.way_finding import WayFinding
    from engine.house_way import Decision, HouseWay
    from engine.house_way.rules import Place
    from engine.house_way.written.mistakes import WayFileError


def export(rulebook: Rulebook, *, house_way: HouseWayUnder = None) -> None:
    """Print the setting of all 8,130 hands by face as CSV: hand, low, high, rule.

    Where the dealer may choose, a fifth column has the other settings, each low / high, with ``or`` between them.
    """
    from service.judge.house_way_choice import house_way_of

    with plain_errors():
        way = house_way_of(rulebook, house_way)
        decisions = way.decisions
    table = csv.writer(sys.stdout, lineterminator="\n")
    chosen = any(decision.choices for decision in decisions.values())
    table.writerow(("hand", "low", "high", "rule", *(["choices"] if chosen else [])))
    for deal, decision in decisions.items():
        others = [" or ".join(map(str, decision.choices))] if chosen else []
        table.writerow((deal, decision.setting.low, decision.setting.high, decision.rule.cite, *others))


def diff(
    first: Annotated[str, typer.Argument(help="Id or file of a House Way.")],
    second: Annotated[str, typer.Argument(help="Id or file of another.")],
    *,
    commission: Commission = "5%",
    as_json: AsJson = False,
) -> None:
    """List the hands that two House Ways set differently, how often they are dealt, and the effect on the edge."""
    from engine.analysis.difference import difference
    from engine.analysis.edge import rate
    from engine.books.house_ways import get

    with plain_errors():
        one, other, taken = get(first), get(second), rate(commission)
        found = difference(one, other, taken)
    if as_json:
        typer.echo(json.dumps(_difference_json(one, other, found, taken)))
    else:
        typer.echo(_difference_text(one, other, found, taken))


def _difference_json(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction) -> dict[str, Any]:
    return {
        "first": one.rulebook,
        "second": other.rulebook,
        "commission": str(commission),
        "notes": [*commission_notes(commission, one.rulebook, other.rulebook), *choice_notes(one, other)],
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


def _difference_text(one: HouseWay, other: HouseWay, found: Difference, commission: Fraction) -> str:
    first, second, alone = (float(edge) for edge in (found.first_edge, found.second_edge, found.house_alone_edge))
    head = f"""\
{one.rulebook} and {other.rulebook} set {found.deals:,} of 35,960 deals differently: \
{found.kinds} kinds of hand, {len(found.hands)} by face.
House edge at {per_cent(commission)} commission, both sides {one.rulebook}: {first:.6%}; \
both sides {other.rulebook}: {second:.6%} ({second - first:+.6%}).
If the house alone changes to {other.rulebook}: {alone:.6%} ({alone - first:+.6%}). \
What a hand adds to the edge below is its part of this; what the house keeps of one unit on it is against players \
who set {one.rulebook}."""
    told = [*commission_notes(commission, one.rulebook, other.rulebook), *choice_notes(one, other)]
    notes = [f"note: {note}" for note in told]
    return "\n\n".join(["\n".join([head, *notes]), *(_parting_text(one, other, parting) for parting in found.partings)])


def _parting_text(one: HouseWay, other: HouseWay, parting: Parting) -> str:
    kinds = parting.by_kind
    size = f"{parting.deals:,} deals, {_counted(len(kinds), 'kind')}, adds {float(parting.weight):+.6%} to the edge"
    lines = [
        f"{parting.first.cite} against {parting.second.cite}: {size}",
        f"    {one.rulebook}: {parting.first.text}",
        f"    {other.rulebook}: {parting.second.text}",
    ]
    return "\n".join([*lines, *(_kind_text(one, other, hands) for hands in kinds)])


def _kind_text(one: HouseWay, other: HouseWay, hands: tuple[SetDifferently, ...]) -> str:
    hand = hands[0]
    names = ", ".join(kind.label for kind in hand.deal.kinds)
    dealt = sum(each.deal.ways for each in hands)
    width = max(len(one.rulebook), len(other.rulebook)) + 1
    return (
        f"  {names}: dealt {dealt} of 35,960, such as {hand.deal}; the house gains {float(hand.gain):+.2%}\n"
        f"    {one.rulebook + ':':{width}} {hand.first.words}; house keeps {float(hand.kept_by_first):.2%}\n"
        f"    {other.rulebook + ':':{width}} {hand.second.words}; house keeps {float(hand.kept_by_second):.2%}"
    )


def check(
    way: Annotated[str, typer.Argument(help="Id or file of a House Way.", metavar="ID_OR_FILE")],
    *,
    as_json: AsJson = False,
) -> None:
    """Check a House Way on every deal: undecided ones, idle rules, contradictions, settings that only lose.

    Its examples are compared, and every mistake in a file without programming is named with line and column. Leaves
    with status 1 if there are faults, 0 if there is nothing or nothing but notes.
    """
    from engine.analysis.house_way_check import check as checked
    from engine.books.house_ways import get, ids_beside
    from engine.house_way.written.mistakes import WayFileError

    with plain_errors():
        try:
            found = checked(get(way), ids_beside(way))
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
        "rules": [
            {"rule": use.rule.cite, "name": use.rule.name, "refuses": use.refuses, "decides": use.decides}
            for use in found.uses
        ],
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


def _check_text(found: WayCheck) -> str:
    source, decided = found.way.source, sum(use.decides for use in found.uses)
    rules, faults, notes = (
        _counted(len(things), name)
        for things, name in ((found.way.rules, "rule"), (found.faults, "fault"), (found.notes, "note"))
    )
    head = f"{source.rulebook} ({source.title}, {source.revision}): {rules}, {decided:,} of 35,960 deals decided"
    return "\n".join([f"{head}; {faults}, {notes}", *map(_finding_text, found.findings)])


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


def card(
    rulebook: Rulebook,
    out: Annotated[Path, typer.Option("--out", help="The HTML file to write.", metavar="FILE.html")],
    *,
    house_way: HouseWayUnder = None,
) -> None:
    """Write a House Way as one HTML page to print: its rules, with tiles drawn, and the setting of every deal."""
    from service.compliance.house_way_card import render_card
    from service.judge.house_way_choice import house_way_of

    with plain_errors():
        way = house_way_of(rulebook, house_way)
        page = render_card(way)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        refuse(f"{out} cannot be written: {error.strerror}")
    typer.echo(f"{out}: {_counted(len(way.rules), 'rule')} and 3,620 kinds of deal; print it on A4")
