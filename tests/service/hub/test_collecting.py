"""Collect recorded feeds of many tables: every entry once and in order, forged ones refused, despite failures."""

import asyncio
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx2
import pytest

from service.hub.checking import trust, trusted_of
from service.hub.collector import Collector
from service.hub.table_client import clock_ahead_s
from service.hub.table_states import State
from service.hub.writer import HubWriter
from service.record.changes import Attribution
from service.record.store.all_logs import LogsReader
from service.record.store.faults import Fault
from service.system.settings import Config
from service.words.codes import HubCode, RecordCode
from tests.amount import amount
from tests.service.databases import Cluster, new_database
from tests.service.hub.feeds import RecordedFeed, bent, lines
from tests.service.hub.hubs import CollectingHub, check_held, collecting, hub_config, record_in
from tests.service.hub.remote_tables import FeedServer, serving_feeds
from tests.service.stand_ins import wait_until

BECAUSE = Attribution("ann", "the computer was replaced")


def test_how_far_a_clock_is_off_is_never_the_time_that_an_answer_took() -> None:
    asked = datetime(2026, 1, 1, 12, tzinfo=UTC)
    answered = asked + timedelta(seconds=40)  # a busy machine

    def ahead(seconds: float) -> float:
        date = format_datetime(asked + timedelta(seconds=seconds), usegmt=True)
        return clock_ahead_s(httpx2.Response(200, headers={"date": date}), asked, answered)

    assert [ahead(seconds) for seconds in (-1, 0, 20, 40)] == [0.0] * 4
    assert ahead(-7200) == -7199.0
    assert ahead(7200) == 7160.0


def config_of(url: str, server: FeedServer, **more: str) -> Config:
    return hub_config(url, {name: {"url": f"{server.url}/{name}", **more} for name in server.tables})


def feeds_of(count: int, rounds: int = 10) -> dict[str, RecordedFeed]:
    return {f"t{number}": RecordedFeed().rounds(rounds) for number in range(count)}


def wait_for(
    hub: CollectingHub, feeds: dict[str, RecordedFeed], but: Iterable[str] = (), within_s: float = 60.0
) -> None:
    wait_until(lambda: all(hub.has(name, feed) for name, feed in feeds.items() if name not in set(but)), within_s)


def refused(hub: CollectingHub, table: str) -> list[Fault]:
    return [each.fault for each in hub.reader.refused(table)]


def test_many_tables_while_they_play(hub_url: str) -> None:
    feeds = feeds_of(amount(40, 500), rounds=60)
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        for feed in feeds.values():
            feed.rounds(10)
        wait_for(hub, feeds, within_s=180)
        wait_until(lambda: all(hub.now(name).state is State.WELL for name in feeds))
        assert {hub.now(name).version for name in feeds} == {"9.9"}
        assert all(trusted_of(hub.record, name) == feed.trusted for name, feed in feeds.items())
        for feed in feeds.values():
            feed.rounds(3)
        wait_for(hub, feeds, within_s=180)
        check_held(hub.reader, feeds)


def test_tables_are_on_standby_until_this_service_takes_over(hub_url: str) -> None:
    active, record = record_in(hub_url), record_in(hub_url)
    writer = HubWriter(record, ["t0"])
    writer.start()
    config = hub_config(hub_url, {"t0": {"url": "http://127.0.0.1:9"}})
    collector = Collector(config, writer, LogsReader(record), record, pauses_s=(0.05, 0.3, 0.3))
    table = collector.states.tables["t0"]

    async def take_over() -> None:
        async with collector.running():
            await asyncio.to_thread(wait_until, lambda: table.state is State.STANDBY)
            assert table.why is None
            await asyncio.to_thread(active.close)
            await asyncio.to_thread(wait_until, lambda: table.state is State.UNREACHABLE and table.why is not None)

    asyncio.run(take_over())
    writer.stop()
    record.close()


def test_it_goes_on_where_it_stopped(hub_url: str) -> None:
    feeds = feeds_of(3)
    with serving_feeds(feeds) as server:
        config = config_of(hub_url, server)
        with collecting(config) as hub:
            wait_for(hub, feeds)
        for feed in feeds.values():
            feed.rounds(300)
        with collecting(config) as hub:
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)


def test_a_key_of_a_record_may_change(hub_url: str) -> None:
    feeds = feeds_of(1)
    feeds["t0"].rotate()
    feeds["t0"].rounds(3)
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        wait_for(hub, feeds)
        feeds["t0"].rotate()
        feeds["t0"].rounds(3)
        wait_for(hub, feeds)
        check_held(hub.reader, feeds)


