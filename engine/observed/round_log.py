"""An observed round with the wagers sent by a client, as a log that the rulebook allows.

Events that cannot be seen and must have happened (the bank offered, the call, the cup shaken) are presumed and marked
as such. Observed events keep their order as far as the book allows it; departures are reported by
`ObservedRound.departures`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import EngineError, Refusal
from engine.observed.observations import DiceSeen, HandOpened, HouseWayAsked
from engine.round import events
from engine.round.amounts import laid_at
from engine.round.event import DEALER
from engine.round.log import RoundLog
from engine.round.playing.hand_stages import empty_places
from engine.round.state.house_table import Before, Setup, Table
from engine.settlement.outcome import match_hands
from engine.settlement.played import Laid, against
from engine.settlement.wagers import HOUSE
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.dice import Cup, Role, Thrown
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.play import Means

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engine.observed.observations import Observation
    from engine.round.event import Event
    from engine.round.state.round_state import State
    from engine.settlement.played import PlayedRound
    from engine.settlement.wagers import Against, Wager
    from engine.vocabulary.dice import Dice


@dataclass(frozen=True)
class WrittenRound:
    """A round's log made from observations.

    Attributes:
        log: the events, all allowed by the book.
        presumed: numbers of the events that were not seen but must have happened.
        missing: the kind of the event before which the log ends, and why the book does not allow it there; None if the
            log is complete.
    """

    log: RoundLog
    presumed: tuple[int, ...]
    missing: tuple[str, Refusal] | None = None


@dataclass(frozen=True, slots=True)
class _Proposed:
    """A potential event, made from the preceding state; None while it cannot be made."""

    make: Callable[[State], Event | None]
    seen: bool = False


def written_round(played: PlayedRound, seen: Sequence[Observation], button: int = 0) -> WrittenRound:
    """The log of a round with these wagers and hands.

    Args:
        played: the round to be settled, with its hands as laid.
        seen: the observations.
        button: what the banker added to the dice.

    Raises:
        EngineError: the book does not know such a bank, or a wager needs a person's explanation: void, with limits of
            its own, conceded or surrendered.
    """
    bank = against(played)
    for wager in played.wagers:
        _plain(wager, played)
    opened = WrittenRound(RoundLog.opened(_setup(played), _before(bank)), ())
    # All wagers are placed before anything closes betting.
    wagered, left = _followed(opened, list(_until_wagers(played, bank)))
    if left:
        return replace(wagered, missing=_refusal(wagered.log, left))
    written, left = _followed(wagered, list(_after_wagers(played, bank, seen, button)))
    if written.log.state.over:
        return written
    dice = written.log.state.dice
    if not _throws(seen, dice):
        unseen = Refusal.under(dice.counting, "no throw of flat dice was seen")
        return replace(written, missing=(events.DiceShown.kind, unseen))
    return replace(written, missing=_refusal(written.log, left))


def _followed(written: WrittenRound, left: list[_Proposed]) -> tuple[WrittenRound, list[_Proposed]]:
    """Repeatedly append the first allowed event of those left; return also the events never allowed."""
    log, presumed = written.log, list(written.presumed)
    while True:
        due = log.due_now
        found = next(_allowed(log, left), None) if due is None else (due, _always(due))
        if found is None:
            return WrittenRound(log, tuple(presumed)), left
        event, proposed = found
        left = [each for each in left if each is not proposed]
        log = log.append(event)
        if not proposed.seen:
            presumed.append(len(log.events))


def _plain(wager: Wager, played: PlayedRound) -> None:
    special = (wager.void, wager.conceded, wager.surrendered, wager.forfeited, wager.minimum, wager.maximum)
    if played.void or any(special):
        rule = played.book.play.chips
        raise EngineError(f"{wager.where} is void, given up or under limits of its own: a person accounts for it", rule)


def _setup(played: PlayedRound) -> Setup:
    bank, terms = played.bank, played.terms
    methods = frozenset({Bank.HOUSE, bank.method})
    named = played.house_way if played.house_way is None or played.house_way.rulebook != played.book.id else None
    table = Table(
        boxes=terms.boxes,
        methods=methods,
        shared=len(bank.players) > 1,
        variant=played.variant,
        terms=terms,
        house_way=None if named is None else named.rulebook,
        house_way_on=None if named is None else named.in_force,
    )
    return Setup(played.book, table, named)


def _before(bank: Against) -> Before:
    """Earlier rounds are unknown; the present banker is assumed to have been next."""
    start = Before(commencement=False, check_due=False, offer_from=bank.box)
    if not bank.players:
        return start
    at_box = frozenset({bank.box})
    return replace(
        start, played=dict.fromkeys(bank.players, at_box), control={bank.box: bank.players[0]},
        seats={bank.box: bank.players[0]},
    )  # fmt: skip


def _allowed(log: RoundLog, left: Sequence[_Proposed]) -> Iterator[tuple[Event, _Proposed]]:
    for each in left:
        event = each.make(log.state)
        if event is not None and log.refusal(event) is None:
            yield event, each


def _refusal(log: RoundLog, left: Sequence[_Proposed]) -> tuple[str, Refusal] | None:
    """The first remaining event that is refused, preferring observed ones."""
    for each in sorted(left, key=lambda each: not each.seen):
        event = each.make(log.state)
        refused = None if event is None else log.refusal(event)
        if event is not None and refused is not None:
            return event.kind, refused
    return None


def _always(event: Event, *, seen: bool = False) -> _Proposed:
    return _Proposed(lambda _: event, seen)


def _until_wagers(played: PlayedRound, bank: Against) -> Iterator[_Proposed]:
    yield from _bank(played, bank)
    yield _always(events.Shuffled())
    yield _always(events.Stacked())
    for wager in played.wagers:
        yield _always(_wager(wager))


def _after_wagers(played: PlayedRound, bank: Against, seen: Sequence[Observation], button: int) -> Iterator[_Proposed]:
    """The events of the rest of a round in a dealer's preferred order; no book has all of them."""
    book = played.book
    yield _always(events.BetsClosed())
    if button:
        yield _always(events.ButtonPlaced(button))
    yield _Proposed(lambda state: _cut(state, seen))
    shaker = bank.players[0] if bank.players else DEALER
    for throw in _throws(seen, book.dice_of(played.variant)):
        yield _always(events.DiceShaken(DEALER))
        yield _always(events.DiceShaken(shaker))
        yield _Proposed(lambda state, throw=throw: _dice(state, throw), seen=True)  # type: ignore[misc]
    yield _Proposed(_delivery, seen=True)
    yield _Proposed(lambda state: events.EmptyRetrieved(tuple(sorted(empty_places(state)))))
    yield _always(events.BankMoved())
    yield from _hands(played, bank, seen)
    if isinstance(played.bank.hand, Laid):
        low, high = played.bank.hand.low.tiles, played.bank.hand.high.tiles
        yield _always(events.BankExposed(low, high), seen=True)
    confirm = book.play.confirm_house
    yield _always(events.HouseWayConfirmed(confirm.value if confirm else DEALER))
    for box in _opened(played, seen):
        hand = played.hands[box]
        if isinstance(hand, Laid):
            yield _always(events.HandExposed(box, hand.low.tiles, hand.high.tiles), seen=True)
            yield _Proposed(lambda state, box=box: _matched(state, box))  # type: ignore[misc]
            yield _always(events.TilesPutAway(box), seen=True)
    for box in played.hands:
        yield _always(events.TilesPutAway(box), seen=True)
    yield _always(events.BankPutAway(), seen=True)


