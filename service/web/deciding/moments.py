"""The moment of a round that matters to whoever opens it: what is wrong or in doubt, as it lay, with its pictures."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from service.rounds.reports import DICE

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from service.rounds.reports import FacePair, HandReport, RoundReport

Kind = Literal["wrong", "doubt", "set_right", "well"]
_WORST_FIRST: tuple[Kind, ...] = ("wrong", "doubt", "set_right", "well")


@dataclass(frozen=True, slots=True)
class Moment:
    """A hand, or the throw, at the revision that shows what is to be seen of it.

    Attributes:
        place: of the hand, or ``dice``.
        kind: ``wrong`` if the hand lies against the House Way, ``doubt`` if a person has to look, ``set_right`` if it
            lay wrongly before and was corrected.
        report: the round at that revision.
        annotated: its picture with the round drawn on it, by hash; None if none is kept.
        frame: the same as the camera gave it.
        close_up: of the hand or throw alone.
    """

    place: str
    kind: Kind
    report: RoundReport
    annotated: str | None = None
    frame: str | None = None
    close_up: str | None = None

    @property
    def hand(self) -> HandReport | None:
        """The hand as it lay then."""
        return hand_at(self.report, self.place)


def hand_at(report: RoundReport, place: str) -> HandReport | None:
    """The hand at a place in a revision."""
    return next((hand for hand in report.hands if hand.place == place), None)


def moments(revisions: Sequence[RoundReport], kept: Collection[str]) -> tuple[Moment, ...]:
    """What can be looked at in a round, worst first.

    Args:
        revisions: of the round, oldest first.
        kept: the pictures that are still there.
    """
    newest = revisions[-1]
    places = [hand.place for hand in newest.hands] + ([DICE] if newest.dice else [])
    found = [_moment(revisions, place, kept) for place in places]
    return tuple(sorted(found, key=lambda each: _WORST_FIRST.index(each.kind)))


def _moment(revisions: Sequence[RoundReport], place: str, kept: Collection[str]) -> Moment:
    kind, number = _when(revisions, place)
    pictures: dict[str, str] = {}
    # What a revision has no picture of is shown as the one before had it.
    for report in reversed(revisions[: number + 1]):
        for one in report.evidence:
            if one.sha256 in kept and one.place in {place, None}:
                pictures.setdefault(one.role, one.sha256)
        if "annotated" in pictures or "frame" in pictures:
            break
    return Moment(
        place,
        kind,
        revisions[number],
        pictures.get("annotated"),
        pictures.get("frame"),
        pictures.get("close_up"),
    )


def _when(revisions: Sequence[RoundReport], place: str) -> tuple[Kind, int]:
    """What is to be said of a place, and the index of the revision that shows it."""
    last = len(revisions) - 1
    newest = revisions[last]
    if place == DICE:
        return ("doubt" if newest.throw_in_doubt else "well"), last
    now = hand_at(newest, place)
    if now is not None and now.status == "uncertain":
        return "doubt", last
    # What a person decided counts for the whole round.
    wrong = [index for index, report in enumerate(revisions) if _is_wrong(hand_at(report, place))]
    if wrong and _is_wrong(now):
        return "wrong", last
    if wrong and (now is None or now.review is None):
        return "set_right", wrong[-1]
    return "well", last


def _is_wrong(hand: HandReport | None) -> bool:
    return hand is not None and hand.is_set_wrongly


def moved(pair: FacePair, other: FacePair) -> tuple[bool, bool]:
    """Which of two tiles lie in the other hand of another setting of the same four.

    >>> moved(("6-1", "5-3"), ("6-3", "5-3"))
    (True, False)
    """
    stay = Counter(other)
    found = []
    for face in pair:
        found.append(stay[face] <= 0)
        stay[face] -= 1
    return found[0], found[1]
