"""Rules of wagers, from the first to the close of betting (ruling 30)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.round.amounts import as_wager, settleable, wagerable
from engine.round.before_deal.bank import covered, within_total
from engine.round.before_deal.control import claimants, deciders
from engine.round.event import HOUSE
from engine.round.event_rules import (
    bank_settled,
    bets_open,
    box_of_table,
    chips,
    has,
    not_barred,
    person,
    refuse,
    rule,
    stacked,
)
from engine.round.events import (
    BetsClosed,
    BigSmallDeclined,
    BoxChosen,
    ControlCeded,
    WagerChanged,
    WagerPlaced,
    WagerWithdrawn,
)
from engine.round.playing.hand_stages import GONE, hands_by_wagers
from engine.round.state.house_table import is_whole
from engine.round.state.round_state import HandStage, Lying
from engine.settlement.side_wagers.side_checks import check_bet, entitled
from engine.settlement.wagers import BIG_SMALL, BONUS, MAIN, OFFERS, TIE
from engine.vocabulary.facts import Bank, Fact, Milestone
from engine.vocabulary.play import SeveralBoxes

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.round.state.round_state import State

    Wagering = WagerPlaced | WagerChanged | WagerWithdrawn


def may_close(by: Milestone) -> Callable[[State], None]:
    """Condition: if this milestone closes betting now, the banker covers the wagers, and they can be settled."""

    def condition(state: State) -> None:
        if _closes(state, by):
            covered(state)
            settleable(state)

    return condition


def closing(state: State, *milestones: Milestone, **changes: object) -> State:
    """The state with these milestones reached, and betting closed if one of them closes it."""
    after = state.reached(*milestones, **changes)
    if not any(_closes(state, milestone) for milestone in milestones):
        return after
    return after.reached(Milestone.BETS_CLOSED, control=deciders(after))


def _closes(state: State, milestone: Milestone) -> bool:
    return state.method is not None and not state.closed and state.play.close[state.method].value is milestone


def _open(state: State) -> None:
    """Betting is open; once it has closed nobody wagers (nz-1998 6.9(a)) or touches a wager (nz-1998 6.9(b))."""
    play = state.play
    if play.wagers_after is not None:
        has(state, play.wagers_after.value, play.wagers_after)
    if not state.closed:
        return
    if play.consent is None or play.consent.value is not state.method:
        rule = Fact(None, play.no_change, rulings=(30,))
        refuse("betting has closed: no wager is placed, changed or withdrawn", rule)
    if _tiles_handled(state):
        refuse("too late for the banker's consent: a player has handled tiles", play.consent)


def _tiles_handled(state: State) -> bool:
    """Whether a player has handled tiles, as the book's remedies have it; the dealer may have set all hands."""
    so_far = state.happened - {Milestone.HANDS_SET}
    return Milestone.TILES_HANDLED in state.setup.book.irregularities.progress(so_far, None, state.method).reached


def _some_wager(state: State) -> None:
    if not state.wagers:
        refuse("no wager lies on the table", state.play.chips)


def _consented(state: State, event: Wagering) -> None:
    consent = state.play.consent
    if state.closed and consent is not None and not event.consent:
        refuse("betting has closed: this takes the player-banker's consent", consent)


def _covered_still(state: State, event: WagerPlaced | WagerChanged) -> None:
    """Once betting has closed, added wagers must already be covered."""
    if event.bet != MAIN:
        return
    lying = state.wager(event.box, event.player)
    total = state.total + event.amount - (0 if lying is None else lying.amount)
    if HOUSE in {wager.player for wager in state.wagers.get(state.banking.house_box.value, ())}:
        within_total(state, total)
    if state.closed:
        covered(state, total)


def _not_the_bank(state: State, event: WagerPlaced) -> None:
    bank = state.bank
    if bank is None:
        return
    side, banks = state.setup.book.side_wagers, event.player in bank.players
    may = None if side is None else side.banker.get(event.bet)
    if banks and may is not None and not may.value:
        refuse(f"{event.player} holds the bank and places no {event.bet} wager", may)
    if banks and may is None:
        refuse(f"{event.player} holds the bank: the other players wager against it", state.banking.against)
    if event.box != bank.box or (banks and event.bet == BONUS):
        return
    if bank.method is Bank.HOUSE:
        refuse(f"the House's tiles go to box {event.box}: no wager is accepted there", state.banking.house_box)
    refuse(f"box {event.box} is the banker's: no other wager is allowed there", state.banking.banker_box)


def _tiles_in_play(state: State, event: Wagering) -> None:
    """Once tiles are delivered, a wager is placed or touched only where they still lie and are played."""
    stage, play = state.hands.get(event.box), state.play
    if event.box in state.retrieved:
        refuse(f"the tiles of box {event.box} have been taken back", play.retrieve or play.deliver)
    if stage in GONE:
        rule = play.concede if stage is HandStage.CONCEDED and play.concede else state.matched
        refuse(f"the hand of box {event.box} is {stage.value}", rule)


