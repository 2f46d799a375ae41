"""A played round to be settled: who banked, the hands, the wagers; checked before settlement.

Checks that the bank is allowed, that the hands come from one set, and that the banker covers the wagers; each cites its
rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import DealError, WagerError
from engine.game.box_order import BOXES
from engine.game.hands import Hand
from engine.game.ranking import outranks
from engine.game.setting import Deal, Setting
from engine.game.tiles import FULL_SET
from engine.settlement.money import whole
from engine.settlement.side_wagers.side_results import needs_bank
from engine.settlement.wager_checks import boxes_of, order_of
from engine.settlement.wagers import BONUS, HOUSE, MAIN, Against, TableTerms, Wager, WagerInPlay
from engine.vocabulary.facts import Bank

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from engine.books.book import Rulebook
    from engine.house_way import HouseWay
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.dice import Cup

BANK = 0
"""Key of the bank's hand among hands by box."""


@dataclass(frozen=True, slots=True)
class Laid:
    """Two hands as laid; the low one may outrank the high one."""

    low: Hand
    high: Hand

    @classmethod
    def parse(cls, text: str) -> Laid:
        """Read ``6-3 5-4 / 6-6 6-6``: low hand, slash, high hand.

        Raises:
            DealError: not two hands of two tiles, or more tiles of a face than a set holds.
        """
        parts = text.split("/")
        if len(parts) != 2:
            raise DealError(f"{text!r} is not a lay: write low / high, for example 6-3 5-4 / 6-6 6-6")
        return cls(Hand.parse(parts[0]), Hand.parse(parts[1]))

    @property
    def deal(self) -> Deal:
        return Deal.of((*self.low.tiles, *self.high.tiles))

    @property
    def setting(self) -> Setting:
        """The hands by rank: the higher one *is* the high hand (ruling 18)."""
        return Setting.of(self.low, self.high)


@dataclass(frozen=True, slots=True)
class BankHolder:
    """The holder of the bank, with hand and wager.

    Attributes:
        hand: the bank's tiles: four to be set the House Way, or as laid; None if no wager needs them.
        players: the player-banker or co-banker; several if the book lets them share one bank.
        box: where the chung lies; None for the House's own box.
        wager: the player-banker's own wager, in the smallest unit; in a co-bank his half.
    """

    method: Bank
    hand: Deal | Laid | None = None
    players: tuple[str, ...] = ()
    box: int | None = None
    wager: int = 0

    @property
    def name(self) -> str:
        """The banker's name; for a shared bank all names joined."""
        return " and ".join(self.players) or HOUSE


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round to be settled.

    Attributes:
        hands: by box, four tiles to be set the House Way, or two hands as laid.
        house_way: the table's House Way, used to set four tiles; None for the book's own.
        void: why the round is void; empty if it is not.
        voided_by: the rule under which it is void, if known.
        dice: values shown; required if there is a wager on Big or Small.
        variant: the variant played, if it has rules of its own, such as ``crown-pai-gow``.
    """

    book: Rulebook
    bank: BankHolder
    hands: Mapping[int, Deal | Laid]
    wagers: tuple[Wager, ...]
    terms: TableTerms
    house_way: HouseWay | None = None
    void: str = ""
    voided_by: Cite | None = None
    dice: Cup | None = None
    variant: str | None = None

    @property
    def way(self) -> HouseWay:
        """The House Way used to set four tiles."""
        return self.book.house_way() if self.house_way is None else self.house_way


def against(played: PlayedRound) -> Against:
    """Who banks and where, if the book allows it."""
    bank, book = played.bank, played.book
    rules, banking, chips = book.settlement, book.banking, book.play.chips
    if bank.method not in rules.banks:
        known = ", ".join(method.value for method in rules.banks)
        raise WagerError(f"{book.id} knows no {bank.method.value} as bank; name one it knows: {known}", banking.methods)
    method = rules.banks[bank.method].method
    house_box = banking.at(order_of(played.terms, book)).house_box
    if bank.method is Bank.HOUSE:
        if bank.players or bank.wager:
            raise WagerError(
                "the House banks alone, so no player banks beside it: leave out the banker's name and wager", method
            )
        if bank.box not in (None, house_box.value):
            raise WagerError(f"when the House banks the chung lies on box {house_box.value}", house_box)
        return Against(bank.method, house_box.value, ())
    _check_bankers(played)
    whole(bank.wager, "the banker's wager", chips)
    if bank.wager % played.terms.chip:
        raise WagerError(f"the banker's wager {bank.wager} cannot be made of chips of {played.terms.chip}", chips)
    box, most = bank.box, boxes_of(played.terms, book)
    if isinstance(box, bool) or not isinstance(box, int) or not 1 <= box <= most:
        raise WagerError(
            f"the banker's box is {box!r}; it is one of 1 to {most}, where the chung lies", book.play.boxes
        )
    return Against(bank.method, box, bank.players)


def _check_bankers(played: PlayedRound) -> None:
    players, book = played.bank.players, played.book
    method = book.settlement.banks[played.bank.method].method
    if not players or not all(isinstance(player, str) and player.strip() for player in players):
        raise WagerError("a player holds the bank, but no player is named", method)
    if len(players) > 1 and book.banking.shared is None:
        raise WagerError(f"{' and '.join(players)} cannot both bank: one player banks a round", method)
    if HOUSE in players or len(set(players)) < len(players):
        raise WagerError(
            f"the bankers are {', '.join(players)}: name each player once, and the House by the method", method
        )


def check_tiles(played: PlayedRound, chung: int) -> None:
    """All hands together come from one set of 32 tiles."""
    boxes, most = played.hands.keys(), played.book.play.boxes
    if strange := [box for box in boxes if isinstance(box, bool) or not isinstance(box, int) or not 1 <= box <= BOXES]:
        raise DealError(f"there is no box {strange[0]!r} to deal to; the boxes are 1 to {BOXES}", most)
    if chung in boxes:
        raise DealError(
            f"box {chung} holds the chung, so its tiles are the bank's: give them as the bank's hand",
            played.book.banking.house_box,
        )
    left = list(FULL_SET)
    hands: list[tuple[str, Deal | Laid | None]] = [("the bank", played.bank.hand)]
    hands += [(f"box {box}", played.hands[box]) for box in sorted(boxes)]
    for whose, hand in hands:
        deal = hand.deal if isinstance(hand, Laid) else hand
        for tile in () if deal is None else deal.tiles:
            if tile not in left:
                raise DealError(
                    f"{whose} holds one {tile} more than the set of {len(FULL_SET)} tiles has; check the hands",
                    played.book.play.tile_set,
                )
            left.remove(tile)


def check_cover(placed: Iterable[WagerInPlay], played: PlayedRound) -> None:
    """A player-banker covers all wagers, a co-banker half of them; so no winner can go unpaid."""
    bank, banking = played.bank, played.book.banking
    if bank.method not in banking.cover:
        return
    cover = banking.cover[bank.method]
    total = sum(one.winnings for one in placed)  # main wagers only; the House pays the others
    if bank.wager < total * cover.value:
        part = "" if cover.value == 1 else "half of "
        ways = " or ".join(each.value for each in Bank if each in banking.instead_of(bank.method))
        raise WagerError(
            f"{bank.name} put up {bank.wager}, which does not cover {part}the wagers of {total}: have the difference "
            f"made up, or the round banked another way: {ways}",
            cover,
        )


def hands_of(placed: Iterable[WagerInPlay], played: PlayedRound, chung: int) -> dict[int, Setting]:
    """All hands that wagers depend on, set; including the bank's."""
    waiting = [one for one in placed if one.in_play and one.wager.on_tiles]
    boxes = {one.wager.box for one in waiting} - {chung}
    cite = played.book.settlement.banks[played.bank.method].opened
    side = played.book.side_wagers
    for one in placed:
        if side is not None and one.wager.bet == BONUS and one.wager.on_tiles and one.in_play:
            conceded = any(each.wager.conceded and each.wager.box == one.wager.box for each in placed)
            if conceded and one.wager.box not in played.hands:
                raise DealError(
                    f"box {one.wager.box} is conceded, and the tiles dealt decide {one.wager.where}: give them, or "
                    "what a person decided if nobody saw them (void, or conceded too)",
                    side.bonus.when_conceded,
                )
    if missing := sorted(boxes - played.hands.keys()):
        raise DealError(f"box {missing[0]} has a wager but no hand; give its four tiles", cite)
    if played.bank.hand is None and any(_needs_bank(one, played, chung) for one in waiting):
        raise DealError("the bank has no hand; give its four tiles", cite)
    hands = {box: _set(played.hands[box], played) for box in sorted(boxes)}
    if played.bank.hand is not None:
        hands[BANK] = _set(played.bank.hand, played)
    return hands


