"""Settling side wagers: outcomes of Bonus, Tie, Big and Small."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import DiceError
from engine.game.hands import Name
from engine.game.ranking import Outcome
from engine.game.tiles import Kind
from engine.house_way.terms import two_pairs
from engine.settlement.money import up_to
from engine.settlement.result import Ended
from engine.settlement.side_wagers.book_rules import Made, dealt_lines, lower_lines, lucky_duck, tie_lines, top_lines
from engine.settlement.wagers import BONUS, TIE
from engine.vocabulary.dice import BigSmall

if TYPE_CHECKING:
    from engine.game.setting import Deal, Setting
    from engine.settlement.side_wagers.book_rules import BigSmallRules, BonusRules, SideWagerRules
    from engine.settlement.wagers import TableTerms, WagerInPlay
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.dice import Thrown


class BankHand(Enum):
    """Owner of the bank's hand, as far as a Bonus wager is concerned."""

    HOUSE = "the House's"
    OTHER_PLAYER = "another player's"
    OWN = "the player's own"


def surrendered(placed: WagerInPlay, terms: TableTerms, rules: SideWagerRules) -> Ended:
    """Half of a Tie wager is forfeited, the other half is returned (ruling 19)."""
    half = Fraction(placed.in_play, 2)
    back = min(placed.in_play, up_to(half, terms.chip))
    notes: tuple[str, ...] = (
        f"surrendered: half of it is forfeited ({rules.tie.surrender.cite}, read under ruling 19)",
    )
    if back != half:
        notes += (f"half of {placed.in_play} is returned as {back}: {rules.in_chips.value} ({rules.in_chips.where})",)
    return Ended(Outcome.LOSE, rules.tie.surrender.cite, collected=placed.in_play - back, notes=notes)


def big_small(placed: WagerInPlay, thrown: BigSmall, terms: TableTerms, rules: SideWagerRules) -> Ended:
    """Settle Big and Small by the dice; both lose on a triple (ruling 21)."""
    known = rules.big_small
    if thrown.value == placed.wager.bet:
        return _won(
            placed, known.pays.value, f"the dice say {thrown.value} ({known.meaning})", known.pays.cite, terms, rules
        )
    shown = f"the dice are a {thrown.value}" if thrown is BigSmall.TRIPLE else f"the dice say {thrown.value}"
    return lost(placed, known.meaning, f"{shown} ({known.meaning}, read under ruling 21)")


def read_dice(thrown: Thrown | None, rules: BigSmallRules) -> BigSmall:
    """The Big/Small result of a throw.

    Raises:
        DiceError: no dice are given, or the one for Big/Small is missing.
    """
    if thrown is None:
        raise DiceError("a wager lies on Big or Small, but no dice are given; give what they show", rules.settled)
    if thrown.big_small is None:
        raise DiceError("a wager lies on Big or Small, but its die is not given", rules.meaning)
    return thrown.big_small


def bonus(
    placed: WagerInPlay,
    hands: Setting,
    bank: Setting | None,
    terms: TableTerms,
    rules: SideWagerRules,
    *,
    with_main: bool,
    bank_is: BankHand,
) -> Ended:
    """Settle a Bonus: the best line made by the tiles (ruling 20); with a main wager their setting does not matter."""
    table, deal = rules.offered(BONUS, terms), hands.deal
    set_wrong, setting_notes = (False, ()) if with_main else _unaccompanied(hands, rules.bonus)
    made = lower_lines(deal) if set_wrong else dealt_lines(deal)
    bank_notes: tuple[str, ...] = ()
    if table.needs_bank and Made.TWO_PAIR in made:
        if bank is not None and bank_is is not BankHand.OWN and two_pairs(bank.deal):
            made |= {Made.BOTH_TWO_PAIR}
        if bank_is is not BankHand.HOUSE:
            bank_notes = (f"{_DEALERS_HAND[bank_is]} ({table.cite}, ruling 20)",)
    best = table.best(made)
    if best is None:
        return lost(placed, table.wins, *setting_notes, f"no line of {table.name} ({table.wins})")
    line, odds = best
    ended = _won(placed, odds, f"{line.value} pays {odds} to 1", table.cite, terms, rules)
    why = _why_paid(line, rules.bonus, top=line not in lower_lines(deal), with_main=with_main)
    return replace(ended, notes=(*ended.notes, *setting_notes, *bank_notes, *why))