@pytest.mark.parametrize("status", [401, 503])
def test_a_table_that_does_not_answer_is_told_and_keeps_no_other_waiting(hub_url: str, status: int) -> None:
    feeds = feeds_of(3)
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        wait_for(hub, feeds)
        wait_until(lambda: hub.now("t1").state is State.WELL)
        server.tables["t1"].status = status
        for feed in feeds.values():
            feed.rounds(3)
        wait_until(lambda: hub.now("t1").state is State.UNREACHABLE)
        why = hub.now("t1").why
        assert why is not None
        assert why.code is (HubCode.NOT_ALLOWED if status == 401 else HubCode.NOT_ANSWERED)
        wait_for(hub, feeds, but=["t1"])
        server.tables["t1"].status = None
        wait_for(hub, feeds)
        check_held(hub.reader, feeds)
        wait_until(lambda: hub.now("t1").state is State.WELL)


def test_a_line_that_is_cut(hub_url: str) -> None:
    feeds = feeds_of(2)
    with ExitStack() as line:
        server = line.enter_context(serving_feeds(feeds))
        with collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            line.close()
            wait_until(lambda: all(hub.now(name).state is State.UNREACHABLE for name in feeds))
            wait_until(lambda: {why.code for name in feeds if (why := hub.now(name).why)} == {HubCode.NOT_REACHED})
            since = hub.now("t0").since
            for feed in feeds.values():
                feed.rounds(300)
            with serving_feeds(feeds, port=int(server.url.rpartition(":")[2])):
                wait_for(hub, feeds)
                check_held(hub.reader, feeds)
                wait_until(lambda: hub.now("t0").state is State.WELL)
                assert hub.now("t0").since > since


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({}, "Field required"),
        ({"entries": 3}, "valid array"),
        ({"entries": [{"line": 3, "signature": None}]}, "valid string"),
        ({"more": "yes"}, "valid boolean"),
        ({"record": "x" * 1000}, "at most"),
    ],
)
def test_an_answer_that_is_none(hub_url: str, answer: dict[str, Any], said: str) -> None:
    feeds = feeds_of(1)
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        server.tables["t0"].bend = lambda page: {**page, **answer} if answer else {}
        wait_until(lambda: hub.now("t0").away is not None)
        assert said in hub.why("t0")
        server.tables["t0"].bend = lambda page: {**page, "later_versions_say": "more"}
        wait_for(hub, feeds)


def test_how_a_table_is_by_what_it_tells(hub_url: str) -> None:
    feeds = feeds_of(5)
    with serving_feeds(feeds) as server:
        server.tables["t1"].told["status"] = {"level": "fault", "code": "source_lost"}
        server.tables["t2"].unanswered = {"house_hand_wrong": 1}
        server.tables["t3"].unanswered = {"needs_review": 2}
        server.tables["t4"].told["status"] = {"level": "attention", "code": "attention"}
        due = {
            "t0": State.WELL,
            "t1": State.CANNOT_VERIFY,
            "t2": State.ALARM,
            "t3": State.LOOK,
            "t4": State.LOOK,
        }
        with collecting(config_of(hub_url, server)) as hub:
            wait_until(lambda: {name: hub.now(name).state for name in feeds} == due)


