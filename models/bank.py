"""The training bank: labelled windows, decoded once into one file that all trainings share through the page cache."""

import hashlib
import logging
import math
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.zones import Layout
from datasets.labels.label_files import read_labels
from datasets.labels.labels import PictureLabels, Polygon
from engine.game.tiles import Tile
from vision.dice.outlines import foot_of

log = logging.getLogger(__name__)

TILE_UP, TILE_DOWN, DIE = 0, 1, 2
HELD_OUT_EVERY = 20
"""One window in so many is kept for measuring: spread evenly, so that every kind of window is among them."""
COMMAND_FILE = "command.txt"
FOUND_FILE = "found.npz"
"""Where ``models.found`` keeps the outlines of the dice as they are found in use."""


class BankError(ValueError):
    """A training bank that cannot be used, with what to do about it."""


@dataclass(frozen=True, eq=False, slots=True)
class Bank:
    """Windows and the objects in them, as parallel arrays.

    Attributes:
        pixels: (n, side, side, 3) uint8 BGR, a read-only map of the cache file.
        first: (n + 1,) int64; the objects of window i are first[i] to first[i + 1].
        kind: (m,) int8; TILE_UP, TILE_DOWN or DIE.
        quad_px: (m, 4, 2) float32; corners in the window, clockwise; of tiles corner 0-1 is a short edge.
        visible: (m,) float32; share of the upper face that can be seen.
        label: (m,) int16; index of the face in ``list(Tile)``, value of the die, or -1.
        contrast: (m,) float32; of pip and body, 0 to 255.
        cocked: (m,) bool.
        body_px: (m, 4) float32; box x0, y0, x1, y1 of a die's visible body, NaN where unknown.
        foot_px: (m, 2) float32; way from a die's upper face to where it would stand if it lay flat, NaN where unknown.
        found_px: (m, 4, 2) float32; outline of a die as it is found in use (``models.found``), NaN where it is not.
        found_foot_px: (m, 2) float32; the foot of that outline, NaN where it is not known.
        found_chances: (m, 7) float32; what was read there, the chances of the values and "cannot tell", NaN likewise.
        found_leaning: (m,) float32; the chance of leaning that was seen there, NaN likewise.
        unseen: whether no window may be learnt from; the whole bank is there to measure on.
        digest: sha256 of the names and labels, short.
        command: how the windows were made, from ``command.txt`` in the folder; empty where it is not there.
    """

    pixels: NDArray[np.uint8]
    first: NDArray[np.int64]
    kind: NDArray[np.int8]
    quad_px: NDArray[np.float32]
    visible: NDArray[np.float32]
    label: NDArray[np.int16]
    contrast: NDArray[np.float32]
    cocked: NDArray[np.bool_]
    body_px: NDArray[np.float32]
    foot_px: NDArray[np.float32]
    found_px: NDArray[np.float32]
    found_foot_px: NDArray[np.float32]
    found_chances: NDArray[np.float32]
    found_leaning: NDArray[np.float32]
    unseen: bool
    digest: str
    command: str

    def __len__(self) -> int:
        """Return the number of windows."""
        return len(self.pixels)

    @property
    def window_of(self) -> NDArray[np.int64]:
        """Window of each object, (m,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    def training_windows(self) -> NDArray[np.int64]:
        """Return the indices of the windows to learn from."""
        return np.setdiff1d(np.arange(len(self)), self.held_out_windows())

    def held_out_windows(self) -> NDArray[np.int64]:
        """Return the indices of the windows to measure on."""
        return np.arange(len(self)) if self.unseen else np.arange(HELD_OUT_EVERY - 1, len(self), HELD_OUT_EVERY)


def open_bank(folder: Path, *, unseen: bool = False) -> Bank:
    """Open a folder of ``NAME.jpg`` and ``NAME.json``, decoding it once into ``folder/pixels.u8``.

    Args:
        folder: of the windows.
        unseen: keep all windows for measuring; no training has seen them.

    Raises:
        BankError: the folder is empty, or its windows are not of one size.
    """
    names = _names(folder)
    digest = hashlib.sha256()
    for name in names:
        digest.update(name.encode())
        digest.update((folder / f"{name}.json").read_bytes())
    labels = [read_labels(folder / f"{name}.json") for name in names]
    size = labels[0].size
    if size is None or any(each.size != size for each in labels):
        raise BankError(f"the windows of {folder} are not all of one size; make the bank again in an empty folder")
    records = [_rows_of(each) for each in labels]
    rows = [row for record in records for row in record]
    found_px, chances, leaning = _found(folder, digest.hexdigest()[:16], len(rows))
    edges = np.cumsum([0, *(len(record) for record in records)])
    feet = [
        foot_of(found_px[start:end], camera_of(each))
        for each, start, end in zip(labels, edges[:-1], edges[1:], strict=True)
    ]
    return Bank(
        pixels=_pixels(folder, names, size[::-1], digest.hexdigest()),
        first=edges.astype(np.int64),
        kind=np.array([row.kind for row in rows], np.int8),
        quad_px=np.array([row.quad_px for row in rows], np.float32).reshape(-1, 4, 2),
        visible=np.array([row.visible for row in rows], np.float32),
        label=np.array([row.label for row in rows], np.int16),
        contrast=np.array([row.contrast for row in rows], np.float32),
        cocked=np.array([row.cocked for row in rows], np.bool_),
        body_px=np.array([row.body_px for row in rows], np.float32).reshape(-1, 4),
        foot_px=np.array([row.foot_px for row in rows], np.float32).reshape(-1, 2),
        found_px=found_px,
        found_foot_px=np.concatenate(feet).astype(np.float32),
        found_chances=chances,
        found_leaning=leaning,
        unseen=unseen,
        digest=digest.hexdigest()[:16],
        command=command.read_text(encoding="utf-8").strip() if (command := folder / COMMAND_FILE).exists() else "",
    )


def labels_of(folder: Path) -> list[PictureLabels]:
    """Return the labels of a bank's windows, in their order.

    Raises:
        BankError: the folder is empty.
    """
    return [read_labels(folder / f"{name}.json") for name in _names(folder)]


def _names(folder: Path) -> list[str]:
    """Return the names of a bank's windows in order."""
    names = sorted(path.stem for path in folder.glob("*.json") if path.with_suffix(".jpg").exists())
    if not names:
        raise BankError(
            f"no NAME.jpg with NAME.json in {folder}; make a bank with: python -m datasets.generate bank --out {folder}"
        )
    return names


