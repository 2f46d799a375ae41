"""Tables that publish to NATS; servers are killed and lines cut for real: nothing lost, nothing twice."""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from service import __version__
from service.codes import RecordCode, ServiceCode
from service.config.nats_settings import TableNatsConfig
from service.floor.collect.checking import Given
from service.floor.collect.states import State
from service.floor.store.reader import FloorReader
from service.nats.line import FAULTS
from service.nats.names import Names
from service.nats.table import PublishedTable
from service.record.feed import Feed
from service.record.results import START
from service.record.store.chain import Entry
from service.record.store.entries import Draft, Picture
from service.table.live_state import LiveState
from tests.service.floor.feeds import bent
from tests.service.floor.floors import collecting, floor_config
from tests.service.floor.nats_servers import nats_of
from tests.service.floor.serving import floor_program, serving_floor, serving_table, table_config, written
from tests.service.floor.test_evidence import played
from tests.service.floor.test_killed import position_of
from tests.service.notify.test_epochs import copy_of, put_back
from tests.service.stand_ins import HOUSE_WRONG, new_folder, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nats.aio.client import Client
    from nats.js import JetStreamContext

    from service.config.settings import Config
    from service.floor.settings import FloorConfig
    from service.table.live_state import Check
    from tests.service.floor.floors import RunningFloor
    from tests.service.floor.nats_servers import Nats
    from tests.service.serving import Served

Answer = TypeVar("Answer")

TABLES = [f"t{number}" for number in range(20)]


@pytest.fixture(scope="module")
def nats() -> Iterator[Nats]:
    with nats_of(TABLES) as made:
        yield made


@pytest.fixture(scope="module")
def names() -> Iterator[str]:
    return iter(TABLES)


@pytest.fixture
def name(nats: Nats, names: Iterator[str]) -> Iterator[str]:
    """A table of a test's own, whose server runs."""
    found = next(names)
    nats.leaves[found].start()
    yield found
    nats.leaves[found].kill()


@contextmanager
def publishing(nats: Nats, name: str, settings: Config | None = None) -> Iterator[tuple[Served, dict[str, Any]]]:
    """A real table that publishes; and what a floor's settings say of it."""
    settings = (settings or table_config(name)).model_copy(
        update={"nats": TableNatsConfig.model_validate(nats.of_table(name))}
    )
    with serving_table(settings) as (served, of_floor):
        yield served, {"key_file": of_floor["key_file"], "via": "nats"}


def config_of(url: str, nats: Nats, tables: dict[str, dict[str, Any]]) -> FloorConfig:
    return floor_config(url, tables, nats=nats.of_floor)


def record(served: Served, entries: int) -> None:
    store = served.app.state.parts.record
    for number in range(entries):
        store.append(Draft("health", {"number": number, "text": "x" * 50}, table=served.config.table.name))


def lines_of(served: Served) -> list[str]:
    return [entry.line() for entry in served.app.state.parts.record.all_entries()]


def wait_for(floor: RunningFloor, served: Served, name: str) -> None:
    head = served.app.state.parts.record.head
    wait_until(lambda: floor.writer.known[name].hash == head().hash, 60)


def check(floor: RunningFloor, served: Served, name: str) -> None:
    """Once all is collected, the floor has what the table's record has, in its order, each once."""
    wait_for(floor, served, name)
    every = [each.entry.line() for each in floor.reader.all_entries(table=name)]
    assert every == lines_of(served)


def newest_in(nats: Nats, name: str) -> int:
    """The number of the newest entry that the stream in the middle has."""

    async def ask(client: Client) -> int:
        streams = client.jetstream()
        state = (await streams.stream_info(Names(name).leaf)).state
        found = await streams.get_msg(Names(name).leaf, state.last_seq)
        return int(json.loads(json.loads(found.data or b"")["entries"][-1]["line"])["seq"])

    try:
        seen: int = nats.in_the_middle(ask)
    except (*FAULTS, ValueError):  # it is not there yet, three servers do not agree yet, or it is no page
        return 0
    return seen


