"""What a person is asked about the doubts of a round, and the queue of rounds that wait.

The readings offered are those of both readers, as far as the doubts name them; nothing is offered that the set cannot
hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from engine.errors import EngineError
from engine.game.tiles import Tile
from service.rounds.reports import DICE
from service.rounds.review import ReviewError, doubtful_parts, part_of_die
from service.words.declared.all_codes import declaration_of
from service.words.declared.declaration import OTHER_WAY
from service.words.wording import Words, part_name, sentence, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from service.rounds.reports import DieReport, FacePair, HandReport, RoundReport
    from service.words.doubts import DoubtReport
    from service.words.wording import Sayable


ABSENT: Final = "absent"
"""The choice that no hand lies at a place."""
COCKED: Final = "cocked"
"""The choice that a die does not lie flat."""
_SIDES: Final = range(1, 7)
_MOST: Final = 5
_FELT: Final = 0.5


@dataclass(frozen=True, slots=True)
class HandChoice:
    """A way in which the tiles of a hand may lie; ``read`` if it is what was read."""

    low: FacePair
    high: FacePair
    read: bool = False

    @property
    def value(self) -> str:
        """As the form sends it."""
        return f"{' '.join(self.low)}/{' '.join(self.high)}"


@dataclass(frozen=True, slots=True)
class Question:
    """One doubt that a person decides.

    Attributes:
        part: a hand by its place, or a die by its number: ``house``, ``box3``, ``die2``.
        place: where its pictures are kept: of the hand, or of the throw.
        why: the doubts.
        hand: the hand; None for a die.
        die: the die; None for a hand.
        hands: how the tiles may lie, as read first.
        values: what the die may show, as read first.
        others: what else a die can show.
    """

    part: str
    place: str
    why: tuple[DoubtReport, ...]
    hand: HandReport | None = None
    die: DieReport | None = None
    hands: tuple[HandChoice, ...] = ()
    values: tuple[int, ...] = ()
    others: tuple[int, ...] = ()

    @property
    def number(self) -> int:
        """Of the die."""
        return int(self.part.removeprefix("die"))

    @property
    def views(self) -> tuple[str, str] | None:
        """What to show of the picture: the die alone, and the outline of it; None where it is not known."""
        if self.die is None or len({x for x, _ in self.die.polygon}) == 1:
            return None
        return view_of((self.die,)), " ".join(f"{x:g},{y:g}" for x, y in self.die.polygon)

    @property
    def confirmable(self) -> bool:
        """Whether there is a reading that can be confirmed unchanged."""
        return self.hand is not None or (self.die is not None and self.die.value is not None and not self.die.cocked)


def view_of(dice: Sequence[DieReport]) -> str:
    """The part of a picture that shows some dice, as a drawing's ``viewBox``: with the felt of half a die around."""
    corners = [corner for die in dice for corner in die.polygon]
    left, right = min(x for x, _ in corners), max(x for x, _ in corners)
    top, bottom = min(y for _, y in corners), max(y for _, y in corners)
    margin = _FELT * max(math.dist(die.polygon[0], die.polygon[1]) for die in dice)
    return " ".join(
        f"{each:.1f}" for each in (left - margin, top - margin, right - left + 2 * margin, bottom - top + 2 * margin)
    )


def questions(played: RoundReport) -> tuple[Question, ...]:
    """What a round asks, in its order."""
    return tuple(question_of(played, part) for part in doubtful_parts(played))


def question_of(played: RoundReport, part: str) -> Question:
    """The question about a part.

    Raises:
        ReviewError: the round has no such part.
    """
    for number, die in enumerate(played.dice, start=1):
        if part_of_die(number) == part:
            values = tuple(dict.fromkeys(_values(die)))
            others = tuple(side for side in _SIDES if side not in values)
            return Question(part, DICE, die.doubts, die=die, values=values, others=others)
    for hand in played.hands:
        if hand.place == part:
            return Question(part, part, hand.doubts, hand=hand, hands=_lays(hand))
    raise ReviewError(words("%(part)s is not in this round.", part=part_name(part)))


def _offered(doubt: DoubtReport) -> str:
    """The parameter of a doubt that names another reading."""
    declaration = declaration_of(doubt.code)
    return "" if declaration is None else declaration.offers


def _values(die: DieReport) -> Iterator[int]:
    """What the readers say that a die shows."""
    if die.value is not None:
        yield die.value
    for doubt in die.doubts:
        value = doubt.params.get(_offered(doubt))
        if value in _SIDES:
            yield int(str(value))


def _lays(hand: HandReport) -> tuple[HandChoice, ...]:
    """How the tiles of a hand may lie by what the readers say, as read first."""
    read = HandChoice(hand.low, hand.high, read=True)
    found = [read]
    for doubt in hand.doubts:
        if _offered(doubt) == OTHER_WAY:
            found.append(HandChoice(hand.high, hand.low))
        face = doubt.params.get(_offered(doubt))
        if isinstance(face, str) and doubt.about and face != doubt.about:
            found += _with(hand, doubt.about, face)
    return tuple(_once(each for each in found if each.read or _is_in_a_set(each)))[:_MOST]


