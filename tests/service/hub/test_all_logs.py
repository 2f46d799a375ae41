"""One store with rounds of this service's own table and of tables that it follows: one feed, one order of notices."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from service.api.notify.notices import NOTICE_KINDS, NoticeReader
from service.hub.writer import HubWriter
from service.record.checkpoints.epochs import EntryNamed, EpochStart, epochs_of
from service.record.feed import Feed, Wanted
from service.record.integrity.seen_check import check_seen_in_database
from service.record.integrity.verify import verify_database
from service.record.ledger import Ledger
from service.record.outbox import ALL_PARTS, Outbox, rewind_subscribers
from service.record.store.all_logs import LogsReader
from service.record.store.entries import Draft
from service.record.store.record import Record
from service.record.store.stored_logs import START, Cursor, ForeignCursorError, RestoredError, cursor_of, read_cursor
from service.rounds.judge.rules_in_force import TableRules
from tests.service.hub.feeds import REPORTS, RecordedFeed, play
from tests.service.hub.hubs import collect, record_in
from tests.service.stand_ins import wait_until

ALL = frozenset(NOTICE_KINDS)


@contextmanager
def mixed(url: str) -> Iterator[tuple[Record, HubWriter, RecordedFeed]]:
    """A store with rounds of the table ``own``, and with those of ``t1`` before, between and behind them."""
    record, feed = record_in(url), RecordedFeed(table="theirs")
    writer = HubWriter(record, ("t1",))
    writer.start()
    try:
        wait_until(lambda: writer.writing)
        ledger = Ledger(record, "own", TableRules.of("crown-6.1"))
        for number in range(1, 4):
            play(feed, "wrong", f"r{number}")
            collect(writer, {"t1": feed})
            told = {"id": f"o{number}", "number": number, "table": "own"}
            ledger.revise(REPORTS["right"].model_copy(update=told))
        yield record, writer, feed
    finally:
        writer.stop()
        record.close()


def page(feed: Feed, since: Cursor = START, tables: tuple[str, ...] | None = None, limit: int = 50) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(asyncio.run(feed.page(since, Wanted(tables, limit=limit), 0))[0])
    return found


def rounds(said: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["table"], each["round"]["id"]) for each in said["results"]]


def test_results_of_all_logs_come_in_one_order(store_url: str) -> None:
    with mixed(store_url) as (record, _, feed):
        whole = page(Feed(record))
        assert [each for each in rounds(whole) if each[0] == "t1"] == [("t1", f"r{number}") for number in (1, 2, 3)]
        assert {each["table"] for each in whole["results"]} == {"t1", "own"}
        assert rounds(whole)[0] == ("t1", "r1")
        walked, since, more = [], START, True
        while more:
            said = page(Feed(record), since, limit=1)
            walked += said["results"]
            since, more = read_cursor(said["next"]), said["more"]
        assert walked == whole["results"]
        for place, each in enumerate(whole["results"]):
            assert page(Feed(record), read_cursor(each["cursor"]))["results"] == whole["results"][place + 1 :]
        for name in ("t1", "own"):
            of_it = [each for each in whole["results"] if each["table"] == name]
            assert page(Feed(record), tables=(name,))["results"] == of_it
        assert page(Feed(record), tables=("own", "t1", "nowhere"))["results"] == whole["results"]
        assert page(Feed(record), tables=())["results"] == []
        assert {each["seq"] for each in whole["results"] if each["table"] == "t1"} == {2, 3, 4}
        own = [each for each in whole["results"] if each["table"] == "own"]
        numbers = [each["seq"] for each in own]
        assert [each.cursor for each in Feed(record).revisions(numbers)] == [each["cursor"] for each in own]
        assert whole["epoch"] == epochs_of(record)[-1].name
        assert feed.head.seq == 4


def test_a_cursor_of_what_is_lost_goes_on_behind_what_is_common(store_url: str) -> None:
    with mixed(store_url) as (record, _, _feed):
        lost = (10**6, "ab" * 8)
        with pytest.raises(ForeignCursorError) as foreign:
            page(Feed(record), lost)
        assert not isinstance(foreign.value, RestoredError)
        common = record.entry(2)
        assert common is not None
        named = EntryNamed(seq=common.seq, hash=common.hash)
        said = EpochStart(common=named, lost=None, known_from=("the tests",), by="", reason="")
        record.append(Draft("epoch", said.model_dump(mode="json"), table="own"))
        with pytest.raises(RestoredError) as restored:
            page(Feed(record), lost)
        position, start = read_cursor(restored.value.go_on)
        assert common.hash.startswith(start)
        (held,) = LogsReader(record).own_numbered((common.seq,))
        assert held.position == position > common.seq
        told = [json.loads(each.body) for each in NoticeReader(record).after((0, 0), ALL).notices]
        (epoch,) = [each for each in told if each["type"] == "houseway.epoch"]
        assert epoch["data"]["cursor"] == restored.value.go_on
        order = [each["sequence"] for each in told]
        assert order == sorted(order)
        # What lies beyond the common entry belongs to the new epoch, whoever recorded it.
        assert {each["cursor"] for each in told if each["sequence"].startswith("e")} == {
            each["cursor"] for each in told if read_cursor(each["cursor"])[0] > position
        }


def test_cursors_kept_of_any_log_are_compared_by_their_position(store_url: str) -> None:
    with mixed(store_url) as (record, _, _feed):
        proof = verify_database(record, None)
        newest = {each["table"]: each["cursor"] for each in page(Feed(record))["results"]}
        kept = check_seen_in_database(record, proof, [*newest.values()], None)
        assert kept is not None
        assert [each.outcome for each in kept.comparison.compared] == ["extended", "extended"]
        lost = check_seen_in_database(record, proof, [cursor_of(read_cursor(newest["own"])[0], "ab" * 32)], None)
        assert lost is not None
        assert not lost.holds
        cut = check_seen_in_database(record, replace(proof, last=2), [*newest.values()], None)
        assert cut is not None
        assert not cut.holds  # entries that were not proven show nothing
        common = record.entry(2)
        assert common is not None
        results, entries = Feed(record).after(2)
        assert entries == cursor_of(2, common.hash) != results
        assert page(Feed(record), read_cursor(results))["results"]
        said = json.loads(asyncio.run(Feed(record).entries(read_cursor(entries), 1, 0))[0])
        assert json.loads(said["entries"][0]["line"])["seq"] == 3


def test_subscribers_stand_behind_entries_of_any_log(store_url: str) -> None:
    with mixed(store_url) as (record, _, _feed):
        outbox, logs = Outbox(record.database), LogsReader(record)
        every = logs.after(0)
        own, followed = (
            next(each for each in every if each.own is kind and each.entry.kind == "round") for kind in (True, False)
        )
        for name, held in (("a", own), ("b", followed)):
            outbox.state(name, (held.position, ALL_PARTS))
        found = {each.subscriber: (each.own, each.hash, each.held) for each in outbox.positions()}
        assert found == {"a": (own.entry.seq, own.entry.hash, True), "b": (None, followed.entry.hash, True)}
        outbox.acknowledge("a", (own.position, ALL_PARTS), (every[-1].position, 1), "ab" * 32)
        (ahead,) = [each for each in outbox.positions() if each.subscriber == "a"]
        assert not ahead.held
        with record.database.begin() as connection:
            rewind_subscribers(connection, 1)
        (first,) = logs.own_numbered((1,))
        assert outbox.state("a", (0, 0)).position == (first.position, ALL_PARTS)
        assert outbox.state("b", (0, 0)).position == (first.position, ALL_PARTS)


def test_a_cursor_names_the_beginning(store_url: str) -> None:
    with mixed(store_url) as (record, _, _feed):
        assert page(Feed(record), tables=())["next"] == cursor_of(*START)
