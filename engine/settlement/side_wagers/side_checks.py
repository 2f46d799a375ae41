"""Checks of side wagers: table offers, allowed wagers, and the player who decides on the tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import WagerError
from engine.settlement.money import check_limits
from engine.settlement.wagers import BONUS, MAIN, OFFERS, TIE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from engine.settlement.side_wagers.book_rules import SideWagerRules, TieRules
    from engine.settlement.wagers import Against, TableTerms, Wager, WagerInPlay
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Milestone


# Offers of a table


def check_offers(terms: TableTerms, rules: SideWagerRules | None, main: Cite) -> None:
    """Reject (`WagerError`) offers, paytables, limits and surrenders that the book does not know."""
    if rules is None:
        if terms.side:
            raise WagerError(f"the table offers {', '.join(terms.side)}; this rulebook has no side wagers", main)
        return
    for name, offered in terms.side.items():
        if name not in OFFERS.values():
            known = ", ".join(dict.fromkeys(OFFERS.values()))
            raise WagerError(f"the table offers {name!r}; side wagers are {known}", rules.combined)
        known = ", ".join(option.name for option in rules.options(name)) or "none"
        if offered.option not in ([option.name for option in rules.options(name)] or [""]):
            raise WagerError(f"the table's {name} has option {offered.option!r}; name one of {known}", rules.paid)
        if offered.with_main and name != BONUS:
            raise WagerError(
                f"only beside a Bonus may a main wager be asked for, not beside {name}", rules.bonus.with_main
            )
        if offered.surrender and not (name == TIE and rules.offered(name, terms).surrender):
            may = ", ".join(option.name for option in rules.tie.options if option.surrender)
            raise WagerError(
                f"the table's {name} {offered.option} has no surrender; {may} prints it", rules.tie.surrender.cite
            )
        check_limits(f"the {name}", offered.minimum, offered.maximum, main)


# Allowed wagers


def check_bet(wager: Wager, terms: TableTerms, rules: SideWagerRules | None, main: Cite) -> None:
    """Reject (`WagerError`) a bet that this table does not take, or an impossible surrender."""
    taken = [MAIN, *(bet for bet, offer in OFFERS.items() if offer in terms.side)]
    if wager.bet not in taken:
        raise WagerError(f"{wager.where} is a bet {wager.bet!r}; settled here: {', '.join(taken)}", main)
    if wager.surrendered and (rules is None or wager.bet != TIE or not terms.side[TIE].surrender):
        cite = main if rules is None else rules.tie.surrender.cite
        raise WagerError(f"{wager.where} is surrendered, but this table offers that for no such wager", cite)
    if wager.surrendered and wager.conceded:
        raise WagerError(f"{wager.where} is both surrendered and conceded; it can be one of them", main)
    if wager.conceded and wager.by_dice:
        raise WagerError(f"{wager.where} is conceded; the dice decide it, not the tiles", main)


def check_lying(lying: Sequence[Wager], bank: Against, terms: TableTerms, rules: SideWagerRules) -> None:
    """Reject (`WagerError`) wagers that may not be on one box together, or lack the wager they require.

    Void wagers are returned, so they are not checked.
    """
    valid = [wager for wager in lying if not wager.void]
    for wager in valid:
        if wager.bet == TIE and not rules.tie.players[bank.method].value:
            cite = rules.tie.players[bank.method]
            wager.refuse("while a player banks nobody places a Tie; return it (mark it void)", cite)
        if wager.bet == BONUS and terms.side[BONUS].with_main and not _has_main(wager, valid, bank):
            wager.refuse(
                f"this table asks for a Pai Gow wager of {wager.player} beside it; return it (mark it void)",
                rules.bonus.with_main,
            )
        if wager.by_dice and not any(other.bet == MAIN and (other.dealt or not other.void) for other in lying):
            wager.refuse(
                "it may lie only where there is a valid Pai Gow wager; return it (mark it void)",
                rules.big_small.beside,
            )
        given_up = [other for other in valid if other.player == wager.player and other.conceded]
        # The tiles dealt decide a Bonus, conceded or not (ruling 41); a Tie hangs on how they are set.
        if given_up and not (wager.bet == BONUS or wager.conceded or wager.by_dice or wager.surrendered):
            raise WagerError(
                f"{wager.where} stays in play, but {wager.player} conceded the hand, which is then not set: "
                f"mark it conceded too",
                rules.tie.one_setting,
            )
        if wager.bet == BONUS and wager.conceded and all(other.bet == BONUS for other in given_up):
            wager.refuse("only a Pai Gow wager is conceded, and none is", rules.bonus.when_conceded)


def _has_main(bonus: Wager, lying: Sequence[Wager], bank: Against) -> bool:
    """The banker's own wager is his main wager."""
    own = any(other.player == bonus.player and other.bet == MAIN for other in lying)
    return own or (bonus.player in bank.players and bonus.box == bank.box)


def check_surrender(so_far: Collection[Milestone], rules: TieRules) -> None:
    """Reject (`WagerError`) surrender of a Tie before there are tiles to judge by or after the bank's are shown."""
    if rules.surrender_from.value not in so_far:
        cite = rules.surrender_from
        raise WagerError(f"a Tie may be surrendered only once {rules.surrender_from.value.value}", cite)
    if rules.surrender.value in so_far:
        raise WagerError(f"no Tie may be surrendered any more: {rules.surrender.value.value}", rules.surrender)


def entitled(lying: Iterable[Wager], players: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Players who may place a Big or Small wager on a box first, and those who may once the first have chosen.

    Nobody may where no valid Pai Gow wager lies (crown-6.1 8.16.1). Where one lies, players with a valid Pai Gow, Bonus
    or Tie wager there come first (8.16.2), then the others at the table (8.16.3).
    """
    valid = [one for one in lying if not one.void and not one.by_dice]
    if not any(one.bet == MAIN for one in valid):
        return (), ()
    first = tuple(dict.fromkeys(one.player for one in valid))
    return first, tuple(dict.fromkeys(one for one in players if one not in first))


def who_decides(lying: Iterable[Wager], rules: SideWagerRules) -> tuple[tuple[str, ...], tuple[Cite, ...]]:
    """The player who decides on the tiles of a box.

    Returns:
        The player, or several with equal wagers of one kind, in which case their positions on the box decide; and the
        rules.
    """
    valid = [one for one in lying if not one.void]
    kind = next((bet for bet in rules.decides if any(one.bet == bet for one in valid)), None)
    if kind is None:
        return (), ()
    of_kind = [one for one in valid if one.bet == kind]
    highest = max(one.stake for one in of_kind)
    players = tuple(one.player for one in of_kind if one.stake == highest)
    return players, (rules.decides[kind], *((rules.highest_decides,) if len(of_kind) > 1 else ()))


def deciding_notes(placed: Sequence[WagerInPlay], rules: SideWagerRules | None) -> tuple[str, ...]:
    """Who decides on the tiles, if several players with wagers of several kinds share a box."""
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