def is_copied(nats: Nats, name: str, served: Served) -> bool:
    return newest_in(nats, name) == int(served.app.state.parts.record.head().seq)


def test_it_comes_as_it_is_recorded(nats: Nats, name: str, floor_url: str) -> None:
    with publishing(nats, name) as (served, told):
        record(served, 80)
        with collecting(config_of(floor_url, nats, {name: told})) as floor:
            check(floor, served, name)
            for _ in range(3):
                record(served, 3)
                check(floor, served, name)
            # How the table is was asked over the same line: it has no calibration.
            wait_until(lambda: floor.now(name).state is State.CANNOT_VERIFY)
            assert floor.now(name).version == __version__
            assert check_of(served, "nats").findings[0].code is ServiceCode.NATS_PUBLISHING


def check_of(served: Served, name: str) -> Check:
    found: tuple[Check, ...] = served.app.state.parts.live.health()
    return next(each for each in found if each.name == name)


def test_what_has_left_the_tables_computer_is_had_when_that_is_gone(nats: Nats, name: str, floor_url: str) -> None:
    with publishing(nats, name) as (served, told):
        config = config_of(floor_url, nats, {name: told})
        with collecting(config) as floor:
            record(served, 20)
            check(floor, served, name)
            wait_until(lambda: is_copied(nats, name, served))
        record(served, 60)  # while the floor is away
        wait_until(lambda: is_copied(nats, name, served))
        lines = lines_of(served)
        nats.leaves[name].kill()
    with collecting(config) as floor:
        wait_until(lambda: floor.writer.known[name].seq == len(lines))
        assert floor.held(name) == lines
        wait_until(lambda: floor.now(name).state is State.UNREACHABLE)
    assert floor.now(name).why is not None


def test_the_line_is_cut_and_healed(nats: Nats, name: str, floor_url: str) -> None:
    with publishing(nats, name) as (served, told), collecting(config_of(floor_url, nats, {name: told})) as floor:
        record(served, 20)
        check(floor, served, name)
        nats.lines[0].break_off()
        seen = floor.writer.known[name].seq
        record(served, 60)
        wait_until(lambda: floor.now(name).state is State.UNREACHABLE)
        assert floor.writer.known[name].seq == seen
        nats.lines[0].heal()
        check(floor, served, name)
        wait_until(lambda: floor.now(name).state is State.CANNOT_VERIFY)
        wait_until(lambda: is_copied(nats, name, served))


@pytest.mark.parametrize("which", ["in the middle", "beside the table"])
def test_a_server_is_killed_while_entries_flow(nats: Nats, name: str, floor_url: str, which: str) -> None:
    server = nats.servers[0] if which == "in the middle" else nats.leaves[name]
    with publishing(nats, name) as (served, told), collecting(config_of(floor_url, nats, {name: told})) as floor:
        record(served, 20)
        wait_for(floor, served, name)
        server.kill()
        record(served, 20)
        server.start()
        record(served, 20)
        check(floor, served, name)
        wait_until(lambda: is_copied(nats, name, served))


@pytest.mark.parametrize("how", ["lost", "emptied"])
def test_the_stream_of_a_table_is_gone(nats: Nats, name: str, floor_url: str, how: str) -> None:
    stream = Names(name).leaf
    with publishing(nats, name) as (served, told), collecting(config_of(floor_url, nats, {name: told})) as floor:
        record(served, 60)
        check(floor, served, name)
        nats.at_leaf(name, lambda js: js.delete_stream(stream) if how == "lost" else js.purge_stream(stream))
        record(served, 20)
        check(floor, served, name)
        wait_until(lambda: is_copied(nats, name, served))
        record(served, 5)
        check(floor, served, name)
        wait_until(lambda: is_copied(nats, name, served))


