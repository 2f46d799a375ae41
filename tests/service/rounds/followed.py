"""Simulated sessions, followed as at a table."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from datasets.simulator.readings import ErrorRates, ReadingSource
from datasets.simulator.script import Script
from engine.books.registry import rulebook
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.round_tracker import RoundTracker
from tests.service.stand_ins import report_round
from vision.hand_grouping import Conventions
from vision.tracking.observed.procedure import Procedure

START: Final = datetime(2026, 1, 1, tzinfo=UTC)


def followed(made: Script) -> list[RoundReport]:
    """The rounds of a session as they were recorded when they were closed."""
    return [report for report in every_revision(made) if report.state == "closed"]


def tracker_of(made: Script) -> RoundTracker:
    calibration = made.table_calibration()
    conventions = Conventions.of(calibration, made.low_hand)
    numbers = iter(range(1, 100))
    checked_by = Procedure(rulebook(made.options.rulebook), conventions.order)
    return RoundTracker(
        lambda: f"r{next(numbers)}",
        3,
        3,
        conventions=conventions,
        procedure=lambda _: checked_by,
    )


def every_revision(made: Script, rate: float = 5.0) -> Iterator[RoundReport]:
    """The rounds of a session read at a rate of pictures a second, each time something of them was news."""
    tracker = tracker_of(made)
    for timed in ReadingSource(made, rate, ErrorRates(), seed=1):
        changed = tracker.update(timed.reading, START + timedelta(seconds=timed.t_s))
        if changed is not None:
            report = report_round(
                changed,
                table="t1",
                rules=TableRules.of(made.options.rulebook, made.way.rulebook),
                versions={},
                box_order=tracker.conventions.order,
            )
            yield RoundReport.model_validate_json(report.model_dump_json())