def _box_in_play(state: State, event: WagerPlaced) -> None:
    """A box taken out of play takes no wagers until it is brought back."""
    removal = state.setup.book.irregularities.removal
    if event.box in state.out and removal is not None:
        refuse(f"box {event.box} is out of play", removal.cite)


def _beside_others(state: State, event: WagerPlaced) -> None:
    """A further wager lies only where somebody else decides (or on a House Way place).

    Of any player (star-classic 9.11), or only of one who decides on a box already (star-2024 9.14).
    """
    several = state.play.several
    if several.value not in {SeveralBoxes.BESIDE_OTHERS, SeveralBoxes.ONCE_IN_CONTROL}:
        return
    if not state.boxes_of(event.player) or event.box in state.setup.table.house_way_boxes:
        return
    control = deciders(state)
    bound = several.value is SeveralBoxes.BESIDE_OTHERS or event.player in control.values()
    if bound and event.box not in control:
        refuse(f"nobody controls box {event.box}: {event.player} may not place a further wager there", several)


def _beside_tiles(state: State, event: WagerPlaced) -> None:
    """Big and Small lie only where a valid Pai Gow wager lies (crown-6.1 8.16.1).

    Players with a wager on the tiles of the box choose first (8.16.2); the others follow, once everybody with one has
    bet on Big or Small or declined (8.16.3).
    """
    side = state.setup.book.side_wagers
    if side is None or OFFERS.get(event.bet) != BIG_SMALL:
        return
    lying = [as_wager(state, event.box, each) for each in state.wagers.get(event.box, ())]
    first, afterwards = entitled(lying, [event.player])
    if event.player not in (*first, *afterwards):
        refuse(f"no Pai Gow wager lies on box {event.box} for it to lie beside", side.big_small.beside)
    waits = _first_right(state, event.box)
    if event.player in afterwards and waits:
        refuse(
            f"{', '.join(waits)} has the first right to Big or Small on box {event.box}, and has not said",
            side.big_small.first,
        )


def _first_right(state: State, box: int) -> list[str]:
    """Players with first right to a Big or Small wager on a box who have neither placed one nor declined."""
    lying = state.wagers.get(box, ())
    first, _ = entitled([as_wager(state, box, each) for each in lying], [])
    placed = {each.player for each in lying if each.by_dice}
    return [player for player in first if player not in placed | state.declined.get(box, frozenset())]


def _big_small_offered(state: State) -> None:
    if BIG_SMALL not in state.setup.table.terms.side:
        side = state.setup.book.side_wagers
        refuse("Big and Small are not offered here", state.play.chips if side is None else side.big_small.beside)


@rule(BigSmallDeclined, ready=(bets_open, _big_small_offered, _some_wager))
def _declined(state: State, event: BigSmallDeclined) -> State:
    side = state.setup.book.side_wagers
    if event.player not in _first_right(state, event.box):
        rule = state.play.chips if side is None else side.big_small.first
        refuse(f"{event.player} has no first right to Big or Small on box {event.box} to leave to others", rule)
    left = state.declined.get(event.box, frozenset()) | {event.player}
    return state.replace(declined={**state.declined, event.box: left})


def _leaves_none_alone(state: State, event: WagerWithdrawn) -> None:
    """A Big or Small wager is withdrawn before the last Pai Gow wager that it accompanies."""
    side, left = state.setup.book.side_wagers, _wagers_after(state, event).get(event.box, ())
    if side is not None and any(each.by_dice for each in left) and not any(each.bet == MAIN for each in left):
        refuse(f"wagers on Big or Small would lie alone on box {event.box}", side.big_small.beside)


def _settleable_still(state: State, event: Wagering) -> None:
    """Once betting has closed all wagers are checked together immediately; before that, at the close."""
    if state.closed:
        settleable(state.replace(wagers=_wagers_after(state, event)))


