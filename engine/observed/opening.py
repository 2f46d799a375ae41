"""The order in which hands were opened and put away, compared with the book's order for that bank."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import Outcome
from engine.observed.departures import Allowance, Departure, DepartureKind, Unless
from engine.observed.observations import DeliveryEnded, HandOpened, HandPutAway, HouseWayAsked, TilesHandled, hands
from engine.settlement.outcome import match_hands
from engine.settlement.played import Laid
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import SetWhen, SeveralBoxes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from engine.observed.observations import Observation
    from engine.observed.possible import Possible


def opening_departures(way: Possible, seen: Sequence[Observation], *, side_wagers: bool) -> Iterator[Departure]:
    """Departures in opening and putting away hands, assuming this way of banking.

    With `side_wagers` a lost hand may stay open for one of those, and only Bonus wagers may have been placed.
    """
    early = list(_before_the_bank(way, seen))
    for each in seen:
        if isinstance(each, HandOpened):
            if way.is_banks(each.box):
                yield from _left_as_dealt(way, each, seen)
                continue
            if not _alone(way, each, seen):
                if each in early:
                    yield _early(way, each, early, seen, side_wagers=side_wagers)
                else:
                    yield from _in_turn(way, each, seen)
            if not side_wagers:
                yield from _hands_left(way, each, seen)
        elif isinstance(each, HandPutAway) and way.is_banks(each.box):
            closed = _waiting(way, each.closed, seen)
            if closed:
                yield Departure(DepartureKind.BANK_AWAY_EARLY, way.setup.play.matched[way.method], due=closed)
        elif isinstance(each, HandPutAway) and not side_wagers:
            yield from _won_hand_taken(way, each, seen)


def _left_as_dealt(way: Possible, opened: HandOpened, seen: Sequence[Observation]) -> Iterator[Departure]:
    """All hands are set before the bank's, and the tiles of boxes without wagers are taken back before that.

    Where the dealer sets requested hands only at settlement, they lie stacked until then (crown-6.1 10.2.3(a)); under
    the poster the tiles of empty positions stay.
    """
    play = way.setup.play
    if play.request is None or play.request.value is not SetWhen.BEFORE_BANK or play.retrieve is None:
        return
    opened_later = {each.box for each in seen if isinstance(each, HandOpened)}
    for box in _players(way, opened.as_dealt):
        rule = play.bank_last[way.method] if box in opened_later else play.retrieve
        yield Departure(DepartureKind.LEFT_AS_DEALT, rule, box)


def _players(way: Possible, boxes: Sequence[int | None]) -> tuple[int, ...]:
    """The players' boxes among these, in order from the chung."""
    return tuple(way.setup.in_turn((box for box in boxes if box is not None and box != way.chung), way.chung))


def _waiting(way: Possible, closed: Sequence[int | None], seen: Sequence[Observation]) -> tuple[int, ...]:
    """The players' boxes among these whose hands wait to be opened, in order from the chung.

    Tiles that lie as dealt may be nobody's: of an empty box, not taken back. Under the poster nobody takes them back
    (uk-poster point 4), so that only tiles seen to be somebody's wait.
    """
    played = _played(seen)
    untouched = {box for each in seen if isinstance(each, HandOpened) for box in each.as_dealt}
    if way.setup.play.retrieve is None:
        untouched.update(box for box in closed if box is not None)
    return tuple(box for box in _players(way, closed) if box in played or box not in untouched)


def _played(seen: Sequence[Observation]) -> set[int | None]:
    """The boxes whose tiles were seen to be somebody's: opened, asked to be set, or set."""
    return {each.box for each in seen if isinstance(each, HandOpened | HouseWayAsked | TilesHandled)}


def _before_the_bank(way: Possible, seen: Sequence[Observation]) -> Iterator[HandOpened]:
    """Players' hands opened while the bank's lay closed; an arm may hide one that is already open."""
    for each in seen:
        if isinstance(each, HandOpened):
            if way.is_banks(each.box):
                return
            if any(map(way.is_banks, each.closed)):
                yield each


def _early(
    way: Possible, opened: HandOpened, early: Sequence[HandOpened], seen: Sequence[Observation], *, side_wagers: bool
) -> Departure:
    """No tiles are exposed before the bank's, unless the dealer need not show it, or nobody else plays.

    Boxes whose tiles the dealer sets may be the same player's: he decides on the tiles of one box alone (nz-1998 6.7,
    7.2, 10.14), or plays a House Way area beside his own (star-2024 9.13, 9.14, 12.19).
    """
    play, side = way.setup.play, way.setup.book.side_wagers
    unless: tuple[Unless, ...] = ()
    if way.method is Bank.HOUSE:
        if side_wagers and side is not None:
            unless = (Unless(Allowance.BONUS_ONLY, side.bonus.bank_dealt.cite),)
        beside = play.several.value is SeveralBoxes.HOUSE_WAY or play.house_way_boxes is not None
        set_by_dealer = {each.box for each in seen if isinstance(each, HouseWayAsked)}
        alone = {each.box for each in early} == {opened.box} >= _in_play(way, opened, seen) - set_by_dealer
        if play.alone is not None and beside and alone:
            unless = (*unless, Unless(Allowance.ALONE, play.alone))
    return Departure(DepartureKind.EXPOSED_BEFORE_BANK, play.bank_first[way.method], opened.box, unless=unless)