class TestForged:
    @pytest.mark.parametrize("how", ["forged", "left out"])
    def test_it_is_refused_and_told_and_what_is_right_is_taken_once_it_comes(self, hub_url: str, how: str) -> None:
        feeds = feeds_of(3)

        def bend(page: dict[str, Any]) -> dict[str, Any]:
            entries = page["entries"]
            place = next((n for n, each in enumerate(entries) if '"seq":8,' in each["line"]), None)
            if place is None:
                return page
            if how == "forged":
                given = feeds["t1"].given()[7]
                entries[place] = {"line": bent(given, body={"number": 0}).line, "signature": given.signature}
            else:
                del entries[place]
            return page

        with serving_feeds(feeds) as server:
            server.tables["t1"].bend = bend
            with collecting(config_of(hub_url, server)) as hub:
                wait_for(hub, feeds, but=["t1"])
                wait_until(lambda: hub.now("t1").state is State.REFUSED)
                assert hub.held("t1") == lines(feeds["t1"].given(0, 7))
                (fault,) = refused(hub, "t1")
                code = {
                    "forged": RecordCode.SIGNED_WITH_ANOTHER_KEY,
                    "left out": RecordCode.ENTRY_OUT_OF_PLACE,
                }
                assert (fault.entry, fault.finding.code) == (8, code[how])
                wait_until(lambda: hub.reader.refused("t1")[0].times > 1)
                server.tables["t1"].bend = lambda page: page
                wait_for(hub, feeds)
                check_held(hub.reader, feeds)
                wait_until(lambda: hub.now("t1").state is State.WELL)

    def test_a_forger_with_the_key_cannot_rewrite_what_was_collected(self, hub_url: str) -> None:
        feeds = feeds_of(2)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            before = hub.held("t1")
            rewritten = feeds["t1"].copy()
            del rewritten.entries[6:]
            rewritten.clock = rewritten.clock.resolution
            rewritten.rounds(8)
            server.tables["t1"].feed = rewritten
            server.common = 6
            # Shown the checkpoint, it says that it was restored: then that is on record, and nothing is lost here.
            wait_until(lambda: hub.has("t1", rewritten))
            assert [entry.kind for entry, _ in rewritten.entries].count("epoch") == 1
            found = list(hub.reader.all_followed(table="t1"))
            assert [each.entry.line() for each in found][: len(before)] == before
            assert {each.gone for each in found[6 : len(before)]} == {hub.writer.known["t1"].epoch}


class TestAnotherRecord:
    def test_it_is_refused_until_somebody_accepts_it(self, hub_url: str) -> None:
        feeds = feeds_of(2)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            before = hub.held("t1")
            anew = RecordedFeed().rounds(250)
            server.tables["t1"].feed = anew
            wait_until(lambda: hub.now("t1").state is State.REFUSED)
            assert hub.held("t1") == before
            (seen,) = hub.reader.refused("t1")
            assert seen.fault.finding.code is HubCode.OTHER_RECORD
            assert dict(seen.fault.finding.params) == {"record": anew.record, "known": feeds["t1"].record}
            assert seen.line.decode() == anew.given()[0].line
            trust(hub.record, "t1", anew.record, anew.first_key, BECAUSE)
            feeds["t1"] = anew
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)
            gone = [each.entry.line() for each in hub.reader.all_followed(table="t1") if each.gone is not None]
            assert gone == before
            wait_until(lambda: hub.now("t1").state is State.WELL)

    def test_the_settings_may_name_it(self, hub_url: str) -> None:
        feeds = feeds_of(2)
        with (
            serving_feeds(feeds) as server,
            collecting(config_of(hub_url, server, record=feeds["t0"].record)) as hub,
        ):
            wait_until(lambda: hub.has("t0", feeds["t0"]))
            wait_until(lambda: hub.now("t1").state is State.REFUSED)
            assert hub.held("t1") == []
            assert trusted_of(hub.record, "t1") is None

    def test_another_key_of_the_same_record_is_refused_until_somebody_accepts_it(self, hub_url: str) -> None:
        feeds = feeds_of(1)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            feeds["t0"].signer = RecordedFeed().signer
            feeds["t0"].rounds(4)
            wait_until(lambda: hub.now("t0").state is State.REFUSED)
            key = feeds["t0"].signer.public.hex
            trust(hub.record, "t0", feeds["t0"].record, key, BECAUSE, since=12)
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)
            feeds["t0"].rotate()
            feeds["t0"].rounds(2)
            wait_for(hub, feeds)


