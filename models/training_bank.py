"""The training bank: labelled windows, decoded once into a file that trainings share via the page cache."""

import hashlib
import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.files.calibration_file import TableCalibration
from calibration.lens.projection import Lens
from calibration.table.homography import Pose
from calibration.table.zones import Layout
from datasets.generate import SOURCES_FILE
from datasets.labels.label_files import read_labels
from datasets.labels.labels import PictureLabels
from datasets.rendering.picture_labels import LOOKALIKES
from engine.game.tiles import Tile
from vision.arrays import Floats, Indices, Mask, Pixels
from vision.detect.detections import DIE, TILE_DOWN, TILE_UP
from vision.dice.outlines import foot_of
from vision.networks.classifier import DICE_CLASSES

log = logging.getLogger(__name__)

HELD_OUT_EVERY = 20
"""One window in this many is held out for measuring, spread evenly over all kinds."""
COMMAND_FILE = "command.txt"
FOUND_FILE = "found.npz"
"""File of ``models.found`` with the outlines of detected dice, and false detections."""
IGNORED_VISIBLE = 0.2
"""Visible share given to what labels ignore: seen just well enough to be neither found nor missed."""
LOOKALIKE_VISIBLE = 0.5

OBJECT = np.dtype(
    [
        ("kind", np.int8),
        ("quad_px", np.float32, (4, 2)),
        ("visible", np.float32),
        ("label", np.int16),
        ("contrast", np.float32),
        ("cocked", np.bool_),
        ("body_px", np.float32, (4,)),
        ("foot_px", np.float32, (2,)),
    ]
)
"""One object of a window as its label gives it; the fields are those of ``TrainingBank``."""
FOUND = np.dtype(
    [("quads_px", np.float32, (4, 2)), ("chances", np.float32, (len(DICE_CLASSES),)), ("leaning", np.float32)]
)
"""An object as detected in use; the fields are the ``found_`` ones of ``TrainingBank``, NaN where it is not found."""
FALSE = np.dtype([("window", np.int64), ("kind", np.int8), ("quads_px", np.float32, (4, 2)), ("known", np.float32)])
"""A false detection; the fields are the ``false_`` ones of ``TrainingBank``."""


class BankError(ValueError):
    """A training bank that cannot be used, with advice."""


@dataclass(frozen=True, eq=False, slots=True)
class TrainingBank:
    """Windows and the objects in them, as parallel arrays."""

    pixels: Pixels  # (n, side, side, 3) uint8 BGR, a read-only map of the cache file
    first: Indices  # (n + 1,); the objects of window i are first[i] to first[i + 1]
    kind: NDArray[np.int8]  # (m,); TILE_UP, TILE_DOWN or DIE
    quad_px: Floats  # (m, 4, 2); corners in the window, clockwise; of tiles corner 0-1 is a short edge
    visible: Floats  # (m,); share of the upper face that can be seen
    label: NDArray[np.int16]  # (m,); index of the face in ``list(Tile)``, value of the die, or -1
    contrast: Floats  # (m,); of pip and body, 0 to 255
    cocked: Mask  # (m,); whether a die leans
    body_px: Floats  # (m, 4); box x0, y0, x1, y1 of a die's visible body, NaN where unknown
    foot_px: Floats  # (m, 2); from a die's upper face to where it would stand if it lay flat, NaN where unknown
    found_px: Floats  # (m, 4, 2); outline of a die as detected in use (``models.found``), NaN if it is not
    found_foot_px: Floats  # (m, 2); the foot of that outline, NaN where unknown
    found_chances: Floats  # (m, 7); chances of the values and of "cannot tell" read there, NaN likewise
    found_leaning: Floats  # (m,); chance of leaning read there, NaN likewise
    false_window: Indices  # (f,); window of each find where nothing lies (``models.found``)
    false_kind: NDArray[np.int8]  # (f,); what the detector took it for
    false_px: Floats  # (f, 4, 2); its outline
    false_known: Floats  # (f,); chance that the networks in use see a face or a value there, NaN where unknown
    other_window: Indices  # (k,); window of each thing that looks like tiles or dice, such as a western domino
    other_px: Floats  # (k, 4, 2); its outline
    unseen: bool  # whether no window may be learnt from; the whole bank is there to measure on
    digest: str  # sha256 of the names and labels, short
    pictures: dict[str, Any]  # packages of the real pictures among the windows, with licences; empty without any
    command: str  # how the windows were made, from ``command.txt`` in the folder; empty where it is not there

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def window_of(self) -> Indices:
        """Window of each object, (m,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    def training_windows(self) -> Indices:
        return np.setdiff1d(np.arange(len(self)), self.held_out_windows())

    def held_out_windows(self) -> Indices:
        return np.arange(len(self)) if self.unseen else np.arange(HELD_OUT_EVERY - 1, len(self), HELD_OUT_EVERY)


def open_bank(folder: Path, *, unseen: bool = False) -> TrainingBank:
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
    labels = labels_of(folder)
    size = labels[0].size
    if size is None or any(each.size != size for each in labels):
        raise BankError(f"the windows of {folder} are not all of one size; make the bank again in an empty folder")
    parts = [_objects_of(each) for each in labels]
    objects = np.concatenate(parts)
    others = [_lookalikes_of(each) for each in labels]
    found, false = _found(folder, digest.hexdigest()[:16], len(objects))
    edges = np.cumsum([0, *map(len, parts)])
    feet = [
        foot_of(found["quads_px"][start:end], camera_of(each))
        for each, start, end in zip(labels, edges[:-1], edges[1:], strict=True)
    ]
    return TrainingBank(
        pixels=_pixels(folder, names, size[::-1], digest.hexdigest()),
        first=edges.astype(np.int64),
        **{name: objects[name].copy() for name in OBJECT.names or ()},
        found_px=found["quads_px"].copy(),
        found_foot_px=np.concatenate(feet).astype(np.float32),
        found_chances=found["chances"].copy(),
        found_leaning=found["leaning"].copy(),
        false_window=false["window"].copy(),
        false_kind=false["kind"].copy(),
        false_px=false["quads_px"].copy(),
        false_known=false["known"].copy(),
        other_window=np.repeat(np.arange(len(labels)), [len(each) for each in others]),
        other_px=np.concatenate(others).astype(np.float32),
        unseen=unseen,
        digest=digest.hexdigest()[:16],
        pictures=json.loads(real.read_text(encoding="utf-8")) if (real := folder / SOURCES_FILE).exists() else {},
        command=command.read_text(encoding="utf-8").strip() if (command := folder / COMMAND_FILE).exists() else "",
    )


def labels_of(folder: Path) -> list[PictureLabels]:
    """Return the labels of a bank's windows, in their order.

    Raises:
        BankError: the folder is empty.
    """
    return [read_labels(folder / f"{name}.json") for name in _names(folder)]


def camera_of(labels: PictureLabels) -> TableCalibration | None:
    """Return the camera over the table that a window was drawn with; None for windows without."""
    camera = labels.camera
    if camera is None or labels.size is None:
        return None
    matrix, distortion, rotation, translation = (np.asarray(camera[key], np.float64) for key in ("K", "dist", "R", "t"))
    return TableCalibration(labels.size, Lens(matrix, distortion), Pose(rotation, translation), Layout(()))


def _names(folder: Path) -> list[str]:
    """Return the names of a bank's windows in order."""
    names = sorted(path.stem for path in folder.glob("*.json") if path.with_suffix(".jpg").exists())
    if not names:
        raise BankError(
            f"no NAME.jpg with NAME.json in {folder}; make a bank with: python -m datasets.generate bank --out {folder}"
        )
    return names


