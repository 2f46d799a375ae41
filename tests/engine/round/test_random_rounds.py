"""No legal event is refused and no illegal one accepted, over random rounds of every book and way of banking."""

import json
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.round import Session, State, Table
from engine.round.event import KINDS, Event
from engine.round.events import Settled
from engine.round.wager_results import Banked
from engine.settlement.wagers import Offered, TableTerms
from engine.vocabulary.facts import Bank
from tests.amount import amount
from tests.engine.round.order import PARSED
from tests.engine.round.walk import SIDE, Walk
from tests.engine.settlement.layout import left_on_layout

pytestmark = pytest.mark.exhaustive

ROUNDS = 10
WALKS = amount(18, 25)
SESSIONS = amount(10, 52)
"""With the walks, times the rounds, times thirteen books and ways to bank: thoroughly, ten thousand rounds."""

BONANZA = Table(
    terms=TableTerms(
        side={"bonus": Offered("bonus-b"), "tie": Offered("tie-b", surrender=True), "big-small": Offered()},
    )
)

BANKINGS = sorted(PARSED, key=str)


def _play(book: str, bank: Bank, rng: Random) -> tuple[Session, Walk]:
    """A session of random rounds, every step checked against the order table."""
    bonanza = book == "crown-6.1" and rng.random() < 0.5
    walk, session = Walk(book, bank, rng, bonanza=bonanza), Session.opened(BOOKS[book], BONANZA if bonanza else None)
    for played in range(ROUNDS):
        steps = 0
        while not walk.over:
            steps += 1
            assert steps < 1000, "the round does not come to an end"
            walk.look()
            session = _step(session, walk, rng, new=played > 0 and steps == 1)
        walk.next_round()
    return session, walk


def _step(session: Session, walk: Walk, rng: Random, *, new: bool) -> Session:
    legal = walk.legal()
    if not new and rng.random() < 0.06:
        allowed = session.current.allowed()
        assert {kind for kind, refusal in allowed.items() if refusal is None} == set(legal)
        assert all(str(refusal.cite).startswith(walk.book) for refusal in allowed.values() if refusal is not None)
    if not new and rng.random() < 0.15:
        _probe(session, walk, rng, set(KINDS).difference(legal))
    while True:
        (kind,) = rng.choices(legal, [SIDE.get(kind, 3) for kind in legal])
        event = _settlement(session, walk, rng) if kind == "settled" else walk.propose(kind)
        event = session.current.due_on_dice if kind == "big-small-settled" else event
        if event is not None:
            break
    session = session.append(event)
    walk.happen(event)
    walk.stays = session.current.state.stays
    return session


def _probe(session: Session, walk: Walk, rng: Random, wrong: set[str]) -> None:
    """An event at the wrong moment is refused with a rule of the book, and nothing changes."""
    event = walk.propose(rng.choice(sorted(wrong)))
    if event is None:
        return
    _refused(session, walk, event)


def _refused(session: Session, walk: Walk, event: Event) -> None:
    log = session.current
    before = log.events, log.state, _fields(log.state)
    with pytest.raises(IllegalEventError) as caught:
        log.append(event)
    assert caught.value.refusal.cite.rulebook == walk.book
    assert str(caught.value.refusal.cite) in str(caught.value)
    assert (log.events, log.state, _fields(log.state)) == before


def _fields(state: State) -> dict[str, object]:
    return {field.name: getattr(state, field.name) for field in fields(state) if field.compare}


def _settlement(session: Session, walk: Walk, rng: Random) -> Event:
    """What settlement gives for the log; every posting cancels, and nothing stays on the layout. Another is refused."""
    log = session.current
    due = log.due
    if log.state.wagers:
        assert sum(log.settlement.balances.values()) == 0
        assert not left_on_layout(log.settlement)
    if due.results and rng.random() < 0.2:
        one, *others = due.results
        change = rng.choice(("paid", "commission", "lost"))
        _refused(session, walk, Settled((replace(one, **{change: getattr(one, change) + 1}), *others), due.bank))
    if rng.random() < 0.1:
        bank = Banked(1, 0, 0) if due.bank is None else replace(due.bank, returned=due.bank.returned + 1)
        _refused(session, walk, Settled(due.results, bank))
    return due


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
@settings(max_examples=SESSIONS, deadline=None, phases=(Phase.generate,))  # a seed is no smaller for being less
@given(seed=st.integers(0, 2**32))
def test_random_rounds(book: str, bank: Bank, seed: int) -> None:
    _played(book, bank, seed)


