"""Rules from the shuffle to the dice: shuffle, stacks, laja, cut, button, throw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import CutError
from engine.round.bets import closing, may_close
from engine.round.event_rule import bank_settled, going_on, has, has_not, leave, person, refuse, rule
from engine.round.events import (
    DEALER,
    ButtonPlaced,
    CutNamed,
    DiceShaken,
    DiceShown,
    LajaDone,
    Shuffled,
    Stacked,
)
from engine.round.state import is_whole
from engine.settlement.wagers import BIG_SMALL
from engine.vocabulary.cuts import Chooser
from engine.vocabulary.dice import PIPS, Cup, Role, Thrown
from engine.vocabulary.facts import BOXES, Bank, Fact, Milestone
from engine.vocabulary.play import Shaker

if TYPE_CHECKING:
    from engine.round.event_rule import Refusal
    from engine.round.state import State
    from engine.vocabulary.play import Cutting, LajaRule


def undelivered(state: State) -> Refusal | None:
    """The tiles are not delivered yet."""
    return has_not(state, Milestone.TILES_DELIVERED, state.play.deliver)


def stacked(state: State) -> Refusal | None:
    """The tiles are stacked."""
    return has(state, Milestone.STACKED, state.play.stack)


# Shuffle


def _checked(state: State) -> Refusal | None:
    play = state.play
    if play.check is not None and state.check_due:
        return refuse("the tiles have to be checked and laid out in order of rank first", play.check)
    banked = state.bank is not None and state.bank.players
    anybody = state.seats or state.wagers or banked or state.closed  # once it has closed nobody can come any more
    if play.stay_shown is not None and state.shown and not anybody:
        return refuse("the tiles stay laid out until a player takes a place", play.stay_shown)
    return None


def _may_shuffle_again(state: State) -> Refusal | None:
    if Milestone.SHUFFLED in state.happened and state.play.reshuffle is None:
        return refuse("the tiles have been shuffled for this round", state.play.shuffle)
    return None


def _ordered(state: State, event: Shuffled) -> Refusal | None:
    return leave(state, event.ordered_by, state.play.reshuffle) if Milestone.SHUFFLED in state.happened else None


@rule(Shuffled, ready=(going_on, _checked, undelivered, _may_shuffle_again), fits=(_ordered,))
def _shuffled(state: State, _: Shuffled) -> State:
    return state.but(happened=(state.happened | {Milestone.SHUFFLED}) - {Milestone.STACKED})


@rule(
    Stacked,
    ready=(
        going_on,
        lambda state: has(state, Milestone.SHUFFLED, state.play.stack),
        lambda state: has_not(state, Milestone.STACKED, state.play.stack),
        undelivered,
    ),
)
def _stacked_up(state: State, _: Stacked) -> State:
    return state.reached(Milestone.STACKED)


# Laja


def _laja_known(state: State) -> Refusal | None:
    if state.play.laja is None:
        return refuse("the tiles are mixed in the shuffle only", state.play.shuffle)
    return None


def _laja(state: State) -> Fact[LajaRule]:
    assert state.play.laja is not None  # noqa: S101  _laja_known
    return state.play.laja


def _cut_open(state: State) -> Refusal | None:
    """A laja comes before the cut is decided; where the cut die decides it, that is when the dice are seen."""
    by_die = state.method is not None and state.cut_choice.who == (Chooser.CUT_DIE,)
    decided = Milestone.CUT_NAMED in state.happened or (by_die and Milestone.DICE_SHOWN in state.happened)
    if decided or Milestone.TILES_DELIVERED in state.happened:
        return refuse("too late: the cut is decided", _laja(state))
    return None


def _laja_left(state: State) -> Refusal | None:
    laja = _laja(state)
    if laja.value.banker_only and state.bank is None:
        return refuse("it is not settled yet who holds the bank and may ask for a laja", laja)
    most = laja.value.most
    if most is not None and state.lajas >= most.value:
        return refuse(f"no more than {most.value} laja in a round", most)
    if laja.value.then_bank is not None and state.player_laja and (state.bank_laja or state.bank is None):
        return refuse("after a player's laja only the bank may mix the tiles, once", laja.value.then_bank)
    return None


def _may_ask(state: State, event: LajaDone) -> Refusal | None:
    """Any player asks; where a book says so, with a player in the bank only he (nz-1998 9.2(a) and 9.2(b))."""
    laja, bank = _laja(state), state.bank
    if event.asked_by != DEALER or not _banks_turn(state):
        refusal = person(state, event.asked_by)
        if refusal is not None:
            return refusal
    if laja.value.banker_only and bank is not None and bank.players and event.asked_by not in bank.players:
        return refuse("with a player in the bank only he asks for a laja", laja)
    return None


def _may_mix(state: State, event: LajaDone) -> Refusal | None:
    laja, bank = _laja(state), state.bank
    if _banks_turn(state):
        bankers = (DEALER,) if bank is None or bank.method is Bank.HOUSE else bank.players
        if event.by in bankers and event.asked_by in bankers:
            return None
        return refuse("after a player's laja only the bank may mix the tiles", laja.value.then_bank or laja)
    if event.by != DEALER and not laja.value.by_players:
        return refuse("the dealer performs the laja", laja)
    if event.by not in {DEALER, event.asked_by}:
        return refuse("it is performed by the dealer, or by the player who asked", laja)
    exposed = laja.value.exposed
    if exposed is not None and event.by == DEALER and leave(state, event.asked_by, exposed) is None:
        return None
    return leave(state, event.approved_by, laja.value.leave)


def _banks_turn(state: State) -> bool:
    """After a player's own laja the bank may perform one (star-2024 7.3.2; star-classic 7.3.2)."""
    return state.player_laja and _laja(state).value.then_bank is not None