@pytest.mark.parametrize("how", ["forged", "reordered", "no page"])
def test_what_does_not_hold_is_not_taken_and_told(nats: Nats, name: str, floor_url: str, how: str) -> None:
    with publishing(nats, name) as (served, told), collecting(config_of(floor_url, nats, {name: told})) as floor:
        record(served, 20)
        check(floor, served, name)
        page = feed_page(served)
        given = [Given(each["line"], each["signature"]) for each in page["entries"]]
        head = Entry.of_line(given[-1].line)
        forged = [bent(given[-1 - back], seq=head.seq + 1 + back, previous=head.hash) for back in (0, 1)]
        made: dict[str, Any] = {
            **page,
            "entries": [{"line": each.line, "signature": each.signature} for each in forged],
            "next": f"{head.seq + 2}-{'0' * 16}",
        }
        if how == "reordered":
            made["entries"] = [*page["entries"][-1:], *page["entries"][:-1]]
        data = b"no page" if how == "no page" else json.dumps(made).encode()
        nats.at_leaf(name, lambda js: js.publish(Names(name).entries, data))
        if how == "forged":
            wait_until(lambda: floor.now(name).state is State.REFUSED)
            (refused,) = floor.reader.refused(name)
            assert refused.fault.finding.code is RecordCode.SIGNED_WITH_ANOTHER_KEY
            assert refused.line.decode() == forged[0].line
        record(served, 20)
        check(floor, served, name)
        wait_until(lambda: floor.now(name).state is State.CANNOT_VERIFY)
        wait_until(lambda: is_copied(nats, name, served))


def feed_page(served: Served) -> dict[str, Any]:
    """All entries of a table, as its stream has them."""
    feed = Feed(served.app.state.parts.record)
    body, _ = asyncio.run(feed.entries(START, 1_000, 0))
    found: dict[str, Any] = json.loads(body)
    return found


def test_a_restored_table(nats: Nats, name: str, floor_url: str, tmp_path: Path) -> None:
    settings = table_config(name, new_folder() / "record")
    with publishing(nats, name, settings) as (served, told):
        record(served, 20)
        copy_of(settings, tmp_path / "copy.db")
        record(served, 10)
        wait_until(lambda: newest_at_leaf(nats, name) == served.app.state.parts.record.head().seq)
        before = lines_of(served)
    config = config_of(floor_url, nats, {name: told})
    with collecting(config) as floor:
        # A mirror that lost its line asks again late.
        wait_until(lambda: floor.writer.known[name].seq == len(before), 90.0)
    put_back(settings, tmp_path / "copy.db")
    with publishing(nats, name, settings) as (served, _):
        record(served, 15)
        with collecting(config) as floor:
            wait_for(floor, served, name)
            assert floor.held(name) == lines_of(served)
            every = list(floor.reader.all_entries(table=name))
            assert [each.entry.line() for each in every][: len(before)] == before
            gone = [each.entry.line() for each in every if each.gone is not None]
            assert gone == [line for line in before if line not in lines_of(served)]
            assert len(gone) == 10
        wait_until(lambda: is_copied(nats, name, served))


def newest_at_leaf(nats: Nats, name: str) -> int:
    numbers = numbers_at_leaf(nats, name)
    return numbers[-1] if numbers else 0


def numbers_at_leaf(nats: Nats, name: str) -> list[int]:
    """The numbers of all entries in the stream beside the table, in its order."""

    async def ask(js: JetStreamContext) -> list[int]:
        state = (await js.stream_info(Names(name).leaf)).state
        found = []
        for number in range(state.first_seq, state.last_seq + 1):
            data = (await js.get_msg(Names(name).leaf, number)).data or b""
            found += [json.loads(each["line"])["seq"] for each in json.loads(data)["entries"]]
        return found

    try:
        seen: list[int] = nats.at_leaf(name, ask)
    except FAULTS:  # it is not there yet
        return []
    return seen


def test_two_publishers_of_one_record_do_not_come_between_each_other(nats: Nats, name: str) -> None:
    with publishing(nats, name) as (served, _):
        parts = served.app.state.parts

        async def publish_too(work: Event) -> None:
            config = TableNatsConfig.model_validate(nats.of_table(name))
            too = PublishedTable(config, name, served.app, Feed(parts.record), LiveState(1, 1.0), parts.record, print)
            async with too.running():
                await asyncio.to_thread(work.wait, 30)

        done = Event()
        second = Thread(target=lambda: asyncio.run(publish_too(done)))
        second.start()
        try:
            for _ in range(15):
                record(served, 6)
            head = parts.record.head().seq
            wait_until(lambda: numbers_at_leaf(nats, name)[-1:] == [head])
        finally:
            done.set()
            second.join(30)
        assert numbers_at_leaf(nats, name) == list(range(1, head + 1))


