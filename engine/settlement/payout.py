"""From outcomes to chips: all movements in the order of the table, and the bank's result."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.game.ranking import Outcome
from engine.settlement.money import up_to
from engine.settlement.result import (
    BANK_WAGER,
    COMMISSION,
    FLOAT,
    LOSING_AREA,
    BankResult,
    ChipAccount,
    ChipPlace,
    Posting,
    Result,
    transfer,
)
from engine.settlement.wagers import HOUSE, MAIN, Unpayable
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Sequence

    from engine.settlement.played import PlayedRound
    from engine.settlement.side_wagers.book_rules import SideWagerRules
    from engine.settlement.wagers import BankRules
    from engine.vocabulary.citations import Cite


@dataclass(slots=True)
class _Chips:
    """The chips on the table during settlement."""

    postings: list[Posting] = field(default_factory=list)
    held: dict[ChipAccount, int] = field(default_factory=dict)

    def move(self, source: ChipAccount, target: ChipAccount, amount: int, why: str, cite: Cite) -> None:
        for posting in transfer(source, target, amount, why, cite):
            self.postings.append(posting)
            self.held[posting.account] = self.on(posting.account) + posting.amount

    def on(self, account: ChipAccount) -> int:
        return self.held.get(account, 0)


def pay_out(results: Sequence[Result], played: PlayedRound, rate: Fraction) -> tuple[BankResult, tuple[Posting, ...]]:
    """Move every chip of a round, given the outcome of each wager, in the order of opening.

    Returns:
        The bank's result, and all postings from the placing of wagers on.
    """
    chips = _Chips()
    rules = played.book.settlement.banks[played.bank.method]
    _put_up(results, played, rules, chips)
    on_dice = [result for result in results if result.wager.by_dice]
    on_tiles = [result for result in results if not result.wager.by_dice]
    for batch in (on_dice, on_tiles):
        for result in batch:
            _open(result, played, rules, chips)
        for result in batch:
            _pay(result, played, rules, chips)
    return _to_the_bank(results, played, rules, rate, chips), tuple(chips.postings)


def _account(player: str) -> ChipAccount:
    return FLOAT if player == HOUSE else ChipAccount(ChipPlace.PLAYER, player)


def _put_up(results: Sequence[Result], played: PlayedRound, rules: BankRules, chips: _Chips) -> None:
    """Wagers are placed in their boxes; for a co-bank an equal amount comes from the float.

    nz-1998 11.3(c); star-classic 13.3.2; crown-6.1 10.3.3(b).
    """
    bank, in_chips = played.bank, played.book.play.chips
    cover = played.book.banking.cover.get(bank.method)
    put_up = rules.method if cover is None else cover.cite
    for result in results:
        wager = result.wager
        chips.move(_account(wager.player), _box(result), wager.stake, f"wager on box {wager.box}", in_chips)
    chips.move(_account(bank.name), BANK_WAGER, bank.wager, "the banker's wager", put_up)
    if bank.method is Bank.CO_BANK:
        chips.move(FLOAT, BANK_WAGER, bank.wager, "the House's half of the co-bank", put_up)


def _box(result: Result) -> ChipAccount:
    return ChipAccount(ChipPlace.BOX, str(result.wager.box))


def _open(result: Result, played: PlayedRound, rules: BankRules, chips: _Chips) -> None:
    """As a hand is opened: a lost wager is taken, the part not in play is returned, a stand-off stays its owner's."""
    owner, box = _account(result.wager.player), _box(result)
    beyond = result.wager.stake - result.in_play
    chips.move(box, owner, beyond, "void or beyond the limit, returned", _beyond_cite(result, played))
    side = played.book.side_wagers
    if side is not None and result.wager.bet != MAIN:
        if result.outcome is Outcome.LOSE and not result.wager.surrendered:
            cite = side.big_small.settled if result.wager.by_dice else side.removed
            chips.move(box, FLOAT, result.collected, f"lost {result.wager.bet} wager on box {result.wager.box}", cite)
    elif result.outcome is Outcome.LOSE and _forfeited_token(result, played):
        tokens = played.book.wagers.tokens
        cite = rules.taken if tokens is None else tokens.cite
        chips.move(box, FLOAT, result.collected, "a promotional token is forfeited", cite)
    elif result.outcome is Outcome.LOSE:
        target = FLOAT if played.bank.method is Bank.HOUSE else LOSING_AREA
        chips.move(box, target, result.collected, f"lost on box {result.wager.box}", rules.taken)
    elif result.outcome is Outcome.PUSH:
        chips.move(box, owner, result.in_play, "stand-off, the wager remains the player's", rules.stand_off)


def _forfeited_token(result: Result, played: PlayedRound) -> bool:
    """Whether a player's bank does not get a lost wager, because it is a token that the House issued (ruling 45)."""
    tokens = played.book.wagers.tokens
    return result.wager.token and tokens is not None and tokens.value and played.bank.method is not Bank.HOUSE


def _beyond_cite(result: Result, played: PlayedRound) -> Cite:
    wagers = played.book.wagers
    if result.wager.void:
        return result.wager.voided_by or wagers.returned
    part_void = wagers.unpayable.value is Unpayable.PART_VOID
    return wagers.unpayable.cite if part_void else wagers.over[played.bank.method].cite


