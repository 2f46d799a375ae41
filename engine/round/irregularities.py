"""When something goes wrong: a remedy that the book allows at this moment, by whom it allows, and what follows of it.

Conditions that a book puts in words only ("where it cannot be reconstructed") are for whoever decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.books.house_ways import way_under
from engine.errors import UnknownRulebookError
from engine.game.hands import Hand
from engine.game.ranking import Outcome
from engine.round.amounts import OPEN, minimum_for
from engine.round.before_deal.control import deciders
from engine.round.event_rules import citing, delivered, is_person, person, refuse, rule
from engine.round.events import DEALER, IrregularityDecided
from engine.round.playing.hand_stages import fits_the_set, laid, set_at_settlement
from engine.round.state.round_state import DealtRound, HandStage
from engine.settlement.played import Laid
from engine.vocabulary.facts import Bank, Fact, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, code
from engine.vocabulary.remedy import Effect, Person

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game.tiles import Tile
    from engine.round.state.round_state import Lying, State
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy


GONE = frozenset({HandStage.VOID, HandStage.CONCEDED})
"""Hands that are out of play."""


def _round_void(state: State, _: IrregularityDecided, cite: Cite) -> State:
    return state.but(void=cite)


def _hand_void(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Every wager on it goes back; on the bank's hand all of them hang."""
    if event.box is None or state.is_banks(event.box):
        return state.but(void=cite)
    on_box = tuple(each if each.by_dice else replace(each, void=cite) for each in state.wagers[event.box])
    after = _reopened(state).but(wagers={**state.wagers, event.box: on_box})
    return _out_of_play(after, event.box)


def _out_of_play(state: State, box: int) -> State:
    outcomes = {at: outcome for at, outcome in state.outcomes.items() if at != box}
    return laid(state, box, HandStage.VOID, outcomes=outcomes, away=state.away | {box})


def _reopened(state: State) -> State:
    """What was paid and taken is undone, and to be settled again."""
    return state.but(happened=state.happened - {Milestone.SETTLED}, results=(), banked=None)


def _set(state: State, event: IrregularityDecided, _: Cite) -> State:
    """Wagers are settled on the hand as it then lies: what was matched with another setting is matched again."""
    box = event.box
    if box is None:
        raise AssertionError  # _a_hand
    if event.low is not None and event.high is not None:
        again = [
            at for at, stage in state.hands.items() if stage is HandStage.MATCHED and (at == box or state.is_banks(box))
        ]
        after = _reopened(state) if again else state
        return after.but(
            tiles={**state.tiles, box: (*event.low, *event.high)},
            hands={**state.hands, **dict.fromkeys(again, HandStage.EXPOSED)},
            outcomes={at: outcome for at, outcome in state.outcomes.items() if at not in again},
        )
    if event.irregularity is Irregularity.NOT_HOUSE_WAY or (is_person(event.decided_by) and _plays(state, event)):
        return state
    if state.is_banks(box):
        return state.but(bank_set_by=DEALER)
    return laid(state, box, HandStage.REQUESTED if set_at_settlement(state) else HandStage.SET_BY_DEALER)


def _plays(state: State, event: IrregularityDecided) -> bool:
    """Whether it is a player who set it, so that it stays his own."""
    return event.decided_by in (*state.bankers, *state.control.values())


def concerned(state: State, event: IrregularityDecided) -> list[tuple[int, Lying]]:
    """The wagers that a decision about a player's wagers is about."""
    return [
        (box, each)
        for box, lying in state.wagers.items()
        for each in lying
        if each.player == event.player and each.void is None and event.box in {None, box}
        if not (each.by_dice and state.dice_results is not None)
    ]


