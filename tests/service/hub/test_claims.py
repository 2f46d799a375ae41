"""Who takes what on the floor: of two at once one has it, a claim ends by itself, and only its holder lets go of it."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, update

from service.api.claims import LASTS_S, Claims, of_alarm, of_round
from service.record.store import schema
from service.record.store.database import writing
from service.record.store.entries import timestamp
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import collected

PEOPLE = ("ann", "ben", "cem", "dora", "eli", "fay", "gus", "hal")


@pytest.fixture
def claims(store_url: str) -> Iterator[Claims]:
    with collected(store_url, {"t1": RecordedFeed(), "t2": RecordedFeed()}) as writer:
        yield Claims(writer._record)


def grow_old(claims: Claims, seconds: float) -> None:
    """Let so much time pass without a sign of life."""
    columns = schema.claims.c
    with writing(claims._record.database) as connection:
        for row in connection.execute(select(schema.claims)).all():
            seen_at = timestamp(datetime.fromisoformat(row.seen_at) - timedelta(seconds=seconds))
            of_it = (columns.log == row.log, columns.what == row.what)
            connection.execute(update(schema.claims).where(*of_it).values(seen_at=seen_at))


def test_the_first_who_takes_it_has_it(claims: Claims) -> None:
    mine = claims.take(1, of_round("r1"), "ann")
    assert mine.by == "ann"
    assert claims.take(1, of_round("r1"), "ben") == mine
    assert claims.take(2, of_round("r1"), "ben").by == "ben"  # of another table
    assert claims.take(1, of_alarm(1), "ben").by == "ben"
    assert claims.held([(1, of_round("r1")), (1, of_round("r2"))]) == {(1, of_round("r1")): mine}
    assert claims.held([]) == {}


def test_a_sign_of_life_keeps_it_and_silence_ends_it(claims: Claims) -> None:
    what = of_round("r1")
    started = claims.take(1, what, "ann")
    grow_old(claims, LASTS_S - 10)
    assert claims.take(1, what, "ben") == started
    assert claims.take(1, what, "ann") == started  # seen again
    grow_old(claims, LASTS_S - 10)
    assert claims.take(1, what, "ben") == started
    grow_old(claims, 11)
    assert claims.held([(1, what)]) == {}
    assert claims.take(1, what, "ben").by == "ben"
    assert claims.take(1, what, "ann").by == "ben"


def test_a_claim_that_had_ended_begins_anew(claims: Claims) -> None:
    started = claims.take(1, of_round("r1"), "ann")
    grow_old(claims, LASTS_S + 1)
    assert claims.take(1, of_round("r1"), "ann").since > started.since


def test_only_who_has_it_lets_go_of_it(claims: Claims) -> None:
    claims.take(1, of_round("r1"), "ann")
    assert not claims.release(1, of_round("r1"), "ben")
    assert claims.release(1, of_round("r1"), "ann")
    assert not claims.release(1, of_round("r1"), "ann")
    assert claims.take(1, of_round("r1"), "ben").by == "ben"


@pytest.mark.parametrize("expired", [False, True])
def test_of_many_who_take_the_same_at_once_one_has_it(claims: Claims, expired: bool) -> None:  # noqa: FBT001
    for number in range(20):
        what = of_round(f"r{number}")
        if expired:
            claims.take(1, what, "zoe")
            grow_old(claims, LASTS_S + 1)
        together = threading.Barrier(len(PEOPLE))

        def take(name: str, what: str = what, together: threading.Barrier = together) -> str:
            together.wait()
            return claims.take(1, what, name).by

        with ThreadPoolExecutor(len(PEOPLE)) as pool:
            holders = list(pool.map(take, PEOPLE))
        assert len(set(holders)) == 1
        assert holders[0] in PEOPLE
        assert claims.held([(1, what)])[1, what].by == holders[0]
