"""Rounds and alarms derived from entries: the same as at the table, in any order, and again after a restore."""

import asyncio
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, delete, select, update

from service.hub.checking import due_of, extend
from service.hub.writer import HubWriter
from service.record.projections.alarms import AlarmList
from service.record.projections.compare import compare
from service.record.projections.projector import Projector
from service.record.projections.round_search import Wanted, find_rounds
from service.record.store import schema
from service.record.store.all_logs import LogsReader
from service.record.store.database import open_database, writing
from service.record.store.database_reader import DatabaseReader, record_of_log
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.reports import EvidenceReport
from tests.service.hub.feeds import BEGAN, RecordedFeed, acknowledge, check, play
from tests.service.hub.hubs import collect, collected
from tests.service.stand_ins import new_folder


def evening(table: str = "own", rounds: int = 6, seed: int = 1) -> RecordedFeed:
    """A feed with rounds that go well, wrong and are doubted, failing checks, and answers to some of it."""
    chance, feed = random.Random(seed), RecordedFeed(table=table)  # noqa: S311  no secret
    for number in range(1, rounds + 1):
        ends = chance.choice(("right", "wrong", "doubt"))
        play(feed, "right", f"r{number}", 1, minutes=number)
        raising = play(feed, ends, f"r{number}", 2, minutes=number)
        if ends == "doubt" and chance.random() < 0.5:
            play(feed, "right", f"r{number}", 3, minutes=number, kind="review")
        if ends == "wrong" and chance.random() < 0.5:
            acknowledge(feed, f"{raising.seq}001.1")
        if chance.random() < 0.3:
            check(feed, "clock")
            check(feed)
    return feed


@pytest.fixture
def reader(store_url: str) -> Iterator[LogsReader]:
    with LogsReader(store_url) as made:
        yield made


def rows(database: Engine) -> dict[str, list[Any]]:
    found = {}
    with database.connect() as connection:
        for each in (schema.rounds, schema.alarms, schema.followed):
            found[each.name] = sorted(map(tuple, connection.execute(select(each))), key=repr)
    return found


def without_last(feed: RecordedFeed, left_out: int) -> RecordedFeed:
    """The feed without its last entries."""
    made = feed.copy()
    del made.entries[len(made.entries) - left_out :]
    return made


def numbers(reader: LogsReader) -> dict[str, int]:
    return {table.name: table.id for table in reader.tables()}


def as_at_the_table(feed: RecordedFeed) -> Projector:
    """The same entries in a record of the table's own."""
    record = Record(RecordSettings(new_folder()))
    for entry, _ in feed.entries[1:]:
        record.append(Draft(entry.kind, entry.data, table=entry.table, round=entry.round, subject=entry.subject))  # type: ignore[arg-type]
    return Projector(record)


def projector_of(reader: LogsReader) -> Projector:
    return Projector(DatabaseReader(reader.database))


def told(alarms: Sequence[Any]) -> list[dict[str, Any]]:
    """Alarms without what differs by where and when they were recorded."""
    left_out = {"id", "table", "raised_at", "last_raised_at", "over_at", "answer"}
    return [
        {**alarm.model_dump(exclude=left_out), "over": alarm.over_at is None, "by": alarm.answer and alarm.answer.by}
        for alarm in alarms
    ]


def test_alarms_and_rounds_are_those_that_the_table_has_itself(store_url: str, reader: LogsReader) -> None:
    feed = evening(rounds=12)
    own = as_at_the_table(feed)
    own.catch_up()
    book = AlarmList(own.database, [feed.table])
    with collected(store_url, {"t1": feed, "t2": evening(seed=2)}):
        projector = projector_of(reader)
        projector.catch_up()
        of_t1 = AlarmList(reader.database, ["t1"])
        assert told(of_t1.page(limit=200).alarms) == told(book.page(limit=200).alarms) != []
        assert of_t1.counts() == book.counts()
        for wanted in (Wanted(), Wanted(verdict="wrong")):
            assert find_rounds(projector, wanted, ["t1"]).played == find_rounds(own, wanted, ["own"]).played != ()
        at_floor = record_of_log(reader.database, numbers(reader)["t1"])
        assert at_floor.newest_rounds("own", 3) != ()
        assert [entry.body for entry in at_floor.newest_rounds("own", 3)] == [
            entry.body for entry in own.record.newest_rounds("own", 3)
        ]
    own.record.close()


