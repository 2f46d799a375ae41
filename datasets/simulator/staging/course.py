"""One round by its rulebook: dice, tiles and players are random, the engine decides which events are allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from datasets.scenes.sampling import Rng, pick
from datasets.simulator.layouts import SimulatorError
from datasets.simulator.staging.bank import button, own_wager, shaker, take_bank
from engine.errors import CutError
from engine.game.tiles import FULL_SET
from engine.round import Session, events
from engine.round.event import DEALER
from engine.settlement.outcome import match_hands
from engine.settlement.wagers import MAIN
from engine.vocabulary.cuts import Chooser, NamedCut
from engine.vocabulary.delivery_order import STACK_HEIGHT, STACKS, StackPlace
from engine.vocabulary.dice import Cup, Role, Thrown
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from engine.game.ranking import Outcome
    from engine.game.setting import Deal, Setting
    from engine.house_way.rules import HouseWay
    from engine.round.event import Event
    from engine.vocabulary.dice import Dice

NAMES = ("Ann", "Ben", "Cho", "Dai", "Eve", "Fay", "Gus", "Hal")
WAGER = 2000
_AS_THEY_STAND = tuple(
    tuple(StackPlace(stack, level) for level in range(1, STACK_HEIGHT + 1)) for stack in range(STACKS, 0, -1)
)
"""How the stacks are dealt where a book speaks of no cut: one after the other from the dealer's right."""
_ASKS = 0.2
"""Share of players who ask the dealer to set their hand."""


@dataclass(frozen=True, slots=True)
class ThrownDice:
    """The dice under the lifted cover, and the index of a leaning one, the cut die last."""

    box_dice: tuple[int, ...]
    cut_die: int | None
    cocked: int | None = None


@dataclass(frozen=True, slots=True)
class RoundChance:
    """Random decisions made before anything is visible.

    Attributes:
        throws: all but the last are cocked; that one too where it was delivered by all the same.
        cut: name of the cut; None where the book knows none.
        groups: the eight groups of four tiles in the order of delivery, as numbers 0 to 31 into the stacked tiles,
            counted stack by stack from the dealer's left and the felt up.
        standing: the same numbers as they stand in the stacks, from the dealer's left and the felt up: none is taken
            from under another.
        order: the places to be dealt to, in order; the bank's box among them.
        delivered: the places in the order in which they are dealt to.
        made: name of the cut that the stacks are taken by.
        button: the value by which the banker adjusts the delivery; None for none.
    """

    throws: tuple[ThrownDice, ...]
    first_box: int
    cut: str | None
    groups: tuple[tuple[int, ...], ...]
    standing: tuple[int, ...]
    order: tuple[int, ...]
    delivered: tuple[int, ...]
    made: str | None
    button: int | None = None


@dataclass(frozen=True, slots=True)
class Course:
    """One round by its rulebook, the last of its session.

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

    @property
    def method(self) -> Bank:
        return self.session.current.state.held.method


def start_round(rng: Rng, session: Session, *, shown: bool, player_bank_rate: float) -> Session:
    """Let the tiles be checked (if all 32 are shown), players sit, the bank be taken and the tiles be mixed.

    Where players may bank at the table, one does in a share `player_bank_rate` of the rounds.
    """
    play, setup = session.setup.book.play, session.setup
    if shown:
        by = play.check.value if play.check else "casino supervisor"
        seats = [events.PlayerSeated(box, NAMES[box - 1]) for box in range(1, setup.boxes + 1)]
        checked = events.TilesChecked(tuple(sorted(FULL_SET, key=lambda tile: (tile.kind, tile.index))), by)
        session = _as_allowed(session, [checked, *seats])
    return _as_allowed(take_bank(rng, session, player_bank_rate), [events.Shuffled(), events.Stacked()])


def deal(rng: Rng, session: Session, *, cocked: bool = False) -> RoundChance:
    """Throw the dice, cut, and say which of the stacked tiles go where."""
    setup = session.setup
    state = session.current.state
    dice = setup.dice
    throw = _throw(rng, dice)
    throws: tuple[ThrownDice, ...] = (throw,)
    if cocked:
        bad = _throw(rng, dice)
        leans = int(rng.integers(len(bad.box_dice) + (bad.cut_die is not None)))
        throws = (replace(bad, cocked=leans), throw)
    named = _cut(rng, session, throw)
    adjusted = button(rng, state, cut_named=named is not None)
    cup = Cup(throw.box_dice, throw.cut_die)
    thrown = dice.read(cup, state.held.method, state.held.box, adjusted or 0, setup.order)
    if not isinstance(thrown, Thrown):
        raise SimulatorError("a throw of flat dice was not read")
    # Books count eight places; where a table has fewer, the count goes round those that there are.
    ring = tuple(setup.ring(state.held.box))
    first = thrown.first_box if thrown.first_box in ring else ring[(thrown.adjusted - 1) % len(ring)]
    order, cut = tuple(setup.ring(first)), None if named is None else named.cut.value
    groups = taken(named)
    return RoundChance(throws, first, cut, groups, standing(groups), order, order, cut, adjusted)


def taken(named: NamedCut | None) -> tuple[tuple[int, ...], ...]:
    """The groups of four that a cut takes from the eight stacks, as ``RoundChance.groups``.

    Where it is lost how a cut moves the stacks (ruling 29), the tiles are counted in the moved ones.
    """
    groups = _AS_THEY_STAND
    if named is not None:
        order = named.order()
        groups = order.groups if order.built is None else order.from_the_stacks
    # Counted stack by stack; where a cut moves the stacks before it takes from them, as they then stand.
    count = {place: n for n, place in enumerate(sorted(place for group in groups for place in group))}
    return tuple(tuple(count[place] for place in group) for group in groups)


def standing(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The 32 numbers as they stand in the stacks, so that none is taken from under another."""
    turn = {number: k for k, group in enumerate(groups) for number in group}
    stacks = (range(first, first + STACK_HEIGHT) for first in range(0, STACKS * STACK_HEIGHT, STACK_HEIGHT))
    return tuple(number for stack in stacks for number in sorted(stack, key=lambda number: -turn[number]))