class TestRestored:
    @pytest.mark.parametrize(("through", "common"), [(180, 150), (230, 0), (1, 1)])
    def test_entries_that_are_gone_stay_here_and_are_marked(self, hub_url: str, through: int, common: int) -> None:
        feeds = feeds_of(2, rounds=250)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            before = hub.held("t1")
            feeds["t1"] = server.tables["t1"].feed = feeds["t1"].restored(through, common)
            feeds["t1"].rounds(260)
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)
            gone = [each for each in hub.reader.all_followed(table="t1") if each.gone is not None]
            assert [each.entry.line() for each in gone] == before[through:]
            assert {each.gone for each in gone} == {feeds["t1"].page(0, 1)["epoch"]}
            wait_until(lambda: hub.now("t1").state is State.WELL)
            # And once more: lost entries are reported with the epoch that lost them.
            feeds["t1"] = server.tables["t1"].feed = feeds["t1"].restored(through + 2)
            feeds["t1"].rounds(3)
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)

    def test_one_that_does_not_know_it_is_shown_its_checkpoint(self, hub_url: str) -> None:
        feeds = feeds_of(2, rounds=30)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            restored = feeds["t1"].copy()
            del restored.entries[20:]
            restored.clock = restored.clock.resolution
            restored.rounds(250)  # so that the entry that says so comes with a later page
            server.common = 15
            server.tables["t1"].feed = feeds["t1"] = restored
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)
            assert restored.head.kind == "epoch"
            gone = [each.entry.seq for each in hub.reader.all_followed(table="t1") if each.gone is not None]
            assert gone == list(range(21, 32))

    def test_one_that_announces_what_never_comes_is_refused(self, hub_url: str) -> None:
        feeds = feeds_of(2, rounds=30)

        def announcing(page: dict[str, Any]) -> dict[str, Any]:
            epoch = {"name": "x", "at": "x", "since": 20, "first": {"seq": 500, "hash": "ab" * 32}}
            return {**page, "epochs": [*page["epochs"], epoch]}

        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            rewritten = feeds["t1"].copy()
            del rewritten.entries[20:]
            rewritten.clock = rewritten.clock.resolution
            rewritten.rounds(5)
            server.tables["t1"].restored_at = 20
            server.tables["t1"].bend = announcing
            server.tables["t1"].feed = rewritten
            wait_until(lambda: hub.now("t1").state is State.REFUSED)
            assert refused(hub, "t1")[0].finding.code is HubCode.NOT_RESTORED
            # What was collected before is all there, and so is what the key's holder put in its place.
            held = [each.entry.line() for each in hub.reader.all_followed(table="t1")]
            assert held == lines(feeds["t1"].given()) + lines(rewritten.given(20))

    def test_one_that_has_less_than_is_held_is_waited_for(self, hub_url: str) -> None:
        feeds = feeds_of(1)
        with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
            wait_for(hub, feeds)
            less = feeds["t0"].copy()
            less.entries[:] = less.restored(4).entries
            asked = server.tables["t0"].asked
            server.tables["t0"].feed = less
            wait_until(lambda: hub.has("t0", less))
            check_held(hub.reader, {"t0": less})
            assert server.tables["t0"].asked > asked


def test_a_clock_that_is_two_hours_off_changes_nothing(hub_url: str) -> None:
    feeds = feeds_of(2)
    hours = 2 * 3600 * feeds["t0"].clock.resolution * 1_000_000
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        wait_for(hub, feeds)
        for clock in (hours, -hours):
            feeds["t1"].clock = clock
            for feed in feeds.values():
                feed.rounds(5)
            wait_for(hub, feeds)
        check_held(hub.reader, feeds)
        wait_until(lambda: hub.now("t1").state is State.WELL)
        assert hub.now("t1").behind_s == 0.0


def test_a_table_with_much_to_collect_is_behind_until_it_is(hub_url: str) -> None:
    feeds = feeds_of(1, rounds=1_500)
    seen: set[State] = set()
    with serving_feeds(feeds) as server, collecting(config_of(hub_url, server)) as hub:
        wait_until(lambda: (seen.add(hub.now("t0").now), hub.has("t0", feeds["t0"]))[1], 60)  # type: ignore[func-returns-value]
        wait_until(lambda: hub.now("t0").state is State.WELL)
    assert State.BEHIND in seen


class TestKilled:
    def test_postgresql_is_killed_again_and_again(self, own_cluster: Cluster) -> None:
        feeds = feeds_of(8, rounds=300)
        url = new_database(own_cluster.url)
        with serving_feeds(feeds) as server, collecting(config_of(url, server)) as hub:
            for _ in range(2):
                own_cluster.kill()
                wait_until(lambda: not hub.writer.writing)
                for feed in feeds.values():
                    feed.rounds(20)
                own_cluster.start()
                wait_until(lambda: hub.writer.writing)
            wait_for(hub, feeds)
            check_held(hub.reader, feeds)
            wait_until(lambda: all(hub.now(name).state is State.WELL for name in feeds))

    def test_a_second_hub_takes_over_what_the_first_had(self, hub_url: str) -> None:
        feeds = feeds_of(6, rounds=300)
        with serving_feeds(feeds) as server:
            config = config_of(hub_url, server)
            for _ in range(2):
                with collecting(config) as hub:
                    seen = hub.writer.known["t0"].seq
                    wait_until(lambda hub=hub, seen=seen: hub.writer.known["t0"].seq > seen)  # type: ignore[misc]
                for feed in feeds.values():
                    feed.rounds(3)
            with collecting(config) as hub:
                wait_for(hub, feeds)
                check_held(hub.reader, feeds)