def test_an_alarm_of_the_hub_has_a_name_of_its_own_and_its_tables_name(store_url: str, reader: LogsReader) -> None:
    one, other = RecordedFeed(table="own"), RecordedFeed(table="own")
    for feed in (one, other):
        play(feed, "wrong", "r1")
    with collected(store_url, {"t1": one, "t2": other}):
        projector_of(reader).catch_up()
        hub = AlarmList(reader.database)
        newer, older = hub.page().alarms
        assert (newer.table, older.table) == ("t2", "t1")
        assert newer.id is not None
        assert older.id is not None
        assert newer.id != older.id
        assert hub.named([older.id])[older.id] == older
        first = hub.page(limit=1)
        assert hub.page(limit=1, cursor=first.next).alarms == (older,)


def test_it_comes_to_the_same_entry_by_entry_and_all_at_once(store_url: str, reader: LogsReader) -> None:
    feeds = {name: evening(seed=seed) for seed, name in enumerate(("t1", "t2", "t3"))}
    projector = projector_of(reader)
    with collected(store_url, {name: without_last(feed, 4) for name, feed in feeds.items()}) as writer:
        projector.catch_up()
        for left in (3, 2, 1, 0):
            collect(writer, {name: without_last(feed, left) for name, feed in feeds.items()})
            projector.catch_up()
        by_and_by = rows(reader.database)
        projector.rebuild()
        assert rows(reader.database) == by_and_by
        assert [compare(reader.database, number).faults for number in numbers(reader).values()] == [()] * 3


def test_parts_of_a_feed_change_what_was_made_of_it_before(store_url: str, reader: LogsReader) -> None:
    feed = RecordedFeed(table="own")
    projector = projector_of(reader)
    play(feed, "doubt", "r1")
    with collected(store_url, {"t1": feed}) as writer:
        projector.catch_up()
        assert AlarmList(reader.database).counts() == {"needs_review": 1}
        play(feed, "right", "r1", 2, kind="review")
        collect(writer, {"t1": feed})
        projector.catch_up()
        assert AlarmList(reader.database).counts() == {}
        with reader.database.connect() as connection:
            row = connection.execute(select(schema.rounds)).one()
        assert (row.status, row.verdict, row.first, row.position, row.doubts) == ("verified", "correct", 3, 4, "")
        assert not compare(reader.database, numbers(reader)["t1"]).faults


@pytest.mark.parametrize("after", [0, 1, 30])
def test_a_restored_record_is_made_anew_from_what_it_has_now(store_url: str, reader: LogsReader, after: int) -> None:
    feed = evening(rounds=8)
    restored = feed.restored(5)
    for number in range(after):
        play(restored, "wrong", f"r{50 + number}", 1, minutes=50 + number)
    projector = projector_of(reader)
    with collected(store_url, {"t1": feed, "t2": evening(seed=3)}) as writer:
        projector.catch_up()
        before = rows(reader.database)
        take_restored(writer, reader, restored, 5)
        projector.catch_up()
        assert not compare(reader.database, numbers(reader)["t1"]).faults
        made = rows(reader.database)
        assert made != before
        projector.rebuild()
        assert rows(reader.database) == made
        with reader.database.connect() as connection:
            of_t1 = {row.round for row in connection.execute(select(schema.rounds)) if row.log == numbers(reader)["t1"]}
        assert of_t1 == {entry.round for entry, _ in restored.entries if entry.round is not None}


def take_restored(writer: HubWriter, reader: LogsReader, restored: RecordedFeed, common: int) -> None:
    base = reader.known_at("t1", common)
    due = due_of(restored.announced, common)
    assert base is not None
    assert due is not None
    found = extend(
        replace(base, due=due, epoch=due.epoch), restored.given(common), restored.trusted, lost=True
    ).extension
    assert found is not None
    asyncio.run(writer.take("t1", found))