def _throw(rng: Rng, dice: Dice) -> ThrownDice:
    values = [int(v) for v in rng.integers(1, 7, 4)]
    number = {each.role: each.number for each in dice.cup}
    return ThrownDice(tuple(values[: number[Role.BOX]]), values[3] if Role.CUT in number else None)


def _cut(rng: Rng, session: Session, throw: ThrownDice) -> NamedCut | None:
    """The cut that the cut die shows, else one that the book draws; None where nobody decides one."""
    setup, choice = session.setup, session.current.state.cut_choice
    cuts = setup.book.cuts
    if not choice.who:
        return None
    if choice.who[0] is Chooser.CUT_DIE and throw.cut_die is not None:
        return cuts.of_die(throw.cut_die)
    known = [named for named in cuts.named if is_drawn(named)]
    return pick(rng, known) if known else None


def is_drawn(named: NamedCut) -> bool:
    """Whether a book draws how the cut is delivered."""
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
    bet: str = MAIN,
) -> Course:
    """Play a round from the wagers to the tiles put away, as the book allows, in a session with its tiles stacked.

    `deals` are the tiles of each box, `played` the boxes with wagers, `laid` wrongly set hands, `bet` the kind of
    wagers.
    """
    state = session.current.state
    book, bank_box = session.setup.book, state.held.box
    in_turn = tuple(state.in_turn(played))
    forced = session.setup.table.house_way_boxes & set(in_turn)
    asking = book.play.request is not None
    asked = forced | {box for box in in_turn if asking and rng.random() < _ASKS}
    by_dealer = asked if state.method is Bank.PLAYER else {*asked, bank_box}
    settings = {box: _set(rng, deals[box], way, by_dealer=box in by_dealer) for box in (*in_turn, bank_box)}
    settings.update(laid or {})
    matching = book.settlement.matching
    outcomes = {box: match_hands(settings[box], settings[bank_box], matching).outcome for box in in_turn}
    course = Course(session, dealt, bank_box, in_turn, frozenset(asked), settings, outcomes)
    session = _as_allowed(session, _proposed(rng, course, asked - forced, bet))
    if not session.current.state.over:
        raise SimulatorError(f"{book.id}: the round did not come to an end after {session.current.events[-1].kind}")
    return replace(course, session=session)


def _set(rng: Rng, dealt: Deal, way: HouseWay, *, by_dealer: bool) -> Setting:
    """The House Way, or a player's own setting, mostly the same."""
    if by_dealer or rng.random() < 0.7:
        return way.decide(dealt).setting
    return pick(rng, dealt.settings)


def _proposed(rng: Rng, course: Course, asking: AbstractSet[int], bet: str) -> list[Event]:
    """The events of a round in the order that a dealer would like; some of them no book has all at once."""
    state, setup = course.session.current.state, course.session.setup
    dealt, in_turn, bank_box, settings = course.dealt, course.played, course.bank_box, course.settings
    players = {box: NAMES[box - 1] for box in in_turn}
    log: list[Event] = [events.WagerPlaced(box, player, WAGER, bet=bet) for box, player in players.items()]
    log += [*own_wager(state, WAGER * len(players)), events.BetsClosed()]
    if dealt.cut is not None:
        log.append(events.CutNamed(dealt.cut, state.cut_choice.who[0]))
    if dealt.button is not None:
        log.append(events.ButtonPlaced(dealt.button))
    for throw in dealt.throws:
        log.append(events.DiceShaken(shaker(state)))
        # By the last throw the tiles are delivered, even where a die of it leans.
        if throw.cocked is None or throw is dealt.throws[-1]:
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
    banker = state.bankers[0] if state.method is Bank.PLAYER else DEALER
    log.append(events.BankSet(banker))
    if bet == MAIN:
        log.append(events.BankExposed(bank.low.tiles, bank.high.tiles))
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
    """Repeatedly append the first remaining event that the book allows; events never allowed are omitted.

    The round is settled as soon as all that decides it is known.
    """
    left = list(proposed)
    while True:
        event = session.current.due_now or next((event for event in left if _may(session, event)), None)
        if event is None:
            return session
        left = [other for other in left if other is not event]
        session = session.append(event)


def _may(session: Session, event: Event) -> bool:
    return not session.current.state.over and session.current.refusal(event) is None
