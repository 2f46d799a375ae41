"""Evidence of a round: which picture shows which hand or throw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from service.rounds.reports import EvidenceReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from service.record.store.entries import Picture
    from service.rounds.reports import RoundReport

DICE: Final = "dice"
"""The place that evidence of a throw is kept under."""
PictureRole: TypeAlias = Literal["frame", "annotated", "close_up"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """One picture of a hand or of the throw: as the camera gave it, with the round drawn on it, or close up."""

    place: str
    role: PictureRole
    picture: Picture


def named(report: RoundReport, new: Sequence[Evidence], is_kept: Callable[[str], bool]) -> tuple[EvidenceReport, ...]:
    """The evidence that a revision names: what is new, and what showed parts of the round that have not changed.

    ``report`` still names the evidence of the revision before; ``is_kept`` tells whether a picture is still there.
    """
    renewed = {one.place for one in new}
    places = {hand.place for hand in report.hands} | ({DICE} if report.dice else set())
    kept = [one for one in report.evidence if one.place in places and one.place not in renewed and is_kept(one.sha256)]
    return (
        *kept,
        *(
            EvidenceReport(
                place=one.place,
                sha256=one.picture.sha256,
                role=one.role,
                media_type=one.picture.media_type,
                bytes=len(one.picture.data),
            )
            for one in new
        ),
    )
