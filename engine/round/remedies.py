"""When something goes wrong: a remedy that the book allows at this moment, by whom it allows, and what follows of it.

What may be done is declared by the books (`engine.vocabulary.irregularities`); conditions that they put in words only
("where it cannot be reconstructed") are for whoever decides.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.books.house_ways import way_under
from engine.errors import EngineError, UnknownRulebookError
from engine.game.hands import Hand
from engine.game.ranking import Outcome
from engine.round.as_settled import OPEN, minimum_for, refused
from engine.round.control import deciders
from engine.round.event_rule import Refusal, going_on, person, refuse, rule
from engine.round.events import DEALER, IrregularityDecided
from engine.round.hands import delivered, fits_the_set, laid, set_at_settlement
from engine.round.state import Lay
from engine.settlement.played import Laid
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, code
from engine.vocabulary.remedy import Effect, Person

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game.tiles import Tile
    from engine.round.state import Lying, State
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy
    from engine.vocabulary.sources import Cite

_BANKS = {Bank.HOUSE: Whose.HOUSE, Bank.CO_BANK: Whose.CO_BANK, Bank.PLAYER: Whose.PLAYER_BANKER}
_GONE = frozenset({Lay.VOID, Lay.CONCEDED})


def _is_banks(state: State, box: int | None) -> bool:
    return state.bank is not None and box == state.bank.box


def finding(state: State, event: IrregularityDecided) -> Remedies:
    """What the book says about it now."""
    # Hands that the dealer set, or none at all, do not tell that anybody looked; here it is known of each hand.
    whose, reached = None, set(state.happened) - {Milestone.HANDS_SET}
    if event.box is not None and state.bank is not None:
        whose = _BANKS[state.bank.method] if _is_banks(state, event.box) else Whose.PLAYER
        seen = (
            state.bank_set_by is not None if whose is not Whose.PLAYER else state.hands.get(event.box) is not Lay.DEALT
        )
        if seen and Milestone.TILES_DELIVERED in reached and (whose is not Whose.PLAYER or event.box in state.hands):
            reached.add(Milestone.TILES_VIEWED)
    return state.setup.book.irregularities.remedies(event.irregularity, whose, reached)


def _option(state: State, event: IrregularityDecided) -> Remedy | None:
    options = finding(state, event).options
    return next((one for one in options if (one.cite, one.effect) == (event.rule, event.remedy)), None)


# Whether the book allows it


def _said_in_full(state: State, event: IrregularityDecided) -> Refusal | None:
    disputes = state.setup.book.irregularities.said[Irregularity.DISPUTE][0].cite
    if not isinstance(event.irregularity, Irregularity) or not isinstance(event.remedy, Effect):
        return refuse("say what went wrong and which remedy was taken, by their names", disputes)
    box = event.box
    if box is not None and box not in range(1, state.setup.places + 1):
        return refuse(f"there is no box {box!r}: they are 1 to {state.setup.places}", state.play.boxes)
    return None if event.player is None else person(state, event.player)


def _open_now(state: State, event: IrregularityDecided) -> Refusal | None:
    """The book has this remedy for it at this moment."""
    option, found = _option(state, event), finding(state, event)
    if option is None:
        has = ", ".join(f"{code(one.effect)} by {one.cite}" for one in found.options)
        return refuse(
            f"for {code(event.irregularity)} the book has no {code(event.remedy)} by {event.rule} now, but: {has}",
            found.options[0].cite,
        )
    if option.whose and event.box is None:
        return refuse("the rule asks whose hand it is: name the box", option.cite)
    decided = event.decision is not None and event.decision is not Effect.AS_DECIDED
    if decided is not (event.remedy is Effect.AS_DECIDED):
        return refuse(
            "what becomes of wagers is said where the rule leaves it to be decided, and only there", option.cite
        )
    return None


def _by_whom(state: State, event: IrregularityDecided) -> Refusal | None:
    option = _option(state, event)
    if option is None or may_decide(state, option, event.decided_by, event.box):
        return None
    return Refusal(f"this is for {option.by.words}, not for {event.decided_by!r}", option.cite, option.rulings)


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
    if who in _bankers(state):
        return Person.BANKER in by.persons
    return Person.PLAYER in by.persons and (box is None or who == state.control.get(box, who))


def _bankers(state: State) -> tuple[str, ...]:
    return () if state.bank is None else state.bank.players


# What each remedy needs


def _possible(state: State, event: IrregularityDecided) -> Refusal | None:
    option = _option(state, event)
    if option is None:
        return None
    effect = event.decision or event.remedy
    needs = _NEEDS.get(effect)
    if effect is not Effect.AS_SET_NOW and (event.low is not None or event.high is not None):
        return refuse("only a hand that is set anew is written with its tiles", option.cite)
    return None if needs is None else needs(state, event, option)


def _a_hand(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    early = delivered(state)
    if early is not None:
        return early
    if _is_banks(state, event.box):
        return None
    if event.box is None or event.box not in state.hands or state.hands[event.box] in _GONE:
        return refuse(f"no hand in play lies on box {event.box!r}", option.cite)
    return None


def _set_anew(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    """An open hand lies the House Way after it, and is the dealer's to set; a closed one shows no tiles."""
    refusal = _a_hand(state, event, option)
    if refusal is not None or event.box is None:
        return refusal
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and not _set_by_dealer(state, event.box):
        return refuse(f"the hand of box {event.box} is its player's own setting", state.play.set_own)
    lies_open = _lies_open(state, event.box)
    if not lies_open or event.low is None or event.high is None:
        if lies_open is (event.low is not None and event.high is not None) and (event.low is None) is (
            event.high is None
        ):
            return None
        return refuse("an open hand is written as it lies once set right, a closed one without tiles", option.cite)
    return _house_way_now(state, event, option)


