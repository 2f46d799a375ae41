"""Rules of the end of a round: settlement, tiles put away, unused tiles viewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.game.ranking import Outcome
from engine.round.amounts import banked_of, dice_results, results_of, tile_results
from engine.round.event import DEALER
from engine.round.event_rules import bank_settled, citing, delivered, going_on, has, leave, refuse, rule
from engine.round.events import BankPutAway, BigSmallSettled, Settled, TilesPutAway, TilesViewed
from engine.round.playing.matching import losers_away, none_open
from engine.round.state.house_table import is_whole
from engine.round.state.round_state import CLOSED, HandStage
from engine.round.wager_results import Banked, WagerResult
from engine.settlement.wagers import BIG, BONUS, MAIN, SMALL, TIE
from engine.vocabulary.facts import Milestone

if TYPE_CHECKING:
    from fractions import Fraction

    from engine.round.state.round_state import State
    from engine.settlement.result import Result
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.facts import Fact


def _settle(state: State) -> Cite:
    return state.play.settle[state.held.method]


def _unsettled(state: State) -> None:
    if Milestone.SETTLED in state.happened:
        refuse("every wager is settled", _settle(state))


def _all_matched(state: State) -> None:
    box = next((box for box, stage in state.hands.items() if stage in CLOSED), None)
    if box is not None:
        refuse(f"the hand of box {box} is neither matched nor conceded", _settle(state))
    side = state.setup.book.side_wagers
    if side is not None and state.held.box in state.wagers and Milestone.BANK_EXPOSED not in state.happened:
        refuse("the banker's own Bonus waits for the bank's hand", side.removed)
    _conceded_bonuses_decided(state)
    none_open(state)


def _conceded_bonuses_decided(state: State) -> None:
    """The Bonus of a conceded hand whose tiles nobody saw is decided by a person (ruling 41)."""
    side = state.setup.book.side_wagers
    for box, stage in state.hands.items():
        if side is None or stage is not HandStage.CONCEDED or len(state.tiles.get(box, ())) == 4:
            continue
        for each in state.wagers[box]:
            if each.bet == BONUS and each.void is None and each.forfeited is None:
                refuse(f"nobody saw the tiles of {each.player}'s Bonus on box {box}: a person decides about it",
                       side.bonus.when_conceded)  # fmt: skip


def check_settlement(state: State, event: Settled) -> None:
    """The settlement matches the rulebook's for the wagers, hands, bank and commission of this log."""
    with citing(_settle(state)):
        due, banked = tile_results(state), banked_of(state)
    _as_due(state, event.results, due)
    _banked_as_due(state, event.bank, banked)


def _as_due(state: State, given: tuple[WagerResult, ...], due: tuple[Result, ...]) -> None:
    """Each wager has its one correct result, in the order of payment."""
    rules = {_key(one): result for one, result in zip(results_of(due), due, strict=True)}
    if not all(isinstance(one, WagerResult) for one in given):
        refuse("results of wagers belong here", _settle(state))
    if len(given) != len(rules) or {_key(one) for one in given} != rules.keys():
        refuse("each wager on the table has one result", _settle(state))
    for one in given:
        result = rules[_key(one)]
        (right,) = results_of((result,))
        if one != right or not all(map(is_whole, (one.paid, one.commission, one.lost))):
            refuse(
                f"{result.wager.where} {_words(right)}; the event says that it {_words(one)}",
                _rule_of(state, one, result),
            )
    if state.held.method not in state.play.expose:
        return
    turns = [(state.in_turn(state.setup.ring(1)).index(one.box), _TURNS[one.bet]) for one in given]
    if turns != sorted(turns):
        refuse("wagers are paid counter-clockwise from the chung, on one box Bonus, Tie, main wager", _paid(state))


_TURNS = {BIG: 0, SMALL: 0, BONUS: 1, TIE: 2, MAIN: 3}
_VERBS = {Outcome.WIN: "wins", Outcome.LOSE: "loses", Outcome.PUSH: "stands off", None: "is void"}


def _key(result: WagerResult) -> tuple[int, str, str]:
    return result.box, result.player, result.bet


def _words(result: WagerResult) -> str:
    how = _VERBS.get(result.outcome, result.outcome)
    return f"{how}: paid {result.paid}, commission {result.commission}, lost {result.lost}"


def _rule_of(state: State, given: WagerResult, due: Result) -> Cite | Fact[Fraction]:
    """The rule for an amount; the commission's if nothing else is wrong."""
    if (given.outcome, given.paid, given.lost) == (due.outcome, due.winnings, due.collected):
        return state.setup.book.settlement.commission.rate
    return due.cite