def _alone(way: Possible, opened: HandOpened, seen: Sequence[Observation]) -> bool:
    """Whether this is the only hand against the House's, which may be laid open (nz-1998 10.14; star-2024 12.19)."""
    if way.setup.play.alone is None or way.method is not Bank.HOUSE:
        return False
    return _in_play(way, opened, seen) == {opened.box}


def _in_play(way: Possible, opened: HandOpened, seen: Sequence[Observation]) -> set[int | None]:
    """The players' boxes in play: those of hands opened or asked for, and with closed tiles.

    Until the delivery ends, closed tiles lie at empty boxes too; then a later look counts.
    """
    at = seen.index(opened)
    looks = [each for each in seen[at:] if isinstance(each, HandOpened | HandPutAway)]
    ended = any(isinstance(each, DeliveryEnded) for each in seen[:at])
    closed = looks[0 if ended else -1].closed
    acted = {each.box for each in seen if isinstance(each, HandOpened | HouseWayAsked)}
    return {box for box in (*acted, *closed) if not way.is_banks(box)}


def _in_turn(way: Possible, opened: HandOpened, seen: Sequence[Observation]) -> Iterator[Departure]:
    play, box = way.setup.play, opened.box
    cite = play.expose.get(way.method)
    if cite is None or box is None:
        return
    # Others may be an empty box's, which have no turn; a hand is opened in the end.
    turns = _players(way, (*(_played(seen) & set(opened.closed)), box))
    waiting = turns[: turns.index(box)]
    if waiting:
        yield Departure(DepartureKind.EXPOSED_OUT_OF_TURN, cite, box, due=waiting)


def _hands_left(way: Possible, opened: HandOpened, seen: Sequence[Observation]) -> Iterator[Departure]:
    """Lost hands, and those that stand off, are put away before the next is opened, where the book has it so.

    A stand-off's tiles go once the dealer has tapped beside them: nz-1998 11.1(h); star-2024 12.15, 13.2.9;
    star-classic 12.12.
    """
    lost, stood_off = (rules.get(way.method) for rules in (way.setup.play.at_once, way.setup.play.stood_off))
    for box in opened.open:
        if way.is_banks(box) or box == opened.box or _opened_early(way, box, seen):
            continue
        found = _known_outcome(way, box, seen)
        if lost is not None and found is Outcome.LOSE:
            yield Departure(DepartureKind.LOST_HAND_LEFT, lost, box)
        elif stood_off is not None and found is Outcome.PUSH:
            yield Departure(DepartureKind.STAND_OFF_LEFT, stood_off, box)


def _opened_early(way: Possible, box: int, seen: Sequence[Observation]) -> bool:
    """Whether a hand was opened before the bank's or out of turn: it lies until it is its turn to be matched."""
    bank_opened = False
    for each in seen:
        if isinstance(each, HandOpened):
            bank_opened = bank_opened or way.is_banks(each.box)
            if each.box == box:
                return not bank_opened or any(_in_turn(way, each, seen))
    return False


def _won_hand_taken(way: Possible, away: HandPutAway, seen: Sequence[Observation]) -> Iterator[Departure]:
    """A won hand is picked up when it is paid; some books have all hands exposed before that."""
    cite, closed = way.setup.play.paid_last.get(way.method), _waiting(way, away.closed, seen)
    if cite is not None and closed and _known_outcome(way, away.box, seen) is Outcome.WIN:
        yield Departure(DepartureKind.WON_HAND_TAKEN, cite, away.box, due=closed)


def _known_outcome(way: Possible, box: int | None, seen: Sequence[Observation]) -> Outcome | None:
    """The result of the hand opened at a box; None if that hand or the bank's was not read."""
    known = hands(seen)
    hand, bank = known.get(box), known.get(None) or known.get(way.chung)
    return None if hand is None or bank is None else outcome(way, hand, bank)


def outcome(way: Possible, hand: HandOpened, bank: HandOpened) -> Outcome | None:
    """The result of a hand against the bank's; None if unknown or if they cannot be matched."""
    own, banks = laid(hand), laid(bank)
    if own is None or banks is None:
        return None
    return match_hands(own.setting, banks.setting, way.setup.book.settlement.matching).outcome


def laid(hand: HandOpened) -> Laid | None:
    """An opened hand as set; None if it was not read, or cannot come from one set."""
    if hand.low is None or hand.high is None:
        return None
    try:
        return Laid(Hand.of(hand.low), Hand.of(hand.high))
    except EngineError:
        return None
