"""Side wagers: what a table may offer, who may place what where, who decides about the tiles, and how each one ends.

Bonus and Tie hang on the tiles, Big and Small on the dice. The House pays and takes them whoever banks: they are no
part of what a bank covers, and no commission is collected of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING

from engine.errors import DiceError, WagerError
from engine.game.hands import Name
from engine.game.ranking import Outcome
from engine.game.tiles import Kind
from engine.house_way.terms import two_pairs
from engine.settlement.money import check_limits, up_to
from engine.settlement.paytables import Made, dealt_lines, lower_lines, lucky_duck, tie_lines, top_lines
from engine.settlement.wagers import BONUS, MAIN, OFFERS, TIE
from engine.vocabulary.dice import BigSmall
from engine.vocabulary.facts import Milestone

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from engine.game.setting import Deal, Setting
    from engine.settlement.paytables import Paytable
    from engine.settlement.placing import Against
    from engine.settlement.wagers import Placed, TableTerms, Wager
    from engine.vocabulary.dice import Thrown
    from engine.vocabulary.facts import Bank, Fact
    from engine.vocabulary.sources import Cite


class Whose(Enum):
    """Whose the bank's hand is, as a Bonus wager meets it."""

    HOUSE = "the House's"
    ANOTHERS = "another player's"
    PLAYERS_OWN = "the player's own"


@dataclass(frozen=True)
class BonusRules:
    """The wager on the player's four tiles.

    Attributes:
        options: its paytables; a table offers one of them.
        with_main: the casino may ask for a main wager beside it.
        any_bank_hand: it is paid whatever the bank holds.
        any_two_tiles: for the lines below the top ones any two of the tiles are enough.
        any_setting: beside a main wager the setting does not matter.
        two_pairs_set: how two pairs are set without a main wager.
        lucky_duck_set: how a Lucky Duck is.
        bank_dealt: what the dealer does where nothing but Bonus wagers is placed.
    """

    options: tuple[Paytable, ...]
    with_main: Cite
    any_bank_hand: Cite
    any_two_tiles: Cite
    any_setting: Cite
    two_pairs_set: Cite
    lucky_duck_set: Cite
    bank_dealt: Fact[str]


@dataclass(frozen=True)
class TieRules:
    """The wager on a stand-off.

    Attributes:
        options: its paytables; a table offers one of them.
        one_setting: the one setting of the tiles decides main wager and Tie.
        own_setting: players set their tiles themselves.
        asked_setting: or ask for the House Way.
        surrender: half of it may be forfeited where that is offered, until this.
        surrender_from: from when on.
        surrendered_by: each player on a box chooses for himself.
        surrender_collected: when the half is collected.
        players: by who banks, whether players may place it.
    """

    options: tuple[Paytable, ...]
    one_setting: Cite
    own_setting: Cite
    asked_setting: Cite
    surrender: Fact[Milestone]
    surrender_from: Fact[Milestone]
    surrendered_by: Cite
    surrender_collected: Cite
    players: Mapping[Bank, Fact[bool]]


@dataclass(frozen=True)
class BigSmallRules:
    """The wager on the total of three dice.

    Attributes:
        meaning: which totals win; a triple makes both sides lose.
        settled: when it is settled.
        pays: its odds to one.
        beside: it lies only where there is another wager.
        first: who may place it first.
        afterwards: who may place it then.
    """

    meaning: Cite
    settled: Cite
    pays: Fact[int]
    beside: Cite
    first: Cite
    afterwards: Cite