def _bank(played: PlayedRound, bank: Against) -> Iterator[_Proposed]:
    if not bank.players:
        yield _always(events.HouseBanks())
        return
    leave = played.book.banking.co_bank_leave
    approved = leave.value if leave is not None and bank.method is Bank.CO_BANK else None
    yield _always(events.BankOffered(bank.box, bank.players[0]))
    yield _always(events.BankAccepted(bank.box, bank.players, bank.method, played.bank.wager, approved))
    yield _always(events.BankWagered(played.bank.wager))


def _wager(wager: Wager) -> Event:
    if wager.player == HOUSE:
        return events.HouseWagered(wager.stake)
    means = Means.TOKEN if wager.token else Means.CHIPS
    return events.WagerPlaced(wager.box, wager.player, wager.stake, means, bet=wager.bet)


def _throws(seen: Sequence[Observation], dice: Dice) -> list[DiceSeen]:
    """The throws up to and including the valid one, without those whose box dice are not all known."""
    number = {each.role: each.number for each in dice.cup}[Role.BOX]
    throws = [each for each in seen if isinstance(each, DiceSeen) and (each.cocked or len(each.box_dice) == number)]
    flat = [number for number, each in enumerate(throws) if not each.cocked]
    return [each for number, each in enumerate(throws) if each.cocked or number == flat[-1]] if flat else []


