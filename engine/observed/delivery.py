"""The observed delivery, compared with the dice, the cut die and the delivery order."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.box_order import BOXES
from engine.observed.departures import Allowance, Departure, DepartureKind, Unless
from engine.observed.observations import (
    DeliveryEnded,
    DiceLeft,
    DiceSeen,
    HandOpened,
    HouseWayAsked,
    LeaningDiceLeft,
    OldDiceLeft,
    StacksSeen,
    TilesCounted,
    TilesDealt,
    UnusedOpen,
)
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.delivery_order import STACKS
from engine.vocabulary.dice import Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from engine.observed.observations import Observation
    from engine.observed.possible import Possible
    from engine.vocabulary.cuts import NamedCut
    from engine.vocabulary.delivery_order import DeliveryOrder


def delivery_departures(way: Possible, seen: Sequence[Observation], *, side_wagers: bool) -> Iterator[Departure]:
    """Departures in dice, cut and delivery, assuming this way of banking.

    With `side_wagers` a third die may be thrown at Crown Pai Gow, for Big and Small.
    """
    play, dice = way.setup.play, way.setup.dice
    throw = _throw_before_delivery(seen)
    throws = () if throw is None else _readings(way, throw, side_wagers=side_wagers)
    if any(isinstance(each, LeaningDiceLeft) for each in seen):
        yield Departure(DepartureKind.DEALT_BY_LEANING_DICE, dice.leaning)
    if any(isinstance(each, OldDiceLeft) for each in seen):
        # The dice decide the first box, so no tile leaves its stack before them.
        yield Departure(DepartureKind.DEALT_BEFORE_DICE, dice.counting.cite)
    if dice.shaken_again is not None and _left_after_delivery(way, seen):
        yield Departure(DepartureKind.DICE_NOT_SHAKEN_AGAIN, dice.shaken_again)
    if play.retrieve is not None and any(isinstance(each, UnusedOpen) for each in seen):
        # A supervisor may view the tiles of a conceded hand (nz-1998 10.13; star-2024 12.18; star-classic 12.15).
        viewed = play.conceded_seen
        unless = () if viewed is None else (Unless(Allowance.CONCEDED_VIEWED, viewed.cite, viewed.value),)
        yield Departure(DepartureKind.UNUSED_TILES_OPEN, play.retrieve, unless=unless)
    dealt = [_boxes(each) for each in seen if isinstance(each, TilesDealt)]
    yield from _in_order(way, [group for group in dealt if group], throws)
    yield from _cut(way, throws, [each for each in seen if isinstance(each, StacksSeen)])
    for each in seen:
        if isinstance(each, TilesCounted) and not _placed_together(way, each, seen):
            yield Departure(DepartureKind.TILES_MISCOUNTED, play.deliver, each.box)


def _left_after_delivery(way: Possible, seen: Sequence[Observation]) -> bool:
    """Whether the dice still lay as thrown when all tiles were dealt, after which they are shaken again.

    The only player against the House may lay his tiles open earlier (star-2024 12.19; star-classic 12.16).
    """
    left = [number for number, each in enumerate(seen) if isinstance(each, DiceLeft)]
    return bool(left) and any(
        isinstance(each, DeliveryEnded) or (isinstance(each, HandOpened) and way.is_banks(each.box))
        for each in seen[: left[-1]]
    )


def _placed_together(way: Possible, counted: TilesCounted, seen: Sequence[Observation]) -> bool:
    """Whether these may be the tiles of adjacent empty boxes, placed at one of them (nz-1998 10.2; star-2024 12.2).

    Another of them then got none, and no hand is opened or asked for at the box. At The Star the boxes also follow one
    another in the delivery: the last is not placed with the first.
    """
    play = way.setup.play
    if play.collective is None or not counted.more:
        return False
    dealt = {box for each in seen if isinstance(each, TilesDealt) for box in each.boxes}
    acted = {each.box for each in seen if isinstance(each, HandOpened | HouseWayAsked)}
    throw = _throw_before_delivery(seen)
    firsts = first_boxes(way, throw) if play.consecutive and throw is not None else None
    # Round the table from the box itself, the last place is beside it too.
    rings = [way.setup.ring(first) for first in firsts or ()] or [[*way.setup.ring(counted.box), counted.box]]
    beside = {
        one for ring in rings for pair in pairwise(ring) if counted.box in pair for one in pair if one != counted.box
    }
    return counted.box not in acted and not beside - {way.chung} <= dealt


def _throw_before_delivery(seen: Iterable[Observation]) -> DiceSeen | None:
    """The throw used for the delivery; None if the last one seen was cocked."""
    last = None
    for each in seen:
        if isinstance(each, TilesDealt):
            break
        if isinstance(each, DiceSeen):
            last = None if each.cocked else each
    return last


def _readings(way: Possible, throw: DiceSeen, *, side_wagers: bool) -> tuple[DiceSeen, ...]:
    """The throw, or each reading of it where the dice of a single box die are not distinguished (crown-6.1 14.2.1).

    Any of them may then be the box die, and any other the cut die; none is known if a third may lie out of sight.
    """
    cup = way.setup.dice.cup
    number = {dice.role: dice.number for dice in cup if side_wagers or not dice.where_offered}
    faces = throw.box_dice
    if throw.distinguished or number[Role.BOX] != 1 or len(faces) != sum(number.values()):
        return (throw,)
    return tuple(DiceSeen((box,), cut) for box, cut in dict.fromkeys(permutations(faces, 2)))


def _boxes(dealt: TilesDealt) -> tuple[int, ...]:
    """The boxes dealt to; the place before the float is excluded, since the dealer's arms cover it while dealing."""
    return tuple(box for box in dealt.boxes if box is not None)