@dataclass(frozen=True)
class SideWagerRules:
    """What a book lays down about side wagers.

    Attributes:
        placed: until when Bonus and Tie may be placed.
        no_change: nor is any wager once betting has closed.
        bets: main wager, Bonus and Tie may each be placed without the others.
        combined: and in any combination.
        bonus: the Bonus wager.
        tie: the Tie wager.
        big_small: the wagers on Big and on Small.
        banker: whether a player who holds the bank may place it.
        house_pays: the House pays them, not a player who banks.
        removed: lost ones are removed as the hand is opened.
        stays: won and surrendered ones stay until all hands are open.
        paid: the order on each box: Bonus, Tie or surrender, main wager.
        in_chips: what becomes of a payment that chips cannot make.
        decides: by kind of bet, in this order, whose wager decides about the tiles.
        highest_decides: among wagers of one kind the highest does.
    """

    placed: Fact[Milestone]
    no_change: Cite
    bets: Mapping[str, Cite]
    combined: Cite
    bonus: BonusRules
    tie: TieRules
    big_small: BigSmallRules
    banker: Mapping[str, Fact[bool]]
    house_pays: Cite
    removed: Cite
    stays: Cite
    paid: Cite
    in_chips: Fact[str]
    decides: Mapping[str, Cite]
    highest_decides: Cite

    def options(self, offer: str) -> tuple[Paytable, ...]:
        """The paytables a table may choose from; none for Big/Small."""
        return {BONUS: self.bonus.options, TIE: self.tie.options}.get(offer, ())


# What a table offers


def check_offers(terms: TableTerms, rules: SideWagerRules | None, main: Cite) -> None:
    """Refuse offers that the book does not know.

    Args:
        terms: the table's.
        rules: the book's; None where it has no side wagers.
        main: where the book says what may be wagered on.

    Raises:
        WagerError: no such side wager or paytable, or a limit or surrender it cannot have.
    """
    if rules is None:
        if terms.side:
            raise WagerError(f"the table offers {', '.join(terms.side)}; this rulebook has no side wagers ({main})")
        return
    for name, offered in terms.side.items():
        if name not in OFFERS.values():
            known = ", ".join(dict.fromkeys(OFFERS.values()))
            raise WagerError(f"the table offers {name!r}; side wagers are {known} ({rules.combined})")
        known = ", ".join(option.name for option in rules.options(name)) or "none"
        if offered.option not in ([option.name for option in rules.options(name)] or [""]):
            raise WagerError(f"the table's {name} has option {offered.option!r}; name one of {known} ({rules.paid})")
        if offered.with_main and name != BONUS:
            raise WagerError(
                f"only beside a Bonus may a main wager be asked for, not beside {name} ({rules.bonus.with_main})"
            )
        if offered.surrender and not (name == TIE and _option(name, terms, rules).surrender):
            may = ", ".join(option.name for option in rules.tie.options if option.surrender)
            raise WagerError(
                f"the table's {name} {offered.option} has no surrender; {may} prints it ({rules.tie.surrender.cite})"
            )
        check_limits(f"the {name}", offered.minimum, offered.maximum, main)


def _option(offer: str, terms: TableTerms, rules: SideWagerRules) -> Paytable:
    return next(option for option in rules.options(offer) if option.name == terms.side[offer].option)


# Who may place what where


def check_bet(wager: Wager, terms: TableTerms, rules: SideWagerRules | None, main: Cite) -> None:
    """Refuse a kind of bet that this table does not take, and a surrender of what cannot be surrendered.

    Raises:
        WagerError: the bet is not offered, or not to be surrendered.
    """
    taken = [MAIN, *(bet for bet, offer in OFFERS.items() if offer in terms.side)]
    if wager.bet not in taken:
        raise WagerError(f"{wager.where} is a bet {wager.bet!r}; settled here: {', '.join(taken)} ({main})")
    if wager.surrendered and (rules is None or wager.bet != TIE or not terms.side[TIE].surrender):
        cite = main if rules is None else rules.tie.surrender.cite
        raise WagerError(f"{wager.where} is surrendered, but this table offers that for no such wager ({cite})")
    if wager.surrendered and wager.conceded:
        raise WagerError(f"{wager.where} is both surrendered and conceded; it can be one of them ({main})")
    if wager.conceded and wager.by_dice:
        raise WagerError(f"{wager.where} is conceded; the dice decide it, not the tiles ({main})")


