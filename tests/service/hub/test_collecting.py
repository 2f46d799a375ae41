"""Collecting many tables from feeds as recorded: every entry once and in order, forged ones told, whatever fails."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from service.hub.collect.client import clock_ahead_s
from service.hub.collect.states import State
from service.hub.collect.trust import trust, trusted_of
from service.record.changes import Attribution
from service.words.codes import FloorCode, RecordCode
from tests.amount import amount
from tests.service.databases import new_database
from tests.service.hub.feed_server import serving_feeds
from tests.service.hub.feeds import RecordedFeed, bent, lines
from tests.service.hub.floors import check_whole, collecting, floor_config
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from service.record.store.faults import Fault
    from service.system.settings import Config
    from tests.service.databases import Cluster
    from tests.service.hub.feed_server import FeedServer
    from tests.service.hub.floors import RunningFloor

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
    return floor_config(url, {name: {"url": f"{server.url}/{name}", **more} for name in server.tables})


def feeds_of(count: int, rounds: int = 10) -> dict[str, RecordedFeed]:
    return {f"t{number}": RecordedFeed().rounds(rounds) for number in range(count)}


def wait_for(
    floor: RunningFloor, feeds: dict[str, RecordedFeed], but: Iterable[str] = (), within_s: float = 60.0
) -> None:
    wait_until(lambda: all(floor.has(name, feed) for name, feed in feeds.items() if name not in set(but)), within_s)


def refused(floor: RunningFloor, table: str) -> list[Fault]:
    return [each.fault for each in floor.reader.refused(table)]


def test_forty_tables_while_they_play(floor_url: str) -> None:
    feeds = feeds_of(40, rounds=amount(60, 250))
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        for _ in range(5):
            for feed in feeds.values():
                feed.rounds(2)
        wait_for(floor, feeds)
        check_whole(floor, feeds)
        wait_until(lambda: all(floor.now(name).state is State.WELL for name in feeds))
        assert {floor.now(name).version for name in feeds} == {"9.9"}
        assert all(trusted_of(floor.record, name) == feed.trusted for name, feed in feeds.items())
        for feed in feeds.values():
            feed.rounds(1)
        wait_for(floor, feeds)
        check_whole(floor, feeds)


def test_hundreds_of_tables_in_one_process(floor_url: str) -> None:
    feeds = feeds_of(amount(100, 500), rounds=2)
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        wait_for(floor, feeds, within_s=180)
        for feed in feeds.values():
            feed.rounds(3)
        wait_for(floor, feeds, within_s=180)
        check_whole(floor, feeds)
        assert len(tuple(floor.reader.all_followed())) == len(feeds) * 6


def test_it_goes_on_where_it_stopped(floor_url: str) -> None:
    feeds = feeds_of(3)
    with serving_feeds(feeds) as server:
        config = config_of(floor_url, server)
        with collecting(config) as floor:
            wait_for(floor, feeds)
        for feed in feeds.values():
            feed.rounds(300)
        with collecting(config) as floor:
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            wait_until(lambda: all(table.state == "well" for table in floor.reader.tables()))


def test_a_key_of_a_record_may_change(floor_url: str) -> None:
    feeds = feeds_of(1)
    feeds["t0"].rotate()
    feeds["t0"].rounds(3)
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        wait_for(floor, feeds)
        feeds["t0"].rotate()
        feeds["t0"].rounds(3)
        wait_for(floor, feeds)
        check_whole(floor, feeds)


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500, 503])
def test_a_table_that_does_not_answer_is_told_and_keeps_no_other_waiting(floor_url: str, status: int) -> None:
    feeds = feeds_of(3)
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        wait_for(floor, feeds)
        wait_until(lambda: floor.now("t1").state is State.WELL)
        server.tables["t1"].status = status
        for feed in feeds.values():
            feed.rounds(3)
        wait_until(lambda: floor.now("t1").state is State.UNREACHABLE)
        why = floor.now("t1").why
        assert why is not None
        assert why.code is (FloorCode.NOT_ALLOWED if status in {401, 403} else FloorCode.NOT_ANSWERED)
        wait_for(floor, feeds, but=["t1"])
        server.tables["t1"].status = None
        wait_for(floor, feeds)
        check_whole(floor, feeds)
        wait_until(lambda: floor.now("t1").state is State.WELL)


def test_a_line_that_is_cut(floor_url: str) -> None:
    feeds = feeds_of(2)
    with ExitStack() as line:
        server = line.enter_context(serving_feeds(feeds))
        with collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            line.close()
            wait_until(lambda: all(floor.now(name).state is State.UNREACHABLE for name in feeds))
            wait_until(lambda: {why.code for name in feeds if (why := floor.now(name).why)} == {FloorCode.NOT_REACHED})
            since = floor.now("t0").since
            for feed in feeds.values():
                feed.rounds(300)
            with serving_feeds(feeds, port=int(server.url.rpartition(":")[2])):
                wait_for(floor, feeds)
                check_whole(floor, feeds)
                wait_until(lambda: floor.now("t0").state is State.WELL)
                assert floor.now("t0").since > since


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
def test_an_answer_that_is_none(floor_url: str, answer: dict[str, Any], said: str) -> None:
    feeds = feeds_of(1)
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        server.tables["t0"].bend = lambda page: {**page, **answer} if answer else {}
        wait_until(lambda: floor.now("t0").away is not None)
        assert said in str(floor.now("t0").summary()["message"])
        server.tables["t0"].bend = lambda page: {**page, "later_versions_say": "more"}
        wait_for(floor, feeds)


def test_how_a_table_is_by_what_it_tells(floor_url: str) -> None:
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
        with collecting(config_of(floor_url, server)) as floor:
            wait_until(lambda: {name: floor.now(name).state for name in feeds} == due)
            wait_until(lambda: {each.name: each.state for each in floor.reader.tables()} == due)


class TestForged:
    @pytest.mark.parametrize("how", ["forged", "reordered", "left out", "not signed"])
    def test_it_is_refused_and_told_and_what_is_right_is_taken_once_it_comes(self, floor_url: str, how: str) -> None:
        feeds = feeds_of(3)

        def bend(page: dict[str, Any]) -> dict[str, Any]:
            entries = page["entries"]
            place = next((n for n, each in enumerate(entries) if '"seq":8,' in each["line"]), None)
            if place is None:
                return page
            if how == "forged":
                given = feeds["t1"].given()[7]
                entries[place] = {"line": bent(given, body={"number": 0}).line, "signature": given.signature}
            elif how == "reordered":
                entries[place : place + 2] = reversed(entries[place : place + 2])
            elif how == "left out":
                del entries[place]
            else:
                entries[place]["signature"] = None
            return page

        with serving_feeds(feeds) as server:
            server.tables["t1"].bend = bend
            with collecting(config_of(floor_url, server)) as floor:
                wait_for(floor, feeds, but=["t1"])
                wait_until(lambda: floor.now("t1").state is State.REFUSED)
                assert floor.held("t1") == lines(feeds["t1"].given(0, 7))
                (fault,) = refused(floor, "t1")
                code = {
                    "forged": RecordCode.SIGNED_WITH_ANOTHER_KEY,
                    "reordered": RecordCode.ENTRY_OUT_OF_PLACE,
                    "left out": RecordCode.ENTRY_OUT_OF_PLACE,
                    "not signed": RecordCode.NOT_SIGNED,
                }
                assert (fault.entry, fault.finding.code) == (8, code[how])
                wait_until(lambda: floor.reader.refused("t1")[0].times > 1)
                wait_until(lambda: floor.reader.table("t1").state == "refused")  # type: ignore[union-attr]
                server.tables["t1"].bend = lambda page: page
                wait_for(floor, feeds)
                check_whole(floor, feeds)
                wait_until(lambda: floor.now("t1").state is State.WELL)

    def test_a_forger_with_the_key_cannot_rewrite_what_was_collected(self, floor_url: str) -> None:
        feeds = feeds_of(2)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            before = floor.held("t1")
            rewritten = feeds["t1"].copy()
            del rewritten.entries[6:]
            rewritten.clock = rewritten.clock.resolution
            rewritten.rounds(8)
            server.tables["t1"].feed = rewritten
            server.common = 6
            # Shown the checkpoint, it says that it was restored: then that is on record, and nothing is lost here.
            wait_until(lambda: floor.has("t1", rewritten))
            assert [entry.kind for entry, _ in rewritten.entries].count("epoch") == 1
            found = list(floor.reader.all_followed(table="t1"))
            assert [each.entry.line() for each in found][: len(before)] == before
            assert {each.gone for each in found[6 : len(before)]} == {floor.writer.known["t1"].epoch}


class TestAnotherRecord:
    def test_it_is_refused_until_somebody_accepts_it(self, floor_url: str) -> None:
        feeds = feeds_of(2)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            before = floor.held("t1")
            anew = RecordedFeed().rounds(250)
            server.tables["t1"].feed = anew
            wait_until(lambda: floor.now("t1").state is State.REFUSED)
            assert floor.held("t1") == before
            (seen,) = floor.reader.refused("t1")
            assert seen.fault.finding.code is FloorCode.OTHER_RECORD
            assert dict(seen.fault.finding.params) == {"record": anew.record, "known": feeds["t1"].record}
            assert seen.line.decode() == anew.given()[0].line
            trust(floor.record, "t1", anew.record, anew.first_key, BECAUSE)
            feeds["t1"] = anew
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            gone = [each.entry.line() for each in floor.reader.all_followed(table="t1") if each.gone is not None]
            assert gone == before
            wait_until(lambda: floor.now("t1").state is State.WELL)

    def test_the_settings_may_name_it(self, floor_url: str) -> None:
        feeds = feeds_of(2)
        with (
            serving_feeds(feeds) as server,
            collecting(config_of(floor_url, server, record=feeds["t0"].record)) as floor,
        ):
            wait_until(lambda: floor.has("t0", feeds["t0"]))
            wait_until(lambda: floor.now("t1").state is State.REFUSED)
            assert floor.held("t1") == []
            assert trusted_of(floor.record, "t1") is None

    def test_another_key_of_the_same_record_is_refused_until_somebody_accepts_it(self, floor_url: str) -> None:
        feeds = feeds_of(1)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            feeds["t0"].signer = RecordedFeed().signer
            feeds["t0"].rounds(4)
            wait_until(lambda: floor.now("t0").state is State.REFUSED)
            key = feeds["t0"].signer.public.hex
            trust(floor.record, "t0", feeds["t0"].record, key, BECAUSE, since=12)
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            feeds["t0"].rotate()
            feeds["t0"].rounds(2)
            wait_for(floor, feeds)


class TestRestored:
    @pytest.mark.parametrize(("through", "common"), [(180, 180), (180, 150), (30, 30), (230, 0), (1, 1)])
    def test_entries_that_are_gone_stay_here_and_are_marked(self, floor_url: str, through: int, common: int) -> None:
        feeds = feeds_of(2, rounds=250)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            before = floor.held("t1")
            feeds["t1"] = server.tables["t1"].feed = feeds["t1"].restored(through, common)
            feeds["t1"].rounds(260)
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            gone = [each for each in floor.reader.all_followed(table="t1") if each.gone is not None]
            assert [each.entry.line() for each in gone] == before[through:]
            assert {each.gone for each in gone} == {feeds["t1"].page(0, 1)["epoch"]}
            wait_until(lambda: floor.now("t1").state is State.WELL)
            # And once more: what goes is told with the epoch that lost it.
            feeds["t1"] = server.tables["t1"].feed = feeds["t1"].restored(through + 2)
            feeds["t1"].rounds(3)
            wait_for(floor, feeds)
            check_whole(floor, feeds)

    def test_one_that_does_not_know_it_is_shown_its_checkpoint(self, floor_url: str) -> None:
        feeds = feeds_of(2, rounds=30)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            restored = feeds["t1"].copy()
            del restored.entries[20:]
            restored.clock = restored.clock.resolution
            restored.rounds(250)  # so that the entry that says so comes with a later page
            server.common = 15
            server.tables["t1"].feed = feeds["t1"] = restored
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            assert restored.head.kind == "epoch"
            gone = [each.entry.seq for each in floor.reader.all_followed(table="t1") if each.gone is not None]
            assert gone == list(range(21, 32))

    def test_one_that_announces_what_never_comes_is_refused(self, floor_url: str) -> None:
        feeds = feeds_of(2, rounds=30)

        def announcing(page: dict[str, Any]) -> dict[str, Any]:
            epoch = {"name": "x", "at": "x", "since": 20, "first": {"seq": 500, "hash": "ab" * 32}}
            return {**page, "epochs": [*page["epochs"], epoch]}

        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            rewritten = feeds["t1"].copy()
            del rewritten.entries[20:]
            rewritten.clock = rewritten.clock.resolution
            rewritten.rounds(5)
            server.tables["t1"].restored_at = 20
            server.tables["t1"].bend = announcing
            server.tables["t1"].feed = rewritten
            wait_until(lambda: floor.now("t1").state is State.REFUSED)
            assert refused(floor, "t1")[0].finding.code is FloorCode.NOT_RESTORED
            # What was collected before is all there, and so is what the key's holder put in its place.
            held = [each.entry.line() for each in floor.reader.all_followed(table="t1")]
            assert held == lines(feeds["t1"].given()) + lines(rewritten.given(20))

    def test_one_that_has_less_than_is_held_is_waited_for(self, floor_url: str) -> None:
        feeds = feeds_of(1)
        with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
            wait_for(floor, feeds)
            less = feeds["t0"].copy()
            less.entries[:] = less.restored(4).entries
            asked = server.tables["t0"].asked
            server.tables["t0"].feed = less
            wait_until(lambda: floor.has("t0", less))
            check_whole(floor, {"t0": less})
            assert server.tables["t0"].asked > asked


def test_a_clock_that_is_two_hours_off_changes_nothing(floor_url: str) -> None:
    feeds = feeds_of(2)
    hours = 2 * 3600 * feeds["t0"].clock.resolution * 1_000_000
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        wait_for(floor, feeds)
        for clock in (hours, -hours):
            feeds["t1"].clock = clock
            for feed in feeds.values():
                feed.rounds(5)
            wait_for(floor, feeds)
        check_whole(floor, feeds)
        wait_until(lambda: floor.now("t1").state is State.WELL)
        assert floor.now("t1").behind_s == 0.0


def test_a_table_with_much_to_collect_is_behind_until_it_is(floor_url: str) -> None:
    feeds = feeds_of(1, rounds=3_000)
    seen: set[State] = set()
    with serving_feeds(feeds) as server, collecting(config_of(floor_url, server)) as floor:
        wait_until(lambda: (seen.add(floor.now("t0").now), floor.has("t0", feeds["t0"]))[1], 60)  # type: ignore[func-returns-value]
        wait_until(lambda: floor.now("t0").state is State.WELL)
    assert State.BEHIND in seen


class TestKilled:
    def test_postgresql_is_killed_again_and_again(self, own_cluster: Cluster) -> None:
        feeds = feeds_of(8, rounds=300)
        url = new_database(own_cluster.url)
        with serving_feeds(feeds) as server, collecting(config_of(url, server)) as floor:
            for _ in range(3):
                own_cluster.kill()
                threading.Event().wait(0.5)
                for feed in feeds.values():
                    feed.rounds(20)
                own_cluster.start()
                threading.Event().wait(0.5)
            wait_for(floor, feeds)
            check_whole(floor, feeds)
            wait_until(lambda: all(floor.now(name).state is State.WELL for name in feeds))

    def test_a_second_floor_takes_over_what_the_first_had(self, floor_url: str) -> None:
        feeds = feeds_of(6, rounds=300)
        with serving_feeds(feeds) as server:
            config = config_of(floor_url, server)
            for _ in range(3):
                with collecting(config) as floor:
                    threading.Event().wait(0.3)  # in the middle
                for feed in feeds.values():
                    feed.rounds(3)
            with collecting(config) as floor:
                wait_for(floor, feeds)
                check_whole(floor, feeds)