def test_two_tables_with_one_name_are_told(nats: Nats, name: str) -> None:
    with publishing(nats, name) as (one, _):
        record(one, 5)
        wait_until(lambda: newest_at_leaf(nats, name) == one.app.state.parts.record.head().seq)
        with publishing(nats, name) as (other, _):
            record(other, 20)
            wait_until(lambda: newest_at_leaf(nats, name) == other.app.state.parts.record.head().seq)
            record(one, 1)
            wait_until(lambda: check_of(one, "nats").findings[0].code is ServiceCode.NATS_ANOTHER_RECORD)


def test_pictures_and_what_people_do_go_over_the_line(nats: Nats, name: str, floor_url: str) -> None:
    with publishing(nats, name, table_config("t0")) as (served, told):
        own = served.app.state.parts.record
        picture = Picture(b"\xff\xd8" + bytes(range(256)) * 4_000)  # several messages
        played(served, HOUSE_WRONG, "r1", picture)
        with serving_floor(config_of(floor_url, nats, {name: told})) as floor, floor.client() as client:
            wait_until(lambda: len(client.get("/v1/alarms").json()["alarms"]) == 1, 60)
            assert client.get(f"/v1/evidence/{picture.sha256}").content == picture.data
            (alarm,) = client.get("/v1/alarms").json()["alarms"]
            said = {"alarms": [alarm["alarm"]["id"]], "reason": "told the dealer"}
            assert client.post("/v1/alarms/acknowledgement", json=said).json()["acknowledged"] == said["alarms"]
        (entry,) = own.last(("acknowledgement",))
        assert entry.data["reason"] == "told the dealer"


def test_the_floor_is_killed_in_the_middle(nats: Nats, name: str, floor_url: str, tmp_path: Path) -> None:
    with publishing(nats, name) as (served, told), FloorReader(floor_url) as reader:
        record(served, 150)
        path = written(config_of(floor_url, nats, {name: told}), tmp_path)
        with floor_program(path) as floor:
            wait_until(lambda: position_of(reader) > 20)
            floor.kill()
        record(served, 20)
        with collecting(config_of(floor_url, nats, {name: told})) as collected:
            check(collected, served, name)


class TestCluster:
    def test_one_of_three_servers_is_killed_while_entries_flow(self, floor_url: str) -> None:
        with nats_of(["c0"], 3) as nats:
            nats.leaves["c0"].start()
            wait_until(lambda: has_leader(nats))
            with publishing(nats, "c0") as (served, told):
                with collecting(config_of(floor_url, nats, {"c0": told})) as floor:
                    record(served, 20)
                    check(floor, served, "c0")
                    wait_until(lambda: is_copied(nats, "c0", served))
                    leader = nats.servers[int(leader_of(nats, "c0").rpartition("-")[2]) - 1]
                    leader.kill()
                    for _ in range(3):
                        record(served, 10)
                        wait_for(floor, served, "c0")
                    leader.start()
                    record(served, 10)
                    check(floor, served, "c0")
                wait_until(lambda: is_copied(nats, "c0", served))


def leader_of(nats: Nats, name: str) -> str:
    """The name of the server that leads the others with a table's stream."""

    async def ask(client: Client) -> str:
        cluster = (await client.jetstream().stream_info(Names(name).leaf)).cluster
        return str(cluster and cluster.leader)

    found: str = nats.in_the_middle(ask)
    return found


def has_leader(nats: Nats) -> bool:
    async def ask(client: Client) -> bool:
        await client.jetstream().account_info()
        return True

    try:
        return bool(nats.in_the_middle(ask))
    except FAULTS:
        return False
