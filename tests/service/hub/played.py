"""Tables whose feeds tell of real rounds, alarms and answers, collected into a floor's store."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from service.hub.collect.checking import extend
from service.hub.store.writer import FloorWriter
from service.rounds.judge.rules_in_force import TableRules
from tests.service.hub.feeds import BEGAN, RecordedFeed
from tests.service.hub.floors import record_in
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, hand, opened, reading, report_round, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.record.store.entries import Entry

RULES = TableRules.of("crown-6.1")
DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare",)))
REPORTS = {
    name: report_round(opened(read), table="test", rules=RULES, versions={})
    for name, read in (("right", HOUSE_RIGHT), ("wrong", HOUSE_WRONG), ("doubt", DOUBTFUL))
}


def play(
    feed: RecordedFeed,
    how: str = "right",
    round_id: str = "r1",
    revision: int = 1,
    *,
    number: int | None = None,
    minutes: float = 0.0,
    kind: str = "round",
    **more: Any,  # noqa: ANN401  of the report
) -> Entry:
    """Append a revision of a round that began so many minutes after the feed did."""
    at = BEGAN + timedelta(minutes=minutes)
    number = int(round_id.lstrip("r")) if number is None else number
    told = {"id": round_id, "revision": revision, "number": number, "opened_at": at, "changed_at": at, **more}
    body = REPORTS[how].model_copy(update=told).model_dump(mode="json")
    return feed.append(kind, body, round=round_id, subject=str(revision))


def check(feed: RecordedFeed, *bad: str) -> Entry:
    """Append how the checks are: those that are bad."""
    found = [{"code": "not_reached", "params": {"why": "gone"}}]
    checks = [{"name": name, "findings": found} for name in bad]
    return feed.append("alarm", {"ok": not bad, "checks": checks})


def acknowledge(feed: RecordedFeed, *names: str, by: str = "ann") -> Entry:
    """Append that somebody saw alarms."""
    return feed.append("acknowledgement", {"by": by, "reason": "", "alarms": [{"id": name} for name in names]})


@contextmanager
def collected(url: str, feeds: Mapping[str, RecordedFeed]) -> Iterator[FloorWriter]:
    """A store that has all of these feeds."""
    record = record_in(url)
    writer = FloorWriter(record, tuple(feeds))
    writer.start()
    try:
        wait_until(lambda: writer.writing)
        collect(writer, feeds)
        yield writer
    finally:
        writer.stop()
        record.close()


def collect(writer: FloorWriter, feeds: Mapping[str, RecordedFeed]) -> None:
    """Take what the feeds have more."""

    async def all_of_them() -> None:
        for name, feed in feeds.items():
            known = writer.known[name]
            found = extend(known, feed.given(known.seq), feed.trusted)
            assert found.refusal is None
            if found.extension is not None:
                await writer.take(name, found.extension)

    asyncio.run(all_of_them())
