"""What a camera would see of a round that the engine played: its log as observations."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.observed.delivery import standing
from engine.observed.observations import (
    DeliveryEnded,
    DiceSeen,
    HandOpened,
    HandPutAway,
    HouseWayAsked,
    Observation,
    SetDisplayed,
    StacksSeen,
    TilesDealt,
    TilesMixed,
    TilesStacked,
)
from engine.observed.observed_round import ObservedRound
from engine.observed.possible import KnownBank
from engine.round import events
from engine.round.event import Event
from engine.round.log import RoundLog
from engine.vocabulary.delivery_order import DeliveryOrder
from engine.vocabulary.remedy import Effect


def observed(log: RoundLog) -> ObservedRound:
    """A complete observed round with a known bank."""
    state, setup = log.state, log.setup
    bank = KnownBank(state.held.method, state.held.box, state.button or 0)
    camera = _Camera(log)
    seen = tuple(each for event in log.events for each in camera.see(event))
    side_wagers = bool(setup.table.terms.side)
    return ObservedRound(setup.book, setup.boxes, setup.order.box1_at_dealers_right, bank, seen, side_wagers)


@dataclass
class _Camera:
    """Follows which hands lie closed and open."""

    log: RoundLog
    closed: set[int] = field(default_factory=set)
    bank_closed: bool = True
    lying: list[int] = field(default_factory=list)

    def see(self, event: Event) -> Iterable[Observation]:
        look = _LOOKS.get(type(event))
        return () if look is None else look(self, event)

    @property
    def closed_now(self) -> tuple[int | None, ...]:
        """Boxes at which closed tiles lie; None before the float."""
        return (*((None,) if self.bank_closed else ()), *sorted(self.closed - {self.log.state.held.box}))

    def mixed(self, _: events.Shuffled) -> Iterator[Observation]:
        """All tiles are taken together."""
        self.closed, self.lying, self.bank_closed = set(self.log.state.hands), [], True
        yield TilesMixed()

    def dealt(self, event: events.TilesDelivered) -> Iterator[Observation]:
        """One place after the other, and the remaining stacks."""
        order = order_of_cut(self.log)
        for number, place in enumerate(event.order, start=1):
            yield TilesDealt((place if place <= self.log.setup.boxes else None,))
            if order is not None:
                left = standing(order, number)
                yield StacksSeen(tuple(sorted(left)), tuple(sorted(set(range(1, 9)) - left)), number, number)
        yield DeliveryEnded()

    def asked(self, event: events.HouseWayRequested) -> Iterator[Observation]:
        """Tiles turned across; how the banker asks is not seen."""
        if event.box != self.log.state.held.box:
            yield HouseWayAsked(event.box)

    def opened(self, box: int | None) -> HandOpened:
        """A hand as it lay last, for one that was put right lies otherwise then."""
        tiles = self.log.state.tiles.get(self.log.state.held.box if box is None else box, ())
        hand = HandOpened(box, self.closed_now, tuple(self.lying))
        if len(tiles) != 4:
            return hand
        one, two, three, four = tiles
        return HandOpened(box, hand.closed, hand.open, (one, two), (three, four))

    def bank_opened(self, _: events.BankExposed) -> Iterator[Observation]:
        """The bank's hand, before the float."""
        self.bank_closed = False
        yield self.opened(None)

    def hand_opened(self, event: events.HandExposed) -> Iterator[Observation]:
        """A player's hand."""
        self.closed.discard(event.box)
        yield self.opened(event.box)
        self.lying.append(event.box)

    def taken(self, event: events.TilesPutAway | events.HandConceded) -> Iterator[Observation]:
        self.closed.discard(event.box)
        if event.box in self.lying:
            self.lying.remove(event.box)
            yield HandPutAway(event.box, self.closed_now)

    def decided(self, event: events.IrregularityDecided) -> Iterator[Observation]:
        """The tiles of a hand that is void are taken away."""
        if event.remedy is Effect.HAND_VOID and event.box is not None:
            self.closed.discard(event.box)
        yield from ()

    def bank_away(self, _: events.BankPutAway) -> Iterator[Observation]:
        """The bank's tiles are put away."""
        yield HandPutAway(None, self.closed_now)


_LOOKS: Mapping[type[Event], Callable[[_Camera, Any], Iterable[Observation]]] = {
    events.TilesChecked: lambda _, __: (SetDisplayed(),),
    events.Shuffled: _Camera.mixed,
    events.Stacked: lambda _, __: (TilesStacked(),),
    events.DiceShown: lambda _, event: (DiceSeen(event.box_dice, event.cut_die, event.cocked),),
    events.TilesDelivered: _Camera.dealt,
    events.BankMoved: lambda _, __: (TilesDealt((None,)),),
    events.HouseWayRequested: _Camera.asked,
    events.BankExposed: _Camera.bank_opened,
    events.HandExposed: _Camera.hand_opened,
    events.TilesPutAway: _Camera.taken,
    events.HandConceded: _Camera.taken,
    events.IrregularityDecided: _Camera.decided,
    events.BankPutAway: _Camera.bank_away,
}


def order_of_cut(log: RoundLog) -> DeliveryOrder | None:
    """The order in which the cut of a round takes its tiles; None where none was named, or it is not drawn."""
    if log.state.cut is None:
        return None
    try:
        named, turns = log.setup.book.cuts.find(log.state.cut)
        order = named.order(turns)
    except ValueError:
        return None
    return order if order.built == tuple((stack,) for stack in range(1, 9)) else None
