"""Read and score a folder of labelled pictures."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration
from datasets.evaluation.scoring import Score, score_picture
from datasets.labels.labels import LabelError, PictureLabels
from datasets.scenes.cutouts import GROUNDS, lay, load_cutout
from vision.capture.images import Image, ImageError, load_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from datasets.labels.label_folders import LabelledPicture
    from vision.reading import PictureReader

    Prepared = tuple[Image, PictureLabels, TableCalibration | None]
    PictureJob = tuple[str, Callable[[], Prepared]]
    """Name of a picture, and a function that loads it with its labels and its calibration or None."""

LAYINGS = 8
"""How often each cut-out tile is placed on a synthetic background."""


@dataclass(frozen=True, slots=True)
class UnreadPicture:
    """A picture that could not be read, with the reason and advice."""

    image: str
    message: str


@dataclass(frozen=True, slots=True)
class PictureResult:
    """A picture's score and its groups: kind, style of the tile set, distribution shift; None where not known."""

    kind: str
    style: str | None
    shift: str | None
    score: Score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Scores of a folder, with the versions of the models that read."""

    results: tuple[PictureResult, ...]
    failures: tuple[UnreadPicture, ...]
    versions: dict[str, str]

    @property
    def total(self) -> Score:
        return Score.total(each.score for each in self.results)

    def groups(self) -> dict[str, dict[str, Score]]:
        """Scores by kind of picture, style of tiles and shift, where there is more than one."""
        found: dict[str, dict[str, Score]] = {}
        for title in ("kind", "style", "shift"):
            parts: dict[str, list[Score]] = {}
            for each in self.results:
                if (name := getattr(each, title)) is not None:
                    parts.setdefault(name, []).append(each.score)
            if len(parts) > 1:
                found[title] = {name: Score.total(parts[name]) for name in sorted(parts)}
        return found


def evaluate(
    pictures: Sequence[LabelledPicture],
    reader: PictureReader,
    *,
    calibrated: bool = True,
    layings: int = LAYINGS,
    seed: int = 1,
    track: Callable[[Iterator[PictureJob], int], Iterator[PictureJob]] | None = None,
) -> Evaluation:
    """Read and score pictures.

    Args:
        pictures: the pictures.
        reader: the reader.
        calibrated: whether to use the camera from label files.
        layings: how often to place each cut-out tile.
        seed: of the placements.
        track: shows progress; gets the jobs and their number.
    """
    results: list[PictureResult] = []
    failures: list[UnreadPicture] = []
    versions: dict[str, str] = {}
    jobs = list(_jobs(pictures, calibrated=calibrated, layings=layings, seed=seed))
    for name, prepare in jobs if track is None else track(iter(jobs), len(jobs)):
        try:
            image, labels, table = prepare()
        except (ImageError, CalibrationError, LabelError, OSError) as error:
            failures.append(UnreadPicture(name, str(error)))
            continue
        reading = reader.read(image, calibration=table, name=name)
        versions = dict(reading.versions)
        style, shift = (labels.tileset or {}).get("style"), (labels.spec or {}).get("shift")
        results.append(PictureResult(labels.kind, _text(style), _text(shift), score_picture(reading, labels)))
    return Evaluation(tuple(results), tuple(failures), versions)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _jobs(pictures: Sequence[LabelledPicture], *, calibrated: bool, layings: int, seed: int) -> Iterator[PictureJob]:
    for number, picture in enumerate(pictures):
        if picture.labels.scope == "tiles":
            for turn in range(layings):
                name = f"{picture.path.name}#{turn}"
                yield name, partial(_laid, picture, name, turn, (seed, number, turn))
        else:
            yield picture.path.name, partial(_whole, picture, calibrated=calibrated)


def _whole(picture: LabelledPicture, *, calibrated: bool) -> Prepared:
    image = load_image(picture.path)
    size = (image.shape[1], image.shape[0])
    if picture.labels.size not in (None, size):
        raise LabelError(f"{picture.path.name}: is {size[0]} x {size[1]}, its labels are for {picture.labels.size}")
    table = None
    if calibrated and picture.truth is not None and picture.labels.camera is not None:
        table = load_calibration(picture.truth)
        table.check_size(size, picture.path.name)
    return image, picture.labels, table


def _laid(picture: LabelledPicture, name: str, turn: int, seed: tuple[int, int, int]) -> Prepared:
    face = picture.labels.tiles[0].face
    if face is None:
        raise LabelError(f"{picture.path.name}: its label names no face")
    ground = tuple(GROUNDS)[turn % len(GROUNDS)]
    return *lay(load_cutout(picture.path), face, name, ground, np.random.default_rng(seed)), None