def _played(book: str, bank: Bank, seed: int) -> Session:
    """A session of random rounds that is the same once it was written and read again."""
    session, _ = _play(book, bank, Random(seed))  # noqa: S311  dice of a test
    written = json.dumps(session.to_dict())
    again = Session.from_dict(json.loads(written))
    assert len(again.rounds) == ROUNDS
    assert again == session  # events and states
    return session


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
@pytest.mark.parametrize("seed", range(3))
def test_the_same_rounds_numbered_from_the_left(book: str, bank: Bank, seed: int) -> None:
    """What happens at a place of the table is as lawful there as at one whose boxes are numbered from the right."""
    session, _ = _play(book, bank, Random(seed))  # noqa: S311  dice of a test
    written = session.to_dict()
    with pytest.raises(IllegalEventError):
        Session.from_dict(_numbered_from_left(written, {box: box for box in range(1, 9)}))
    numbers = _from_left(book)
    mirrored = Session.from_dict(_numbered_from_left(written, numbers))
    for here, there in zip(session.rounds, mirrored.rounds, strict=True):
        assert [numbers[box] for box in here.state.outcomes] == list(there.state.outcomes)
        assert (here.before.chung and numbers[here.before.chung]) == there.before.chung


def _from_left(book: str) -> dict[int, int]:
    """The number of each box, by its number at a table numbered from the dealer's right.

    Under the UK poster 8 is the dealer's own place; where the House has box "number 1" that is the one at his left.
    """
    if book == "uk-poster":
        return {**{box: 8 - box for box in range(1, 8)}, 8: 8}
    if book == "crown-6.1":
        return {box: 9 - box for box in range(1, 9)}
    return {1: 1, **{box: 10 - box for box in range(2, 9)}}


def _numbered_from_left(written: Any, numbers: dict[int, int]) -> Any:  # noqa: ANN401  plain data
    """A written session with the numbers of another felt."""
    match written:
        case {"box1_at_dealers_right": _}:
            return {**written, "box1_at_dealers_right": False}
        case dict():
            return {
                key: [numbers[box] for box in value]
                if key in {"boxes", "order"} and isinstance(value, list)
                else numbers[value]
                if key in {"box", "first_box"} and value is not None
                else _numbered_from_left(value, numbers)
                for key, value in written.items()
            }
        case list():
            return [_numbered_from_left(part, numbers) for part in written]
        case _:
            return written


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
def test_the_walks_go_everywhere(book: str, bank: Bank) -> None:
    """The table of order is walked whole: each kind that a book knows under a bank happens, and that bank is held."""
    seen: set[type[Event]] = set()
    banks = set()
    for seed in range(WALKS):
        session = _played(book, bank, seed)
        for log in session.rounds:
            banks.add(log.state.method)
            if log.state.method is bank:
                seen.update(map(type, log.events))
    assert bank in banks
    known = {kind for kind, *_ in PARSED[book, bank] if SIDE.get(kind, 1) > 0}
    asked = {"bank-offered", "bank-declined", "bank-accepted", "house-banks"}
    rare = {"table-closed", "control-ceded", "box-chosen", "tiles-replaced", "tiles-laid-open", "bank-fell-back"}
    if bank is Bank.CO_BANK:
        rare |= {"tiles-viewed"}
    if book == "crown-6.1":
        known |= {"big-small-settled", "tie-surrendered"} - ({"tie-surrendered"} if bank is Bank.PLAYER else set())
    assert known - asked - rare <= {kind.kind for kind in seen}