def _needs_bank(one: WagerInPlay, played: PlayedRound, chung: int) -> bool:
    side = played.book.side_wagers
    if side is None or one.wager.bet == MAIN or one.wager.box == chung:
        return True
    hand = played.hands[one.wager.box]
    return needs_bank(one, hand if isinstance(hand, Deal) else hand.deal, played.terms, side)


def _set(hand: Deal | Laid, played: PlayedRound) -> Setting:
    """The hand as laid, or set the House Way.

    Raises:
        DealError: the House Way leaves it to the dealer, so the actual setting is unknown.
    """
    if not isinstance(hand, Deal):
        return hand.setting
    decision = played.way.decide(hand)
    if decision.choices:
        raise DealError(
            f"the dealer may set {hand} as {decision.words}; write how it lay, low / high", decision.rule.cite
        )
    return decision.setting


def bank_notes(played: PlayedRound, hands: Mapping[int, Setting]) -> tuple[str, ...]:
    """Notes for a supervisor about the bank's hand."""
    notes = []
    laid, rules = played.bank.hand, played.book.settlement.banks[played.bank.method]
    if isinstance(laid, Laid) and outranks(laid.low, laid.high):
        notes.append("the bank's hands lay the other way round; the higher one is the high hand (ruling 18)")
    knows_a_way = played.house_way is not None or played.book.prints_house_way
    if isinstance(laid, Laid) and rules.house_way is not None and knows_a_way:
        verdict = played.way.judge(laid.deal, hands[BANK])
        if not verdict.correct:
            notes.append(
                f"the bank's hand is settled as it lay, {hands[BANK]}, which is not the House Way: "
                f"{verdict.decision.words} ({rules.house_way}, {verdict.decision.rule.cite})"
            )
    if len(played.bank.players) > 1:
        notes.append(f"the bank is shared and settled as one; no rule divides it ({played.book.banking.shared})")
    return tuple(notes)
