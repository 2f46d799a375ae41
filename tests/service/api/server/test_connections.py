"""Limits on connections, and which is closed to make room, with stub clients."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.access.rate_limits import client_network
from service.api.server import connections
from service.api.server.connections import Bounds, Closed, Connection, Connections

NO_SOCKET = cast("socket.socket", None)


@dataclass
class Client:
    """A client in a state."""

    keeps_waiting: bool = True
    unsent: int = 0
    late_for: Closed | None = None
    end: str | None = None

    def overdue(self, _now: float) -> Closed | None:
        return self.late_for

    def leave(self) -> None:
        self.end = "left"

    def drop(self) -> None:
        self.end = "dropped"


class Door:
    """Connections with a clock, and what was closed."""

    def __init__(self, in_all: int = 10, per_address: int = 3, per_caller: int = 4, proxy: str = "") -> None:
        self.now = 100.0
        self.closed: list[Closed] = []
        bounds = Bounds(in_all, per_address, per_caller)
        self.all = Connections(bounds, lambda peer: peer == proxy, self.closed.append, lambda: self.now)

    def enter(self, address: str, *, caller: str | None = None, busy: bool = False) -> Connection:
        connection = self.try_to_enter(address, busy=busy)
        assert connection is not None
        if caller is not None:
            assert connection.claim(address, caller)
        return connection

    def try_to_enter(self, address: str, *, busy: bool = False) -> Connection | None:
        connection = self.all.admit(NO_SOCKET, address)
        if connection is not None:
            connection.client = Client(keeps_waiting=not busy)
        return connection


def state(connection: Connection) -> Client:
    return cast("Client", connection.client)


def test_of_the_address_with_the_most_the_oldest_gives_way() -> None:
    door = Door(in_all=6)
    other = door.enter("192.0.2.9")
    many = [door.enter("192.0.2.1") for _ in range(5)]
    door.enter("192.0.2.5")
    assert [state(each).end for each in (other, *many)] == [None, "dropped", None, None, None, None]
    assert len(door.all) == 6
    assert door.closed == [Closed.NO_ROOM]


def test_who_is_signed_in_or_is_owed_an_answer_stays() -> None:
    door = Door(in_all=4)
    signed_in = door.enter("192.0.2.1", caller="ann")
    owed = [door.enter("192.0.2.2", busy=True) for _ in range(2)]
    idle = door.enter("192.0.2.3")
    door.enter("192.0.2.4", busy=True)
    assert state(idle).end == "dropped"
    # Only a signed-in page between two requests is left to give way.
    door.enter("192.0.2.4", busy=True)
    assert state(signed_in).end == "dropped"
    assert door.try_to_enter("192.0.2.5") is None
    assert all(state(each).end is None for each in owed)


def test_in_the_middle_of_a_handshake() -> None:
    ours, theirs = socket.socketpair()
    door = Door(in_all=1)
    with ours, theirs:
        assert door.all.admit(ours, "192.0.2.1") is not None
        assert door.try_to_enter("192.0.2.2") is not None
        assert theirs.recv(1) == b""


def test_one_address_is_held_to_its_share_after_the_grace() -> None:
    door = Door(per_address=3)
    many = [door.enter("192.0.2.1") for _ in range(6)]
    many[0].client = Client(keeps_waiting=False)
    assert many[5].claim("192.0.2.1", "ann")
    door.all.sweep()
    assert door.closed == []
    door.now += connections.GRACE_S + 0.1
    door.all.sweep()
    assert [state(each).end for each in many] == [None, "dropped", None, None, None, None]
    assert door.closed == [Closed.ADDRESS]


def test_one_caller_is_held_to_its_share_and_all_leave_some_for_others() -> None:
    door = Door(in_all=10, per_caller=4)
    mine = [door.enter("192.0.2.1", caller="ann") for _ in range(4)]
    fifth = door.enter("192.0.2.1")
    assert not fifth.claim("192.0.2.1", "ann")
    assert mine[0].claim("192.0.2.1", "ann")  # goes on with those it has
    assert fifth.claim("192.0.2.1", "bob")
    for _ in range(4):
        door.enter("192.0.2.2", caller="cec")
    assert not door.enter("192.0.2.3").claim("192.0.2.3", "dan")
    assert mine[3].claim("192.0.2.1", None)  # signed out
    assert door.enter("192.0.2.3").claim("192.0.2.3", "dan")


def test_who_is_slow_is_sent_away() -> None:
    door = Door()
    slow, reader = door.enter("192.0.2.1"), door.enter("192.0.2.1", caller="ann")
    state(slow).late_for, state(reader).late_for = Closed.SLOW_REQUEST, Closed.SLOW_READER
    door.all.sweep()
    assert (state(slow).end, state(reader).end) == ("left", "dropped")


def test_behind_a_proxy_each_client_is_counted_by_itself() -> None:
    door = Door(per_address=2, proxy="10.0.0.7")
    pool = [door.enter("10.0.0.7") for _ in range(8)]
    door.now += 60
    door.all.sweep()
    assert door.closed == []
    for connection in pool[:4]:
        assert connection.claim("192.0.2.66", None)
    assert pool[4].claim("192.0.2.5", "ann")
    assert door.all.signed_in == 1
    door.all.sweep()
    assert door.closed == [Closed.ADDRESS] * 2
    for connection in pool:
        door.all.rest(connection)
    assert door.all.signed_in == 0
    assert {each.address for each in pool[4:]} == {connections.BEHIND_PROXY}


def test_a_proxys_pool_gives_way_after_all_other_strangers() -> None:
    door = Door(in_all=5, proxy="10.0.0.7")
    pool = [door.enter("10.0.0.7") for _ in range(3)]
    strangers = [door.enter("192.0.2.1"), door.enter("192.0.2.2")]
    door.enter("10.0.0.7")
    door.enter("10.0.0.7")
    assert [state(each).end for each in strangers] == ["dropped"] * 2
    assert all(state(each).end is None for each in pool)


def test_who_has_most_unread_loses_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_UNSENT_BYTES", 100)
    door = Door()
    hoarder = [door.enter("192.0.2.1", caller="ann") for _ in range(3)]
    other = door.enter("192.0.2.2", caller="bob")
    for connection, unsent in zip((*hoarder, other), (20, 30, 10, 35), strict=True):
        state(connection).unsent = unsent
    door.all.unread()
    assert door.closed == []
    state(other).unsent = 45
    door.all.unread()
    assert [state(each).end for each in (*hoarder, other)] == [None, "dropped", None, None]


def test_a_single_large_answer_may_be_larger(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST_UNSENT_BYTES", 100)
    door = Door()
    state(door.enter("192.0.2.1", caller="ann")).unsent = 1_000
    door.all.unread()
    assert door.closed == []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["enter", "enter", "enter", "gone", "claim", "out", "rest", "sweep"]), st.integers(0, 30)
        ),
        max_size=150,
    )
)
def test_there_are_never_more_than_there_may_be(steps: list[tuple[str, int]]) -> None:
    door = Door(in_all=8, per_address=3, per_caller=2, proxy="10.0.0.1")
    entered: list[Connection] = []

    def chosen(number: int) -> Connection | None:
        there = [each for each in entered if state(each).end is None]
        return there[number % len(there)] if there else None

    def end(connection: Connection) -> None:
        door.all.gone(connection)
        state(connection).end = "gone"

    act: dict[str, Callable[[Connection, int], object]] = {
        "gone": lambda each, _: end(each),
        "claim": lambda each, number: each.claim(f"192.0.2.{number % 5}", f"c{number % 4}"),
        "out": lambda each, number: each.claim(f"192.0.2.{number % 5}", None),
        "rest": lambda each, _: door.all.rest(each),
        "sweep": lambda _, __: door.all.sweep(),
    }
    for step, number in steps:
        door.now += 1
        if step == "enter":
            if (made := door.try_to_enter(f"10.0.0.{number % 4}", busy=number > 20)) is not None:
                entered.append(made)
        elif (each := chosen(number)) is not None:
            act[step](each, number)
        there = [each for each in entered if state(each).end is None]
        assert len(door.all) == len(there) <= 8
        signed_in = [each.caller for each in there if each.caller is not None]
        assert door.all.signed_in == len(signed_in) <= 7
        assert all(signed_in.count(caller) <= 2 for caller in signed_in)


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:0DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
        ("x" * 1_000, "x" * 100),
    ],
)
def test_addresses_as_they_are_counted(address: str, counted: str) -> None:
    assert client_network(address) == counted
