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
    named_as,
    plain_errors,
    refuse,
    setting_json,
)

_PLACES_SHOWN = 2
"""Of the rules that a finding is about: where a deal is left undecided, the last of those that spoke."""

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.analysis.difference import Difference
    from engine.analysis.house_way_check import WayCheck
    from engine.analysis.way_finding import WayFinding
    from engine.house_way import Decision, HouseWay
    from engine.house_way.rules import Place
    from engine.house_way.written.mistakes import WayFileError


def export(rulebook: Rulebook, *, house_way: HouseWayUnder = None) -> None:
    """Print how all 8,130 hands are set, as CSV: hand, low, high, rule.

    Where the dealer may choose, a fifth column has the other settings as low / high, separated by the word or.
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
    first: Annotated[str, typer.Argument(help="A House Way: id or file.")],
    second: Annotated[str, typer.Argument(help="The House Way to compare it with: id or file.")],
    *,
    commission: Commission = "5%",
    as_json: AsJson = False,
) -> None:
    """Compare two House Ways: hands set differently, and what it costs the House.

    A summary comes first, then every hand that is set differently, by the rules that differ.
    """
    from engine.analysis.difference import difference
    from engine.analysis.edge import rate
    from engine.books.house_ways import get
    from service.cli.game.difference_text import difference_text

    with plain_errors():
        one, other, taken = get(first), get(second), rate(commission)
        found = difference(one, other, taken)
    if as_json:
        typer.echo(json.dumps(_difference_json(one, other, found, taken)))
    else:
        typer.echo(difference_text(one, other, found, taken))


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
    """Write a House Way as an HTML page to print.

    It has all rules, with tiles drawn, and how every deal is set.
    """
    from service.compliance.house_way_card import render_card
    from service.judge.house_way_choice import house_way_of

    named_as(out, ".html", ".htm", instead="; for a PDF, open the page in a browser and print it to a file")
    with plain_errors():
        way = house_way_of(rulebook, house_way)
        page = render_card(way)
    try:
        out.write_text(page, encoding="utf-8")
    except OSError as error:
        refuse(f"{out} cannot be written: {error.strerror}")
    typer.echo(f"{out}: {_counted(len(way.rules), 'rule')} and 3,620 kinds of deal; print it on A4")
