"""Shadow reading: a candidate reads the same tiles as the model in use; it yields figures and the differing crops.

Each tile is read once each time it is laid down: both models name the crop of the first picture in which it rests,
before it is settled, and are compared with the face that the table verifies later with the separate pip reader.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final, Self

import numpy as np
from pydantic import AwareDatetime, Field

from calibration.files.json_file import FileModel, parse, read_json
from calibration.files.seal import replace_file
from vision.crops import tile_crops
from vision.learning.comparison import Figures, figures_of
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder, KeptCrop, Origin
from vision.networks.classifier import TILE_MODEL, TileClassifier
from vision.networks.model_card import sha256_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from vision.arrays import TileCrops
    from vision.capture.images import Image
    from vision.networks.classifier import NamesTiles
    from vision.tracking.tracks.tile_tracks import Track

_log = logging.getLogger(__name__)

FEWEST_TILES: Final = 200
"""Minimum number of tiles for a conclusion about a candidate."""
_SETTLED_PICTURES: Final = 3
_MOST_APART_S: Final = 10.0
"""Gaps between pictures longer than this do not count as watched time."""
_WRITTEN_EVERY_S: Final = 60.0
_DIFFERING_BYTES: Final = 5_000_000
_BEYOND_CHANCE: Final = 2.0
"""Standard deviations from which a deficit of correct tiles is significant (McNemar 1947)."""
_NOTHING: Final = Figures(0, 0, 0, 0, 0)


class ShadowReport(FileModel):
    """The results of shadow reading so far.

    Attributes:
        candidate, used: SHA-256 of both models.
        started_at: moment of the start, UTC.
        watched_s: watched time in seconds.
        candidate_figures, used_figures: figures of both models.
        only_used, only_candidate: number of tiles that only this model named correctly.
    """

    version: Annotated[int, Field(ge=1, le=1)] = 1
    candidate: str
    used: str
    started_at: AwareDatetime
    watched_s: float = 0.0
    candidate_figures: Figures = _NOTHING
    used_figures: Figures = _NOTHING
    only_used: int = 0
    only_candidate: int = 0

    @property
    def worse(self) -> bool:
        """Whether the candidate is worse: more tiles confidently wrong, or significantly fewer correct."""
        differing = self.only_used + self.only_candidate
        fewer = self.only_used - self.only_candidate > _BEYOND_CHANCE * math.sqrt(differing)
        return fewer or self.candidate_figures.surely_wrong > self.used_figures.surely_wrong


def report_path(models: Path, table: str, candidate: str, used: str) -> Path:
    """Return the path of a table's report on a candidate compared with a model, both by their SHA-256."""
    return models / f"shadow-{table}-{candidate[:12]}-{used[:12]}" / "report.json"


def read_report(models: Path, table: str, candidate: str, used: str) -> ShadowReport | None:
    """Return the report on a candidate; None if it was never compared with this model. LearningError if unreadable."""
    path = report_path(models, table, candidate, used)
    if not path.exists():
        return None
    return parse(ShadowReport, read_json(path, LearningError), str(path), LearningError)


@dataclass(slots=True)
class ShadowReading:
    """Reads tiles with the model in use and with a candidate.

    Attributes:
        table: its name.
        candidate, used: the models.
        report: the results so far.
        path: of the report file.
        counted: called for each tile with the model that was right: ``both``, ``used``, ``candidate`` or ``neither``.
    """

    table: str
    candidate: NamesTiles
    used: NamesTiles
    report: ShadowReport
    path: Path
    counted: Callable[[str], None] = lambda _: None
    _first: dict[tuple[int, int], TileCrops | None] = field(default_factory=dict)
    _seen_s: float = -math.inf
    _written_s: float = -math.inf

    @classmethod
    def load(
        cls, table: str, candidate: Path, used: Path, models: Path, counted: Callable[[str], None], threads: int = 1
    ) -> Self:
        """Load a candidate and continue its report.

        Args:
            table: its name.
            candidate: folder of the candidate.
            used: folder of the model in use.
            models: folder of the reports.
            counted: see the class.
            threads: of the networks.

        Raises:
            ModelError: a model cannot be used.
            LearningError: an earlier report cannot be read, or the candidate is in use already.
        """
        both = TileClassifier.load(candidate, threads), TileClassifier.load(used, threads)
        new, old = (sha256_of(folder / TILE_MODEL) for folder in (candidate, used))
        if new == old:
            raise LearningError(f"models.shadow {candidate}: this model is in use; remove the setting")
        report = read_report(models, table, new, old)
        report = report or ShadowReport(candidate=new, used=old, started_at=datetime.now(UTC))
        return cls(table, *both, report, report_path(models, table, new, old), counted)

    def see(self, image: Image, lying: Sequence[Track], t_s: float) -> None:
        """Process the next picture.

        Args:
            image: the picture.
            lying: its resting tiles.
            t_s: when it was taken, in monotonic seconds.
        """
        watched_s = t_s - self._seen_s if t_s - self._seen_s <= _MOST_APART_S else 0.0
        self._seen_s = t_s
        self.report = self.report.model_copy(update={"watched_s": self.report.watched_s + watched_s})
        up = {track.epoch: track for track in lying if track.tile.face_up}
        self._first = {epoch: crop for epoch, crop in self._first.items() if epoch in up}
        for number, (epoch, track) in enumerate(up.items(), 1):
            if epoch not in self._first:
                self._first[epoch] = tile_crops(image, np.array([track.tile.polygon], np.float32))
            crops = self._first[epoch]
            settled = track.tile.status == "verified" and track.pictures >= _SETTLED_PICTURES
            if crops is not None and settled and track.tile.face is not None:
                self._first[epoch] = None  # counted
                self._count(crops, track, min(number, 32), image)
        if t_s - self._written_s >= _WRITTEN_EVERY_S:
            self.write()
            self._written_s = t_s

    def write(self) -> None:
        """Write the report; OSError."""
        replace_file(self.path, (json.dumps(self.report.model_dump(mode="json"), indent=1) + "\n").encode())

    def _count(self, crops: TileCrops, track: Track, number: int, image: Image) -> None:
        face = track.tile.face
        if face is None:
            return
        label = np.array([face.index])
        old, new = self.used(crops), self.candidate(crops)
        before, after = figures_of(old, label), figures_of(new, label)
        right = {(1, 1): "both", (1, 0): "used", (0, 1): "candidate", (0, 0): "neither"}[before.right, after.right]
        self.counted(right)
        known = self.report
        changed: dict[str, Any] = {
            "used_figures": known.used_figures + before,
            "candidate_figures": known.candidate_figures + after,
            "only_used": known.only_used + (right == "used"),
            "only_candidate": known.only_candidate + (right == "candidate"),
        }
        self.report = known.model_copy(update=changed)
        if int(old.argmax()) != int(new.argmax()):
            origin = Origin(
                kind="shadow",
                table=self.table,
                at=datetime.now(UTC),
                number=number,
                picture=hashlib.sha256(image.tobytes()).hexdigest(),
                versions={"tiles": f"sha256:{known.used}", "candidate": f"sha256:{known.candidate}"},
                place=None if track.tile.place is None else str(track.tile.place),
            )
            CropFolder(self.path.parent, _DIFFERING_BYTES).keep([KeptCrop(crops[0], face, origin)])
