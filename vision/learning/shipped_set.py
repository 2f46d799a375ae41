"""The shipped crops: labelled tiles of many manufacturers in one sheet, used to measure every refinement."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import cv2
import numpy as np
from pydantic import Field

from calibration.files.json_file import FileModel, parse, read_json
from calibration.files.seal import replace_file
from vision.crops import TILE_CROP_PX
from vision.learning.errors import LearningError
from vision.networks.classifier import TILE_CLASSES

if TYPE_CHECKING:
    from vision.arrays import Indices, TileCrops

FOLDER: Final = Path(__file__).resolve().parents[2] / "models" / "weights"
SHEET: Final = "tile_crops.jpg"
CARD: Final = "tile_crops.card.json"
_COLUMNS: Final = 40
_QUALITY: Final = 92


class _Card(FileModel):
    """Description of the sheet.

    Attributes:
        sha256: of the sheet's file.
        labels: class of each crop, row by row; indices into ``classes``.
        replayed: number of crops, from the first, used for replay; the rest is used for measurement only.
        command: how the source pictures were made.
    """

    version: Annotated[int, Field(ge=1, le=1)]
    sha256: str
    classes: tuple[str, ...]
    labels: tuple[int, ...]
    replayed: Annotated[int, Field(ge=0)]
    command: str


@dataclass(frozen=True, eq=False, slots=True)
class ShippedSet:
    """Labelled crops of many manufacturers, in two parts from different pictures.

    Attributes:
        replayed: (n, 96, 48, 3), for replay.
        crops: (m, 96, 48, 3), for measurement.
        labels: (m,) classes of the latter.
        sha256: of the sheet.
    """

    replayed: TileCrops
    crops: TileCrops
    labels: Indices
    sha256: str


def write_shipped(folder: Path, crops: TileCrops, labels: Indices, *, replayed: int, made_by: str) -> Path:
    """Write the sheet and its card; returns the sheet's path."""
    width, height = TILE_CROP_PX
    rows = -(-len(crops) // _COLUMNS)
    cells = np.zeros((rows * _COLUMNS, height, width, 3), np.uint8)
    cells[: len(crops)] = crops
    sheet = cells.reshape(rows, _COLUMNS, height, width, 3).transpose(0, 2, 1, 3, 4).reshape(rows * height, -1, 3)
    quality = [
        cv2.IMWRITE_JPEG_QUALITY,
        _QUALITY,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR,
        cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444,
    ]
    _, data = cv2.imencode(".jpg", sheet, quality)
    replace_file(folder / SHEET, data.tobytes())
    card = _Card(
        version=1,
        sha256=hashlib.sha256(data.tobytes()).hexdigest(),
        classes=TILE_CLASSES,
        labels=tuple(labels.tolist()),
        replayed=replayed,
        command=made_by,
    )
    replace_file(folder / CARD, (json.dumps(card.model_dump(mode="json"), separators=(",", ":")) + "\n").encode())
    return folder / SHEET


def read_shipped() -> ShippedSet:
    """Read the shipped crops; LearningError if they are missing or do not match their card."""
    card = parse(_Card, read_json(FOLDER / CARD, LearningError), CARD, LearningError)
    if card.classes != TILE_CLASSES:
        raise LearningError(f"{FOLDER / CARD}: its classes are not those of this program; restore it")
    try:
        data = (FOLDER / SHEET).read_bytes()
    except OSError as fault:
        raise LearningError(f"{FOLDER / SHEET}: cannot be read ({fault.strerror}); restore it") from fault
    if hashlib.sha256(data).hexdigest() != card.sha256:
        raise LearningError(f"{FOLDER / SHEET}: is not the sheet that its card describes; restore both")
    width, height = TILE_CROP_PX
    sheet = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    cells = sheet.reshape(-1, height, _COLUMNS, width, 3).transpose(0, 2, 1, 3, 4).reshape(-1, height, width, 3)
    crops = np.ascontiguousarray(cells[: len(card.labels)])
    labels = np.array(card.labels, np.int64)
    return ShippedSet(crops[: card.replayed], crops[card.replayed :], labels[card.replayed :], card.sha256)
