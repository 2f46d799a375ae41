"""Settling a round to the cent: outcomes, amounts paid, returned and collected, and the postings of every chip.

In every book the hands are opened counter-clockwise from the chung; losing wagers are taken as they are opened, and
once all hands are open the winning ones are paid in the same order. Differences are declared in the books.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import DiceError
from engine.game.ranking import Outcome, outranks
from engine.game.setting import Deal
from engine.settlement.outcome import Match, is_zero, match_hands
from engine.settlement.payout import pay_out
from engine.settlement.played import BANK, Laid, PlayedRound, against, bank_notes, check_cover, check_tiles, hands_of
from engine.settlement.result import Ended, Result, Settlement
from engine.settlement.side_wagers.side_checks import deciding_notes
from engine.settlement.side_wagers.side_results import BankHand, big_small, bonus, lost, read_dice, surrendered, tie
from engine.settlement.wager_checks import check_terms, order_of, place
from engine.settlement.wagers import BIG_SMALL, BONUS, HOUSE, MAIN, TIE, Wager, WagerInPlay
from engine.vocabulary.dice import ShakeAgain
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from fractions import Fraction

    from engine.game.hands import Hand
    from engine.game.setting import Setting
    from engine.settlement.side_wagers.book_rules import SideWagerRules
    from engine.settlement.wagers import Against
    from engine.vocabulary.dice import Thrown


def settle(played: PlayedRound) -> Settlement:
    """Settle a round under its rulebook.

    Raises:
        WagerError: the book does not allow the bank, a wager or a limit; the message names the rule.
        DealError: a hand is missing, or the hands contain more copies of a face than the set has.
        DiceError: there is a wager on the dice, and their values are missing or invalid.
        UnknownRulebookError: four tiles are to be set, and neither book nor table names a House Way.
    """
    bank, rate, placed = _placed(played)
    check_tiles(played, bank.box)
    table = _Table(played, bank, rate, hands_of(placed, played, bank.box), placed, _thrown(played, bank))
    ruled = _settled(table, lambda match: match.outcome)
    if not any(is_zero(hand) for hand in _two(table.hands.get(BANK))):
        return ruled  # only the reading of zero against zero differs (ruling 15)
    literal = _settled(table, lambda match: match.literal)
    same = [one.outcome for one in ruled.results] == [one.outcome for one in literal.results]
    return ruled if same else replace(ruled, literal=literal)


def check_wagers(played: PlayedRound) -> None:
    """Reject (`WagerError`) a bank or wagers that cannot be settled, before any hand is known."""
    _placed(played)


def settle_dice(played: PlayedRound) -> tuple[Result, ...]:
    """Settle wagers on Big and Small, which happens before the tiles are dealt.

    Raises:
        WagerError: the book does not allow the bank, a wager or a limit; the message names the rule.
        DiceError: the values of the dice are missing or invalid.
    """
    bank, rate, placed = _placed(played)
    table = _Table(played, bank, rate, {}, placed, _thrown(played, bank))
    return tuple(_result(one, table, lambda match: match.outcome) for one in placed if one.wager.by_dice)


def _placed(played: PlayedRound) -> tuple[Against, Fraction, tuple[WagerInPlay, ...]]:
    """The bank, the commission rate in force, and how much of each wager is in play."""
    book = played.book
    check_terms(played.terms, book)
    bank = against(played)
    rate = book.settlement.commission.rate_at(played.terms.commission)
    voided_by = played.voided_by or book.wagers.void_round
    wagers = (
        (replace(wager, void=played.void, voided_by=voided_by) for wager in played.wagers)
        if played.void
        else played.wagers
    )
    placed = place(wagers, bank, played.terms, book, rate)
    check_cover(placed, played)
    return bank, rate, placed


def _two(hands: Setting | None) -> tuple[Hand, ...]:
    return () if hands is None else (hands.low, hands.high)


@dataclass(frozen=True, slots=True)
class _Table:
    """A round with checked bank and wagers, its set hands, and the result of the dice."""

    played: PlayedRound
    bank: Against
    rate: Fraction
    hands: Mapping[int, Setting]
    placed: tuple[WagerInPlay, ...]
    thrown: Thrown | None

    def hand_of(self, wager: Wager) -> Setting:
        """The hands that a wager depends on; on the banker's box they are the bank's."""
        return self.hands[BANK if wager.box == self.bank.box else wager.box]


def _thrown(played: PlayedRound, bank: Against) -> Thrown | None:
    dice = played.book.dice_of(played.variant)
    if played.dice is None:
        return None
    thrown = dice.read(played.dice, bank.method, bank.box, order=order_of(played.terms, played.book))
    if played.variant is not None:
        played.book.variants[played.variant].check_cup(played.dice, big_small=BIG_SMALL in played.terms.side)
    if isinstance(thrown, ShakeAgain):
        raise DiceError(f"{thrown.words}; give the throw that counted")
    return thrown


def _variant_notes(table: _Table) -> tuple[str, ...]:
    """The boxes that a variant's dealing serves first, and the rules that differ."""
    played, thrown = table.played, table.thrown
    if played.variant is None:
        return ()
    variant = played.book.variants[played.variant]
    notes: tuple[str, ...] = (f"{variant.name}: in all else the book's other rules hold ({variant.other_rules})",)
    if thrown is None:
        return notes
    wagered = {one.wager.box for one in table.placed if not one.wager.void}
    dealt = variant.deal(thrown.total, table.bank.box, wagered, thrown.order)
    order, back = (" ".join(map(str, boxes)) for boxes in (dealt.order, dealt.taken_back))
    notes += (
        f"box {thrown.first_box} gets the first tiles ({thrown.counting.where})",
        f"tiles go to boxes {order} in turn, to each {variant.dealt.value} ({variant.dealt.where})",
    )
    if back:
        notes += (f"those of boxes {back} are taken back unseen: no wager lies there ({variant.taken_back})",)
    if dealt.left:
        notes += (f"{dealt.left * variant.dealt.value} tiles are not dealt and lie aside ({variant.dealt.where})",)
    return notes


