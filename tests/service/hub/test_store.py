"""The store of a hub: one writer, positions without gaps, nothing twice, nothing lost when PostgreSQL is killed."""

import asyncio
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.hub.checking import due_of, extend
from service.hub.writer import MOST_REFUSED, HubWriter, MovedError, NotStoredError, NotTheWriterError
from service.record.store.all_logs import LogsReader
from service.record.store.database_reader import DatabaseReader
from service.record.store.faults import Fault
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.record.store.stored_logs import UNKNOWN, Extension, Refusal
from service.words.codes import HubCode, RecordCode
from tests.service.databases import Cluster, new_database
from tests.service.hub.feeds import RecordedFeed, lines
from tests.service.hub.hubs import record_in
from tests.service.stand_ins import wait_until

TABLES = ("t1", "t2", "t3")


@contextmanager
def writing(url: str, *tables: str) -> Iterator[HubWriter]:
    record = record_in(url)
    writer = HubWriter(record, tables or TABLES)
    writer.start()
    try:
        wait_until(lambda: writer.writing)
        yield writer
    finally:
        writer.stop()
        record.close()


def checked(writer: HubWriter, table: str, feed: RecordedFeed, limit: int | None = None) -> Extension:
    known = writer.known[table]
    found = extend(known, feed.given(known.seq, limit), feed.trusted)
    assert found.refusal is None
    assert found.extension is not None
    return found.extension


async def collect(writer: HubWriter, table: str, feed: RecordedFeed, limit: int = 3) -> None:
    while writer.known[table].seq < len(feed.entries):
        await writer.take(table, checked(writer, table, feed, limit))


def held(reader: LogsReader, table: str) -> list[str]:
    return [each.entry.line() for each in reader.all_followed(table=table) if each.gone is None]


def test_entries_are_as_their_table_has_them_to_the_byte(store_url: str) -> None:
    feed = RecordedFeed().rounds(5)
    feed.append("review", {"text": 'é "quoted" \\ \n {,} NULL', "none": None}, round="r1", subject="a\tb")
    feed.append("health", {}, subject="NULL")
    feed.append("health", {"x": "null"}, subject="")
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        asyncio.run(collect(writer, "t1", feed, 4))
        assert held(reader, "t1") == lines(feed.given())
        assert [each.signature for each in reader.all_followed()] == [signature for _, signature in feed.entries]
        assert [each.position for each in reader.all_followed()] == list(range(2, 11))
        known = writer.known["t1"]
        table = reader.table("t1")
        assert table is not None
        assert table.known == known
        assert (known.seq, known.hash) == (9, feed.head.hash)


def test_many_tables_at_once_keep_their_order_without_gaps(store_url: str) -> None:
    feeds = {f"t{number}": RecordedFeed().rounds(20 + number) for number in range(12)}

    async def all_of_them(writer: HubWriter) -> None:
        await asyncio.gather(*(collect(writer, table, feed) for table, feed in feeds.items()))

    sizes: list[int] = []
    with writing(store_url, *feeds) as writer, LogsReader(store_url) as reader:
        writer.committed = lambda entries, _seconds: sizes.append(entries)
        asyncio.run(all_of_them(writer))
        found = list(reader.all_followed())
        assert [each.position for each in found] == list(
            range(2, sum(len(feed.entries) for feed in feeds.values()) + 2)
        )
        for table, feed in feeds.items():
            assert [each.entry.line() for each in found if each.table == table] == lines(feed.given())
            assert held(reader, table) == lines(feed.given())
    assert max(sizes) > 3, "works of one moment are committed together"


def test_who_reads_while_it_is_written_misses_nothing(store_url: str) -> None:
    feeds = {table: RecordedFeed().rounds(60) for table in TABLES}
    whole = sum(len(feed.entries) for feed in feeds.values())
    seen: list[int] = []
    with writing(store_url) as writer, LogsReader(store_url) as reader:

        def read() -> None:
            while len(seen) <= whole:
                seen.extend(each.position for each in reader.after(seen[-1] if seen else 0, limit=7))

        reading = threading.Thread(target=read)
        reading.start()

        async def all_of_them() -> None:
            await asyncio.gather(*(collect(writer, table, feed, 2) for table, feed in feeds.items()))

        asyncio.run(all_of_them())
        reading.join(30)
    assert seen == list(range(1, whole + 2))  # the first is of the service itself


def test_what_comes_again_is_taken_once(store_url: str) -> None:
    feed = RecordedFeed().rounds(5)
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        extension = checked(writer, "t1", feed)

        async def twice() -> None:
            await asyncio.gather(writer.take("t1", extension), writer.take("t1", extension))
            await writer.take("t1", extension)

        asyncio.run(twice())
        assert held(reader, "t1") == lines(feed.given())
        stale = extend(UNKNOWN, feed.given(0, 2), feed.trusted).extension
        assert stale is not None
        with pytest.raises(MovedError):
            asyncio.run(writer.take("t1", stale))
        assert reader.position() == 7


