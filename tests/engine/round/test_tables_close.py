"""The tiles are checked where gaming ends, and limits altered while people play are remembered."""

import json

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.round import Session, Table
from engine.round.amounts import minimum_for
from engine.round.events import LimitsChanged
from engine.settlement.wagers import TableTerms
from engine.vocabulary.facts import Bank
from engine.vocabulary.limits import Limits
from tests.engine.round.golden import FULL, event
from tests.engine.round.test_bank_goes_round import after, fresh, refused
from tests.engine.round.test_golden_rounds import played

TITLES = {
    "crown-6.1": "TG_Area_Manager",
    "nz-1998": "casino_operator",
    "star-2024": "casino_supervisor",
    "star-classic": "casino_supervisor",
}


@pytest.mark.parametrize(
    ("book", "rule"), [("crown-6.1", "3.1"), ("nz-1998", "10.17"), ("star-2024", "3.3"), ("star-classic", "3.3")]
)
def test_a_table_closes_once_its_tiles_are_checked(book: str, rule: str) -> None:
    session = played(book, Bank.HOUSE)
    with pytest.raises(IllegalEventError) as caught:
        session.append(event("table-closed"))
    assert caught.value.refusal.cite.section == rule
    check = f"tiles-checked tiles={FULL} by={TITLES[book]}"
    nobody = ("player-left player=Ann", "player-left player=Bob", "player-left player=Cho")
    closed = after(session, *nobody, check, "table-closed")
    assert closed.current.state.over
    before = fresh(closed).before
    assert before.commencement
    assert before.check_due
    assert not before.seats
    assert Session.from_dict(json.loads(json.dumps(closed.to_dict()))) == closed


def test_the_poster_asks_for_no_check() -> None:
    assert after(played("uk-poster", Bank.HOUSE), "table-closed").current.state.concluded


def test_no_table_closes_in_a_round() -> None:
    log = played("crown-6.1", Bank.HOUSE, "shuffled").current
    assert refused(log, "table-closed") == "5.1"


@pytest.mark.parametrize(("book", "rule"), [("crown-6.1", "3.3"), ("nz-1998", "10.17"), ("star-2024", None)])
def test_a_set_is_checked_before_it_is_taken_off(book: str, rule: str | None) -> None:
    """A single tile may be replaced without (C 3.2, N 10.15)."""
    log = fresh(played(book, Bank.HOUSE))
    whole = f"tiles-replaced ordered_by={TITLES[book]} whole_set=yes"
    assert log.append(event(f"tiles-replaced ordered_by={TITLES[book]}")).state.check_due
    if rule is None:
        assert log.append(event(whole)).state.check_due
        return
    assert refused(log, whole) == rule
    checked = log.append(event(f"tiles-checked tiles={FULL} by={TITLES[book]}"))
    assert checked.append(event(whole)).state.check_due


def _limited(book: str) -> Session:
    """After a round at a table with a minimum of 25.00, in which Ann, Bob and Cho wagered."""
    session = Session.opened(BOOKS[book], Table(terms=TableTerms(minimum=2500)))
    first = played(book, Bank.HOUSE).current.events
    for one in first:
        session = session.append(session.current.due if one.kind == "settled" else one)
    return session


def test_who_plays_keeps_his_minimum() -> None:
    """Raised from 25.00 to 50.00 without a sign, current players keep 25.00; Dan, who joins later, does not.

    star-2024 10.6, star-2024 10.6.1, star-2024 10.6.2.
    """
    session = after(_limited("star-2024"), "limits-changed by=casino_supervisor minimum=5000")
    state = session.current.state
    assert state.kept == {"Ann": 2500, "Bob": 2500, "Cho": 2500}
    assert state.limits == Limits(5000)
    state = after(session, "player-seated box=7 player=Dan").current.state
    assert (minimum_for(state, "Dan"), minimum_for(state, "Ann")) == (5000, 2500)
    # Left and back again Ann is a new player (S 10.6.1.2, 10.6.4).
    assert minimum_for(after(session, "player-left player=Ann").current.state, "Ann") == 5000
    # Again to 100.00: those who keep 25.00 keep it (10.6.2); Dan keeps 50.00. A sign ends it.
    more = after(session, "player-seated box=7 player=Dan", "limits-changed by=casino_supervisor minimum=10000")
    assert more.current.state.kept == {"Ann": 2500, "Bob": 2500, "Cho": 2500, "Dan": 5000}
    signed = after(more, "limits-changed by=casino_supervisor minimum=10000 announced=yes")
    assert signed.current.state.kept == {}
    assert Session.from_dict(json.loads(json.dumps(more.to_dict()))) == more


def test_a_wager_is_under_the_minimum_that_holds_for_its_player() -> None:
    """S 10.3: it may be rejected until the dice are exposed, but not Ann's 30.00, who started under 25.00."""
    session = after(_limited("star-2024"), "limits-changed by=casino_supervisor minimum=5000")
    session = after(session, "bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann")
    session = after(session, "bank-offered box=4 player=Bob", "bank-declined box=4 player=Bob")
    session = after(
        session, "bank-offered box=5 player=Cho", "bank-declined box=5 player=Cho", "house-banks", "shuffled"
    )
    session = after(session, "wager-placed box=2 player=Ann amount=3000", "wager-placed box=7 player=Dan amount=3000")
    below = (
        "irregularity-decided irregularity=below-minimum remedy=wager-returned rule=star-2024_10.3 decided_by=dealer"
    )
    assert refused(session.current, f"{below} player=Ann") == "10.3"
    assert session.current.append(event(f"{below} player=Dan")).state.total == 3000


@pytest.mark.parametrize(("book", "rule"), [("crown-6.1", "9.1"), ("star-classic", "10.4")])
def test_a_higher_minimum_is_announced(book: str, rule: str) -> None:
    log = fresh(_limited(book))
    assert refused(log, f"limits-changed by={TITLES[book]} minimum=5000") == rule
    assert log.append(event(f"limits-changed by={TITLES[book]} minimum=5000 announced=yes")).state.limits == Limits(
        5000
    )
    assert log.append(event(f"limits-changed by={TITLES[book]} minimum=1000")).state.limits == Limits(1000)


def test_limits_hold_from_the_next_round_on_where_wagers_lie() -> None:
    session = Session.opened(BOOKS["crown-6.1"])
    change = "limits-changed by=pit minimum=10 maximum=20 announced=yes"
    session = after(session, "wager-placed box=2 player=Ann amount=3000", change)
    assert session.current.state.limits is None
    assert session.current.state.limits_later == Limits(10, 20)
    with pytest.raises(IllegalEventError, match="above the maximum"):
        session.append(LimitsChanged("pit", 30, 20))