@rule(LajaDone, ready=(going_on, _laja_known, stacked, _cut_open, _laja_left), fits=(_may_ask, _may_mix))
def _mixed(state: State, event: LajaDone) -> State:
    banks = _banks_turn(state)
    return state.but(
        lajas=state.lajas + 1, player_laja=state.player_laja or event.by != DEALER, bank_laja=state.bank_laja or banks
    )


# Cut


def cutting_of(state: State) -> Fact[Cutting]:
    """When the cut of this round is decided."""
    return state.play.cut[state.held.method]


def _cut_unnamed(state: State) -> Refusal | None:
    return has_not(state, Milestone.CUT_NAMED, cutting_of(state))


def _cut_due(state: State) -> Refusal | None:
    play, cutting = state.play, cutting_of(state)
    if play.announced is not None and not state.closed:
        return refuse('the dealer calls "no more bets" first', play.announced)
    if play.cut_after_shake is not None and not state.shaken_by and Milestone.DICE_SHOWN not in state.happened:
        return refuse("the dice tumble before the cut is decided", play.cut_after_shake)
    if cutting.value.after_dice and state.first_box is None:
        return refuse("the cut is named once the dice are exposed", cutting)
    return None


def _somebody_decides(state: State) -> Refusal | None:
    choice = state.cut_choice
    return None if choice.who else refuse("no cut is spoken of: the stacks are dealt as they stand", choice.cite)


def _may_name(state: State, event: CutNamed) -> Refusal | None:
    choice = state.cut_choice
    return None if event.by in choice.who else refuse(choice.words, choice.cite)