def none_found(count: int) -> NDArray[np.void]:
    return np.full(count, np.array((np.nan, np.nan, np.nan), FOUND))


def _found(folder: Path, digest: str, count: int) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """Return what ``models.found`` kept: of the objects, as ``FOUND``, and where there are none, as ``FALSE``."""
    path, found, false = folder / FOUND_FILE, none_found(count), np.empty(0, FALSE)
    if path.exists():
        with np.load(path) as stored:
            whole = {*(FOUND.names or ()), "false"} <= stored.keys() and stored["false"].dtype == FALSE
            if whole and str(stored["digest"]) == digest:
                for name in FOUND.names or ():
                    found[name] = stored[name]
                return found, stored["false"]
        log.warning("%s is of other windows or older; make it again: python -m models.found --bank %s", path, folder)
    return found, false


def _objects_of(labels: PictureLabels) -> NDArray[np.void]:
    """Return the tiles and dice of one window as ``OBJECT``s; everything else is background to a detector."""
    faces, nan = list(Tile), np.nan
    rows: list[tuple[object, ...]] = []
    for tile in labels.tiles:
        kind, face = (TILE_UP, faces.index(tile.face)) if tile.face else (TILE_DOWN, -1)
        visible = IGNORED_VISIBLE if tile.ignore else tile.visible
        contrast = 255.0 if tile.contrast is None else tile.contrast
        rows.append((kind, tile.polygon, visible, face, contrast, False, (nan,) * 4, (nan,) * 2))
    quads_px = np.array([die.polygon for die in labels.dice], np.float32).reshape(-1, 4, 2)
    for die, foot_px in zip(labels.dice, foot_of(quads_px, camera_of(labels)).tolist(), strict=True):
        visible = IGNORED_VISIBLE if die.ignore else die.visible
        value = -1 if die.value is None else die.value
        contrast = 255.0 if die.pip_contrast_min is None else die.pip_contrast_min
        rows.append((DIE, die.polygon, visible, value, contrast, die.cocked, die.body or (nan,) * 4, tuple(foot_px)))
    return np.array(rows, OBJECT)


def _lookalikes_of(labels: PictureLabels) -> Floats:
    """Return the outlines (k, 4, 2) of a window's things of other games that can mostly be seen."""
    shown = [
        each.data["polygon"]
        for each in labels.others
        if each.kind in LOOKALIKES and float(str(each.data.get("visible", 0))) >= LOOKALIKE_VISIBLE
    ]
    return np.array(shown, np.float32).reshape(-1, 4, 2)


def _pixels(folder: Path, names: list[str], shape: tuple[int, int], digest: str) -> Pixels:
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
    mapped: Pixels = np.memmap(cache, np.uint8, "r", shape=full_shape)
    return mapped