@pytest.mark.parametrize("spoiling", [{"kind": None}, {"round": "\ud800"}, {"seq": 2**63}])
def test_one_table_that_cannot_be_stored_keeps_no_other_waiting(store_url: str, spoiling: dict[str, Any]) -> None:
    """Checking lets nothing of this kind through; if it did, it must not stop the floor."""
    feed, other = RecordedFeed().rounds(3), RecordedFeed().rounds(3)
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        extension = checked(writer, "t1", feed)
        first, *rest = extension.entries
        spoilt = replace(extension, entries=(first, replace(rest[0], entry=replace(rest[0].entry, **spoiling)), *rest))

        async def both() -> tuple[BaseException | None, BaseException | None]:
            taking = writer.take("t1", spoilt), writer.take("t2", checked(writer, "t2", other))
            return await asyncio.gather(*taking, return_exceptions=True)

        refused, fine = asyncio.run(both())
        assert isinstance(refused, NotStoredError)
        assert fine is None
        assert held(reader, "t2") == lines(other.given())
        asyncio.run(collect(writer, "t1", feed))
        assert held(reader, "t1") == lines(feed.given())
        assert reader.position() == 9


def test_a_restored_record_loses_nothing_here(store_url: str) -> None:
    feed = RecordedFeed().rounds(9)
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        asyncio.run(collect(writer, "t1", feed))
        restored = feed.restored(6).rounds(5)
        known = reader.known_at("t1", 6)
        assert known is not None
        due = due_of(restored.announced, 6)
        assert due is not None
        found = extend(replace(known, due=due, epoch=due.epoch), restored.given(6), feed.trusted, lost=True).extension
        assert found is not None

        async def twice() -> None:
            await writer.take("t1", found)
            await writer.take("t1", found)

        asyncio.run(twice())
        assert held(reader, "t1") == lines(restored.given())
        gone = [each for each in reader.all_followed(table="t1") if each.gone is not None]
        assert [each.entry.line() for each in gone] == lines(feed.given(6))
        assert {each.gone for each in gone} == {due.epoch}
        assert reader.hashes("t1", 6, 8) == {entry.seq: entry.hash for entry, _ in restored.entries[5:8]}
        assert reader.known_at("t1", 12) == writer.known["t1"]


def test_a_restore_to_what_is_not_held_is_not_written(store_url: str) -> None:
    feed, other = RecordedFeed().rounds(9), RecordedFeed().rounds(9)
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        asyncio.run(collect(writer, "t1", feed))
        found = extend(UNKNOWN, other.given(), other.trusted).extension
        assert found is not None
        with pytest.raises(MovedError):
            asyncio.run(writer.take("t1", replace(found, follows=(4, other.entries[3][0].hash), lost=True)))
        assert held(reader, "t1") == lines(feed.given())


def test_what_the_key_was_at_an_entry_is_known(store_url: str) -> None:
    feed = RecordedFeed().rounds(3)
    before = feed.rotate().public.hex
    feed.rounds(2)
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        asyncio.run(collect(writer, "t1", feed))
        keys = {seq: known.key for seq in range(1, 8) if (known := reader.known_at("t1", seq)) is not None}
        assert keys == {**dict.fromkeys((1, 2, 3, 4), before), **dict.fromkeys((5, 6, 7), feed.signer.public.hex)}
        assert reader.known_at("t1", 8) is None
        assert reader.known_at("t2", 1) is None


_WITH_A_GAP = (
    'INSERT INTO record_entries SELECT position + 7, log, seq + 7, at, monotonic_ns, kind, "table", round, '
    "subject, supersedes, body, previous, 'x' || substr(hash, 2), signature, received_at, gone FROM record_entries"
)
_AGAIN = (
    'SELECT 8, log, seq, at, monotonic_ns, kind, "table", round, '
    "subject, supersedes, body, previous, hash, signature, received_at, gone FROM record_entries WHERE position = 3"
)


_ONLY_OF = {"TRUNCATE": "postgresql", "REPLACE": "sqlite"}


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM record_entries WHERE position = 3",
        "TRUNCATE record_entries CASCADE",
        "UPDATE record_entries SET body = '{}' WHERE position = 3",
        "UPDATE record_entries SET gone = 'x', kind = 'y' WHERE position = 3",
        "UPDATE record_entries SET gone = NULL WHERE position = 3",
        "REPLACE INTO record_entries SELECT * FROM record_entries WHERE position = 3",
        f"REPLACE INTO record_entries {_AGAIN}",
        _WITH_A_GAP,
    ],
)
def test_what_is_there_stays(store_url: str, statement: str) -> None:
    if not store_url.startswith(_ONLY_OF.get(statement.partition(" ")[0], "")):
        pytest.skip("no statement of this database")
    with writing(store_url) as writer, LogsReader(store_url) as reader:
        asyncio.run(collect(writer, "t1", RecordedFeed().rounds(5)))
        before = list(reader.all_followed())
        with pytest.raises(DBAPIError, match=r"append-only|have a gap"), reader.database.begin() as connection:
            connection.execute(text(statement))
        assert list(reader.all_followed()) == before


