"""Procedural mistakes: tiles not dealt according to dice and cut, hands not put away in order."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from typing import TYPE_CHECKING, Final

from datasets.scenes.sampling import Rng, pick
from datasets.simulator.staging.course import Course, RoundChance, is_drawn, standing, taken
from engine.game.box_order import BOXES
from engine.game.ranking import Outcome
from engine.vocabulary.cuts import Chooser, NamedCut
from engine.vocabulary.delivery_order import STACK_HEIGHT, STACKS
from engine.vocabulary.facts import Bank
from engine.vocabulary.play import SetWhen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from engine.round import Session
    from engine.vocabulary.citations import Cite
    from engine.vocabulary.cuts import Cuts
    from engine.vocabulary.delivery_order import StackPlace

PROCEDURE_MISTAKES: Final = {
    "leaning-die-not-reshaken": "tiles are delivered by a throw in which a die leans, as if it lay flat",
    "wrong-first-box": "delivery starts at another box than the dice give",
    "wrong-delivery-order": "two neighbouring places, not the first one, are dealt to in exchanged order",
    "tile-to-wrong-box": "one of a box's four tiles is laid at the box beside it, and put right after the delivery",
    "cut-against-die": "the stacks are taken by another cut than the cut die shows",
    "lost-hand-left": "a lost hand is left lying while the next is opened, though it is to be put away at once",
    "stand-off-left": "the tiles of a stand-off lie until the next hand was opened, where lost hands go at once",
    "won-hand-taken": "a won hand is paid and taken away before all hands are opened, where the book has that first",
    "hand-left-as-dealt": "the bank's hand is opened before a player has set his",
    "empty-box-left": "the tiles of a box without a wager are not taken back",
    "unused-tile-open": "of the tiles taken back one lies face up",
    "dice-not-shaken-again": "after the delivery the dice are left as thrown, where they are to be shaken again",
    "bank-away-early": "the bank's tiles are put away while players' hands are not opened yet",
    "chung-elsewhere": "the House banks, and the chung lies at another box than the book has it",
    "button-under-house-bank": "a button that adjusts the delivery lies at a box although the House banks",
}
"""Mistakes of procedure that a dealer makes on purpose, by kind."""
OF_DELIVERY: Final = frozenset(
    {"leaning-die-not-reshaken", "wrong-first-box", "wrong-delivery-order", "cut-against-die"}
)
"""Those that decide who gets which tiles."""

OF_MARKERS: Final = frozenset({"chung-elsewhere", "button-under-house-bank"})
"""Those about markers, at a table where players may bank, so that these move."""
_SHOWS: Final = 2
Emptied = tuple[frozenset[int], ...]
"""The stacks, 1 to 8, that are empty after each of the eight groups of four is taken, and were not before it."""


def departed(rng: Rng, mistake: str, session: Session, dealt: RoundChance) -> RoundChance | None:
    """The deal with a mistake of `OF_DELIVERY`; None where the round has no room for it."""
    order = dealt.order
    match mistake:
        case "leaning-die-not-reshaken":
            *before, last = dealt.throws
            leans = int(rng.integers(len(last.box_dice) + (last.cut_die is not None)))
            return replace(dealt, throws=(*before, replace(last, cocked=leans)))
        case "wrong-first-box":
            if session.setup.places < BOXES and session.setup.dice.fewer is not None:
                # How so few boxes are counted the book does not say, so that any may be the first.
                return None
            first = int(rng.integers(1, len(order)))
            if order[first] in _by_either_die(session, dealt):
                return None
            return replace(dealt, delivered=(*order[first:], *order[:first]))
        case "wrong-delivery-order":
            k = int(rng.integers(1, len(order) - 1))
            return replace(dealt, delivered=(*order[:k], order[k + 1], order[k], *order[k + 2 :]))
        case _:  # by mistake or with permission
            return _wrong_cut(rng, session, dealt)


def _by_either_die(session: Session, dealt: RoundChance) -> set[int]:
    """The first boxes by each die of the last throw, where only one is a box die, which nobody tells from the other."""
    setup, held, throw = session.setup, session.current.state.held, dealt.throws[-1]
    if len(throw.box_dice) > 1 or throw.cut_die is None:
        return {dealt.first_box}
    faces = (*throw.box_dice, throw.cut_die)
    return {setup.dice.first_boxes((face,), held.method, held.box, order=setup.order)[0] for face in faces}


def _wrong_cut(rng: Rng, session: Session, dealt: RoundChance) -> RoundChance | None:
    """Take the stacks by a cut that empties them in another order than the one of the die, however that is turned."""
    cuts, who = session.setup.book.cuts, session.current.state.cut_choice.who
    if who[:1] != (Chooser.CUT_DIE,) or dealt.cut is None:
        return None
    known = [named for named in cuts.named if is_drawn(named) and named.order().built is not None]
    dues = _due(cuts, dealt)
    if any(each not in known for each in dues):
        return None
    right = {emptied(each.order(turns).from_the_stacks) for each in dues for turns in product(*each.options)}
    others = [named for named in known if all(_differ(emptied(named.order().from_the_stacks), each) for each in right)]
    if not others:
        return None
    made: NamedCut = pick(rng, others)
    groups = taken(made)
    return replace(dealt, groups=groups, standing=standing(groups), made=made.cut.value)


def _due(cuts: Cuts, dealt: RoundChance) -> list[NamedCut]:
    """The cut by the cut die, and by the other die where there is a single box die, which nobody tells from it."""
    box_dice = dealt.throws[-1].box_dice
    by_other = [cuts.of_die(box_dice[0])] if len(box_dice) == 1 else []
    return [next(named for named in cuts.named if named.cut.value == dealt.cut), *by_other]


def emptied(groups: Iterable[Iterable[StackPlace]]) -> Emptied:
    """Which stacks each group of a delivery empties."""
    left = dict.fromkeys(range(1, STACKS + 1), STACK_HEIGHT)
    out = []
    for group in groups:
        before = {stack for stack, tiles in left.items() if tiles}
        for place in group:
            left[place.stack] -= 1
        out.append(frozenset(stack for stack in before if not left[stack]))
    return tuple(out)


def stands_late_s(course: Course, dealt_s: Mapping[int, float]) -> float:
    """For how long a stack stands that the die's cut has emptied, however that is turned."""
    cuts, dealt = course.session.setup.book.cuts, course.dealt
    made = next(named for named in cuts.named if named.cut.value == dealt.made)
    times = [dealt_s[box] for box in dealt.delivered]
    at = {stack: n for n, stacks in enumerate(emptied(made.order().from_the_stacks)) for stack in stacks}
    # At fewer places than groups the last stacks are never dealt.
    late_s = [
        max(
            (
                times[min(at[stack], len(times) - 1)] - time_s
                for time_s, stacks in zip(times, emptied(order.from_the_stacks), strict=False)
                for stack in stacks
            ),
            default=0.0,
        )
        for order in (due.order(turns) for due in _due(cuts, dealt) for turns in product(*due.options))
    ]
    return min(late_s)


