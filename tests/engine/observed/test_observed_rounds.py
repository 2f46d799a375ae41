"""Rounds played by every book and bank: correct ones give no departure; a mistake is reported with its rule."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from engine.game.ranking import Outcome
from engine.observed import DepartureKind, ObservedRound
from engine.observed.delivery import first_boxes
from engine.observed.observations import (
    DiceSeen,
    HandOpened,
    HandPutAway,
    LeaningDiceLeft,
    Observation,
    StacksSeen,
    TilesCounted,
    TilesDealt,
    hands,
)
from engine.observed.opening import outcome
from engine.observed.possible import KnownBank
from engine.round.events import BankFellBack
from engine.vocabulary.facts import Bank
from tests.amount import amount
from tests.engine.observed.camera import observed
from tests.engine.round.order import PARSED
from tests.engine.round.test_random_rounds import _play

pytestmark = pytest.mark.exhaustive

BANKINGS = sorted(PARSED, key=str)
SEEDS = range(amount(6, 12))


@cache
def _rounds(book: str, bank: Bank, seed: int) -> list[ObservedRound]:
    """Rounds of a session whose bank did not change after the dice were thrown."""
    session, _ = _play(book, bank, Random(seed))  # noqa: S311  dice of a test
    return [
        observed(log)
        for log in session.rounds
        if log.state.bank is not None
        and log.state.void is None
        and not any(isinstance(event, BankFellBack) for event in log.events)
    ]


each_bank = pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))


@each_bank
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_reported_of_a_lawful_round(book: str, bank: Bank, seed: int) -> None:
    for seen in _rounds(book, bank, seed):
        assert seen.departures == ()
        for unknown in (KnownBank(), KnownBank(seen.bank.method), KnownBank(None, seen.bank.box)):
            assert replace(seen, bank=unknown).departures == ()
        assert replace(seen, from_right=None).departures == ()
        assert ObservedRound.from_dict(json.loads(json.dumps(seen.to_dict()))) == seen


def _changed(seen: ObservedRound, make: Callable[[int, Observation], Observation | None]) -> ObservedRound:
    changed = (make(number, each) for number, each in enumerate(seen.since_mixed))
    return replace(seen, seen=tuple(each for each in changed if each is not None))


def _dealt_to(seen: ObservedRound) -> list[int]:
    return [number for number, each in enumerate(seen.since_mixed) if isinstance(each, TilesDealt)]


def _before_the_float(seen: ObservedRound, number: int) -> bool:
    """Whether tiles were dealt to the dealer's own place, over which his arms lie."""
    each = seen.since_mixed[number]
    return isinstance(each, TilesDealt) and None in each.boxes


def _from_another_box(seen: ObservedRound) -> ObservedRound | None:
    """The delivery starts one box later than the dice give."""
    at = _dealt_to(seen)
    throws = [each for each in seen.since_mixed if isinstance(each, DiceSeen)]
    due = None if not throws or throws[-1].cocked else first_boxes(seen.ways[0], throws[-1])
    if len(at) < 8 or due is None or len(due) != 1 or _before_the_float(seen, at[0]):
        return None
    dealt = [seen.since_mixed[number] for number in at]
    turned = dict(zip(at, (*dealt[1:], dealt[0]), strict=True))
    return _changed(seen, turned.get)


def _two_exchanged(seen: ObservedRound) -> ObservedRound | None:
    at = _dealt_to(seen)
    if len(at) < 8:
        return None
    one, other = at[3], at[4]
    if _before_the_float(seen, one) or _before_the_float(seen, other):
        return None
    turned = {one: seen.since_mixed[other], other: seen.since_mixed[one]}
    return _changed(seen, turned.get)


def _leaning(seen: ObservedRound) -> ObservedRound | None:
    at = _dealt_to(seen)
    if not at:
        return None
    seen = _changed(seen, lambda _, each: replace(each, cocked=True) if isinstance(each, DiceSeen) else each)
    at = _dealt_to(seen)
    whole = seen.since_mixed
    return replace(seen, seen=(*whole[: at[0] + 1], LeaningDiceLeft(), *whole[at[0] + 1 :]))


def _counted(seen: ObservedRound) -> ObservedRound | None:
    return replace(seen, seen=(*seen.since_mixed, TilesCounted(2, more=True))) if _dealt_to(seen) else None


def _bank_opened(seen: ObservedRound) -> int | None:
    return next(
        (n for n, each in enumerate(seen.since_mixed) if isinstance(each, HandOpened) and each.box is None), None
    )


def _before_the_bank(seen: ObservedRound) -> ObservedRound | None:
    at, whole = _bank_opened(seen), seen.since_mixed
    following = [each for each in whole if isinstance(each, HandOpened) and each.box is not None]
    if at is None or not following:
        return None
    way = seen.ways[0]
    if way.method is Bank.HOUSE and way.setup.play.alone is not None and len(following) == 1:
        return None  # the only player may lay his tiles open (nz-1998 10.14; star-2024 12.19; star-classic 12.16)
    early = replace(following[0], closed=(None, *following[0].closed))
    rest = tuple(each for each in whole if each is not following[0])
    return replace(seen, seen=(*rest[:at], early, *rest[at:]))


