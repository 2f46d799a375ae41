"""One round as its rulebook has it go: chance decides dice, tiles and players, the engine decides what may follow."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from calibration.table.places import HOUSE, Place, PlaceKind
from datasets.scenes.sampling import Rng, pick
from datasets.simulator.layouts import SimulatorError
from engine.errors import CutError
from engine.game.tiles import FULL_SET
from engine.round import Session, State, events
from engine.round.event import DEALER
from engine.settlement.outcome import match_hands
from engine.vocabulary.cuts import Chooser, NamedCut
from engine.vocabulary.delivery_order import STACK_HEIGHT, STACKS, StackPlace
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from engine.game.ranking import Outcome
    from engine.game.setting import Deal, Setting
    from engine.house_way.rules import HouseWay
    from engine.round.event import Event

NAMES = ("Ann", "Ben", "Cho", "Dai", "Eve", "Fay", "Gus", "Hal")
WAGER = 2000
_AS_THEY_STAND = tuple(
    tuple(StackPlace(stack, level) for level in range(1, STACK_HEIGHT + 1)) for stack in range(STACKS, 0, -1)
)
"""How the stacks are dealt where a book speaks of no cut: one after the other from the dealer's right."""
_ASKS = 0.2
"""Share of players who ask the dealer to set their hand."""


def place_of(box: int, bank_box: int) -> Place:
    """The place at which a box's tiles are laid open: the bank's before the float."""
    return HOUSE if box == bank_box else Place(PlaceKind.BOX, box)


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """What the dice show once the cover is off, and which one leans, counted from 0 with the cut die last."""

    box_dice: tuple[int, ...]
    cut_die: int | None
    cocked: int | None = None


@dataclass(frozen=True, slots=True)
class RoundChance:
    """What chance has decided before anything is seen.

    Attributes:
        throws: all but the last are cocked.
        cut: name of the cut; None where the book knows none.
        groups: the eight groups of four tiles in the order of delivery, as numbers 0 to 31 into the stacked tiles,
            counted stack by stack from the dealer's left and the felt up.
        order: the places dealt to, in order; the bank's box among them.
    """

    throws: tuple[ThrownDice, ...]
    first_box: int
    cut: str | None
    groups: tuple[tuple[int, ...], ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Course:
    """One round as the rulebook has it go, the last of its session.

    Attributes:
        bank_box: the box whose tiles are the bank's.
        played: boxes with wagers, in the order in which they are opened.
        asked: boxes whose hands the dealer sets.
    """

    session: Session
    dealt: RoundChance
    bank_box: int
    played: tuple[int, ...]
    asked: frozenset[int]
    settings: Mapping[int, Setting]
    outcomes: Mapping[int, Outcome]


def begin(session: Session, shown: bool) -> Session:  # noqa: FBT001 - the one fact that this is about
    """Let the tiles be checked (if all 32 are shown), players sit, tiles be mixed and the House take the bank."""
    play, setup = session.setup.book.play, session.setup
    log: list[Event] = [events.HouseBanks(), events.Shuffled(), events.Stacked()]
    if shown:
        by = play.check.value if play.check else "casino supervisor"
        seats = [events.PlayerSeated(box, NAMES[box - 1]) for box in range(1, setup.boxes + 1)]
        log = [events.TilesChecked(tuple(sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index))), by), *seats, *log]
    return _as_allowed(session, log)


def deal(rng: Rng, session: Session, *, cocked: bool = False) -> RoundChance:
    """Throw the dice, cut, and say which of the stacked tiles go where."""
    setup = session.setup
    book, state = setup.book, session.current.state
    dice, cuts = setup.dice, book.cuts
    throw = _throw(rng, cuts.by_die is not None)
    throws: tuple[ThrownDice, ...] = (throw,)
    if cocked:
        bad = _throw(rng, cuts.by_die is not None)
        leans = int(rng.integers(len(bad.box_dice) + (bad.cut_die is not None)))
        throws = (replace(bad, cocked=leans), throw)
    thrown = dice.read(Cup(throw.box_dice, throw.cut_die), Bank.HOUSE, state.held.box, order=setup.order)
    if not isinstance(thrown, Thrown):
        raise SimulatorError("a throw of flat dice was not read")
    # Books count eight places; where a table has fewer, the count goes round those that there are.
    ring = tuple(setup.ring(state.held.box))
    first = thrown.first_box if thrown.first_box in ring else ring[(thrown.total - 1) % len(ring)]
    named = _cut(rng, session, throw)
    groups = _AS_THEY_STAND if named is None else _taken(named)
    # Counted stack by stack; where a cut moves the stacks before it takes from them, as they then stand.
    count = {place: n for n, place in enumerate(sorted(place for group in groups for place in group))}
    numbers = tuple(tuple(count[place] for place in group) for group in groups)
    return RoundChance(throws, first, None if named is None else named.cut.value, numbers, tuple(setup.ring(first)))


def _taken(named: NamedCut) -> tuple[tuple[StackPlace, ...], ...]:
    """The groups in the eight stacks; in the moved ones where it is lost how they were moved (ruling 29)."""
    order = named.order()
    return order.groups if order.built is None else order.from_the_stacks


def _throw(rng: Rng, with_cut_die: bool) -> ThrownDice:  # noqa: FBT001 - of one die or none
    values = [int(v) for v in rng.integers(1, 7, 4)]
    return ThrownDice(tuple(values[:3]), values[3] if with_cut_die else None)


