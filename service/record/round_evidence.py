"""Evidence of a round: which picture shows which hand or throw, and the clip of the seconds before an alarm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from service.rounds.reports import DICE, EvidenceReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.record.store.entries import Picture
    from service.rounds.reports import ClipReport, RoundReport

PictureRole: TypeAlias = Literal["frame", "annotated", "close_up", "clip"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One picture of a hand or of the throw, or a clip.

    Attributes:
        place: of the hand, or ``DICE``; None for a clip.
        role: as the camera gave it, with the round drawn on it, close up, or a clip.
        clip: what a clip shows; None for a picture.
    """

    place: str | None
    role: PictureRole
    picture: Picture
    clip: ClipReport | None = None


def named(report: RoundReport, new: Sequence[Evidence], is_kept: Callable[[str], bool]) -> tuple[EvidenceReport, ...]:
    """Return the evidence of a revision: new pictures, earlier pictures of unchanged parts of the round, and clips.

    ``report`` still names the evidence of the previous revision; ``is_kept`` returns whether a picture still exists.
    """
    renewed = {one.place for one in new if one.role != "clip"}
    places = {hand.place for hand in report.hands} | ({DICE} if report.dice else set())
    shown = [one for one in report.evidence if one.role == "clip" or (one.place in places and one.place not in renewed)]
    return (
        *(one for one in shown if is_kept(one.sha256)),
        *(
            EvidenceReport(
                place=one.place,
                sha256=one.picture.sha256,
                role=one.role,
                media_type=one.picture.media_type,
                bytes=len(one.picture.data),
                clip=one.clip,
            )
            for one in new
        ),
    )
