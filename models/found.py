"""A bank's dice as detected and read in use, and false detections.

``python -m models.found --bank DIR`` looks at every window as in use.

The network for leaning dice looks where the detector and the dice network place a die. Their errors are not random: a
transparent die's face is taken too large or too small, a leaning die's side for its upper face. So it learns on their
outlines as well as on the true ones. What the networks in use read there says which dice are hard: a next training
draws them more often. What the detector takes for a tile or a die in letters, leaves or the grain of wood teaches the
networks for crops to say that they cannot tell (hard negatives). Most of it deceives nobody, so what they see in it in
use is kept with it: a next training draws those more often in which they see a face or a value.
"""

import logging
import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import cv2
import numpy as np
import typer
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from datasets.labels.labels import PictureLabels
from models.training_bank import (
    FALSE,
    FOUND,
    FOUND_FILE,
    TrainingBank,
    camera_of,
    labels_of,
    none_found,
    open_bank,
)
from vision.arrays import Floats, Indices, Mask, Pixels
from vision.crops import tile_crops
from vision.detect.detections import DIE, Detections
from vision.detect.detector import SCORE_THRESHOLD, Detector
from vision.dice.dice_reader import CORRECTIONS, observe_dice, refined
from vision.networks.classifier import DiceClassifier, EstimatesLean, LeanClassifier, TileClassifier
from vision.networks.model_card import sha256_of
from vision.networks.runtime import default_weights
from vision.placing import table_region, tile_length_px

log = logging.getLogger(__name__)

LEAST_FALSE_SCORE = 0.15
"""Score from which a find where nothing lies is kept: half of what counts in use."""
FARTHEST_SIDES = 0.7
"""Distance of the middles, in sides, up to which an outline is one of a die: another of its faces may lie so far."""
_TOO_FAR = 1e6


@dataclass(frozen=True, slots=True)
class _Networks:
    """The networks in use, those for crops once they are trained."""

    detector: Detector
    tiles: TileClassifier | None
    dice: DiceClassifier | None
    leans: EstimatesLean


