"""Recorded rounds in a floor's database, and workers that re-read them."""

import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import Engine, insert, text

from calibration.table.places import HOUSE
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET
from rereading.again import Again, basis_here
from rereading.jobs import Run, find, start
from rereading.rules import Chosen
from service.hub.writer import enter_tables
from service.record.store import schema
from service.record.store.database import close_database, open_database
from service.record.store.entries import NO_HASH, Entry, canonical_json, timestamp
from service.record.store.schema import OWN_LOG
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.judge.verdicts import judge_round
from service.rounds.readings import hand_of
from service.rounds.reports import RoundReport
from tests.conftest import ROOT
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, hand, opened, reading
from vision.findings import Code, Finding
from vision.reading import HandReading

BEGAN: Final = datetime(2026, 1, 1, tzinfo=UTC)
RULES: Final = TableRules.of("crown-6.1").at(BEGAN)
WAY: Final = RULES.house_way
REPORTS: Final = {
    name: judge_round(opened(read), RULES)
    for name, read in (
        ("right", HOUSE_RIGHT),
        ("wrong", HOUSE_WRONG),
        ("doubt", reading(replace(hand("house", *RIGHT), status="uncertain", doubts=(Finding(Code.PIP_GLARE),)))),
    )
}
_WRONG: Final = 0.1


def dealt(chance: random.Random) -> RoundReport:
    """A round with a House hand dealt at random; one in ten may be set differently from the House Way."""
    deal = Deal.of(chance.sample(FULL_SET, 4))
    setting = WAY.decide(deal).setting
    if chance.random() < _WRONG:
        setting = chance.choice(deal.settings)
    house = HandReading(HOUSE, setting.low.tiles, setting.high.tiles, "verified")
    others = (each for each in REPORTS["right"].hands if each.place != "house")
    return judge_round(REPORTS["right"].model_copy(update={"hands": (hand_of(house), *others)}), RULES)


def numbered(report: RoundReport, number: int, **more: Any) -> RoundReport:  # noqa: ANN401  of the report
    """A round with this number, which started that number of minutes after the first moment."""
    at = BEGAN + timedelta(minutes=number)
    values = {"id": f"r{number}", "number": number, "opened_at": at, "changed_at": at, **more}
    return report.model_copy(update=values)


def entry_of(report: RoundReport | dict[str, Any], seq: int = 1, previous: str = NO_HASH) -> Entry:
    """The entry of a table's record with a round."""
    body = report if isinstance(report, dict) else report.model_dump(mode="json")
    return Entry(
        seq=seq,
        at=timestamp(BEGAN),
        monotonic_ns=0,
        kind="round",
        table="test",
        round=str(body["id"]),
        subject=str(body["revision"]),
        supersedes=None,
        body=canonical_json(body),
        previous=previous,
    ).sealed()


def dealt_rounds(tables: int, rounds: int, seed: int = 1) -> dict[str, list[RoundReport]]:
    """By table, this many rounds dealt at random over all tables."""
    chance = random.Random(seed)  # noqa: S311  no secret
    found: dict[str, list[RoundReport]] = {f"t{number}": [] for number in range(tables)}
    for number in range(rounds):
        found[f"t{number % tables}"].append(numbered(dealt(chance), number + 1))
    return found


@contextmanager
def floor_with(url: str, rounds: dict[str, list[RoundReport]]) -> Iterator[Engine]:
    """A floor's database that has collected these rounds."""
    database = open_database(url)
    position = 0
    try:
        with database.begin() as connection:
            enter_tables(connection, tuple(rounds))
            for log, reports in enumerate(rounds.values(), start=OWN_LOG + 1):
                rows = _rows(log, reports, position)
                connection.execute(insert(schema.entries), rows)
                position += len(rows)
        yield database
    finally:
        close_database(database)


def _rows(log: int, reports: Sequence[RoundReport], position: int) -> list[dict[str, Any]]:
    collected = {"log": log, "signature": "", "received_at": timestamp(BEGAN)}
    rows, previous = [], NO_HASH
    for seq, report in enumerate(reports, 1):
        entry = entry_of(report, seq, previous)
        previous = entry.hash
        fields = {name: getattr(entry, name) for name in schema.ENTRY}
        rows.append({**fields, **collected, "position": position + seq})
    return rows


def started(database: Engine, chosen: Chosen | None = None, **more: Any) -> Run:  # noqa: ANN401  of start
    basis = basis_here("rules", chosen or Chosen(), None)
    run = find(database, start(database, basis, by="ann", reason="the book was amended", **more))
    assert run is not None
    return run


def by_rules(database: Engine, chosen: Chosen | None = None, **more: Any) -> tuple[Run, Again]:  # noqa: ANN401
    """A run by the rules alone over all rounds, and what re-reads a round of it."""
    return started(database, chosen, **more), Again(chosen or Chosen())


def now(database: Engine, run: Run) -> Run:
    found = find(database, run.id)
    assert found is not None
    return found


def pass_time(database: Engine, run: Run, seconds: float = 3600) -> None:
    with database.begin() as connection:
        earlier = "UPDATE rereading_rounds SET not_before = not_before - make_interval(secs => :s) WHERE run = :run"
        connection.execute(text(earlier), {"s": seconds, "run": run.id})


def program(url: str, *options: str) -> subprocess.Popen[str]:
    """``python -m rereading`` as a program of its own."""
    command = [sys.executable, "-m", "rereading", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HOUSEWAY_RECORD_URL": url}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