def _paid(state: State) -> Cite:
    side = state.setup.book.side_wagers
    return _settle(state) if side is None or not state.setup.table.terms.side else side.paid


def _banked_as_due(state: State, given: Banked | None, due: Banked | None) -> None:
    if given == due and (given is None or all(map(is_whole, (given.handed, given.commission, given.returned)))):
        return
    book = state.setup.book.settlement
    cite = book.banks[state.held.method].remainder or book.commission.banker
    if due is None:
        refuse("the House banks: no player has anything of the bank", _settle(state))
    refuse(
        f"of the losing wagers the bank is handed {due.handed}, less a commission of {due.commission}, and of its own "
        f"wager {due.returned} goes back; the event says {given and (given.handed, given.commission, given.returned)}",
        cite,
    )


@rule(Settled, ready=(delivered, _unsettled, _all_matched, losers_away))
def _settled(state: State, event: Settled) -> State:
    """Lost wagers have been taken and won ones paid (crown-6.1 10.2.9)."""
    check_settlement(state, event)
    return _put_away(state.reached(Milestone.SETTLED, results=event.results, banked=event.bank))


# Big and Small


def _dice_decided(state: State) -> None:
    side = state.setup.book.side_wagers
    if side is None or not state.bets_on_dice:
        refuse("no wager lies on the dice", state.play.chips if side is None else side.big_small.settled)
    if state.dice_results is not None:
        refuse("the wagers on Big and Small are settled", side.big_small.settled)
    if state.first_box is None:
        refuse("the dice have not shown yet who wins", side.big_small.settled)


@rule(BigSmallSettled, ready=(bank_settled, _dice_decided))
def _big_small_settled(state: State, event: BigSmallSettled) -> State:
    """They are settled once the dice are announced, before the boxes are counted (crown-6.1 4.4.1)."""
    with citing(_settle(state)):
        due = dice_results(state)
    _as_due(state, event.results, due)
    return state.replace(dice_results=event.results)


# Tiles put away


def _waits(state: State, box: int) -> bool:
    """Whether a hand may be put away: lost and stood-off ones immediately, won ones when paid."""
    if state.hands.get(box) is not HandStage.MATCHED or box in state.away:
        return False
    waits_for_pay = state.outcomes.get(box) is Outcome.WIN or box in state.stays
    return Milestone.SETTLED in state.happened or not waits_for_pay


def _some_waits(state: State) -> None:
    if not any(_waits(state, box) for box in state.hands):
        refuse("no hand is ready to be put away: won tiles are picked up as they are paid", _settle(state))


@rule(TilesPutAway, ready=(delivered, _some_waits))
def _tiles_put_away(state: State, event: TilesPutAway) -> State:
    if not _waits(state, event.box):
        won = event.box in state.outcomes and event.box not in state.away
        why = "it is picked up as it is paid" if won else "no matched hand lies there"
        refuse(f"the hand of box {event.box!r} is not put away: {why}", _settle(state))
    return _put_away(state.replace(away=state.away | {event.box}))


def _bank_due(state: State) -> None:
    if Milestone.BANK_PUT_AWAY in state.happened:
        refuse("the bank's tiles are put away", _settle(state))
    has(state, Milestone.SETTLED, _settle(state))


@rule(BankPutAway, ready=(delivered, _bank_due))
def _bank_put_away(state: State, _: BankPutAway) -> State:
    return _put_away(state.reached(Milestone.BANK_PUT_AWAY))


def _put_away(state: State) -> State:
    """The round is over once it is settled and the bank's tiles and every hand are put away."""
    if {Milestone.BANK_PUT_AWAY, Milestone.SETTLED} <= state.happened and state.away >= state.hands.keys():
        return state.reached(Milestone.ROUND_OVER)
    return state


# Tiles out of play


def _not_void(state: State) -> None:
    if state.void is not None:
        going_on(state)


@rule(TilesViewed, ready=(_not_void, delivered), after_end=True)
def _viewed(state: State, event: TilesViewed) -> State:
    play = state.play
    if state.hands.get(event.box) is HandStage.CONCEDED:
        if play.conceded_seen is None:
            refuse("a conceded hand is not shown", play.concede or state.matched)
        leave(state, event.by, play.conceded_seen)
    elif event.box not in state.retrieved:
        refuse(f"the tiles of box {event.box!r} are not out of play", play.unused or play.deliver)
    elif event.by == DEALER and play.unused_dealer is not None:
        has(state, Milestone.ROUND_OVER, play.unused_dealer)
    elif play.unused is not None:
        has(state, Milestone.SETTLED, play.unused)
    return state