def _dice(state: State, throw: DiceSeen) -> Event | None:
    if state.bank is None:
        return None
    if throw.cocked:
        return events.DiceShown(throw.box_dice, None, throw.cut_die, cocked=True)
    shown = events.DiceShown(throw.box_dice, None, throw.cut_die)
    try:
        read = state.dice.read(
            Cup(throw.box_dice, throw.cut_die), state.bank.method, state.bank.box, state.button or 0, state.setup.order
        )
    except EngineError:
        return None
    if not isinstance(read, Thrown):
        return None
    ring = state.setup.ring(state.bank.box)
    # For a house with fewer boxes than the book counts, the book does not say how to count, so any count is accepted.
    first = read.first_box if read.first_box in ring else ring[(read.total - 1) % len(ring)]
    return replace(shown, first_box=first)


def _cut(state: State, seen: Sequence[Observation]) -> Event | None:
    """The cut shown by the cut die if it decides; otherwise the usual one is presumed."""
    if state.bank is None:
        return None
    choice, cuts = state.cut_choice, state.cuts
    if not choice.who:
        return None
    if choice.who[0] is Chooser.CUT_DIE:
        throws = _throws(seen, state.dice)
        die = throws[-1].cut_die if throws else None
        return None if die is None else events.CutNamed(cuts.of_die(die).cut.value, Chooser.CUT_DIE)
    usual = choice.usual or next(iter(cuts.named), None)
    return None if usual is None else events.CutNamed(usual.cut.value, choice.who[0])


def _delivery(state: State) -> Event | None:
    return None if state.first_box is None else events.TilesDelivered(tuple(state.setup.ring(state.first_box)))


def _hands(played: PlayedRound, bank: Against, seen: Sequence[Observation]) -> Iterator[_Proposed]:
    """Hands requested and set: by the player who decides on the box, otherwise by the dealer."""
    requested = {each.box for each in seen if isinstance(each, HouseWayAsked)}

    def request(state: State, box: int) -> Event | None:
        player = state.control.get(box)
        return None if player is None else events.HouseWayRequested(box, player)

    for box in sorted(requested & played.hands.keys()):
        yield _Proposed(lambda state, box=box: request(state, box), seen=True)  # type: ignore[misc]
    for box in played.hands:
        yield _Proposed(lambda state, box=box: _set_by_player(state, box))  # type: ignore[misc]
    for box in played.hands:
        yield _always(events.HandSet(box, DEALER))
    yield _always(events.BankSet(bank.players[0] if bank.players and bank.method is Bank.PLAYER else DEALER))


def _set_by_player(state: State, box: int) -> Event | None:
    player = state.control.get(box)
    return None if player is None else events.HandSet(box, player)


def _opened(played: PlayedRound, seen: Sequence[Observation]) -> list[int]:
    """Boxes in the order in which their hands were opened; unobserved ones last."""
    order = [each.box for each in seen if isinstance(each, HandOpened) and each.box in played.hands]
    return list(dict.fromkeys((*(box for box in order if box is not None), *played.hands)))


def _matched(state: State, box: int) -> Event | None:
    """The rulebook's outcome for an open hand and the bank's."""
    if Milestone.BANK_EXPOSED not in state.happened:
        return None
    own, banks = laid_at(state, box), laid_at(state, state.held.box)
    if own is None or banks is None:
        return None
    match = match_hands(own.setting, banks.setting, state.setup.book.settlement.matching)
    return events.HandMatched(box, match.outcome)