def _cut(rng: Rng, session: Session, throw: ThrownDice) -> NamedCut | None:
    """The cut that the cut die shows, else one that the book draws; None where nobody decides one."""
    setup, choice = session.setup, session.current.state.cut_choice
    cuts = setup.book.cuts
    if not choice.who:
        return None
    if choice.who[0] is Chooser.CUT_DIE and throw.cut_die is not None:
        return cuts.of_die(throw.cut_die)
    known = [named for named in cuts.named if _is_drawn(named)]
    return pick(rng, known) if known else None


def _is_drawn(named: NamedCut) -> bool:
    try:
        named.order()
    except CutError:
        return False
    return True


def play(
    rng: Rng,
    session: Session,
    dealt: RoundChance,
    deals: Mapping[int, Deal],
    way: HouseWay,
    played: Sequence[int],
    laid: Mapping[int, Setting] | None = None,
) -> Course:
    """Play a round from the wagers to the tiles put away, as the book allows, in a session with its tiles stacked.

    `deals` are the tiles of each box, `played` the boxes with wagers, `laid` hands that lie otherwise than they should.
    """
    state = session.current.state
    book, bank_box = session.setup.book, state.held.box
    in_turn = tuple(state.in_turn(played))
    forced = session.setup.table.house_way_boxes & set(in_turn)
    asking = book.play.request is not None
    asked = forced | {box for box in in_turn if asking and rng.random() < _ASKS}
    settings = {
        box: _set(rng, deals[box], way, by_dealer=box in asked or box == bank_box) for box in (*in_turn, bank_box)
    }
    settings.update(laid or {})
    matching = book.settlement.matching
    outcomes = {box: match_hands(settings[box], settings[bank_box], matching).outcome for box in in_turn}
    course = Course(session, dealt, bank_box, in_turn, frozenset(asked), settings, outcomes)
    session = _as_allowed(session, _proposed(rng, course, asked - forced))
    if not session.current.state.over:
        raise SimulatorError(f"{book.id}: the round did not come to an end after {session.current.events[-1].kind}")
    return replace(course, session=session)


def _set(rng: Rng, dealt: Deal, way: HouseWay, *, by_dealer: bool) -> Setting:
    """The House Way, or what a player makes of it: mostly the same."""
    if by_dealer or rng.random() < 0.7:
        return way.decide(dealt).setting
    return pick(rng, dealt.settings)


def _proposed(rng: Rng, course: Course, asking: AbstractSet[int]) -> list[Event]:
    """The events of a round in the order that a dealer would like; some of them no book has all at once."""
    state, setup = course.session.current.state, course.session.setup
    dealt, in_turn, bank_box, settings = course.dealt, course.played, course.bank_box, course.settings
    players = {box: NAMES[box - 1] for box in in_turn}
    log: list[Event] = [events.WagerPlaced(box, player, WAGER) for box, player in players.items()]
    log.append(events.BetsClosed())
    if dealt.cut is not None:
        log.append(events.CutNamed(dealt.cut, state.cut_choice.who[0]))
    for throw in dealt.throws:
        log.append(events.DiceShaken(DEALER))
        if throw.cocked is None:
            log.append(events.DiceShown(throw.box_dice, dealt.first_box, throw.cut_die))
        else:
            flat = tuple(value for n, value in enumerate(throw.box_dice) if n != throw.cocked)
            seen = throw.cut_die if throw.cocked < len(throw.box_dice) else None
            log.append(events.DiceShown(flat, None, seen, cocked=True))
    empty = tuple(box for box in setup.ring(1) if box not in players and box != bank_box)
    log += [events.TilesDelivered(dealt.order), events.EmptyRetrieved(empty), events.BankMoved()]
    log += [events.HouseWayRequested(box, players[box]) for box in sorted(asking)]
    own = [box for box in in_turn if box not in course.asked]
    rng.shuffle(own)
    log += [events.HandSet(box, players[box]) for box in own]
    log += [events.HandSet(box, DEALER) for box in in_turn if box in course.asked]
    bank = settings[bank_box]
    confirm = setup.book.play.confirm_house
    log += [events.BankSet(DEALER), events.BankExposed(bank.low.tiles, bank.high.tiles)]
    log.append(events.HouseWayConfirmed(confirm.value if confirm else "casino supervisor"))
    at_once = state.method in setup.book.play.at_once or rng.random() < 0.5
    for box in in_turn:
        log += [
            events.HandExposed(box, settings[box].low.tiles, settings[box].high.tiles),
            events.HandMatched(box, course.outcomes[box]),
        ]
        if at_once:
            log.append(events.TilesPutAway(box))
    log += [events.TilesPutAway(box) for box in in_turn]
    log.append(events.BankPutAway())
    return log


def _as_allowed(session: Session, proposed: Sequence[Event]) -> Session:
    """Append, of the events that are left, always the first that the book allows; what it never allows is left out.

    The round is settled as soon as all that decides it is known.
    """
    left = list(proposed)
    while True:
        event = _settlement(session) or next((event for event in left if _may(session, event)), None)
        if event is None:
            return session
        left = [other for other in left if other is not event]
        session = session.append(event)


def _settlement(session: Session) -> events.Settled | None:
    if session.current.state.over or session.current.allowed()[events.Settled.kind] is not None:
        return None
    due = session.current.due
    return due if session.current.refusal(due) is None else None


def _may(session: Session, event: Event) -> bool:
    state: State = session.current.state
    if not state.over:
        return session.current.refusal(event) is None
    return isinstance(event, events.HouseBanks | events.Shuffled)