@pytest.mark.parametrize(
    "change",
    [
        update(schema.rounds).values(status="verified"),
        update(schema.alarms).values(answered_at="2026-01-01T00:00:00.000000Z", answer="acknowledged"),
        delete(schema.alarms),
        delete(schema.rounds),
    ],
)
def test_what_somebody_changed_is_found_and_made_right(store_url: str, reader: LogsReader, change: Any) -> None:  # noqa: ANN401
    feed = RecordedFeed(table="own")
    play(feed, "doubt", "r1")
    projector = projector_of(reader)
    with collected(store_url, {"t1": feed}):
        projector.catch_up()
        assert not compare(reader.database, numbers(reader)["t1"]).faults
        with reader.database.begin() as connection:
            connection.execute(change)
        assert compare(reader.database, numbers(reader)["t1"]).faults
        projector.rebuild()
        assert not compare(reader.database, numbers(reader)["t1"]).faults


def test_another_version_makes_it_anew_and_what_cannot_be_read_is_left_out(store_url: str, reader: LogsReader) -> None:
    feed = RecordedFeed(table="own")
    play(feed, "wrong", "r1")
    feed.append("round", {"of": "a later version"}, round="r2", subject="1")
    play(feed, "right", "r3", 1, number=3)
    projector = projector_of(reader)
    with collected(store_url, {"t1": feed}):
        projector.catch_up()
        made = rows(reader.database)
        assert [row[1] for row in made["rounds"]] == ["r1", "r3"]
        with reader.database.begin() as connection:
            connection.execute(update(schema.rounds).values(status="made by another version"))
            connection.execute(update(schema.projections).values(version=-1))
        projector.catch_up()
        assert rows(reader.database) == made
        assert not compare(reader.database, numbers(reader)["t1"]).faults


def test_a_long_log_leaves_time_to_other_writers(
    store_url: str, reader: LogsReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.record.projections.projector.OF_EACH", 1)
    monkeypatch.setattr("service.record.projections.projector._CATCH_UP_S", 300.0)
    other = open_database(store_url)
    with collected(store_url, {"t1": evening()}), ThreadPoolExecutor(1) as thread:
        following = thread.submit(projector_of(reader).catch_up)
        for _ in range(3):
            with writing(other) as connection:
                connection.execute(update(schema.projections).values(version=schema.projections.c.version))
        assert not following.done()
        assert following.result()
    other.dispose()


def test_nobody_waits_for_ever_for_a_log_that_is_followed(
    store_url: str, reader: LogsReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.record.projections.projector.OF_EACH", 1)
    monkeypatch.setattr("service.record.projections.projector._CATCH_UP_S", 0.0)
    with collected(store_url, {"t1": evening()}), pytest.raises(RecordUnavailableError, match="still being read"):
        projector_of(reader).catch_up()


def test_what_is_made_stands_up_to_the_queries_of_a_record(store_url: str, reader: LogsReader) -> None:
    """Everything that is built on a table's record reads it at the floor."""
    feed = evening(rounds=3)
    picture = EvidenceReport(sha256="ab" * 32, bytes=123, media_type="image/jpeg", role="frame")
    play(feed, "right", "r9", 1, minutes=9, evidence=(picture,))
    with collected(store_url, {"t1": feed, "t2": RecordedFeed(table="own").rounds(3)}):
        record = record_of_log(reader.database, numbers(reader)["t1"])
        assert record.head() == feed.head
        assert [entry for entry, _ in record.signed_entries()] == [entry for entry, _ in feed.entries]
        assert record.signatures([1, 2]) == {1: feed.entries[0][1], 2: feed.entries[1][1]}
        assert record.media_type("ab" * 32) == "image/jpeg"
        assert record.media_type("cd" * 32) is None
        assert record.bytes_of_pictures(0) == 123
        assert record.first_at(BEGAN + timedelta(seconds=2.5)) == 3