def find(folder: Path, weights: Path, workers: int = 2) -> Path:
    """Find the dice of every window of a bank, keep their outlines in ``FOUND_FILE`` and return its path.

    What the same models found in the same windows is kept.

    Args:
        folder: the bank.
        weights: folder of the detector and, once they are trained, of the networks for crops.
        workers: processes.

    Raises:
        BankError: it is no bank.
        ModelError: a model is missing.
    """
    _networks(weights)  # fails before the processes start if one is missing
    bank, path = open_bank(folder), folder / FOUND_FILE
    models = [weights / f"{name}.onnx" for name in ("detector", "tiles", "dice", "lean")]
    made_of = " ".join([bank.digest, *(sha256_of(model) for model in models if model.exists())])
    if path.exists():
        with np.load(path) as stored:
            if str(stored["made_of"]) == made_of:
                return path
    dice, false = none_found(len(bank.kind)), [np.empty(0, FALSE)]
    job = partial(_of_windows, folder, weights)
    parts = np.array_split(np.arange(len(bank)), max(1, len(bank) // 64))
    # A fork would copy the locks of the networks' threads in any state, and hang.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for objects, found, none_there in pool.map(job, parts):
            dice[objects] = found
            false.append(none_there)
    draft = path.with_suffix(".new.npz")
    fields: dict[str, Any] = {name: dice[name] for name in FOUND.names or ()}
    np.savez_compressed(draft, digest=bank.digest, made_of=made_of, false=np.concatenate(false), **fields)
    draft.replace(path)
    log.info("%d finds where nothing lies", sum(map(len, false)))
    log.info("%d of %d dice found", int(np.isfinite(dice["quads_px"][:, 0, 0]).sum()), int((bank.kind == DIE).sum()))
    return path


def _of_windows(folder: Path, weights: Path, windows: Indices) -> tuple[list[int], NDArray[np.void], NDArray[np.void]]:
    """Return the dice found in some windows, as indices among the bank's objects and ``FOUND``, and the false finds."""
    cv2.setNumThreads(1)
    bank, labels = _opened(folder)
    networks = _networks(weights)
    objects, rows, false = [], [], [np.empty(0, FALSE)]
    for window in windows.tolist():
        items = np.arange(bank.first[window], bank.first[window + 1])
        picture, camera = bank.pixels[window], camera_of(labels[window])
        hint, region = tile_length_px(camera), table_region(camera)
        seen = networks.detector.detect(picture, hint, region, threshold=LEAST_FALSE_SCORE)
        false.append(_false_finds(picture, bank.quad_px[items], seen, window, networks))
        dice = items[bank.kind[items] == DIE]
        if not len(dice) or networks.dice is None:
            continue
        likely = (seen.kind == DIE) & (seen.score >= SCORE_THRESHOLD)
        found = observe_dice(picture, seen.take(likely), networks.dice, networks.leans, camera)
        for die, outline in pairs(bank.quad_px[dice], found.quads_px):
            objects.append(int(dice[die]))
            rows.append((found.quads_px[outline], found.chances[outline], found.leaning[outline]))
    return objects, np.array(rows, FOUND), np.concatenate(false)


def _false_finds(
    picture: Pixels, true_px: Floats, seen: Detections, window: int, networks: _Networks
) -> NDArray[np.void]:
    """Return the detections (``FALSE``) that overlap none of the outlines (n, 4, 2), with their readings.

    The outlines of dice are the corrected ones. The chance that there is something is NaN until a network can tell it.
    """
    seen = seen.take(_share_nothing(seen.quads_px(), true_px))
    outlines_px, is_die = seen.quads_px(), seen.kind == DIE
    known = np.full(len(seen), np.nan, np.float32)
    if networks.tiles is not None:
        known[~is_die] = 1 - networks.tiles(tile_crops(picture, outlines_px[~is_die]))[:, -1]
    if networks.dice is not None:
        outlines_px[is_die], chances = refined(picture, outlines_px[is_die], networks.dice, None, CORRECTIONS)
        known[is_die] = 1 - chances[:, -1]
    nothing = _share_nothing(outlines_px, true_px)
    rows = zip(seen.kind[nothing], outlines_px[nothing], known[nothing], strict=True)
    return np.array([(window, *row) for row in rows], FALSE)


def _share_nothing(outlines_px: Floats, true_px: Floats) -> Mask:
    """Return which outlines (n, 4, 2) share nothing with any of the true ones (m, 4, 2)."""
    apart = [all(cv2.intersectConvexConvex(one, each)[0] == 0 for each in true_px) for one in outlines_px]
    return np.array(apart, np.bool_)


def _unknown_leaning(crops: Pixels, foot: Floats) -> Floats:
    """Stand in for the network for leaning dice before it is trained: the chances are NaN."""
    del foot
    return np.full(len(crops), np.nan, np.float32)


def pairs(true_px: Floats, found_px: Floats) -> Iterator[tuple[int, int]]:
    """Yield pairs of indices of true outlines (n, 4, 2) and found ones (m, 4, 2), matched by least distance."""
    sides = np.linalg.norm(true_px[:, 1] - true_px[:, 0], axis=1)
    away = np.linalg.norm(true_px.mean(1)[:, None] - found_px.mean(1)[None], axis=2) / sides[:, None]
    away = np.where(away <= FARTHEST_SIDES, away, _TOO_FAR)
    for true, found in zip(*linear_sum_assignment(away), strict=True):
        if away[true, found] < _TOO_FAR:
            yield int(true), int(found)


@cache
def _opened(folder: Path) -> tuple[TrainingBank, list[PictureLabels]]:
    return open_bank(folder), labels_of(folder)


@cache
def _networks(weights: Path) -> _Networks:
    here = {name: (weights / f"{name}.onnx").exists() for name in ("tiles", "dice", "lean")}
    return _Networks(
        Detector.load(weights, 1),
        TileClassifier.load(weights, 1) if here["tiles"] else None,
        DiceClassifier.load(weights, 1) if here["dice"] else None,
        LeanClassifier.load(weights, 1) if here["lean"] else _unknown_leaning,
    )


def main(
    bank: Annotated[Path, typer.Option(help="folder of windows (python -m datasets.generate bank)")],
    weights: Annotated[Path | None, typer.Option(help="folder of the models; default: those in use")] = None,
    workers: Annotated[int, typer.Option(help="processes")] = 2,
) -> None:
    """Find a bank's dice as in use."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    typer.echo(find(bank, weights or default_weights(), workers))


if __name__ == "__main__":
    typer.run(main)
