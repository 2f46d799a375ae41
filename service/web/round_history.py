"""Recorded rounds for people: what the page looks for, and what it shows of a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ConfigDict, model_validator

from service.record.projections.round_search import PlaceInRounds, RoundFilter
from service.rounds.reports import ReviewReport
from service.words.doubts import each_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from service.rounds.reports import RoundReport
    from service.words.doubts import DoubtReport


class Search(RoundFilter):
    """What somebody looks for in a page's form; browsers send fields that were left empty."""

    model_config = ConfigDict(extra="ignore")

    before: PlaceInRounds | None = None

    @model_validator(mode="before")
    @classmethod
    def _without_empty_fields(cls, sent: dict[str, object]) -> dict[str, object]:
        return {name: value for name, value in sent.items() if value != ""}

    @property
    def asked(self) -> dict[str, str]:
        """What is looked for, as parameters of an address; without the place in the answer."""
        return {
            name: str(value)
            for name, value in self.model_dump(mode="json", exclude={"before"}, exclude_defaults=True).items()
        }


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture of the whole table kept as evidence, with the round drawn on it and as the camera gave it, by hash.

    `close_ups` are by place, of each hand and of the throw; none in records of earlier versions.
    """

    annotated: str | None
    frame: str | None
    close_ups: Mapping[str, str]


def shown_pictures(report: RoundReport) -> tuple[ShownPicture, ...]:
    """The pictures of a revision, each once with all that it shows."""
    by_place: dict[str | None, dict[str, str]] = {}
    for one in report.evidence:
        if one.role == "clip":
            continue
        by_place.setdefault(one.place, {})[one.role] = one.sha256
    found: dict[tuple[str | None, str | None], dict[str, str]] = {}
    for place, roles in by_place.items():
        close_ups = found.setdefault((roles.get("annotated"), roles.get("frame")), {})
        if place is not None and "close_up" in roles:
            close_ups[place] = roles["close_up"]
    return tuple(ShownPicture(*whole, close_ups) for whole, close_ups in found.items())


def decisions_of(revisions: Iterable[RoundReport]) -> tuple[tuple[str, ReviewReport], ...]:
    """What persons decided of a round, the oldest first: the place, or ``dice``, and who, when and why."""
    found: dict[tuple[str, ReviewReport], None] = {}
    for report in revisions:
        reviewed: list[tuple[str, ReviewReport | None]] = [(hand.place, hand.review) for hand in report.hands]
        reviewed += [(gone.place, gone.review) for gone in report.absent]
        reviewed += [("dice", report.dice_review)]
        for place, review in reviewed:
            if review is not None:
                alone = ReviewReport.model_validate(review.model_dump(include=set(ReviewReport.model_fields)))
                found[place, alone] = None
    return tuple(sorted(found, key=lambda each: each[1].at))


def picture_of(revisions: Iterable[RoundReport]) -> str | None:
    """The picture to look at before deciding a round: the last annotated one while its tiles lay.

    One that shows what is in doubt, if there is one. In a record of an earlier version what ends a round shows an empty
    table, or nothing where the end was not seen.
    """
    laid = [report for report in revisions if report.state == "open"]
    drawn = [one for report in laid for one in report.evidence if one.role == "annotated"]
    doubtful = {name for report in laid[-1:] for name, _ in doubts(report)}
    first = [one for one in drawn if one.place in doubtful] or drawn
    return first[-1].sha256 if first else None


def doubts(played: RoundReport) -> tuple[tuple[str, tuple[DoubtReport, ...]], ...]:
    """What in a round needs review: places, and ``dice``, each with its reasons."""
    hands = tuple((hand.place, hand.doubts) for hand in played.hands if hand.status == "uncertain")
    dice = [die for die in played.dice if die.status == "uncertain"]
    if not dice:
        return hands
    return (*hands, ("dice", each_once(doubt for die in dice for doubt in die.doubts)))