def _with(hand: HandReport, seen: str, face: str) -> Iterator[HandChoice]:
    """The hand with one tile of a face read as another."""
    four = [*hand.low, *hand.high]
    for index, each in enumerate(four):
        if each == seen:
            one, two, three, last = (face if here == index else tile for here, tile in enumerate(four))
            yield HandChoice((one, two), (three, last))


def _once(choices: Iterable[HandChoice]) -> Iterator[HandChoice]:
    """Those that differ in which tiles are low and which are high."""
    seen: set[tuple[tuple[str, ...], tuple[str, ...]]] = set()
    for each in choices:
        key = tuple(sorted(each.low)), tuple(sorted(each.high))
        if key not in seen:
            seen.add(key)
            yield each


def _is_in_a_set(choice: HandChoice) -> bool:
    try:
        four = [Tile.parse(face) for face in (*choice.low, *choice.high)]
    except EngineError:
        return False
    return all(four.count(tile) <= tile.copies for tile in four)


USUAL: Final[Mapping[str, str]] = {
    "picture": sentence("Clear in the picture"),
    "table": sentence("Seen at the table"),
    "glare": sentence("Glare or shadow"),
    "hidden": sentence("Hand or sleeve in the way"),
    "dealer": sentence("The dealer was asked"),
}


def reason_of(code: str, more: str) -> str:
    """What is recorded for a usual reason, for a person's own words, or for both; empty for neither."""
    return ": ".join(each for each in (USUAL.get(code, ""), more.strip()) if each)


def reason_words(recorded: str) -> Sayable | str:
    """A recorded reason: a usual one is translatable, a person's own words are not."""
    usual, between, more = recorded.partition(": ")
    if usual not in USUAL.values():
        return recorded
    return Words("%(about)s: %(what)s", {"about": Words(usual, {}), "what": more}) if between else Words(usual, {})


CAUSES: Final = ("dice", "hands", "hidden", "procedure", "table", "unseen")
"""Doubtful dice, doubtful tiles, tiles that were hidden or moved, rounds that were also not dealt by the book, what was
withheld because the camera, the clock, the record or the set was not well, and rounds that were not seen to their end.
"""


@dataclass(frozen=True, slots=True)
class WaitingRound:
    """A round in one group, with the name of its table and the questions that belong to the group's cause.

    A round that was not seen asks nothing: a person reports what was done about it.
    """

    table: str
    played: RoundReport
    asked: tuple[Question, ...]

    def close_up(self, question: Question) -> str | None:
        """The picture of what a question is about."""
        named = (one.sha256 for one in self.played.evidence if one.role == "close_up" and one.place == question.place)
        return next(named, None)

    def tick(self, is_kept: Callable[[str, str], bool]) -> str | None:
        """What a form sends to confirm this as it was read; None where something cannot be seen or was not read."""
        pictures = [self.close_up(each) for each in self.asked]
        if (
            not pictures
            or not all(each.confirmable for each in self.asked)
            or not all(one and is_kept(self.table, one) for one in pictures)
        ):
            return None
        return " ".join((self.table, self.played.id, str(self.played.revision), *(each.part for each in self.asked)))


@dataclass(frozen=True, slots=True)
class Group:
    """All that waits for one cause, newest first."""

    cause: str
    waiting: tuple[WaitingRound, ...]

    @property
    def oldest(self) -> datetime:
        """Start of the round that has waited longest."""
        return min(each.played.opened_at for each in self.waiting)


def groups_of(waiting: Iterable[tuple[str, RoundReport]]) -> tuple[Group, ...]:
    """Waiting rounds, each after the name of its table, by cause; without empty groups."""
    found: dict[str, list[WaitingRound]] = {cause: [] for cause in CAUSES}
    for table, played in waiting:
        by_cause: dict[str, list[Question]] = {}
        for each in questions(played):
            by_cause.setdefault(_cause(played, each), []).append(each)
        if played.left_unseen:
            by_cause["unseen"] = []
        for cause, asked in by_cause.items():
            found[cause].append(WaitingRound(table, played, tuple(asked)))
    return tuple(Group(cause, tuple(of_it)) for cause, of_it in found.items() if of_it)


def _cause(played: RoundReport, question: Question) -> str:
    if played.departures and question.place != DICE:
        return "procedure"
    groups = {declaration.group for doubt in question.why if (declaration := declaration_of(doubt.code)) is not None}
    if "hidden" in groups:
        return "hidden"
    if "table" in groups:
        return "table"
    return "dice" if question.place == DICE else "hands"
