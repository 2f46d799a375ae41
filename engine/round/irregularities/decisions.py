"""When something goes wrong: a remedy that the book allows at this moment, by whom it allows, and what follows of it.

What may be done is declared by the books (`engine.vocabulary.irregularities`); conditions that they put in words only
("where it cannot be reconstructed") are for whoever decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.books.house_ways import way_under
from engine.errors import UnknownRulebookError
from engine.game.hands import Hand
from engine.round.amounts import OPEN, minimum_for
from engine.round.conditions import delivered, person
from engine.round.event_rules import citing, refuse, rule
from engine.round.events import DEALER, IrregularityDecided
from engine.round.irregularities.effects import FOLLOWS, GONE, concerned
from engine.round.playing.hand_stages import fits_the_set
from engine.round.state.round_state import HandStage
from engine.settlement.played import Laid
from engine.vocabulary.facts import Bank, Fact, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity, code
from engine.vocabulary.remedy import Effect, Person

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from engine.game.tiles import Tile
    from engine.round.state.round_state import State
    from engine.vocabulary.irregularities import Remedies
    from engine.vocabulary.remedy import Remedy
    from engine.vocabulary.sources import Cite


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
        removed = state.setup.book.irregularities.remove_box(event.dice, state.bank.method, state.bank.box)
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
