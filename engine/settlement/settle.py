"""Settling a round to the cent: outcomes, what is paid, returned and collected, and the postings of every chip.

`settle` takes a described round and gives a `Settlement`, or refuses the round with the rule and does nothing. What
differs between the books is declared in `SettlementRules` (`rules`), `WagerRules` (`wagers`) and
`engine.vocabulary.banking`. The round is checked in `played`; `placing` says how much of each wager is in play,
`outcome` matches the hands, `side_wagers` ends the bets beside the main game, and `payout` moves every chip as balanced
`postings`.

In every book the hands are opened counter-clockwise from the chung; losing wagers are taken as they are opened, and
once all hands lie open the winning ones are paid in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from engine.errors import DiceError
from engine.game.hands import Name
from engine.game.ranking import Outcome, outranks
from engine.game.setting import Deal
from engine.settlement import side_wagers
from engine.settlement.outcome import CALLS, Match, match_hands
from engine.settlement.payout import BankResult, pay_out
from engine.settlement.placing import boxes_of, check_terms, place
from engine.settlement.played import BANK, Laid, PlayedRound, against, bank_notes, check_cover, check_tiles, hands_of
from engine.settlement.postings import Account, Posting, balances
from engine.settlement.wagers import BIG_SMALL, BONUS, HOUSE, MAIN, TIE, Placed, Wager
from engine.vocabulary.dice import ShakeAgain
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from fractions import Fraction

    from engine.books.book import Rulebook
    from engine.game.hands import Hand
    from engine.game.setting import Setting
    from engine.settlement.placing import Against
    from engine.settlement.side_wagers import SideWagerRules
    from engine.vocabulary.dice import Thrown
    from engine.vocabulary.sources import Cite


_ENDS = {Outcome.WIN: "won", Outcome.LOSE: "lost"}


@dataclass(frozen=True, slots=True)
class Result:
    """How one wager ended. Money is in the smallest unit.

    Attributes:
        wager: as it lay.
        outcome: won, lost (also by surrender) or stood off; None if it was void.
        match: the comparison of the hands; None where there was none.
        cite: the rule that decides.
        in_play: how much of the stake could be won or lost.
        winnings: what is won before commission.
        commission: what is collected of it.
        collected: what of the stake is lost.
        returned: what of the stake is the player's again: won, stood off, void, beyond the limits.
        notes: limits, chips, how the hand was laid; each with its rule.
    """

    wager: Wager
    outcome: Outcome | None
    match: Match | None
    cite: Cite
    in_play: int
    winnings: int
    commission: int
    collected: int
    returned: int
    notes: tuple[str, ...]

    @property
    def call(self) -> str:
        """What the dealer calls: Jung, Che or Jowl; of a side wager how it ended; ``void`` where it did not."""
        if self.outcome is None:
            return "void"
        if self.wager.surrendered:
            return "surrendered"
        return CALLS[self.outcome] if self.wager.bet == MAIN else _ENDS[self.outcome]

    @property
    def paid(self) -> int:
        """What the player is handed beside his stake."""
        return self.winnings - self.commission

    @property
    def reasons(self) -> tuple[str, ...]:
        """Hand by hand and rule by rule, for a supervisor."""
        matched = () if self.match is None else (self.match.low.words, self.match.high.words)
        return (*matched, *self.notes)


@dataclass(frozen=True, slots=True)
class Settlement:
    """A round, settled.

    Attributes:
        results: every wager in the order of opening and paying: those that dice decide, then all others
            counter-clockwise from the chung.
        bank: how the bank fared.
        postings: every movement of chips, twice; their sum is zero.
        order: the rule for the order of payment.
        notes: what a supervisor should know about the round.
        literal: the same round by the literal words of the book, where those give a wager another result
            (ruling 15); else None.
    """

    results: tuple[Result, ...]
    bank: BankResult
    postings: tuple[Posting, ...]
    order: Cite
    notes: tuple[str, ...]
    literal: Settlement | None = None

    def __post_init__(self) -> None:
        """Money neither comes from nowhere nor vanishes."""
        residual = sum(posting.amount for posting in self.postings)
        if residual:
            raise AssertionError(f"postings leave {residual}; they must cancel")

    @property
    def literal_reading_differs(self) -> bool:
        """Whether ruling 15 gave a wager another result than the book's literal words."""
        return self.literal is not None

    @property
    def boxes(self) -> tuple[int, ...]:
        """The boxes in the order of opening and paying."""
        by_dice_last = sorted(self.results, key=lambda result: result.wager.by_dice)
        return tuple(dict.fromkeys(result.wager.box for result in by_dice_last))

    @property
    def balances(self) -> dict[Account, int]:
        """What each account received in all; nothing is left on the layout."""
        return balances(self.postings)