def _cut_known(state: State, event: CutNamed) -> Refusal | None:
    """The cut is on the book's list (star-classic 7.4), or was accepted beyond it as the book allows."""
    cuts, choice = state.cuts, state.cut_choice
    if not isinstance(event.cut, str) or not event.cut.strip():
        return refuse("name the cut", choice.cite)
    try:
        cut, _ = cuts.find(event.cut)
    except CutError:
        return _accepted(state, event)
    allowed = state.setup.table.cuts
    if allowed is not None and cut.cut not in allowed:
        return refuse(f"{cut.label} is not approved for this table", cuts.approved or cut.cite)
    if (
        event.by is Chooser.CUT_DIE
        and cuts.by_die is not None
        and state.cup is not None
        and isinstance(state.cup.cut, int)
    ):
        shown = cuts.of_die(state.cup.cut)
        if shown is not cut:
            return refuse(f"the cut die shows {state.cup.cut}: {shown.label}, not {cut.label}", cuts.by_die)
    return None


def _accepted(state: State, event: CutNamed) -> Refusal | None:
    cuts, others = state.cuts, state.cuts.others
    if others is None or event.by is Chooser.CUT_DIE or state.held.method not in others.value.banks:
        known = ", ".join(each.chinese for each in cuts.named)
        return refuse(f"{event.cut!r} is not one of its cuts: {known}", cuts.cite)
    return leave(state, event.accepted_by, Fact(others.value.title, others.cite, others.rulings))


@rule(
    CutNamed,
    ready=(
        going_on,
        bank_settled,
        stacked,
        _somebody_decides,
        _cut_unnamed,
        undelivered,
        _cut_due,
        lambda state: may_close(state, Milestone.CUT_NAMED),
    ),
    fits=(_may_name, _cut_known),
)
def _cut_named(state: State, event: CutNamed) -> State:
    return closing(state, Milestone.CUT_NAMED, cut=event.cut)


# Buttons


def _button_due(state: State) -> Refusal | None:
    buttons = state.dice.buttons
    if not buttons.value.values:
        return refuse("no buttons are used", buttons)
    if not state.setup.table.buttons:
        return refuse("this table does not offer them", buttons)
    if state.method not in buttons.value.banks:
        return refuse("only a player in the bank adjusts the delivery", buttons)
    if state.button is not None:
        return refuse("the delivery is adjusted already", buttons)
    after, before = buttons.value.after, buttons.value.before
    early = None if after is None else has(state, after, buttons)
    return early or (None if before is None else has_not(state, before, buttons))


def _button_known(state: State, event: ButtonPlaced) -> Refusal | None:
    buttons = state.dice.buttons
    if not (is_whole(event.value) and event.value in buttons.value.values):
        known = ", ".join(f"{value:+d}" for value in sorted(buttons.value.values))
        return refuse(f"there is no button {event.value!r}: there are {known}", buttons)
    return None


@rule(ButtonPlaced, ready=(going_on, stacked, _button_due), fits=(_button_known,))
def _button_placed(state: State, event: ButtonPlaced) -> State:
    return state.but(button=event.value)


# Dice


def _no_throw(state: State) -> Refusal | None:
    if state.first_box is not None:
        return refuse("the dice are thrown", state.dice.counting)
    return None


def _shake_due(state: State) -> Refusal | None:
    after = state.play.shake_after.get(state.held.method)
    return None if after is None else has(state, after.value, after)


def _may_shake(state: State, event: DiceShaken) -> Refusal | None:
    shakers = state.play.shakers[state.held.method]
    if event.by == DEALER:
        return None if Shaker.DEALER in shakers.value else refuse("the banker shakes the cup", shakers)
    return person(state, event.by) or (_stands_in if _later_bank(state) else _banker_shakes)(state, event)


def _banker_shakes(state: State, event: DiceShaken) -> Refusal | None:
    shakers = state.play.shakers[state.held.method]
    if event.by not in state.held.players or Shaker.BANKER not in shakers.value:
        return refuse(f"{event.by} does not shake the cup", shakers)
    if state.play.dealer_first is not None and DEALER not in state.shaken_by:
        return refuse("the dealer shakes it first", state.play.dealer_first)
    return None