def check_lying(lying: Sequence[Wager], bank: Against, terms: TableTerms, rules: SideWagerRules) -> None:
    """Check the wagers that lie on one box for who may place what.

    Void wagers are returned, so nobody need be allowed to have them.

    Raises:
        WagerError: a side wager may not lie here, or one that it needs beside it does not.
    """
    valid = [wager for wager in lying if not wager.void]
    for wager in valid:
        if wager.bet == TIE and not rules.tie.players[bank.method].value:
            cite = rules.tie.players[bank.method].where
            raise WagerError(
                f"{wager.where}: while a player banks nobody places a Tie; return it (mark it void) ({cite})"
            )
        if wager.bet == BONUS and terms.side[BONUS].with_main and not _has_main(wager, valid, bank):
            raise WagerError(
                f"{wager.where}: this table asks for a Pai Gow wager of {wager.player} beside it; return it (mark it "
                f"void) ({rules.bonus.with_main})"
            )
        if wager.by_dice and all(other.by_dice or (other.void and not other.dealt) for other in lying):
            raise WagerError(
                f"{wager.where}: it may lie only where there is a valid Pai Gow, Bonus or Tie wager; return it (mark "
                f"it void) ({rules.big_small.beside})"
            )
        given_up = [other for other in valid if other.player == wager.player and other.conceded]
        if given_up and not (wager.conceded or wager.by_dice or wager.surrendered):
            raise WagerError(
                f"{wager.where} stays in play, but {wager.player} conceded the hand, whose tiles are then not opened: "
                f"mark it conceded too ({rules.tie.one_setting})"
            )


def _has_main(bonus: Wager, lying: Sequence[Wager], bank: Against) -> bool:
    """The banker's own wager is his main wager."""
    own = any(other.player == bonus.player and other.bet == MAIN for other in lying)
    return own or (bonus.player in bank.players and bonus.box == bank.box)


def check_placing(so_far: Collection[Milestone], rules: SideWagerRules) -> None:
    """Refuse a Bonus or Tie that comes too late.

    Raises:
        WagerError: betting has closed, or the tiles have been delivered.
    """
    if Milestone.BETS_CLOSED in so_far and rules.placed.value not in so_far:
        raise WagerError(f"no Bonus or Tie may be placed any more: {Milestone.BETS_CLOSED.value} ({rules.no_change})")
    if rules.placed.value in so_far:
        raise WagerError(f"no Bonus or Tie may be placed any more: {rules.placed.value.value} ({rules.placed.where})")


def check_surrender(so_far: Collection[Milestone], rules: TieRules) -> None:
    """Refuse to surrender a Tie before there are tiles to judge by, or once the bank shows its own.

    Raises:
        WagerError: it is too early or too late.
    """
    if rules.surrender_from.value not in so_far:
        cite = rules.surrender_from.where
        raise WagerError(f"a Tie may be surrendered only once {rules.surrender_from.value.value} ({cite})")
    if rules.surrender.value in so_far:
        raise WagerError(f"no Tie may be surrendered any more: {rules.surrender.value.value} ({rules.surrender.where})")