def _house_way_now(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    assert event.box is not None  # noqa: S101  _set_anew
    assert event.low is not None  # noqa: S101
    assert event.high is not None  # noqa: S101
    refusal = fits_the_set(state, event.box, (*event.low, *event.high), 4)
    if refusal is not None:
        return refusal
    tiles = state.tiles[event.box]
    before, after = _laid(tiles[:2], tiles[2:]), _laid(event.low, event.high)
    try:
        way = way_under(state.setup.book, state.setup.table.house_way)
    except UnknownRulebookError:
        return None  # the table names none, so whoever set it right answers for it (ruling 12)
    verdict = way.judge(after.deal, after.setting)
    if not verdict.correct:
        return refuse(f"{after.setting} is not the House Way of these tiles: {verdict.decision.setting} is",
                      verdict.decision.rule.cite)  # fmt: skip
    if event.irregularity is Irregularity.NOT_HOUSE_WAY and way.judge(before.deal, before.setting).correct:
        return refuse(f"{before.setting} lies the House Way", option.cite)
    return None


def _laid(low: tuple[Tile, ...], high: tuple[Tile, ...]) -> Laid:
    return Laid(Hand.of(low), Hand.of(high))


def _lies_open(state: State, box: int) -> bool:
    if _is_banks(state, box):
        return Milestone.BANK_EXPOSED in state.happened
    return state.hands.get(box) in OPEN


def _set_by_dealer(state: State, box: int) -> bool:
    if _is_banks(state, box):
        return state.held.method is not Bank.PLAYER or state.bank_set_by == DEALER
    lay = state.hands[box]
    return box in state.by_dealer or lay in {Lay.SET_BY_DEALER, Lay.ASKED}


def _a_wager(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    if event.player is not None and (concerned := _concerned(state, event)):
        least = minimum_for(state, event.player)
        if event.irregularity is not Irregularity.BELOW_MINIMUM or any(
            least is not None and each.amount < least for _, each in concerned
        ):
            return None
        return refuse(
            f"no wager of {event.player} there is below {least or 'a minimum'}, which holds for him", option.cite
        )
    return refuse(
        f"{event.player} has no wager {'there' if event.box else 'on the table'}: name whose it is", option.cite
    )


def _a_known_end(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    refusal = _a_wager(state, event, option)
    if refusal is None and not all(box in state.outcomes for box, _ in _concerned(state, event)):
        return refuse("the hand is not matched yet: whether it wins is not known", option.cite)
    return refusal


def _dice_for_a_box(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    if state.bank is None:
        return refuse("it is not settled yet who holds the bank", option.cite)
    try:
        removed = state.setup.book.irregularities.remove_box(event.dice, state.bank.method, state.bank.box)
    except EngineError as fault:
        return refused(state, fault, option.cite)
    if removed.box is None:
        return refuse(f"{removed.total} counts to the bank's own box: the dice are shaken again", removed.cite)
    if removed.box != event.box:
        return refuse(f"{removed.total} counts to box {removed.box}, not {event.box}", removed.cite)
    return None


def _is_out(state: State, event: IrregularityDecided, option: Remedy) -> Refusal | None:
    if event.box in state.out | state.out_later:
        return None
    return refuse(f"box {event.box!r} is not out of play", option.cite)


_NEEDS: Mapping[Effect, Callable[[State, IrregularityDecided, Remedy], Refusal | None]] = {
    Effect.HAND_VOID: _a_hand,
    Effect.AS_SET_NOW: _set_anew,
    Effect.WAGER_RETURNED: _a_wager,
    Effect.WAGER_FORFEITED: _a_wager,
    Effect.NO_WINNINGS: _a_known_end,
    Effect.BOX_OUT: _dice_for_a_box,
    Effect.BOX_BACK: _is_out,
}


# What follows


@rule(
    IrregularityDecided,
    ready=(going_on,),
    fits=(_said_in_full, _open_now, _by_whom, _possible),
)
def _decided(state: State, event: IrregularityDecided) -> State:
    option, follows = _option(state, event), _FOLLOWS.get(event.decision or event.remedy)
    if option is None:
        raise AssertionError  # _open_now
    return state if follows is None else follows(state, event, option.cite)


def _round_void(state: State, _: IrregularityDecided, cite: Cite) -> State:
    return state.but(void=cite)


def _hand_void(state: State, event: IrregularityDecided, cite: Cite) -> State:
    """Every wager on it goes back; on the bank's hand all of them hang."""
    if event.box is None or _is_banks(state, event.box):
        return state.but(void=cite)
    on_box = tuple(each if each.by_dice else replace(each, void=cite) for each in state.wagers[event.box])
    after = _reopened(state).but(wagers={**state.wagers, event.box: on_box})
    return _out_of_play(after, event.box)


def _out_of_play(state: State, box: int) -> State:
    outcomes = {at: outcome for at, outcome in state.outcomes.items() if at != box}
    return laid(state, box, Lay.VOID, outcomes=outcomes, away=state.away | {box})


def _reopened(state: State) -> State:
    """What was paid and taken is undone, and to be settled again."""
    return state.but(happened=state.happened - {Milestone.SETTLED}, results=(), banked=None)


def _set(state: State, event: IrregularityDecided, _: Cite) -> State:
    """Wagers are settled on the hand as it then lies: what was matched with another lay is matched again."""
    box = event.box
    if box is None:
        raise AssertionError  # _a_hand
    if event.low is not None and event.high is not None:
        again = [at for at, lay in state.hands.items() if lay is Lay.MATCHED and (at == box or _is_banks(state, box))]
        after = _reopened(state) if again else state
        return after.but(
            tiles={**state.tiles, box: (*event.low, *event.high)},
            hands={**state.hands, **dict.fromkeys(again, Lay.EXPOSED)},
            outcomes={at: outcome for at, outcome in state.outcomes.items() if at not in again},
        )
    if event.irregularity is Irregularity.NOT_HOUSE_WAY or (
        person(state, event.decided_by) is None and _plays(state, event)
    ):
        return state
    if _is_banks(state, box):
        return state.but(bank_set_by=DEALER)
    return laid(state, box, Lay.ASKED if set_at_settlement(state) else Lay.SET_BY_DEALER)


def _plays(state: State, event: IrregularityDecided) -> bool:
    """Whether it is a player who set it, so that it stays his own."""
    return event.decided_by in (*_bankers(state), *state.control.values())


def _concerned(state: State, event: IrregularityDecided) -> list[tuple[int, Lying]]:
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
    gone = {(box, each.turn) for box, each in _concerned(state, event)}
    if event.remedy is Effect.NO_WINNINGS:
        gone = {(box, turn) for box, turn in gone if state.outcomes.get(box) is Outcome.WIN}
    if not state.closed:
        left = {box: [each for each in lying if (box, each.turn) not in gone] for box, lying in state.wagers.items()}
        kept = {box: tuple(lying) for box, lying in left.items() if any(not each.by_dice for each in lying)}
        return state.but(wagers=kept)
    after = _marked(_reopened(state) if gone else state, gone, void=cite)
    after = after.but(control=deciders(after)) if not after.hands else after
    for box in [box for box, lay in after.hands.items() if lay not in _GONE and box not in after.live_boxes]:
        after = _out_of_play(after, box)
    return after


def _forfeited(state: State, event: IrregularityDecided, cite: Cite) -> State:
    gone = {(box, each.turn) for box, each in _concerned(state, event)}
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
        if _is_banks(state, box) or box in state.live_boxes
    }
    after = state.but(wagers=wagers)
    return after.but(
        happened=state.happened & {Milestone.BETS_CLOSED},
        control=deciders(after) if state.closed else state.control,
        cut=None,
        button=None,
        shaken_by=(),
        cup=None,
        first_box=None,
        retrieved=frozenset(),
        bank_moved=False,
        hands={},
        by_dealer=frozenset(),
        bank_asked=False,
        bank_set_by=None,
        confirmed=False,
        house_confirmed=False,
        tiles={},
        outcomes={},
        stays=frozenset(),
        away=frozenset(),
    )


def _box_out(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state if event.box is None else state.but(out_later=state.out_later | {event.box})


def _box_back(state: State, event: IrregularityDecided, _: Cite) -> State:
    return state.but(out=state.out - {event.box}, out_later=state.out_later - {event.box})


_FOLLOWS: Mapping[Effect, Callable[[State, IrregularityDecided, Cite], State]] = {
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
