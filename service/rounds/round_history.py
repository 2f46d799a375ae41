"""What the revisions of a round say together: hands that lay wrongly and since when, the throw, and decisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.observed.observations import DiceSeen
from service.rounds.reports import DICE, DiceReviewReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from service.rounds.reports import HandReadReport, HandReport, ReviewReport, RoundReport


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person decided about a part of a round.

    Attributes:
        played: the first revision that has it.
        place: of the hand, or ``dice``.
    """

    played: RoundReport
    place: str
    review: ReviewReport

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that were decided: the hand by its place, or dice such as ``die2``."""
        return self.review.parts if isinstance(self.review, DiceReviewReport) else (self.place,)


def decisions_of(revisions: Iterable[RoundReport]) -> tuple[Decision, ...]:
    """What persons decided in revisions of any rounds, the oldest first."""
    found: dict[tuple[str, str, datetime], Decision] = {}
    for report in revisions:
        reviewed: list[tuple[str, ReviewReport | None]] = [(hand.place, hand.review) for hand in report.hands]
        reviewed += [(gone.place, gone.review) for gone in report.absent]
        reviewed += [(DICE, report.dice_review)]
        for place, review in reviewed:
            if review is not None:  # a revision carries what was decided before it
                found.setdefault((report.id, place, review.at), Decision(report, place, review))
    return tuple(sorted(found.values(), key=lambda each: each.review.at))


def hand_at(report: RoundReport, place: str) -> HandReport | None:
    """The hand at a place in a revision."""
    return next((hand for hand in report.hands if hand.place == place), None)


def wrong_in(revisions: Sequence[RoundReport], place: str) -> tuple[int, ...]:
    """The indexes of the revisions in which a hand lay against the House Way.

    Args:
        revisions: of one round, oldest first. A person's decision about the hand applies to all of them.
        place: of the hand.
    """
    wrong = tuple(index for index, report in enumerate(revisions) if _is_wrong(hand_at(report, place)))
    newest, last = hand_at(revisions[-1], place), len(revisions) - 1
    absent = any(gone.place == place for gone in revisions[-1].absent)
    decided = absent or (newest is not None and newest.review is not None)
    return tuple(index for index in wrong if index == last) if decided else wrong


def wrong_since(revisions: Sequence[RoundReport], place: str, index: int) -> int:
    """The index of the first revision since which a hand that is wrong in revision ``index`` lay in the same wrong way.

    Revisions in which it is in doubt do not end that. If a person decided that it is wrong, it lay so since it was
    first read so, not since the decision.
    """
    hand = hand_at(revisions[index], place)
    read = None if hand is None or hand.review is None else hand.review.read
    ways = [_lay(each) for each in (hand, read) if each is not None]
    since = index
    for earlier in range(index - 1, -1, -1):
        before = hand_at(revisions[earlier], place)
        if before is None:
            break
        if _lay(before) in ways and (read is not None or before.is_set_wrongly):
            since = earlier
        elif before.status != "uncertain":
            break
    return since


def thrown_at(report: RoundReport) -> datetime | None:
    """When the dice of a round were seen at rest; None if that was not observed."""
    seen = () if report.log is None else report.log.seen
    return next((each.at for each in reversed(seen) if each.kind == DiceSeen.kind), None)


def _is_wrong(hand: HandReport | None) -> bool:
    return hand is not None and hand.is_set_wrongly


def _lay(hand: HandReport | HandReadReport) -> tuple[list[str], list[str]]:
    return sorted(hand.low), sorted(hand.high)