def settle(played: PlayedRound) -> Settlement:
    """Settle a round under its rulebook.

    Raises:
        WagerError: the book does not allow the bank, a wager or a limit; the message names the rule.
        DealError: a hand is missing, or the hands hold more of a face than the set has.
        DiceError: a wager lies on the dice, and what they show is missing or none.
        UnknownRulebookError: four tiles are to be set, and neither book nor table names a House Way.
    """
    bank, rate, placed = _placed(played)
    check_tiles(played, bank.box)
    table = _Table(played, bank, rate, hands_of(placed, played, bank.box), placed, _thrown(played, bank))
    ruled = _settled(table, _as_ruled)
    if not any(_is_zero(hand) for hand in _two(table.hands.get(BANK))):
        return ruled  # only zero against zero is read in two ways (ruling 15)
    literal = _settled(table, _literally)
    same = [one.outcome for one in ruled.results] == [one.outcome for one in literal.results]
    return ruled if same else replace(ruled, literal=literal)


def check_wagers(played: PlayedRound) -> None:
    """Refuse a bank or wagers that could not be settled, before any hand is known.

    Raises:
        WagerError: the book does not allow the bank, a wager or a limit; the message names the rule.
    """
    _placed(played)


def settle_dice(played: PlayedRound) -> tuple[Result, ...]:
    """What wagers on Big and Small come to: they are settled before the tiles are dealt.

    Raises:
        WagerError: the book does not allow the bank, a wager or a limit; the message names the rule.
        DiceError: what the dice show is missing or none.
    """
    bank, rate, placed = _placed(played)
    table = _Table(played, bank, rate, {}, placed, _thrown(played, bank))
    return tuple(_result(one, table, _as_ruled) for one in placed if one.wager.by_dice)


def _placed(played: PlayedRound) -> tuple[Against, Fraction, tuple[Placed, ...]]:
    """Who banks, the commission in force, and how much of each wager is in play."""
    book = played.book
    check_terms(played.terms, book)
    bank = against(played)
    rate = book.settlement.commission.rate_at(played.terms.commission)
    wagers = (replace(wager, void=played.void) for wager in played.wagers) if played.void else played.wagers
    placed = place(wagers, bank, played.terms, book, rate)
    check_cover(placed, played)
    return bank, rate, placed


def _two(hands: Setting | None) -> tuple[Hand, ...]:
    return () if hands is None else (hands.low, hands.high)


def _is_zero(hand: Hand) -> bool:
    return hand.name is Name.POINTS and hand.points == 0


@dataclass(frozen=True, slots=True)
class _Table:
    """A round whose bank and wagers have been checked, its hands, set, and what the dice say."""

    played: PlayedRound
    bank: Against
    rate: Fraction
    hands: Mapping[int, Setting]
    placed: tuple[Placed, ...]
    thrown: Thrown | None

    def hand_of(self, wager: Wager) -> Setting:
        """The hands that a wager hangs on; on the banker's box they are the bank's."""
        return self.hands[BANK if wager.box == self.bank.box else wager.box]


def _thrown(played: PlayedRound, bank: Against) -> Thrown | None:
    dice = played.book.dice_of(played.variant)
    if played.dice is None:
        return None
    thrown = dice.read(played.dice, bank.method, bank.box)
    if played.variant is not None:
        played.book.variants[played.variant].check_cup(played.dice, big_small=BIG_SMALL in played.terms.side)
    if isinstance(thrown, ShakeAgain):
        raise DiceError(f"{thrown.words}; give the throw that counted")
    return thrown


def _variant_notes(table: _Table) -> tuple[str, ...]:
    """Which boxes a variant's own dealing gives tiles to first, and which rules hold otherwise."""
    played, thrown = table.played, table.thrown
    if played.variant is None:
        return ()
    variant = played.book.variants[played.variant]
    notes: tuple[str, ...] = (f"{variant.name}: in all else the book's other rules hold ({variant.otherwise})",)
    if thrown is None:
        return notes
    wagered = {one.wager.box for one in table.placed if not one.wager.void}
    dealt = variant.deal(thrown.total, table.bank.box, wagered, boxes_of(played.terms, played.book))
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
        *side_wagers.deciding_notes(placed, side),
        *_bonus_only(placed, side),
        *bank_notes(played, table.hands),
        *bank.notes,
    )
    return Settlement(results, bank, postings, order, notes)


def _bonus_only(placed: Iterable[Placed], side: SideWagerRules | None) -> tuple[str, ...]:
    bets = {one.wager.bet for one in placed if one.in_play and not one.wager.by_dice}
    if side is None or bets != {BONUS}:
        return ()
    dealt = side.bonus.bank_dealt
    return (f"only Bonus wagers: {dealt.value} ({dealt.where})",)


# Wager by wager


def _as_ruled(match: Match) -> Outcome:
    return match.outcome


def _literally(match: Match) -> Outcome:
    return match.literal


