"""Recorded rounds to read again, in the store of a floor, and workers that read them."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from calibration.table.places import HOUSE
from engine.books.house_ways import get
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET
from service.floor.projections.projector import Projector
from service.floor.reread.again import Again
from service.floor.reread.runs import Scope, begin
from service.floor.reread.told import Chosen, here
from service.floor.settings import URL_VARIABLE
from service.floor.store.reader import FloorReader
from service.record.changes import Attribution
from service.rounds.as_read import hand_of
from tests.conftest import ROOT
from tests.service.floor.feeds import BEGAN, RecordedFeed
from tests.service.floor.played import collected
from tests.service.stand_ins import HOUSE_RIGHT, opened, report_round
from vision.reading import HandReading

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.floor.reread.runs import Run
    from service.rounds.reports import RoundReport

WHY: Final = Attribution("ann", "the book was amended")
_WAY: Final = get("crown-6.1")
_WRONG: Final = 0.1
_OPENED: Final = opened(HOUSE_RIGHT)


def dealt(chance: random.Random) -> RoundReport:
    """A round with a House hand that was dealt by chance; one in ten is set otherwise than the House Way has it."""
    deal = Deal.of(chance.sample(FULL_SET, 4))
    setting = _WAY.decide(deal).setting
    if chance.random() < _WRONG:
        setting = chance.choice(deal.settings)
    house = HandReading(HOUSE, setting.low.tiles, setting.high.tiles, "verified")
    hands = (hand_of(house), *(hand for hand in _OPENED.hands if hand.place != str(HOUSE)))
    return report_round(_OPENED.model_copy(update={"hands": hands}), table="test", house_way=_WAY, versions={})


def record(feed: RecordedFeed, report: RoundReport, number: int, **more: Any) -> RoundReport:  # noqa: ANN401  of the report
    """Have a table record a round, that began so many minutes after its feed did."""
    at = BEGAN + timedelta(minutes=number)
    told = {"id": f"r{number}", "number": number, "opened_at": at, "changed_at": at, **more}
    made = report.model_copy(update=told)
    feed.append("round", made.model_dump(mode="json"), round=made.id, subject=str(made.revision))
    return made


def feeds_of(tables: int, rounds: int, seed: int = 1) -> dict[str, RecordedFeed]:
    """Feeds of tables with so many rounds dealt by chance together."""
    chance = random.Random(seed)  # noqa: S311  no secret
    feeds = {f"t{number}": RecordedFeed() for number in range(tables)}
    for number in range(rounds):
        record(feeds[f"t{number % tables}"], dealt(chance), number + 1)
    return feeds


@contextmanager
def floor_with(url: str, feeds: Mapping[str, RecordedFeed]) -> Iterator[FloorReader]:
    """A floor's store that has these feeds, and has made of them what it shows."""
    with collected(url, feeds), FloorReader(url) as reader:
        Projector(reader.database).catch_up()
        yield reader


def by_rules(reader: FloorReader, chosen: Chosen | None = None, **more: Any) -> tuple[Run, Again]:  # noqa: ANN401
    """A run of the rules alone over all rounds, and what reads a round of it."""
    chosen = chosen or Chosen()
    return begin(reader.database, here("rules", chosen, None), Scope(), WHY, **more), Again(chosen)


def worker_program(url: str, *options: str) -> subprocess.Popen[str]:
    """``houseway floor reread work`` as a program of its own."""
    command = [sys.executable, "-m", "service", "floor", "reread", "work", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), URL_VARIABLE: url}
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