def _pay(result: Result, played: PlayedRound, rules: BankRules, chips: _Chips) -> None:
    """Winnings come from the float, or from the losing wager area and then the bank's wager."""
    if played.book.side_wagers is not None and result.wager.bet != MAIN:
        _pay_side(result, played, played.book.side_wagers, chips)
        return
    if result.outcome is not Outcome.WIN:
        return
    wager, commission = result.wager, played.book.settlement.commission
    owner, box, tokens = _account(wager.player), _box(result), played.book.wagers.tokens
    chips.move(box, owner, result.in_play - result.collected, "the stake of a won wager", rules.paid)
    if tokens is not None:
        chips.move(box, FLOAT, result.collected, "a promotional token is forfeited", tokens.cite)
    for target, amount, why, cite in (
        (owner, result.paid, f"won on box {wager.box}, less commission", rules.paid),
        (COMMISSION, result.commission, f"commission of {wager.player}", commission.rate.cite),
    ):
        if played.bank.method is Bank.HOUSE:
            chips.move(FLOAT, target, amount, why, cite)
            continue
        shortfall, from_area = rules.shortfall or rules.paid, min(amount, chips.on(LOSING_AREA))
        chips.move(LOSING_AREA, target, from_area, why, cite)
        chips.move(BANK_WAGER, target, amount - from_area, f"{why}; the losing wagers fell short", shortfall)


def _pay_side(result: Result, played: PlayedRound, side: SideWagerRules, chips: _Chips) -> None:
    """The House pays side wagers, regardless of who banks; half of a surrendered one is collected here too."""
    wager, owner, box = result.wager, _account(result.wager.player), _box(result)
    if wager.surrendered:
        chips.move(box, FLOAT, result.collected, "half of a surrendered wager", side.tie.surrender_collected)
        chips.move(box, owner, result.in_play - result.collected, "the other half", side.tie.surrender.cite)
        return
    if result.outcome is not Outcome.WIN:
        return
    by_house = side.paid if played.bank.method is Bank.HOUSE else side.house_pays
    stays, cite = (side.big_small.settled, result.cite) if wager.by_dice else (side.stays, by_house)
    chips.move(box, owner, result.in_play, f"the stake of a won {wager.bet} wager", stays)
    chips.move(FLOAT, owner, result.paid, f"won {wager.bet} wager on box {wager.box}", cite)


def _to_the_bank(
    results: Sequence[Result], played: PlayedRound, rules: BankRules, rate: Fraction, chips: _Chips
) -> BankResult:
    """The rest goes to the banker: the remainder less commission, and the bank's wager less the shortfall.

    Commission is charged on the rest after the players are paid, the House has its half and the wager is returned
    (nz-1998 6.14(a) to 6.14(c); star-2024 14.2.1 and 14.2.2; star-classic 14.2.1 to 14.2.3). A co-bank's remainder is
    halved (nz-1998 11.3(j); star-classic 13.3.9).
    """
    bank = played.bank
    main = [result for result in results if result.wager.bet == MAIN]
    lost = [result for result in main if result.outcome is Outcome.LOSE and not _forfeited_token(result, played)]
    taken = sum(result.collected for result in lost)
    paid = sum(result.winnings for result in main)
    side_taken = sum(result.collected for result in results if result.wager.bet != MAIN)
    side_paid = sum(result.winnings for result in results if result.wager.bet != MAIN)
    if bank.method is Bank.HOUSE:
        return BankResult(taken, paid, net=taken - paid, side_taken=side_taken, side_paid=side_paid)
    halved = bank.method is Bank.CO_BANK
    remainder, left = chips.on(LOSING_AREA), chips.on(BANK_WAGER)
    shortfall = bank.wager * (2 if halved else 1) - left
    share = _half(remainder, played) if halved else remainder
    back = _half(left, played) if halved else left
    commission = played.book.settlement.commission
    collected = commission.on(share, rate, played.terms.chip)
    handed = share - collected
    banker, cite = _account(bank.name), rules.remainder or rules.paid
    chips.move(LOSING_AREA, FLOAT, remainder - share, "the House's half of the losing wagers left", cite)
    # The wager is returned first (nz-1998 6.14(c), 11.3(k); crown-6.1 10.3.3(h); star-2024 14.2.2).
    returned = rules.shortfall or rules.paid if shortfall else cite
    chips.move(BANK_WAGER, FLOAT, left - back, "the House's part of the co-bank's wager", returned)
    chips.move(BANK_WAGER, banker, back, "the banker's wager, less any shortfall", returned)
    why = rules.commission or commission.banker
    chips.move(LOSING_AREA, COMMISSION, collected, f"commission of {bank.name}", why)
    chips.move(LOSING_AREA, banker, handed, "losing wagers left, less commission", cite)
    notes = _unmade(share * rate - collected, (handed, back), played)
    net, halves = handed + back - bank.wager, remainder - share
    return BankResult(
        taken, paid, remainder, shortfall, halves, collected, handed, back, net, side_taken, side_paid, notes
    )


def _half(amount: int, played: PlayedRound) -> int:
    """The player's half; an odd unit is his (at Crown a whole chip, 9.2.3 read under ruling 22)."""
    paid_up = played.book.wagers.unpayable.value is Unpayable.PAID_UP
    return min(amount, up_to(Fraction(amount, 2), played.terms.chip if paid_up else 1))


def _unmade(uncollected: Fraction, handed: tuple[int, ...], played: PlayedRound) -> tuple[str, ...]:
    """Note an amount for the banker that chips cannot make and the book does not round."""
    chip, commission = played.terms.chip, played.book.settlement.commission
    notes = []
    if uncollected and not commission.rounds:
        notes.append(
            f"the banker's commission ends in a part of the smallest unit, which is left to the banker: no rule rounds "
            f"it ({commission.banker}, read under ruling 22)"
        )
    if any(amount % chip for amount in handed):
        notes.append(
            f"chips of {chip} cannot make what the banker is handed, and no rule rounds it ({commission.banker})"
        )
    return tuple(notes)