def _differ(made: Emptied, due: Emptied) -> bool:
    """Whether a stack empties at least two places earlier or later; a hand hides smaller differences."""
    at, due_at = ({stack: n for n, stacks in enumerate(each) for stack in stacks} for each in (made, due))
    return any(abs(at[stack] - due_at[stack]) >= _SHOWS for stack in at)


def boxes_for(mistake: str, course: Course) -> list[int]:
    """The boxes of a round at which another mistake of procedure can be made; none where it has no room for it."""
    found = _BOXES_FOR.get(mistake)
    return list(course.played) if found is None else found(course)


def _left_with(course: Course, rules: Mapping[Bank, Cite], outcome: Outcome) -> list[int]:
    """Boxes with this outcome whose hand is to be away before the next is opened, with no side wagers to keep it."""
    found = course.method in rules and not course.session.setup.table.terms.side
    return [box for box, _ in pairwise(course.played) if found and course.outcomes[box] is outcome]


def _won(course: Course) -> list[int]:
    """Boxes whose hand won and may not be paid yet; at least two are still to be opened."""
    late = course.method in course.session.setup.play.paid_last and not course.session.setup.table.terms.side
    return [box for box in course.played[:-2] if late and course.outcomes[box] is Outcome.WIN]


def _sets_first(course: Course) -> bool:
    """Whether all hands are set before the bank's, and the tiles of empty boxes are taken back."""
    play = course.session.setup.play
    return play.retrieve is not None and play.request is not None and play.request.value is SetWhen.BEFORE_BANK


def _empty(course: Course) -> list[int]:
    boxes = range(1, course.session.setup.boxes + 1)
    return [box for box in boxes if box not in course.played and box != course.bank_box]


def rule_broken(kind: str, course: Course) -> Cite | None:
    """The rule that a mistake of procedure, or of the order of opening, breaks; None for others."""
    setup, method = course.session.setup, course.method
    play, dice, by_die = setup.play, setup.dice, setup.book.cuts.by_die
    rules: dict[str, Cite | None] = {
        "exposed-before-bank": play.bank_first[method],
        "exposed-out-of-turn": play.expose.get(method),
        "leaning-die-not-reshaken": dice.leaning,
        "wrong-first-box": dice.counting.cite,
        "wrong-delivery-order": play.deliver,
        "tile-to-wrong-box": play.deliver,
        "cut-against-die": None if by_die is None else by_die.cite,
        "lost-hand-left": play.at_once.get(method),
        "stand-off-left": play.stood_off.get(method),
        "won-hand-taken": play.paid_last.get(method),
        "hand-left-as-dealt": play.bank_last[method],
        "empty-box-left": play.retrieve,
        "unused-tile-open": play.retrieve,
        "dice-not-shaken-again": dice.shaken_again,
        "bank-away-early": play.matched[method],
        "chung-elsewhere": setup.banking.chung[method].cite,
        "button-under-house-bank": dice.buttons.cite,
    }
    return rules.get(kind)


_BOXES_FOR: Final[Mapping[str, Callable[[Course], list[int]]]] = {
    "tile-to-wrong-box": lambda course: list(range(1, course.session.setup.boxes + 1)),
    "lost-hand-left": lambda course: _left_with(course, course.session.setup.play.at_once, Outcome.LOSE),
    "stand-off-left": lambda course: _left_with(course, course.session.setup.play.stood_off, Outcome.PUSH),
    "won-hand-taken": _won,
    "hand-left-as-dealt": lambda course: (
        [box for box in course.played if box not in course.asked] if _sets_first(course) else []
    ),
    "empty-box-left": lambda course: _empty(course) if _sets_first(course) else [],
    "unused-tile-open": lambda course: [] if course.session.setup.play.retrieve is None else _empty(course),
    "chung-elsewhere": lambda course: (
        # Where the House has a place of its own it has no chung.
        list(course.played) if course.method is Bank.HOUSE and course.bank_box <= course.session.setup.boxes else []
    ),
    "button-under-house-bank": lambda course: (
        list(course.played) if course.method is Bank.HOUSE and course.session.setup.dice.buttons.value.values else []
    ),
    "dice-not-shaken-again": lambda course: (
        [] if course.session.setup.dice.shaken_again is None else list(course.played)
    ),
}


def beside(rng: Rng, box: int, boxes: int) -> int:
    return pick(rng, [other for other in (box - 1, box + 1) if 1 <= other <= boxes])
