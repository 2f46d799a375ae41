"""Rounds as a table for a spreadsheet: one line a round, as comma-separated values (RFC 4180)."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.rounds.reports import OutcomeReport, RoundReport

COLUMNS: Final = (
    "table",
    "round",
    "id",
    "revision",
    "opened_at",
    "closed_at",
    "status",
    "house_verdict",
    "house_low",
    "house_high",
    "expected_low",
    "expected_high",
    "rule",
    "house_hands_judged",
    "house_hands_wrong",
    "boxes",
    "dice",
    "first_box",
    "departures",
    "outcomes",
    "decided_by",
    "dealer",
)
BYTE_ORDER_MARK: Final = "\ufeff"
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def rounds_csv(rounds: Iterable[tuple[str, RoundReport]]) -> Iterator[str]:
    """The table, line by line, with a heading; times are UTC. Each round comes after the name of its table.

    It begins with a byte order mark, without which Excel takes UTF-8 for another encoding.

    What a spreadsheet would take for a formula has an apostrophe before it.
    """
    yield f"{BYTE_ORDER_MARK}{csv_line(COLUMNS)}"
    for table, played in rounds:
        yield csv_line((table, *_cells(played)))


def _cells(played: RoundReport) -> tuple[object, ...]:
    house = played.house
    way = None if house is None else house.house_way
    expected = None if way is None else way.expected
    verdicts = [hand.house_way.verdict for hand in played.judged if hand.house_way is not None]
    reviews = [hand.review for hand in played.hands] + [gone.review for gone in played.absent] + [played.dice_review]
    return (
        played.number,
        played.id,
        played.revision,
        played.opened_at.isoformat(),
        "" if played.closed_at is None else played.closed_at.isoformat(),
        played.status,
        "" if way is None else way.verdict,
        "" if house is None else " ".join(house.low),
        "" if house is None else " ".join(house.high),
        "" if expected is None else " ".join(expected.low),
        "" if expected is None else " ".join(expected.high),
        "" if way is None or way.rule is None else way.rule,
        len(verdicts),
        verdicts.count("wrong"),
        " ".join(sorted(hand.place.removeprefix("box") for hand in played.hands if hand.place.startswith("box"))),
        " ".join(f"{die.role or 'die'}:{die.value or '?'}" for die in played.dice),
        "" if played.throw is None or played.throw.first_box is None else played.throw.first_box,
        " ".join(found.code for found in played.departures),
        " ".join(f"{_about(each)}:{each.outcome}" for each in played.outcomes),
        " ".join(sorted({review.by for review in reviews if review is not None})),
        played.dealer or "",
    )


def _about(outcome: OutcomeReport) -> str:
    """The place of the hand, or the code of the finding, that an outcome is about."""
    return outcome.place or ("" if outcome.finding is None else outcome.finding.code)


def csv_line(cells: Iterable[object]) -> str:
    """A line of a table; what a spreadsheet would take for a formula has an apostrophe before it."""
    line = StringIO()
    csv.writer(line).writerow([_safe(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue()


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