def _result(placed: Placed, table: _Table, outcome_of: Callable[[Match], Outcome]) -> Result:
    """How one wager ends, whatever kind of bet it is."""
    wager, book = placed.wager, table.played.book
    void = Result(wager, None, None, book.wagers.returned, placed.in_play, 0, 0, 0, wager.stake, placed.notes)
    if not placed.in_play:
        return void if wager.void else replace(void, cite=book.wagers.unpayable.cite)
    if book.side_wagers is not None and wager.bet != MAIN:
        ended = _side(placed, table, book.side_wagers, outcome_of)
        return replace(
            void,
            outcome=ended.outcome,
            cite=ended.cite,
            winnings=ended.winnings,
            collected=ended.collected,
            returned=wager.stake - ended.collected,
            notes=(*placed.notes, *ended.notes),
        )
    decided = _main(placed, table, outcome_of)
    outcome = decided.outcome
    notes = (*placed.notes, *decided.notes)
    result = replace(void, outcome=outcome, match=decided.match, cite=decided.cite, notes=notes)
    if outcome is Outcome.LOSE:
        return replace(result, collected=placed.in_play, returned=wager.stake - placed.in_play)
    if outcome is Outcome.PUSH:
        return result
    # What the House wins for itself pays it no commission.
    rate = 0 * table.rate if wager.player == HOUSE else table.rate
    commission = book.settlement.commission.on(placed.in_play, rate, table.played.terms.chip)
    return _forfeit_token(replace(result, winnings=placed.winnings, commission=commission), book)


def _forfeit_token(result: Result, book: Rulebook) -> Result:
    tokens = book.wagers.tokens
    if not result.wager.token or tokens is None or not tokens.value:
        return result
    note = f"the promotional token is forfeited also when it wins ({tokens.cite})"
    kept = result.returned - result.in_play
    return replace(result, returned=kept, collected=result.in_play, notes=(*result.notes, note))


@dataclass(frozen=True, slots=True)
class _Decided:
    """What decides a main wager."""

    outcome: Outcome
    match: Match | None
    cite: Cite
    notes: tuple[str, ...]


def _main(placed: Placed, table: _Table, outcome_of: Callable[[Match], Outcome]) -> _Decided:
    """The main game: the player's two hands against the bank's."""
    wager, book = placed.wager, table.played.book
    if wager.forfeited is not None:
        return _Decided(Outcome.LOSE, None, wager.forfeited, (f"forfeited ({wager.forfeited})",))
    if wager.conceded and book.play.concede is not None:
        rule = book.play.concede
        return _Decided(Outcome.LOSE, None, rule, (f"conceded, the tiles not opened ({rule})",))
    match = match_hands(table.hands[wager.box], table.hands[BANK], book.settlement.matching)
    laid = table.played.hands[wager.box]
    turned = isinstance(laid, Laid) and outranks(laid.low, laid.high)
    notes = ("laid the other way round; the higher hand is the high hand (ruling 18)",) if turned else ()
    outcome = outcome_of(match)
    cite = match.cite if outcome is match.outcome else book.settlement.matching.zero.cite
    return _Decided(outcome, match, cite, notes)


def _side(
    placed: Placed, table: _Table, side: SideWagerRules, outcome_of: Callable[[Match], Outcome]
) -> side_wagers.Ended:
    """A side wager; no commission is collected of it: its odds are those of its own rule, not of the main wager's."""
    wager, terms = placed.wager, table.played.terms
    if wager.forfeited is not None:
        return side_wagers.Ended(Outcome.LOSE, wager.forfeited, 0, placed.in_play, (f"forfeited ({wager.forfeited})",))
    concede = table.played.book.play.concede
    if wager.conceded and concede is not None:
        note = f"conceded, the tiles not opened ({concede})"
        return side_wagers.Ended(Outcome.LOSE, concede, 0, placed.in_play, (note,))
    if wager.surrendered:
        return side_wagers.surrendered(placed, terms, side)
    if wager.by_dice:
        return side_wagers.big_small(placed, side_wagers.read_dice(table.thrown, side.big_small), terms, side)
    hands, bank = table.hand_of(wager), table.hands.get(BANK)
    own = wager.box == table.bank.box
    with_main = own or any(_is_main_of(one, wager) for one in table.placed)
    if wager.bet == TIE and bank is not None:
        main = outcome_of(match_hands(hands, bank, table.played.book.settlement.matching))
        asked = isinstance(table.played.hands[wager.box], Deal)
        ended = side_wagers.tie(placed, hands, main, terms, side, house_way=asked)
    else:
        theirs = side_wagers.Whose.HOUSE if table.bank.method is Bank.HOUSE else side_wagers.Whose.ANOTHERS
        whose = side_wagers.Whose.PLAYERS_OWN if own else theirs
        ended = side_wagers.bonus(placed, hands, bank, terms, side, with_main=with_main, bank_is=whose)
    return ended if with_main else replace(ended, notes=(*ended.notes, side_wagers.by_itself(wager, side)))


def _is_main_of(one: Placed, wager: Wager) -> bool:
    same = (one.wager.player, one.wager.box) == (wager.player, wager.box)
    return same and one.wager.bet == MAIN and one.in_play > 0
