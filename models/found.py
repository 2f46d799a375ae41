"""A bank's dice as they are found and read in use: ``python -m models.found --bank DIR``.

The network that tells leaning dice looks where the detector and the dice network say that a die lies. What they are
wrong by is of another kind than chance: the face of a transparent die is taken too large or too small, a leaning die's
side for its upper face. So it is taught on their outlines as well as on the true ones. And what the networks in use
say there tells which dice are hard, from which a next training has the most to learn.
"""

import argparse
import logging
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from calibration.files.calibration_file import TableCalibration
from datasets.labels.labels import PictureLabels
from models.bank import DIE, FOUND_FILE, Bank, camera_of, labels_of, open_bank
from vision.detect.detector import Detector
from vision.dice.dice_reader import DiceObservations, observe_dice
from vision.networks.classifier import DICE_CLASSES, DiceClassifier, LeanClassifier, TellsLeaning
from vision.networks.model_card import sha256_of
from vision.networks.runtime import default_weights
from vision.placing import table_region, tile_length_px

log = logging.getLogger(__name__)

FARTHEST_SIDES = 0.7
"""Distance of the middles, in sides, up to which an outline is one of a die: another of its faces may lie so far."""
_TOO_FAR = 1e6

Quads = NDArray[np.float32]
_Found = tuple[NDArray[np.int64], Quads, NDArray[np.float32], NDArray[np.float32]]
"""Dice (k,) as numbers of the bank's objects, outlines (k, 4, 2), chances of values (k, 7) and of leaning (k,)."""


def find(folder: Path, weights: Path, workers: int = 2) -> Path:
    """Look for the dice of every window of a bank and keep their outlines in ``FOUND_FILE``, whose path is returned.

    What the same models found in the same windows is not looked for again.

    Args:
        folder: the bank.
        weights: folder of the detector, the dice network and, once it is trained, the one that tells leaning dice.
        workers: processes.

    Raises:
        BankError: it is no bank.
        ModelError: a model is missing.
    """
    _networks(weights)  # says what is missing before the processes start
    bank, path = open_bank(folder), folder / FOUND_FILE
    models = [weights / f"{name}.onnx" for name in ("detector", "dice", "lean")]
    made_of = " ".join([bank.digest, *(sha256_of(model) for model in models if model.exists())])
    if _made_of(path) == made_of:
        return path
    quads_px = np.full((len(bank.kind), 4, 2), np.nan, np.float32)
    chances, leaning = (np.full((len(bank.kind), *of), np.nan, np.float32) for of in ((len(DICE_CLASSES),), ()))
    job = partial(_of_windows, folder, weights)
    parts = np.array_split(np.arange(len(bank)), max(1, len(bank) // 64))
    # A fork would copy the locks of the networks' threads in any state, and hang.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for objects, *found in pool.map(job, parts):
            quads_px[objects], chances[objects], leaning[objects] = found
    draft = path.with_suffix(".new.npz")
    np.savez_compressed(draft, digest=bank.digest, made_of=made_of, quads_px=quads_px, chances=chances, leaning=leaning)
    draft.replace(path)
    log.info("%d of %d dice found", int(np.isfinite(quads_px[:, 0, 0]).sum()), int((bank.kind == DIE).sum()))
    return path


def _made_of(path: Path) -> str:
    """Return which windows and models a file of outlines was made of, empty if there is none."""
    if not path.exists():
        return ""
    with np.load(path) as stored:
        return str(stored["made_of"])


def _of_windows(
    folder: Path, weights: Path, windows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], *tuple[Quads, ...]]:
    """Return the dice (k,) of some windows, as numbers of the bank's objects, and what is found of them.

    That is their outlines (k, 4, 2), the chances (k, 7) of their values and that of leaning (k,).
    """
    cv2.setNumThreads(1)
    bank, labels = _opened(folder)
    objects, outlines, chances, leaning = [], [], [], []
    for window in windows.tolist():
        items = np.arange(bank.first[window], bank.first[window + 1])
        dice = items[bank.kind[items] == DIE]
        if not len(dice):
            continue
        found = _look(weights, bank.pixels[window], camera_of(labels[window]))
        for die, outline in pairs(bank.quad_px[dice], found.quads_px):
            objects.append(dice[die])
            outlines.append(found.quads_px[outline])
            chances.append(found.chances[outline])
            leaning.append(found.leaning[outline])
    return (
        np.array(objects, np.int64),
        np.array(outlines, np.float32).reshape(-1, 4, 2),
        np.array(chances, np.float32).reshape(-1, len(DICE_CLASSES)),
        np.array(leaning, np.float32),
    )


def _look(weights: Path, picture: NDArray[np.uint8], camera: TableCalibration | None) -> DiceObservations:
    detector, name, leans = _networks(weights)
    found = detector.detect(picture, tile_length_px(camera), table_region(camera))
    return observe_dice(picture, found.take(found.kind == DIE), name, leans, camera)


def _not_asked(crops: NDArray[np.uint8], foot: NDArray[np.float32]) -> NDArray[np.float32]:
    """Stand in for a network that is yet to be taught: of no die is it known whether it leans."""
    del foot
    return np.full(len(crops), np.nan, np.float32)


def pairs(true_px: Quads, found_px: Quads) -> Iterator[tuple[int, int]]:
    """Yield which true outline (n, 4, 2) each found one (m, 4, 2) is of, as pairs of indices, the nearest together."""
    sides = np.linalg.norm(true_px[:, 1] - true_px[:, 0], axis=1)
    away = np.linalg.norm(true_px.mean(1)[:, None] - found_px.mean(1)[None], axis=2) / sides[:, None]
    away = np.where(away <= FARTHEST_SIDES, away, _TOO_FAR)
    for true, found in zip(*linear_sum_assignment(away), strict=True):
        if away[true, found] < _TOO_FAR:
            yield int(true), int(found)


@cache
def _opened(folder: Path) -> tuple[Bank, list[PictureLabels]]:
    return open_bank(folder), labels_of(folder)


@cache
def _networks(weights: Path) -> tuple[Detector, DiceClassifier, TellsLeaning]:
    leans = LeanClassifier.load(weights, 1) if (weights / "lean.onnx").exists() else _not_asked
    return Detector.load(weights, 1), DiceClassifier.load(weights, 1), leans


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and look."""
    parser = argparse.ArgumentParser(prog="python -m models.found", description="Find a bank's dice as in use.")
    parser.add_argument("--bank", type=Path, required=True, help="folder of windows (python -m datasets.generate bank)")
    parser.add_argument("--weights", type=Path, default=default_weights(), help="folder of the models that look")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    print(find(given.bank, given.weights, given.workers))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