def first_boxes(way: Possible, throw: DiceSeen) -> tuple[int, ...] | None:
    """The boxes that may get the first tiles; None if the book or the dice leave that open.

    The box dice alone decide (ruling 47). Every book counts eight places. For a house with fewer, not all books say how
    to count.
    """
    if not throw.distinguished and way.setup.book.cuts.by_die is not None:
        return None
    if way.setup.places < BOXES and way.setup.dice.fewer is not None:
        return None
    try:
        found = way.first_boxes(throw.box_dice)
    except EngineError:
        return None
    return tuple(dict.fromkeys(first for firsts in found for first in firsts)) or None


def _in_order(way: Possible, dealt: Sequence[tuple[int, ...]], throws: Sequence[DiceSeen]) -> Iterator[Departure]:
    """Tiles go counter-clockwise from the first box, which the dice decide, by each possible reading of the throw."""
    if sum(map(len, dealt)) < 2:
        return
    rings = {first: way.setup.ring(first) for first in way.setup.ring(1)}
    fitting = [first for first, ring in rings.items() if _fits(dealt, ring)]
    seen = tuple(place for group in dealt for place in group)
    if not fitting:
        yield Departure(DepartureKind.DELIVERED_OUT_OF_ORDER, way.setup.play.deliver, seen=seen)
        return
    read = [first_boxes(way, throw) or () for throw in throws]
    due = tuple(dict.fromkeys(first for each in read for first in each))
    if due and all(read) and not set(due) & set(fitting):
        firsts = tuple(first for first in fitting if first in dealt[0])
        rule = way.setup.dice.counting.cite
        yield Departure(DepartureKind.WRONG_FIRST_BOX, rule, seen=firsts or tuple(fitting), due=due)


def _fits(dealt: Sequence[tuple[int, ...]], ring: Sequence[int]) -> bool:
    """Whether groups of places can have been dealt to in this order."""
    at = {place: number for number, place in enumerate(ring)}
    if any(place not in at for group in dealt for place in group):
        return False
    spans = [(min(at[place] for place in group), max(at[place] for place in group)) for group in dealt]
    return all(last < first for (_, last), (first, _) in pairwise(spans))


def _cut(way: Possible, throws: Sequence[DiceSeen], stacks: Sequence[StacksSeen]) -> Iterator[Departure]:
    """The tiles are taken from the stacks by the cut that the cut die shows, in either orientation.

    By each possible reading of the throw.

    Where somebody may accept another cut, that he did is not seen (ruling 43): a person may say whether he did.
    """
    cuts = way.setup.book.cuts
    choice = cuts.choice[way.method]
    faces = {throw.cut_die for throw in throws}
    if not stacks or cuts.by_die is None or choice.who[:1] != (Chooser.CUT_DIE,):
        return
    by_face = [[] if face is None else _orders(cuts.of_die(face)) for face in faces]
    orders = [order for each in by_face for order in each]
    if orders and all(by_face) and not any(all(_stands_so(order, each) for each in stacks) for order in orders):
        others = cuts.accepted(way.method)
        if others is not None and way.other_cut:
            return
        unless: tuple[Unless, ...] = ()
        if others is not None and way.other_cut is None:
            unless = (Unless(Allowance.CUT_ACCEPTED, others.cite, others.value.title),)
        yield Departure(DepartureKind.CUT_AGAINST_DIE, cuts.by_die.cite, unless=unless)


def _orders(named: NamedCut) -> list[DeliveryOrder]:
    """The delivery orders of a cut in all orientations; empty if its stacks are moved or it is not drawn."""
    orders = []
    for turns in product(*named.orientations):
        try:
            order = named.order(turns)
        except EngineError:
            return []
        if order.built != tuple((stack,) for stack in range(1, STACKS + 1)):
            return []
        orders.append(order)
    return orders


def standing(order: DeliveryOrder, dealt: int) -> frozenset[int]:
    """The stacks with tiles left after ``dealt`` places have their four."""
    return frozenset(place.stack for group in order.groups[dealt:] for place in group)


def _stands_so(order: DeliveryOrder, seen: StacksSeen) -> bool:
    for dealt in range(seen.fewest, min(seen.most, BOXES) + 1):
        left = standing(order, dealt)
        if left.issuperset(seen.standing) and left.isdisjoint(seen.gone):
            return True
    return False