def _out_of_turn(seen: ObservedRound) -> ObservedRound | None:
    way = seen.ways[0]
    if way.method not in way.setup.play.expose:
        return None
    opened = [each for each in seen.since_mixed if isinstance(each, HandOpened) and each.box is not None]
    if len(opened) < 2 or opened[0].box is None or opened[1].box is None:
        return None
    first, second = opened[:2]
    early = replace(second, closed=(*second.closed, opened[0].box))
    late = replace(first, closed=tuple(box for box in first.closed if box != second.box))
    return _changed(seen, lambda _, each: early if each is first else late if each is second else each)


def _lost_left(seen: ObservedRound) -> ObservedRound | None:
    """A lost hand still lies open when the next is opened."""
    way = seen.ways[0]
    if way.method not in way.setup.play.at_once or seen.side_wagers:
        return None
    away = {each.box for each in seen.since_mixed if isinstance(each, HandPutAway)}
    opened = [each for each in seen.since_mixed if isinstance(each, HandOpened) and each.box is not None]
    for one, other in pairwise(opened):
        if one.box in away and one.box not in other.open and one.box is not None:
            left = replace(other, open=(*other.open, one.box))
            found = _changed(seen, lambda _, each, other=other, left=left: left if each is other else each)  # type: ignore[misc]
            if _loses(found, one):
                return found
    return None


def _loses(seen: ObservedRound, hand: HandOpened) -> bool:
    bank = hands(seen.since_mixed).get(None)
    return bank is not None and outcome(seen.ways[0], hand, bank) is Outcome.LOSE


def _bank_away(seen: ObservedRound) -> ObservedRound | None:
    opened = [each for each in seen.since_mixed if isinstance(each, HandOpened) and each.box is not None]
    at = _bank_opened(seen)
    if at is None or not opened:
        return None
    whole, closed = seen.since_mixed, tuple(each.box for each in opened if each.box is not None)
    return replace(seen, seen=(*whole[: at + 1], HandPutAway(None, closed), *whole[at + 1 :]))


def _other_cut(seen: ObservedRound) -> ObservedRound | None:
    """The first group comes from both ends of the stacks, as no cut has it."""
    if seen.method is None or not any(isinstance(each, StacksSeen) for each in seen.since_mixed):
        return None
    cuts = seen.book.cuts
    throws = [each for each in seen.since_mixed if isinstance(each, DiceSeen) and not each.cocked]
    if cuts.by_die is None or not throws or cuts.choice[seen.method].who[0].value != "cut die":
        return None

    def cut(_: int, each: Observation) -> Observation:
        if isinstance(each, StacksSeen) and each.fewest == 1:
            return StacksSeen((1, 2, 4, 5, 6, 7, 8), (3,), 1, 1)
        return each

    return _changed(seen, cut)


MISTAKES = {
    DepartureKind.WRONG_FIRST_BOX: _from_another_box,
    DepartureKind.DELIVERED_OUT_OF_ORDER: _two_exchanged,
    DepartureKind.DEALT_BY_LEANING_DICE: _leaning,
    DepartureKind.TILES_MISCOUNTED: _counted,
    DepartureKind.EXPOSED_BEFORE_BANK: _before_the_bank,
    DepartureKind.EXPOSED_OUT_OF_TURN: _out_of_turn,
    DepartureKind.LOST_HAND_LEFT: _lost_left,
    DepartureKind.BANK_AWAY_EARLY: _bank_away,
    DepartureKind.CUT_AGAINST_DIE: _other_cut,
}


@each_bank
@pytest.mark.parametrize("kind", MISTAKES, ids=str)
def test_a_mistake_is_reported_with_a_rule_of_the_book(book: str, bank: Bank, kind: DepartureKind) -> None:
    made = [
        mistaken
        for seed in SEEDS
        for seen in _rounds(book, bank, seed)
        if seen.bank.method is bank and (mistaken := MISTAKES[kind](seen)) is not None
    ]
    for mistaken in made:
        by_kind = {each.kind: each for each in mistaken.departures}
        assert kind in by_kind
        assert by_kind[kind].rule.rulebook == book
        assert all(each.options for each in mistaken.remedies(by_kind[kind]))
        again = ObservedRound.from_dict(json.loads(json.dumps(mistaken.to_dict())))
        assert again.departures == mistaken.departures
    if not made:
        assert kind in _NOT_IN_EVERY_BOOK
    else:
        assert len(made) >= len(SEEDS) // 4


_NOT_IN_EVERY_BOOK = {
    DepartureKind.CUT_AGAINST_DIE,
    DepartureKind.LOST_HAND_LEFT,
    DepartureKind.EXPOSED_OUT_OF_TURN,
}


def test_of_what_is_not_known_nothing_is_concluded() -> None:
    """The bank decides the first box and the order: if it is unknown, only departures under every bank are reported."""
    asked = found = 0
    for book, bank in BANKINGS:
        for seen in _rounds(book, bank, 0):
            mistaken = _from_another_box(seen)
            if mistaken is not None and Bank.PLAYER in seen.book.banking.methods.value:
                asked += 1
                found += any(
                    each.kind is DepartureKind.WRONG_FIRST_BOX
                    for each in replace(mistaken, bank=KnownBank()).departures
                )
    assert asked > 20
    assert not found