@rule(WagerPlaced, ready=(_open,))
def _placed(state: State, event: WagerPlaced) -> State:
    """A wager lies on one of the boxes (crown-6.1 8.2); its player may have others elsewhere (nz-1998 6.7).

    This and the banker's own are the only wagers of the main game (star-2024 9.2).
    """
    box_of_table(state, event.box)
    person(state, event.player)
    not_barred(state, event.player)
    chips(state, event.amount)
    means = state.play.means
    if means is not None and event.means not in means.value:
        refuse(f"a wager is not made of a {event.means.value} here", means)
    if event.spot is not None and not (is_whole(event.spot) and event.spot >= 1):
        refuse(f"{event.spot!r} is no place in a box: they count from 1", state.play.control)
    _not_the_bank(state, event)
    _box_in_play(state, event)
    if state.wager(event.box, event.player, event.bet) is not None:
        refuse(f"{event.player} has a wager on box {event.box}: change that one", state.play.chips)
    most = state.setup.players_a_box
    if event.player not in state.players_on(event.box) and len(state.players_on(event.box)) >= most:
        refuse(f"{most} wager on box {event.box} already, no more may", state.play.players_a_box)
    _beside_others(state, event)
    _consented(state, event)
    _tiles_in_play(state, event)
    _covered_still(state, event)
    _beside_tiles(state, event)
    lying = Lying(event.player, event.amount, 0, event.means, event.spot, event.bet)
    side, bank = state.setup.book.side_wagers, state.bank
    if event.bet == TIE and side is not None and bank is not None and not side.tie.players[bank.method].value:
        refuse("while a player banks nobody places a Tie", side.tie.players[bank.method])
    # The kind of bet is checked even while nobody holds the bank.
    check_bet(as_wager(state, event.box, lying), state.setup.table.terms, side, state.play.chips)
    wagerable(state, event.box, lying)
    _settleable_still(state, event)
    return _settling_control(state, _wagers_after(state, event), state.placings + 1)


def _wagers_after(state: State, event: Wagering) -> dict[int, tuple[Lying, ...]]:
    on_box = list(state.wagers.get(event.box, ()))
    if isinstance(event, WagerPlaced):
        on_box.append(Lying(event.player, event.amount, state.placings, event.means, event.spot, event.bet))
    else:
        at = next(at for at, each in enumerate(on_box) if (each.player, each.bet) == (event.player, event.bet))
        changed = () if isinstance(event, WagerWithdrawn) else (replace(on_box[at], amount=event.amount),)
        on_box[at : at + 1] = changed
    others = {box: lying for box, lying in state.wagers.items() if box != event.box}
    if not on_box:
        return others
    return {**state.wagers, event.box: tuple(on_box)}


def _lies_there(state: State, event: WagerChanged | WagerWithdrawn) -> None:
    if state.wager(event.box, event.player, event.bet) is None:
        refuse(f"{event.player} has no such wager on box {event.box}", state.play.chips)


@rule(WagerChanged, ready=(_open, _some_wager))
def _changed(state: State, event: WagerChanged) -> State:
    person(state, event.player)
    _lies_there(state, event)
    chips(state, event.amount)
    _consented(state, event)
    _tiles_in_play(state, event)
    _covered_still(state, event)
    lying = state.wager(event.box, event.player, event.bet)
    if lying is not None and event.amount > lying.amount:
        not_barred(state, event.player)
    if lying is not None:
        wagerable(state, event.box, replace(lying, amount=event.amount))
    _settleable_still(state, event)
    return _settling_control(state, _wagers_after(state, event), state.placings)


@rule(WagerWithdrawn, ready=(_open, _some_wager))
def _withdrawn(state: State, event: WagerWithdrawn) -> State:
    person(state, event.player)
    _lies_there(state, event)
    _consented(state, event)
    _tiles_in_play(state, event)
    _leaves_none_alone(state, event)
    _settleable_still(state, event)
    return _settling_control(state, _wagers_after(state, event), state.placings)


def _settling_control(state: State, wagers: dict[int, tuple[Lying, ...]], placings: int) -> State:
    after = state.replace(wagers=wagers, placings=placings)
    if Milestone.TILES_DELIVERED in state.happened:
        after = hands_by_wagers(after)
    return after.replace(control=deciders(after)) if state.closed else after


def _may_cede(state: State) -> None:
    if state.play.cede is None:
        refuse("decisions on a box are not handed on", state.play.control)


@rule(ControlCeded, ready=(bets_open, _some_wager, _may_cede))
def _ceded(state: State, event: ControlCeded) -> State:
    if state.seats.get(event.box) != event.player or event.player not in state.players_on(event.box):
        refuse(f"{event.player} does not sit at box {event.box} with a wager on it", state.play.control)
    return state.replace(ceded=state.ceded | {event.box})


def _plays_one(state: State) -> None:
    if state.play.several.value is SeveralBoxes.FREE:
        refuse("a player plays every box he wagers on", state.play.several)


@rule(BoxChosen, ready=(bets_open, _some_wager, _plays_one))
def _chosen(state: State, event: BoxChosen) -> State:
    if len(state.boxes_of(event.player)) < 2:
        refuse(f"{event.player} does not wager on more than one box", state.play.several)
    if event.player not in claimants(state, event.box):
        refuse(f"{event.player} has no wager on box {event.box}", state.play.control)
    return state.replace(chosen={**state.chosen, event.player: event.box})


def _announced(state: State) -> None:
    if state.play.announced is None:
        closes = state.play.close[Bank.HOUSE]
        refuse(f"betting is not called off here, it closes when {closes.value.value}", closes)


@rule(BetsClosed, ready=(_announced, bank_settled, stacked, bets_open, may_close(Milestone.BETS_CLOSED)))
def _bets_closed(state: State, _: BetsClosed) -> State:
    return closing(state, Milestone.BETS_CLOSED)