def _stands_in(state: State, event: DiceShaken) -> Refusal | None:
    nominee = state.banking.nominee
    if nominee is not None and event.by in state.held.players:
        return refuse("in a further bank the banker names somebody else to shake the cup", nominee)
    return None


def _later_bank(state: State) -> bool:
    """Whether this is a banker's second or third bank in a row, in which somebody else shakes for him."""
    tenure = state.before.tenure
    if state.banking.nominee is None or tenure is None or state.released or state.bank is None:
        return False
    return tenure.banks > 0 and state.bank.offered_at == tenure.box and bool(state.bank.players)


@rule(DiceShaken, ready=(going_on, bank_settled, stacked, _no_throw, _shake_due), fits=(_may_shake,))
def _shaken(state: State, event: DiceShaken) -> State:
    return state.but(shaken_by=(*state.shaken_by, event.by))


def _tumbled(state: State) -> Refusal | None:
    if state.shaken_by:
        return None
    cocked = Milestone.DICE_SHOWN in state.happened
    return refuse(
        "a die was cocked: the cup is shaken again" if cocked else "the cup is shaken first", state.dice.leaning
    )


def _cut_first(state: State) -> Refusal | None:
    cutting = cutting_of(state)
    if cutting.value.after_dice is False and Milestone.CUT_NAMED not in state.happened:
        return refuse("the cut is decided before the dice are exposed", cutting)
    return None


def _dice_read(state: State, event: DiceShown) -> Refusal | None:
    dice, cup = state.dice, _cup(event)
    faces = [face for role in Role for face in cup.of(role)]
    if not all(is_whole(face) and face in PIPS for face in faces):
        return refuse(f"a die shows 1 to 6, not {', '.join(map(repr, faces))}", dice.faces)
    if event.cocked:
        return None if event.first_box is None else refuse("a cocked throw has no first box", dice.leaning)
    asked = {each.role: each for each in dice.cup}
    for role in Role:
        number, cite = (asked[role].number, asked[role].cite) if role in asked else (0, dice.cup[0].cite)
        if role in asked and asked[role].where_offered and BIG_SMALL not in state.setup.table.terms.side:
            number = 0
        if len(cup.of(role)) != number:
            return refuse(f"{len(cup.of(role))} {role} dice were read, not {number}", cite)
    return None


def _cup(event: DiceShown) -> Cup:
    return Cup(event.box_dice, event.cut_die, event.big_small_die)


def check_first_box(state: State, event: DiceShown) -> Refusal | None:
    """The first box is the one that the throw gives (crown-6.1 4.1), counted from the chung and moved by the button.

    Every book counts eight places. Where a house has fewer (Crown), the book does not say how they are counted, and
    any of them is taken.
    """
    if event.cocked:
        return None
    dice, places = state.dice, state.setup.places
    if not (is_whole(event.first_box) and event.first_box in range(1, places + 1)):
        return refuse(f"{event.first_box!r} is no place: they are 1 to {places}", dice.counting)
    bank, button = state.held, state.button or 0
    thrown = dice.read(_cup(event), bank.method, bank.box, button)
    if places < BOXES or not isinstance(thrown, Thrown) or thrown.first_box == event.first_box:
        return None
    total = f"{thrown.total} {button:+d}" if button else str(thrown.total)
    return refuse(
        f"{total}, counted from the chung on box {bank.box}, is box {thrown.first_box}, not {event.first_box}",
        dice.counting,
    )


@rule(
    DiceShown,
    ready=(
        going_on,
        bank_settled,
        stacked,
        _no_throw,
        _tumbled,
        _cut_first,
        lambda state: may_close(state, Milestone.DICE_SHOWN),
    ),
    fits=(_dice_read, check_first_box),
)
def _dice_shown(state: State, event: DiceShown) -> State:
    return closing(
        state, Milestone.DICE_SHOWN, shaken_by=(), first_box=event.first_box, cup=None if event.cocked else _cup(event)
    )
