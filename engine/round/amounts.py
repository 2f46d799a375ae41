"""A round's log as input to settlement: wagers, hands, and results.

The log and ``houseway settle`` share one source for all amounts: `engine.settlement.settle`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import EngineError
from engine.game.hands import Hand
from engine.game.ranking import Outcome
from engine.round.state.round_state import HandStage
from engine.round.wager_results import Banked, WagerResult
from engine.settlement.played import BankHolder, Laid, PlayedRound
from engine.settlement.settle import check_wagers, settle, settle_dice
from engine.settlement.wager_checks import check_wager
from engine.settlement.wagers import BONUS, MAIN, Against, TableTerms, Wager
from engine.vocabulary.facts import Bank
from engine.vocabulary.limits import Limits
from engine.vocabulary.play import Means

if TYPE_CHECKING:
    from collections.abc import Iterable

    from engine.round.state.round_state import Lying, State
    from engine.settlement.result import Result, Settlement

OPEN = frozenset({HandStage.EXPOSED, HandStage.MATCHED})


def settlement_of(state: State) -> Settlement:
    """Settle the round as far as it has gone; `EngineError` if something is missing or not allowed."""
    settled = state.settled_as or settle(as_played(state))
    # Cached in the state: needed before an event is verified, and again during verification.
    object.__setattr__(state, "settled_as", settled)
    return settled


def as_played(state: State) -> PlayedRound:
    """The round as input to settlement; `EngineError` while nobody holds the bank."""
    setup, bank = state.setup, state.bank
    if bank is None:
        raise EngineError("it is not settled yet who holds the bank", state.banking.methods)
    house = bank.method is Bank.HOUSE
    holder = BankHolder(
        bank.method, laid_at(state, bank.box), bank.players, None if house else bank.box, state.bank_wager
    )
    hands = {box: laid for box in state.hands if (laid := laid_at(state, box))}
    return PlayedRound(
        book=setup.book,
        bank=holder,
        hands=hands,
        wagers=tuple(as_wager(state, box, each) for box, lying in state.wagers.items() for each in lying),
        terms=terms_of(state),
        house_way=None if setup.table.house_way is None else setup.house_way,
        void="" if state.void is None else f"the round is void ({state.void})",
        voided_by=state.void,
        dice=state.cup,
        variant=setup.table.variant,
    )


def laid_at(state: State, box: int) -> Laid | None:
    """The open hand at a place, or the tiles shown of a conceded one; None otherwise."""
    tiles = state.tiles.get(box, ())
    if len(tiles) != 4 or not (state.hands.get(box) in {*OPEN, HandStage.CONCEDED} or box == state.held.box):
        return None
    return Laid(Hand.of(tiles[:2]), Hand.of(tiles[2:]))


def as_wager(state: State, box: int, lying: Lying) -> Wager:
    """A wager of the log as input to settlement."""
    wins = state.outcomes.get(box) is Outcome.WIN
    void = lying.void or (lying.no_winnings if wins else None)
    return Wager(
        box,
        lying.player,
        lying.amount,
        lying.bet,
        conceded=state.hands.get(box) is HandStage.CONCEDED
        and not (lying.by_dice or lying.surrendered or lying.bet == BONUS),
        void="" if void is None else f"void by {void}",
        voided_by=void,
        token=lying.means is Means.TOKEN,
        minimum=state.kept.get(lying.player) if lying.bet == MAIN else None,
        surrendered=lying.surrendered,
        forfeited=lying.forfeited,
        dealt=void is not None,
    )


def terms_of(state: State) -> TableTerms:
    terms, limits = replace(state.setup.table.terms, boxes=state.setup.boxes), state.limits
    if limits is not None:
        terms = replace(terms, minimum=limits.minimum, maximum=limits.maximum)
    return replace(terms, total_authorised=True) if state.authorised else terms


def limits_of(state: State) -> Limits:
    """The displayed limits; a change during a round counts from the decision."""
    terms = state.setup.table.terms
    return state.limits_later or state.limits or Limits(terms.minimum, terms.maximum)


def minimum_for(state: State, player: str) -> int | None:
    """The least that a player may wager: his own if he started under another one (star-2024 10.6.1)."""
    return state.kept.get(player, terms_of(state).minimum)


# Wagers that cannot be settled are refused while this can still be corrected


def wagerable(state: State, box: int, lying: Lying) -> None:
    """Check this wager alone; called once the banker is known."""
    bank, book = state.bank, state.setup.book
    if bank is not None:
        terms = terms_of(state)
        rate = book.settlement.commission.rate_at(terms.commission)
        against = Against(bank.method, bank.box, bank.players)
        check_wager(as_wager(state, box, lying), against, terms, book, rate)


def settleable(state: State) -> None:
    """Check that these wagers can be settled for any hands."""
    if state.wagers:
        check_wagers(as_played(state))


# Results


def results_of(results: Iterable[Result]) -> tuple[WagerResult, ...]:
    """Results of settlement in the log's form."""
    return tuple(
        WagerResult(
            one.wager.box, one.wager.player, one.outcome, one.winnings, one.commission, one.collected, one.wager.bet
        )
        for one in results
    )


def tile_results(state: State) -> tuple[Result, ...]:
    """Results of the wagers on the tiles; errors as for `settlement_of`."""
    return tuple(one for one in settlement_of(state).results if not one.wager.by_dice)


def box_results(state: State, box: int) -> tuple[Result, ...]:
    """Results of the wagers on one open hand; errors as for `settlement_of`."""
    played = as_played(state)
    wagers = tuple(wager for wager in played.wagers if wager.box == box and not wager.by_dice)
    return settle(replace(played, wagers=wagers)).results


def dice_results(state: State) -> tuple[Result, ...]:
    """Results of the wagers on the dice; errors as for `settlement_of`."""
    return settle_dice(as_played(state))


def banked_of(state: State) -> Banked | None:
    """Amounts of the player-banker; None if the House banks. Errors as for `settlement_of`."""
    if state.method is Bank.HOUSE:
        return None
    bank = settlement_of(state).bank
    return Banked(bank.handed, bank.commission, bank.returned)