def _settled(table: _Table, outcome_of: Callable[[Match], Outcome]) -> Settlement:
    played, placed, side = table.played, table.placed, table.played.book.side_wagers
    results = tuple(_result(one, table, outcome_of) for one in placed)
    bank, postings = pay_out(results, played, table.rate)
    order = played.book.settlement.banks[played.bank.method].paid
    notes = (
        *_variant_notes(table),
        *deciding_notes(placed, side),
        *_bonus_only(placed, side),
        *bank_notes(played, table.hands),
        *bank.notes,
    )
    return Settlement(results, bank, postings, order, notes)


def _bonus_only(placed: Iterable[WagerInPlay], side: SideWagerRules | None) -> tuple[str, ...]:
    bets = {one.wager.bet for one in placed if one.in_play and not one.wager.by_dice}
    if side is None or bets != {BONUS}:
        return ()
    dealt = side.bonus.bank_dealt
    return (f"only Bonus wagers: {dealt.value} ({dealt.where})",)


# Wager by wager


def _result(placed: WagerInPlay, table: _Table, outcome_of: Callable[[Match], Outcome]) -> Result:
    wager, rules = placed.wager, table.played.book.wagers
    if not placed.in_play:
        cite = (wager.voided_by or rules.returned) if wager.void else placed.limited_by or rules.unpayable.cite
        return Result(None, cite, notes=placed.notes, wager=wager, in_play=0)
    ended = _ended(placed, table, outcome_of)
    notes = (*placed.notes, *ended.notes, *_token_notes(wager, ended, table))
    how = ended.winnings, ended.collected, notes, ended.match, ended.commission
    return Result(ended.outcome, ended.cite, *how, wager=wager, in_play=placed.in_play)


def _token_notes(wager: Wager, ended: Ended, table: _Table) -> tuple[str, ...]:
    """What becomes of a forfeited promotional token (star-classic 1.1; under a player's bank by ruling 45)."""
    tokens = table.played.book.wagers.tokens
    if not (wager.token and tokens is not None and tokens.value and ended.collected):
        return ()
    won = ended.outcome is Outcome.WIN
    if table.bank.method is Bank.HOUSE:
        return (f"the promotional token is forfeited also when it wins ({tokens.cite})",) if won else ()
    paid = "; the bank pays what it won in chips" if won else ""
    return (f"the promotional token is forfeited to the House and no money of the bank{paid} ({tokens.where})",)