def _found(folder: Path, digest: str, count: int) -> list[NDArray[np.float32]]:
    """Return what ``models.found`` kept of objects: outlines (count, 4, 2), chances (count, 7), leaning (count,)."""
    path = folder / FOUND_FILE
    shapes = {"quads_px": (4, 2), "chances": (7,), "leaning": ()}
    if path.exists():
        with np.load(path) as stored:
            if str(stored["digest"]) == digest and shapes.keys() <= stored.keys():
                return [np.asarray(stored[name], np.float32) for name in shapes]
        log.warning("%s is of other windows; find their dice again: python -m models.found --bank %s", path, folder)
    return [np.full((count, *shape), np.nan, np.float32) for shape in shapes.values()]


@dataclass(frozen=True, slots=True)
class _Row:
    """One object, reduced to numbers."""

    kind: int
    quad_px: Polygon
    visible: float
    label: int
    contrast: float
    cocked: bool
    body_px: tuple[float, float, float, float]
    foot_px: tuple[float, float]


_FACES = {tile: index for index, tile in enumerate(Tile)}
_UNKNOWN_BODY = (math.nan, math.nan, math.nan, math.nan)
_UNKNOWN_FOOT = (math.nan, math.nan)
# Seen just well enough to be neither found nor missed.
_IGNORED_VISIBLE = 0.2


def _rows_of(labels: PictureLabels) -> list[_Row]:
    """Take the tiles and dice of one window; everything else is background to a detector."""
    rows = []
    for tile in labels.tiles:
        kind, face = (TILE_UP, _FACES[tile.face]) if tile.face else (TILE_DOWN, -1)
        visible = _IGNORED_VISIBLE if tile.ignore else tile.visible
        contrast = 255.0 if tile.contrast is None else tile.contrast
        rows.append(
            _Row(
                kind, tile.polygon, visible, face, contrast, cocked=False, body_px=_UNKNOWN_BODY, foot_px=_UNKNOWN_FOOT
            )
        )
    quads_px = np.array([die.polygon for die in labels.dice], np.float32).reshape(-1, 4, 2)
    for die, foot_px in zip(labels.dice, foot_of(quads_px, camera_of(labels)).tolist(), strict=True):
        visible = _IGNORED_VISIBLE if die.ignore else die.visible
        value = -1 if die.value is None else die.value
        rows.append(_Row(DIE, die.polygon, visible, value, 255.0, die.cocked, die.body or _UNKNOWN_BODY, foot_px))
    return rows


def camera_of(labels: PictureLabels) -> TableCalibration | None:
    """Return the camera over the table that a window was drawn with; None for windows without."""
    camera = labels.camera
    if camera is None or labels.size is None:
        return None
    matrix, distortion, rotation, translation = (np.asarray(camera[key], np.float64) for key in ("K", "dist", "R", "t"))
    return TableCalibration(labels.size, Lens(matrix, distortion), Pose(rotation, translation), Layout(()))


def _pixels(folder: Path, names: list[str], shape: tuple[int, int], digest: str) -> NDArray[np.uint8]:
    """Map the decoded windows, decoding them first where the cache does not fit the labels."""
    cache, stamp = folder / "pixels.u8", folder / "pixels.sha256"
    full_shape = (len(names), *shape, 3)
    if not (cache.exists() and stamp.exists() and stamp.read_text() == digest):
        log.info("decoding %d windows into %s", len(names), cache)
        # Two trainings may start at once: each decodes into its own file, and the last one to end stays.
        draft = folder / f"pixels.{os.getpid()}"
        target = np.memmap(draft, np.uint8, "w+", shape=full_shape)

        def decode(index: int) -> None:
            picture = cv2.imread(str(folder / f"{names[index]}.jpg"), cv2.IMREAD_COLOR)
            if picture is None or picture.shape != full_shape[1:]:
                raise BankError(f"{folder / names[index]}.jpg is not a picture of {shape[1]}x{shape[0]} pixels")
            target[index] = picture

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(decode, range(len(names))))
        target.flush()
        stamp.unlink(missing_ok=True)
        draft.replace(cache)
        stamp.write_text(digest)
    mapped: NDArray[np.uint8] = np.memmap(cache, np.uint8, "r", shape=full_shape)
    return mapped