_DEALERS_HAND = {
    BankHand.OTHER_PLAYER: 'the top line reads "the Dealer" as the bank, which a player holds',
    BankHand.OWN: "these tiles are the bank's own, so no other hand stands for the Dealer's in the top line",
}


def _unaccompanied(hands: Setting, rules: BonusRules) -> tuple[bool, tuple[str, ...]]:
    """Whether a player without a main wager set a top hand so that it does not count, and the notes about it."""
    if not top_lines(hands.deal):
        return False, ()
    cite = rules.lucky_duck_set if lucky_duck(hands.deal) else rules.two_pairs_set
    if _top_is_set(hands):
        return False, (f"set as a player without a Pai Gow wager must ({cite})",)
    return True, (f"without a Pai Gow wager the top lines ask for another setting than {hands} ({cite})",)


def _why_paid(line: Made, rules: BonusRules, *, top: bool, with_main: bool) -> tuple[str, ...]:
    notes = []
    if not top:
        notes.append(f"any two of the four tiles are enough ({rules.any_two_tiles})")
    elif with_main:
        notes.append(f"however the hands are set ({rules.any_setting})")
    if line is not Made.BOTH_TWO_PAIR:
        notes.append(f"whatever the bank holds ({rules.any_bank_hand})")
    return tuple(notes)


def _top_is_set(hands: Setting) -> bool:
    """Two pairs as two hands, so that the higher *is* the high hand; the sixes high and the four and seven low."""
    if two_pairs(hands.deal):
        return hands.high.name is Name.PAIR and hands.low.name is Name.PAIR
    return {hands.high.first.kind, hands.high.second.kind} == {Kind.HIGH_6, Kind.LOW_6}


def needs_bank(placed: WagerInPlay, hands: Deal, terms: TableTerms, rules: SideWagerRules) -> bool:
    """Whether the bank's hand also decides the wager."""
    if placed.wager.bet == BONUS:
        return rules.offered(BONUS, terms).needs_bank and two_pairs(hands)
    return placed.wager.bet == TIE


def tie(
    placed: WagerInPlay, hands: Setting, main: Outcome, terms: TableTerms, rules: SideWagerRules, *, house_way: bool
) -> Ended:
    """Settle a Tie: it wins if the main wager on these hands stands off (`main`) or by its own line (ruling 19)."""
    table = rules.offered(TIE, terms)
    how = (
        f"the tiles set the House Way ({rules.tie.asked_setting})"
        if house_way
        else f"the tiles as they lay ({rules.tie.own_setting})"
    )
    best = table.best(tie_lines(hands.deal, hands.low, tied=main is Outcome.PUSH))
    if best is None:
        return lost(placed, table.wins, f"no line of {table.name} ({table.wins})", how)
    line, odds = best
    why = f"{line.value} pays {odds} to 1 ({table.wins}, read under ruling 19)"
    ended = _won(placed, odds, why, table.cite, terms, rules)
    return replace(ended, notes=(*ended.notes, how))


def _won(placed: WagerInPlay, odds: int, why: str, cite: Cite, terms: TableTerms, rules: SideWagerRules) -> Ended:
    exact = placed.in_play * odds
    paid = up_to(exact, terms.chip)
    chips = () if paid == exact else (f"{exact} is paid as {paid}: {rules.in_chips.value} ({rules.in_chips.where})",)
    return Ended(Outcome.WIN, cite, paid, notes=(why, *chips))


def lost(placed: WagerInPlay, cite: Cite, *notes: str) -> Ended:
    """A lost wager: everything in play is collected."""
    return Ended(Outcome.LOSE, cite, collected=placed.in_play, notes=notes)