def test_what_is_refused_is_kept_aside_within_bounds(store_url: str) -> None:
    with writing(store_url) as writer, LogsReader(store_url) as reader:

        async def refuse() -> None:
            fault = Fault.of(5, RecordCode.HASH_WRONG)
            for _ in range(3):
                await writer.refuse("t1", Refusal(fault, b"x" * 100_000))
            await writer.refuse("t1", Refusal(Fault.of(1, HubCode.OTHER_RECORD, record="a", known="b"), b"\xff\0"))
            for number in range(MOST_REFUSED):
                await writer.refuse("t2", Refusal(fault, f"{number}".encode()))
            await writer.refuse("t2", Refusal(fault, b"one too many"))

        asyncio.run(refuse())
        other, same = reader.refused("t1")
        assert (same.times, len(same.line), same.fault) == (3, 64_000, Fault.of(5, RecordCode.HASH_WRONG))
        assert (other.line, dict(other.fault.finding.params)) == (b"\xff\0", {"record": "a", "known": "b"})
        assert len(reader.refused("t2", limit=1_000)) == MOST_REFUSED


class TestTwoServices:
    def test_the_second_waits_for_the_first(self, store_url: str) -> None:
        with writing(store_url) as writer:
            asyncio.run(collect(writer, "t1", RecordedFeed().rounds(2)))
            record = record_in(store_url)
            second = HubWriter(record, TABLES)
            second.start()
            assert record.state.finding.code is RecordCode.OTHER_WRITER
            assert (second.writing, second.known["t1"]) == (False, UNKNOWN)
        wait_until(lambda: second.writing)
        assert second.known["t1"].seq == 3
        second.stop()
        record.close()

    def test_one_that_lost_its_lease_goes_on_from_what_the_other_wrote(
        self, postgresql_url: str, tmp_path: Path
    ) -> None:
        feed = RecordedFeed().rounds(6)
        first = record_in(postgresql_url)
        shutil.copytree(first.settings.folder, tmp_path / "standby", ignore=shutil.ignore_patterns("*.lock"))
        second = Record(RecordSettings(tmp_path / "standby", postgresql_url))
        assert second.state.finding.code is RecordCode.LEASED
        writers = [HubWriter(record, TABLES) for record in (first, second)]
        for writer in writers:
            writer.start()
        wait_until(lambda: writers[0].writing)
        asyncio.run(writers[0].take("t1", checked(writers[0], "t1", feed, 3)))
        late = checked(writers[0], "t1", feed)
        with LogsReader(postgresql_url) as reader:
            with reader.database.begin() as connection:  # as a server does that no longer hears a machine
                connection.execute(
                    text(
                        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted "
                        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                    )
                )
            wait_until(lambda: writers[1].writing)
            asyncio.run(collect(writers[1], "t1", feed))
            second.close()
            asyncio.run(writers[0].take("t1", late))  # the second took it already
            assert held(reader, "t1") == lines(feed.given())
        for writer in writers:
            writer.stop()
        first.close()


class TestKilled:
    def test_postgresql_is_killed_while_entries_are_taken(self, own_cluster: Cluster) -> None:
        url = new_database(own_cluster.url)
        feeds = {table: RecordedFeed().rounds(120) for table in TABLES}
        with writing(url) as writer, LogsReader(url) as reader:
            killed = threading.Event()

            def kill() -> None:
                due = writer.position + 20
                wait_until(lambda: writer.position > due)
                own_cluster.kill()
                own_cluster.start()
                killed.set()

            killer = threading.Thread(target=kill)

            async def grow(table: str, feed: RecordedFeed) -> None:
                while not killed.is_set() or writer.known[table].seq < len(feed.entries):
                    if writer.known[table].seq == len(feed.entries):
                        feed.rounds(5)
                    await writer.take(table, checked(writer, table, feed, 2))

            async def all_of_them() -> None:
                await asyncio.gather(*(grow(table, feed) for table, feed in feeds.items()))

            killer.start()
            asyncio.run(all_of_them())
            killer.join()
            for table, feed in feeds.items():
                assert held(reader, table) == lines(feed.given())
            own = len(tuple(DatabaseReader(reader.database).all_entries()))
            assert reader.position() == own + len(tuple(reader.all_followed()))

    def test_a_hub_that_ends_while_the_database_is_away_says_so(self, own_cluster: Cluster) -> None:
        url = new_database(own_cluster.url)
        feed = RecordedFeed().rounds(2)
        with writing(url) as writer:
            own_cluster.kill()
            wait_until(lambda: not writer.writing)

            async def taking() -> None:
                waits = asyncio.create_task(writer.take("t1", checked(writer, "t1", feed)))
                await asyncio.sleep(0.1)
                assert not waits.done()
                await asyncio.to_thread(writer.stop)
                with pytest.raises(NotTheWriterError):
                    await waits

            asyncio.run(taking())
            own_cluster.start()
        with LogsReader(url) as reader:
            assert held(reader, "t1") == []
