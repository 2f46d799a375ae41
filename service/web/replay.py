"""The replay of a round: its pictures and clips in order, and the moments at which its stages were seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from engine.observed.observations import HandOpened, HandPutAway, TilesDealt
from service.rounds.reports import DICE
from service.rounds.round_history import thrown_at
from service.web.round_views import shown_pictures

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from service.rounds.reports import ObservationReport, RoundReport

SECONDS: Final = 20
"""How long a replay lasts."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What is replayed.

    Attributes:
        pictures: by hash, each with its moment, UTC, oldest first.
        clips: by hash.
        stages: names of the stages seen, in order: ``dice``, ``delivery``, ``house``, ``players``, ``over``.
    """

    pictures: tuple[tuple[str, datetime], ...]
    clips: tuple[str, ...]
    stages: tuple[tuple[str, datetime], ...]

    def sources(self, src: Callable[[str], str]) -> dict[str, list[Any]]:
        """Return what the page's script plays: addresses of pictures, with their moments in ms, and of clips."""
        pictures = [{"src": src(sha256), "taken": round(at.timestamp() * 1000)} for sha256, at in self.pictures]
        return {"pictures": pictures, "clips": [src(sha256) for sha256 in self.clips]}


def replay_of(revisions: Sequence[RoundReport], kept: Collection[str]) -> Replay | None:
    """Gather the replay of a round of its revisions, oldest first; None if no two of its pictures are kept."""
    pictures: dict[str, datetime] = {}
    clips: dict[str, None] = {}
    for report in revisions:
        clips |= {one.sha256: None for one in report.evidence if one.role == "clip" and one.sha256 in kept}
        for shown in shown_pictures(report):
            sha256 = next((each for each in (shown.annotated, shown.frame) if each in kept), None)
            if sha256 is not None:
                thrown = thrown_at(report) if list(shown.close_ups) == [DICE] else None
                pictures.setdefault(sha256, thrown or report.changed_at)
    if not clips and len(pictures) < 2:
        return None
    in_order = sorted(pictures.items(), key=lambda each: each[1])
    return Replay(tuple(in_order), tuple(clips), tuple(_stages(revisions[-1])))


def _stages(played: RoundReport) -> Iterator[tuple[str, datetime]]:
    def first(kind: str, *, house: bool | None = None) -> datetime | None:
        return next((each.at for each in seen if each.kind == kind and house in {None, _of_house(each)}), None)

    seen = () if played.log is None else played.log.seen
    stages = {
        "dice": thrown_at(played),
        "delivery": first(TilesDealt.kind),
        "house": first(HandOpened.kind, house=True),
        "players": first(HandOpened.kind, house=False),
        "over": first(HandPutAway.kind) or played.closed_at,
    }
    yield from ((name, at) for name, at in stages.items() if at is not None)


def _of_house(seen: ObservationReport) -> bool:
    return seen.facts.get("box") is None