def _wagers_back(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Before the close they leave the table, with any on Big or Small that then lie alone; later they are void."""
    gone = {(box, each.turn) for box, each in concerned(state, event)}
    if event.remedy is Effect.NO_WINNINGS:
        gone = {(box, turn) for box, turn in gone if state.outcomes.get(box) is Outcome.WIN}
    if not state.closed:
        left = {box: [each for each in lying if (box, each.turn) not in gone] for box, lying in state.wagers.items()}
        kept = {box: tuple(lying) for box, lying in left.items() if any(not each.by_dice for each in lying)}
        return state.but(wagers=kept)
    after = _marked(_reopened(state) if gone else state, gone, void=cite)
    after = after.but(control=deciders(after)) if not after.hands else after
    for box in [box for box, stage in after.hands.items() if stage not in GONE and box not in after.live_boxes]:
        after = _out_of_play(after, box)
    return after


def _forfeited(state: State, event: IrregularityDecided, cite: Cite) -> State:
    gone = {(box, each.turn) for box, each in concerned(state, event)}
    return _marked(_reopened(state), gone, forfeited=cite)


def _marked(state: State, which: set[tuple[int, int]], **mark: Cite) -> State:
    wagers = {
        box: tuple(replace(each, **mark) if (box, each.turn) in which else each for each in lying)  # type: ignore[arg-type]
        for box, lying in state.wagers.items()
    }
    return state.but(wagers=wagers)


def _mixed_again(state: State, _: IrregularityDecided, __: Cite) -> State:
    """The tiles come back, are mixed and stacked; then cut, dice and delivery again. Wagers lie as they are."""
    if Milestone.SETTLED in state.happened:
        return state  # they are shuffled for the next round as it is
    settled = state.dice_results is not None  # Big and Small were: they are not thrown for again
    wagers = {
        box: tuple(replace(each, surrendered=False) for each in lying if not (settled and each.by_dice))
        for box, lying in state.wagers.items()
        if state.is_banks(box) or box in state.live_boxes
    }
    after = state.but(wagers=wagers)
    control = deciders(after) if state.closed else state.control
    return after.but(**vars(DealtRound()), happened=state.happened & {Milestone.BETS_CLOSED}, control=control)


def _box_out(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state if event.box is None else state.but(out_later=state.out_later | {event.box})


def _box_back(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state.but(out=state.out - {event.box}, out_later=state.out_later - {event.box})


FOLLOWS: Mapping[Effect, Callable[[State, IrregularityDecided, Cite], State]] = {
    Effect.ROUND_VOID: _round_void,
    Effect.HAND_VOID: _hand_void,
    Effect.AS_SET_NOW: _set,
    Effect.WAGER_RETURNED: _wagers_back,
    Effect.NO_WINNINGS: _wagers_back,
    Effect.WAGER_FORFEITED: _forfeited,
    Effect.MIXED_AGAIN: _mixed_again,
    Effect.BOX_OUT: _box_out,
    Effect.BOX_BACK: _box_back,
}


_BANKS = {Bank.HOUSE: Whose.HOUSE, Bank.CO_BANK: Whose.CO_BANK, Bank.PLAYER: Whose.PLAYER_BANKER}


def finding(state: State, event: IrregularityDecided) -> Remedies:
    """What the book says about it now."""
    # HANDS_SET does not show that anybody looked: the dealer may have set them. Here it is known of each hand.
    whose, reached = None, set(state.happened) - {Milestone.HANDS_SET}
    if event.box is not None and state.bank is not None:
        whose = _BANKS[state.bank.method] if state.is_banks(event.box) else Whose.PLAYER
        seen = (
            state.bank_set_by is not None
            if whose is not Whose.PLAYER
            else state.hands.get(event.box) is not HandStage.DEALT
        )
        if seen and Milestone.TILES_DELIVERED in reached and (whose is not Whose.PLAYER or event.box in state.hands):
            reached.add(Milestone.TILES_VIEWED)
    return state.setup.book.irregularities.remedies(event.irregularity, whose, reached)


def _option(found: Remedies, event: IrregularityDecided) -> Remedy | None:
    return next((one for one in found.options if (one.cite, one.effect) == (event.rule, event.remedy)), None)


# Whether the book allows it


def _allowed(state: State, event: IrregularityDecided) -> None:
    """The book has this remedy for it at this moment, and whoever decided may."""
    found = finding(state, event)
    option = _option(found, event)
    if option is None:
        has = ", ".join(f"{code(one.effect)} by {one.cite}" for one in found.options)
        refuse(
            f"for {code(event.irregularity)} the book has no {code(event.remedy)} by {event.rule} now, but: {has}",
            found.options[0].cite,
        )
    if option.whose and event.box is None:
        refuse("the rule asks whose hand it is: name the box", option.cite)
    decided = event.decision is not None and event.decision is not Effect.AS_DECIDED
    if decided is not (event.remedy is Effect.AS_DECIDED):
        refuse("what becomes of wagers is said where the rule leaves it to be decided, and only there", option.cite)
    if not may_decide(state, option, event.decided_by, event.box):
        rule = Fact(None, option.cite, option.rulings)
        refuse(f"this is for {option.by.words}, not for {event.decided_by!r}", rule)
    effect = event.decision or event.remedy
    if effect is not Effect.AS_SET_NOW and (event.low is not None or event.high is not None):
        refuse("only a hand that is set anew is written with its tiles", option.cite)
    if effect in _NEEDS:
        _NEEDS[effect](state, event, option.cite)


def may_decide(state: State, option: Remedy, who: str, box: int | None) -> bool:
    """Whether somebody may decide it: a title, `DEALER` or a player.

    A title serves for those below it on the book's ladder and for the dealer; where a rule names the house or nobody,
    any title does.
    """
    by = option.by
    level = {title: level for level, titles in enumerate(state.play.ranks) for title in titles}
    if who in level:
        if by.title is not None:
            return level[who] >= level[by.title]
        return Person.DEALER in by.persons or not by.persons
    if who == DEALER:
        return Person.DEALER in by.persons and not by.dealer_is_told
    if who in state.bankers:
        return Person.BANKER in by.persons
    return Person.PLAYER in by.persons and (box is None or who == state.control.get(box, who))


# What each remedy needs


def _a_hand(state: State, event: IrregularityDecided, cite: Cite) -> None:
    delivered(state)
    if state.is_banks(event.box):
        return
    if event.box is None or event.box not in state.hands or state.hands[event.box] in GONE:
        refuse(f"no hand in play lies on box {event.box!r}", cite)


def _set_anew(state: State, event: IrregularityDecided, cite: Cite) -> None:
    """An open hand lies the House Way after it, and is the dealer's to set; a closed one shows no tiles."""
    _a_hand(state, event, cite)
    if event.box is None:
        return
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and not _set_by_dealer(state, event.box):
        refuse(f"the hand of box {event.box} is its player's own setting", state.play.set_own)
    lies_open = _lies_open(state, event.box)
    if not (lies_open is (event.low is not None) is (event.high is not None)):
        refuse("an open hand is written as it lies once set right, a closed one without tiles", cite)
    if event.low is None or event.high is None:
        return
    fits_the_set(state, event.box, (*event.low, *event.high), 4)
    tiles = state.tiles[event.box]
    before, after = _laid(tiles[:2], tiles[2:]), _laid(event.low, event.high)
    try:
        way = way_under(state.setup.book, state.setup.table.house_way)
    except UnknownRulebookError:
        return  # the table names none, so whoever set it right answers for it (ruling 12)
    verdict = way.judge(after.deal, after.setting)
    if not verdict.correct:
        due = verdict.decision
        refuse(f"{after.setting} is not the House Way of these tiles: {due.setting} is", due.rule.cite)
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and way.judge(before.deal, before.setting).correct:
        refuse(f"{before.setting} lies the House Way", cite)


def _laid(low: tuple[Tile, ...], high: tuple[Tile, ...]) -> Laid:
    return Laid(Hand.of(low), Hand.of(high))


def _lies_open(state: State, box: int) -> bool:
    if state.is_banks(box):
        return Milestone.BANK_EXPOSED in state.happened
    return state.hands.get(box) in OPEN


def _set_by_dealer(state: State, box: int) -> bool:
    if state.is_banks(box):
        return state.held.method is not Bank.PLAYER or state.bank_set_by == DEALER
    stage = state.hands[box]
    return box in state.by_dealer or stage in {HandStage.SET_BY_DEALER, HandStage.REQUESTED}


def _a_wager(state: State, event: IrregularityDecided, cite: Cite) -> None:
    wagers = concerned(state, event)
    if event.player is None or not wagers:
        refuse(f"{event.player} has no wager {'there' if event.box else 'on the table'}: name whose it is", cite)
    if event.irregularity is Irregularity.BELOW_MINIMUM:
        least = minimum_for(state, event.player)
        if least is None or all(each.amount >= least for _, each in wagers):
            refuse(f"no wager of {event.player} there is below {least or 'a minimum'}, which holds for him", cite)


def _a_known_end(state: State, event: IrregularityDecided, cite: Cite) -> None:
    _a_wager(state, event, cite)
    if not all(box in state.outcomes for box, _ in concerned(state, event)):
        refuse("the hand is not matched yet: whether it wins is not known", cite)


def _dice_for_a_box(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if state.bank is None:
        refuse("it is not settled yet who holds the bank", cite)
    with citing(cite):
        removed = state.setup.book.irregularities.remove_box(
            event.dice, state.bank.method, state.bank.box, state.setup.order
        )
    if removed.box is None:
        refuse(f"{removed.total} counts to the bank's own box: the dice are shaken again", removed.cite)
    if removed.box != event.box:
        refuse(f"{removed.total} counts to box {removed.box}, not {event.box}", removed.cite)


def _is_out(state: State, event: IrregularityDecided, cite: Cite) -> None:
    if event.box not in state.out | state.out_later:
        refuse(f"box {event.box!r} is not out of play", cite)


_NEEDS: Mapping[Effect, Callable[[State, IrregularityDecided, Cite], None]] = {
    Effect.HAND_VOID: _a_hand,
    Effect.AS_SET_NOW: _set_anew,
    Effect.WAGER_RETURNED: _a_wager,
    Effect.WAGER_FORFEITED: _a_wager,
    Effect.NO_WINNINGS: _a_known_end,
    Effect.BOX_OUT: _dice_for_a_box,
    Effect.BOX_BACK: _is_out,
}


@rule(IrregularityDecided)
def _decided(state: State, event: IrregularityDecided) -> State:
    disputes = state.setup.book.irregularities.said[Irregularity.DISPUTE][0].cite
    if not isinstance(event.irregularity, Irregularity) or not isinstance(event.remedy, Effect):
        refuse("say what went wrong and which remedy was taken, by their names", disputes)
    box = event.box
    if box is not None and box not in range(1, state.setup.places + 1):
        refuse(f"there is no box {box!r}: they are 1 to {state.setup.places}", state.play.boxes)
    if event.player is not None:
        person(state, event.player)
    _allowed(state, event)
    option, follows = _option(finding(state, event), event), FOLLOWS.get(event.decision or event.remedy)
    if option is None:
        raise AssertionError  # _allowed
    return state if follows is None else follows(state, event, option.cite)