def _ended(placed: WagerInPlay, table: _Table, outcome_of: Callable[[Match], Outcome]) -> Ended:
    wager, book = placed.wager, table.played.book
    if wager.forfeited is not None:
        return lost(placed, wager.forfeited, f"forfeited ({wager.forfeited})")
    side = book.side_wagers
    if wager.conceded and wager.bet == BONUS and side is not None:
        rule = side.bonus.when_conceded
        note = f"conceded with the hand, whose tiles nobody saw: a person decided that it is lost ({rule.where})"
        return lost(placed, rule.cite, note)
    if wager.conceded and book.play.concede is not None:
        return lost(placed, book.play.concede, f"conceded, the tiles not opened ({book.play.concede})")
    if side is not None and wager.bet != MAIN:
        return _side(placed, table, side, outcome_of)
    return _main(placed, table, outcome_of)


def _main(placed: WagerInPlay, table: _Table, outcome_of: Callable[[Match], Outcome]) -> Ended:
    """The main game: the player's two hands compared with the bank's."""
    wager, book = placed.wager, table.played.book
    match = match_hands(table.hands[wager.box], table.hands[BANK], book.settlement.matching)
    laid = table.played.hands[wager.box]
    turned = isinstance(laid, Laid) and outranks(laid.low, laid.high)
    notes = ("laid the other way round; the higher hand is the high hand (ruling 18)",) if turned else ()
    outcome = outcome_of(match)
    cite = match.cite if outcome is match.outcome else book.settlement.matching.zero.cite
    if outcome is Outcome.LOSE:
        return Ended(outcome, cite, collected=placed.in_play, notes=notes, match=match)
    if outcome is Outcome.PUSH:
        return Ended(outcome, cite, notes=notes, match=match)
    # The House pays no commission on its own winnings.
    rate = 0 * table.rate if wager.player == HOUSE else table.rate
    commission = book.settlement.commission.on(placed.in_play, rate, table.played.terms.chip)
    won = Ended(outcome, cite, placed.winnings, notes=notes, match=match, commission=commission)
    tokens = book.wagers.tokens
    if not wager.token or tokens is None or not tokens.value:
        return won
    return replace(won, collected=placed.in_play)


def _side(placed: WagerInPlay, table: _Table, side: SideWagerRules, outcome_of: Callable[[Match], Outcome]) -> Ended:
    """A side wager; no commission is charged, since its odds come from its own rule, not from the main wager's."""
    wager, terms = placed.wager, table.played.terms
    if wager.surrendered:
        return surrendered(placed, terms, side)
    if wager.by_dice:
        return big_small(placed, read_dice(table.thrown, side.big_small), terms, side)
    hands, bank = table.hand_of(wager), table.hands.get(BANK)
    own = wager.box == table.bank.box
    with_main = own or any(_is_main_of(one, wager) for one in table.placed)
    if wager.bet == TIE and bank is not None:
        main = outcome_of(match_hands(hands, bank, table.played.book.settlement.matching))
        by_house_way = isinstance(table.played.hands[wager.box], Deal)
        ended = tie(placed, hands, main, terms, side, house_way=by_house_way)
    else:
        theirs = BankHand.HOUSE if table.bank.method is Bank.HOUSE else BankHand.OTHER_PLAYER
        bank_is = BankHand.OWN if own else theirs
        ended = bonus(placed, hands, bank, terms, side, with_main=with_main, bank_is=bank_is)
    if any(_is_main_of(one, wager) and one.wager.conceded for one in table.placed):
        rule = side.bonus.when_conceded
        return replace(ended, notes=(*ended.notes, f"{rule.value} ({rule.where})"))
    if with_main:
        return ended
    return replace(ended, notes=(*ended.notes, f"it needs no Pai Gow wager beside it ({side.bets[wager.bet]})"))


def _is_main_of(one: WagerInPlay, wager: Wager) -> bool:
    same = (one.wager.player, one.wager.box) == (wager.player, wager.box)
    return same and one.wager.bet == MAIN and one.in_play > 0
