"""Checks of wagers: allowed positions, and how much is in play given limits and chips.

The checks are shared by all books, driven by their declarations, and cite the rule.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import WagerError
from engine.game.box_order import BoxOrder
from engine.settlement.money import check_limits, down_to, up_to, whole
from engine.settlement.side_wagers.side_checks import check_bet, check_lying, check_offers
from engine.settlement.wagers import (
    BONUS,
    HOUSE,
    MAIN,
    OFFERS,
    TIE,
    Against,
    Limit,
    TableTerms,
    Unpayable,
    Wager,
    WagerInPlay,
)
from engine.vocabulary.facts import Bank
from engine.vocabulary.names import is_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from engine.books.book import Rulebook
    from engine.vocabulary.banking import Banking
    from engine.vocabulary.facts import Fact

_ON_A_BOX = (BONUS, TIE, MAIN)
"""The order in which wagers of one box are paid (crown-6.1 13.9.1(c))."""


def place(
    wagers: Iterable[Wager], bank: Against, terms: TableTerms, book: Rulebook, rate: Fraction
) -> tuple[WagerInPlay, ...]:
    """Check every wager under a book's rules and compute how much of each is in play.

    Returns:
        First wagers decided by the dice, then all others, counter-clockwise from the chung; on one box in the order of
        payment, players by name.

    Raises:
        WagerError: one of them is not allowed; the message names the rule.
    """
    checked = [_checked(wager, bank, terms, book) for wager in wagers]
    limited = dict(zip(map(_whose, checked), _limits_by_box(checked, bank.method, terms, book), strict=True))
    order = order_of(terms, book)
    ordered = sorted(checked, key=lambda wager: _turn(wager, order.steps(wager.box, bank.box)))
    _check_boxes(ordered, bank, terms, book)
    placed = tuple(_placed(wager, bank.method, limited[_whose(wager)], book, rate) for wager in ordered)
    if bank.method is Bank.PLAYER:
        _check_total(placed, terms, book)
    return placed


def _whose(wager: Wager) -> tuple[int, str, str]:
    return wager.box, wager.player, wager.bet


def _limits_by_box(wagers: Sequence[Wager], method: Bank, terms: TableTerms, book: Rulebook) -> list[TableTerms]:
    """The terms of each wager, in order of placement.

    Where limits hold for a box's wagers together, those placed before leave the rest of its maximum (ruling 40).
    """
    if not terms.limits_per_box:
        return [terms for _ in wagers]
    together: dict[int, int] = defaultdict(int)
    for wager in wagers:
        if _shares_limits(wager):
            together[wager.box] += wager.stake
    limited, used = [], dict[int, int]()
    capped = book.wagers.over[method].value is Limit.TO_THE_MAXIMUM
    for wager in wagers:
        if not _shares_limits(wager):
            limited.append(terms)
            continue
        reached = terms.minimum is None or together[wager.box] >= terms.minimum
        left = None if terms.maximum is None else max(terms.maximum - used.get(wager.box, 0), 0)
        limited.append(replace(terms, minimum=None if reached else terms.minimum, maximum=left))
        in_play = wager.stake if left is None or not capped else min(wager.stake, left)
        used[wager.box] = used.get(wager.box, 0) + in_play
    return limited


def _shares_limits(wager: Wager) -> bool:
    """Whether it counts towards the limits of its box: a main wager of a player without limits of his own."""
    return wager.bet == MAIN and not wager.void and wager.player != HOUSE and wager.minimum is wager.maximum is None


def _turn(wager: Wager, steps: int) -> tuple[bool, int, int, str, str]:
    kind = _ON_A_BOX.index(wager.bet) if wager.bet in _ON_A_BOX else 0
    return not wager.by_dice, steps, kind, wager.player, wager.bet


def check_terms(terms: TableTerms, book: Rulebook) -> None:
    """Reject (`WagerError`) invalid chips, limits and side wagers, or ones that the book does not know."""
    rules, chips = book.wagers, book.play.chips
    whole(terms.chip, "the smallest chip", chips)
    check_limits("the table's", terms.minimum, terms.maximum, chips)
    if terms.box_maximum is not None:
        if rules.box_total is None:
            raise WagerError(
                "this rulebook limits wagers one by one, not all on a box together: leave out the box maximum",
                rules.over[Bank.HOUSE],
            )
        whole(terms.box_maximum, "the box maximum", rules.box_total)
    if terms.limits_per_box and rules.per_box is None:
        raise WagerError("under this rulebook limits hold for each wager, not for a box's together", chips)
    check_offers(terms, book.side_wagers, chips)
    _check_fewer_boxes(terms, book)


def _check_fewer_boxes(terms: TableTerms, book: Rulebook) -> None:
    if terms.boxes is None:
        return
    most, fewer = book.play.boxes, book.play.fewer_boxes
    whole(terms.boxes, "the number of boxes", fewer or most.cite)
    if terms.boxes > most.value:
        raise WagerError(f"the table has {terms.boxes} boxes; no more than {most.value} may be", most)
    if terms.boxes < most.value and fewer is None:
        raise WagerError(f"the table has {terms.boxes} boxes; the book knows tables of {most.value}", most)


def boxes_of(terms: TableTerms, book: Rulebook) -> int:
    return book.play.boxes.value if terms.boxes is None else terms.boxes


def order_of(terms: TableTerms, book: Rulebook) -> BoxOrder:
    return BoxOrder(boxes_of(terms, book), terms.box1_at_dealers_right)


def check_wager(wager: Wager, bank: Against, terms: TableTerms, book: Rulebook, rate: Fraction) -> WagerInPlay:
    """Check one wager on its own, regardless of others on its box; see `place`.

    Raises:
        WagerError: it is not allowed; the message names the rule.
    """
    # Others on its box may still bring it up to the minimum.
    alone = replace(terms, minimum=None) if terms.limits_per_box else terms
    return _placed(_checked(wager, bank, terms, book), bank.method, alone, book, rate)


def _checked(wager: Wager, bank: Against, terms: TableTerms, book: Rulebook) -> Wager:
    if not is_name(wager.player):
        raise WagerError(
            f"a wager on box {wager.box} names no player that can be read; every wager is somebody's",
            book.banking.against,
        )
    play = book.play
    whole(wager.stake, f"the stake of {wager.where}", play.chips)
    if wager.stake < terms.chip:
        raise WagerError(
            f"{wager.where} is {wager.stake}, and the smallest chip {terms.chip}: correct the stake or the chip",
            play.chips,
        )
    check_bet(wager, terms, book.side_wagers, play.chips)
    _check_box(wager, bank, terms, book)
    if wager.token and book.wagers.tokens is None:
        raise WagerError(f"{wager.where} is a promotional token; this rulebook takes chips only", play.chips)
    if wager.conceded and play.concede is None:
        raise WagerError(
            f"{wager.where} is marked conceded; this rulebook knows no conceding, every hand is compared",
            play.matched[bank.method],
        )
    if wager.minimum is not None or wager.maximum is not None:
        _check_personal(wager, book)
    return wager


def _check_box(wager: Wager, bank: Against, terms: TableTerms, book: Rulebook) -> None:
    box, most, banking, side = wager.box, boxes_of(terms, book), book.banking, book.side_wagers
    if wager.player == HOUSE:
        _check_dealer_bet(wager, bank, banking)
    elif isinstance(box, bool) or not isinstance(box, int) or not 1 <= box <= most:
        wager.refuse(f"there is no such box; players' boxes are 1 to {most}", book.play.boxes)
    banks = wager.player in bank.players
    if banks and side is not None and wager.bet in side.banker:
        may = side.banker[wager.bet]
        if not may.value and not wager.void:
            wager.refuse(f"{wager.player} holds the bank, and places none; return it (mark it void)", may)
    elif banks:
        wager.refuse(f"{wager.player} holds the bank, and only the other players wager against it", banking.against)
    if box == bank.box and not (banks and wager.bet == BONUS):
        if bank.method is Bank.HOUSE:
            wager.refuse(
                f"the House banks and its tiles go to box {box}; no wager is accepted there", banking.house_box
            )
        wager.refuse(
            f"box {box} is the banker's, and the banker's wager is the only one allowed there", banking.banker_box
        )


def _check_dealer_bet(wager: Wager, bank: Against, banking: Banking) -> None:
    bet, place = banking.dealer_bet, banking.house_box.value
    if bet is None:
        raise WagerError(
            f"a wager of the House on box {wager.box}: under this rulebook only players wager against the bank",
            banking.against,
        )
    if bank.method is not Bank.PLAYER or wager.box != place:
        raise WagerError(
            f"a wager of the House on box {wager.box}: the dealer wagers only against a player-banker, and from the "
            f"dealer's place, box {place} here",
            bet,
        )


def _check_personal(wager: Wager, book: Rulebook) -> None:
    personal = book.wagers.personal
    if personal is None:
        raise WagerError(f"{wager.where} has limits of its own; this rulebook knows none", book.banking.against)
    if wager.minimum is not None and not personal.value.minimum_too:
        raise WagerError(f"{wager.where} has a minimum of its own; only a maximum may be set for one player", personal)
    check_limits(f"{wager.player}'s own", wager.minimum, wager.maximum, personal.cite)


def _check_boxes(wagers: Sequence[Wager], bank: Against, terms: TableTerms, book: Rulebook) -> None:
    on_box: dict[int, list[Wager]] = defaultdict(list)
    for wager in wagers:
        if any((wager.player, wager.bet) == (other.player, other.bet) for other in on_box[wager.box]):
            raise WagerError(
                f"{wager.where} is there twice: write what a player has on one box as one {wager.bet} wager",
                book.play.chips,
            )
        on_box[wager.box].append(wager)
    for box, lying in on_box.items():
        _check_players(box, lying, book)
        if book.side_wagers is not None:
            check_lying(lying, bank, terms, book.side_wagers)
        total = sum(wager.stake for wager in lying if not wager.void)
        # If no maximum applies a box has none either (nz-1998 6.8).
        capped = book.wagers.over[bank.method].value is not Limit.NONE
        if capped and terms.box_maximum is not None and total > terms.box_maximum:
            raise WagerError(
                f"box {box} holds {total}, more than the box maximum {terms.box_maximum}: return what is too much",
                book.wagers.box_total,
            )


def _check_players(box: int, lying: Sequence[Wager], book: Rulebook) -> None:
    players = {wager.player for wager in lying if not wager.void}
    most, personal = book.play.players_a_box, book.wagers.personal
    if len(players) > most.value:
        raise WagerError(f"{len(players)} players wager on box {box}; no more than {most.value} may", most)
    if len(players) <= 1:
        return
    for wager in lying:
        if wager.conceded:
            raise WagerError(
                f"{wager.where} is marked conceded, but others wager on that box: only a player alone on a box may "
                f"concede",
                book.play.concede,
            )
        if wager.maximum is not None and personal is not None and personal.value.alone:
            raise WagerError(
                f"{wager.where} has a maximum of its own, so nobody else may wager on that box", personal.value.alone
            )


def _placed(wager: Wager, method: Bank, terms: TableTerms, book: Rulebook, rate: Fraction) -> WagerInPlay:
    rules = book.wagers
    if wager.void:
        return WagerInPlay(wager, 0, 0, (f"void: {wager.void} ({wager.voided_by or rules.returned})",))
    if wager.bet in OFFERS:
        offered = terms.side[OFFERS[wager.bet]]
        terms = replace(terms, minimum=offered.minimum, maximum=offered.maximum)
        in_play, notes = _within_limits(wager, method, terms, book)
        return WagerInPlay(wager, in_play, 0, notes)
    in_play, notes = _within_limits(wager, method, terms, book)
    if not in_play:
        return WagerInPlay(wager, 0, 0, notes, rules.over[method].cite)
    unpayable = rules.unpayable
    if unpayable.value is Unpayable.PART_VOID:
        step = terms.chip * (1 - rate).denominator
        payable = down_to(in_play, step)
        if payable < in_play:
            part, chips = in_play - payable, f"chips of {terms.chip}"
            notes += (f"{part} is void: should it win, it could not be paid exactly in {chips} ({unpayable.where})",)
        return WagerInPlay(wager, payable, payable, notes)
    winnings = up_to(in_play, terms.chip)
    if winnings == in_play:
        return WagerInPlay(wager, in_play, winnings, notes)
    if unpayable.value is Unpayable.REFUSED:
        raise WagerError(
            f"{wager.where} is {in_play}, which chips of {terms.chip} cannot make: correct the stake or the smallest "
            f"chip",
            unpayable,
        )
    note = (
        f"should it win, it is paid as {winnings}, the next highest amount in chips of {terms.chip} ({unpayable.where})"
    )
    return WagerInPlay(wager, in_play, winnings, (*notes, note))


def _within_limits(wager: Wager, method: Bank, terms: TableTerms, book: Rulebook) -> tuple[int, tuple[str, ...]]:
    stake, rules, bet = wager.stake, book.wagers, book.banking.dealer_bet
    minimum = terms.minimum if wager.minimum is None else wager.minimum
    maximum = terms.maximum if wager.maximum is None else wager.maximum
    beyond: list[tuple[str, int, Fact[Limit]]] = []
    # The dealer's own wager never exceeds the house maximum; only players are exempt (UK poster).
    if maximum is not None and stake > maximum:
        beyond.append(("over the maximum", maximum, rules.over[method]))
        if wager.player == HOUSE and bet is not None:
            raise WagerError(f"{wager.where} is {stake}, over the house maximum {maximum}", bet)
    if minimum is not None and stake < minimum:
        beyond.append(("under the minimum", minimum, rules.under[method]))
    for what, limit, handled in beyond:
        if handled.value is Limit.REFUSED:
            raise WagerError(
                f"{wager.where} is {stake}, {what} {limit}: it is not accepted; return it (mark it void)", handled
            )
        if handled.value is Limit.TO_THE_MAXIMUM:
            shared = " left by the other wagers on the box" if terms.limits_per_box and wager.maximum is None else ""
            return limit, (f"{what} {limit}{shared}: {stake - limit} is not in play ({handled.where})",)
        if handled.value is Limit.STANDS:
            return stake, (f"{what} {limit}, and stands ({handled.where})",)
    return stake, ()


def _check_total(placed: Iterable[WagerInPlay], terms: TableTerms, book: Rulebook) -> None:
    """If the dealer may wager against a player-banker, the total of all wagers is limited too (UK poster)."""
    bet = book.banking.dealer_bet
    if bet is None or terms.maximum is None or terms.total_authorised:
        return
    total, most = sum(each.in_play for each in placed), bet.value * terms.maximum
    if total > most:
        raise WagerError(
            f"the wagers come to {total}, more than {bet.value} times the house maximum {terms.maximum}; "
            f"management must authorise that",
            bet,
        )