def entitled(lying: Iterable[Wager], players: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who may place a wager on Big or Small on a box first, and who once they have chosen.

    crown-6.1 8.16.1 to 8.16.3.

    Args:
        lying: the wagers on that box.
        players: everybody at the table.

    Returns:
        Players with a valid Pai Gow, Bonus or Tie wager there; then the others, none where the first are none.
    """
    first = tuple(dict.fromkeys(one.player for one in lying if not one.void and not one.by_dice))
    return first, tuple(dict.fromkeys(one for one in players if first and one not in first))


def who_decides(lying: Iterable[Wager], rules: SideWagerRules) -> tuple[tuple[str, ...], tuple[Cite, ...]]:
    """Who decides about the tiles of a box.

    Returns:
        The player; several where their wagers are of one kind and equal, so that their places on the box decide. And
        the rules.
    """
    valid = [one for one in lying if not one.void]
    kind = next((bet for bet in rules.decides if any(one.bet == bet for one in valid)), None)
    if kind is None:
        return (), ()
    of_kind = [one for one in valid if one.bet == kind]
    highest = max(one.stake for one in of_kind)
    players = tuple(one.player for one in of_kind if one.stake == highest)
    return players, (rules.decides[kind], *((rules.highest_decides,) if len(of_kind) > 1 else ()))


def deciding_notes(placed: Sequence[Placed], rules: SideWagerRules | None) -> tuple[str, ...]:
    """Where several players with wagers of several kinds share a box, whose word about the tiles counts."""
    if rules is None:
        return ()
    notes = []
    for box in dict.fromkeys(one.wager.box for one in placed):
        lying = [one.wager for one in placed if one.wager.box == box and one.in_play and not one.wager.by_dice]
        if len({one.player for one in lying}) > 1 and len({one.bet for one in lying}) > 1:
            players, cites = who_decides(lying, rules)
            equal = " (equal wagers: their places decide)" if len(players) > 1 else ""
            notes.append(f"box {box}: {' or '.join(players)} decides about the tiles{equal} ({', '.join(cites)})")
    return tuple(notes)


# How each one ends


@dataclass(frozen=True, slots=True)
class Ended:
    """How a side wager ended. Money is in the smallest unit.

    Attributes:
        outcome: won or lost; a surrendered one is lost.
        cite: the rule.
        winnings: what it is paid.
        collected: what of it is lost.
        notes: why, each with its rule.
    """

    outcome: Outcome
    cite: Cite
    winnings: int
    collected: int
    notes: tuple[str, ...]


def surrendered(placed: Placed, terms: TableTerms, rules: SideWagerRules) -> Ended:
    """Half of a Tie wager is forfeited, the other half is its player's again (ruling 19)."""
    half = Fraction(placed.in_play, 2)
    back = min(placed.in_play, up_to(half, terms.chip))
    lost = placed.in_play - back
    notes: tuple[str, ...] = (
        f"surrendered: half of it is forfeited ({rules.tie.surrender.cite}, read under ruling 19)",
    )
    if back != half:
        notes += (f"half of {placed.in_play} is returned as {back}: {rules.in_chips.value} ({rules.in_chips.where})",)
    return Ended(Outcome.LOSE, rules.tie.surrender.cite, 0, lost, notes)


def big_small(placed: Placed, thrown: BigSmall, terms: TableTerms, rules: SideWagerRules) -> Ended:
    """Big and Small as the dice say; a triple makes both lose (ruling 21)."""
    known = rules.big_small
    if thrown.value == placed.wager.bet:
        return _won(
            placed, known.pays.value, f"the dice say {thrown.value} ({known.meaning})", known.pays.cite, terms, rules
        )
    said = f"the dice are a {thrown.value}" if thrown is BigSmall.TRIPLE else f"the dice say {thrown.value}"
    return _lost(placed, known.meaning, f"{said} ({known.meaning}, read under ruling 21)")


def read_dice(thrown: Thrown | None, rules: BigSmallRules) -> BigSmall:
    """What the dice say about Big and Small.

    Raises:
        DiceError: no dice are given, or the one for Big/Small is missing.
    """
    if thrown is None:
        raise DiceError(f"a wager lies on Big or Small, but no dice are given; give what they show ({rules.settled})")
    if thrown.big_small is None:
        raise DiceError(f"a wager lies on Big or Small, but its die is not given ({rules.meaning})")
    return thrown.big_small


def bonus(
    placed: Placed,
    hands: Setting,
    bank: Setting | None,
    terms: TableTerms,
    rules: SideWagerRules,
    *,
    with_main: bool,
    bank_is: Whose,
) -> Ended:
    """The Bonus: the best line that the tiles make (ruling 20).

    Args:
        placed: the wager.
        hands: the player's, as they are set.
        bank: the bank's, where a line asks for it.
        terms: the table's.
        rules: the book's.
        with_main: whether the player has a main wager on these tiles, so that their setting does not matter.
        bank_is: whose the bank's hand is.
    """
    table, deal = _option(BONUS, terms, rules), hands.deal
    set_wrong, setting_notes = (False, ()) if with_main else _unaccompanied(hands, rules.bonus)
    made = lower_lines(deal) if set_wrong else dealt_lines(deal)
    bank_notes: tuple[str, ...] = ()
    if table.asks_bank and Made.TWO_PAIR in made:
        if bank is not None and bank_is is not Whose.PLAYERS_OWN and two_pairs(bank.deal):
            made |= {Made.BOTH_TWO_PAIR}
        if bank_is is not Whose.HOUSE:
            bank_notes = (f"{_DEALERS_HAND[bank_is]} ({table.cite}, ruling 20)",)
    best = table.best(made)
    if best is None:
        return _lost(placed, table.wins, *setting_notes, f"no line of {table.name} ({table.wins})")
    line, odds = best
    ended = _won(placed, odds, f"{line.value} pays {odds} to 1", table.cite, terms, rules)
    why = _why_paid(line, rules.bonus, top=line not in lower_lines(deal), with_main=with_main)
    return replace(ended, notes=(*ended.notes, *setting_notes, *bank_notes, *why))


_DEALERS_HAND = {
    Whose.ANOTHERS: 'the top line reads "the Dealer" as the bank, which a player holds',
    Whose.PLAYERS_OWN: "these tiles are the bank's own, so no other hand stands for the Dealer's in the top line",
}


def _unaccompanied(hands: Setting, rules: BonusRules) -> tuple[bool, tuple[str, ...]]:
    """Whether a player without a main wager set one of the top hands so that it does not count, and what to say."""
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


def needs_bank(placed: Placed, hands: Deal, terms: TableTerms, rules: SideWagerRules) -> bool:
    """Whether the bank's hand decides the wager too."""
    if placed.wager.bet == BONUS:
        return _option(BONUS, terms, rules).asks_bank and two_pairs(hands)
    return placed.wager.bet == TIE


def tie(
    placed: Placed, hands: Setting, main: Outcome, terms: TableTerms, rules: SideWagerRules, *, house_way: bool
) -> Ended:
    """The Tie: it wins when a main wager on these hands stands off, or with a line of its own (ruling 19).

    Args:
        placed: the wager.
        hands: the player's, set once for all wagers on them.
        main: how a main wager on them ends.
        terms: the table's.
        rules: the book's.
        house_way: whether the player asked for the House Way.
    """
    table = _option(TIE, terms, rules)
    how = (
        f"the tiles set the House Way ({rules.tie.asked_setting})"
        if house_way
        else f"the tiles as they lay ({rules.tie.own_setting})"
    )
    best = table.best(tie_lines(hands.deal, hands.low, tied=main is Outcome.PUSH))
    if best is None:
        return _lost(placed, table.wins, f"no line of {table.name} ({table.wins})", how)
    line, odds = best
    why = f"{line.value} pays {odds} to 1 ({table.wins}, read under ruling 19)"
    ended = _won(placed, odds, why, table.cite, terms, rules)
    return replace(ended, notes=(*ended.notes, how))


def by_itself(wager: Wager, rules: SideWagerRules) -> str:
    """That a Bonus or Tie needs no main wager beside it, in words."""
    return f"it needs no Pai Gow wager beside it ({rules.bets[wager.bet]})"


def _won(placed: Placed, odds: int, why: str, cite: Cite, terms: TableTerms, rules: SideWagerRules) -> Ended:
    exact = placed.in_play * odds
    paid = up_to(exact, terms.chip)
    chips = () if paid == exact else (f"{exact} is paid as {paid}: {rules.in_chips.value} ({rules.in_chips.where})",)
    return Ended(Outcome.WIN, cite, paid, 0, (why, *chips))


def _lost(placed: Placed, cite: Cite, *notes: str) -> Ended:
    return Ended(Outcome.LOSE, cite, 0, placed.in_play, notes)
