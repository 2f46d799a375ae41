"""Windows of hard negatives for the networks in use: ``python -m models.mined --pictures DIR --out BANK``.

A random piece of a real picture rarely shows what is taken for a tile or a die. These windows are cut about just that,
at the scale at which it is taken for one. Nothing lies in them. They join a bank's other windows (hard negatives).
"""

import json
import logging
import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import cv2
import numpy as np
import typer

from calibration.table.sizes import TILE_MM
from datasets.generate import SOURCES_FILE, WINDOW_PX, keep_piece
from datasets.real_pictures import sources, training_files
from models.found import LEAST_FALSE_SCORE
from models.samples.detector_windows import BANK_TILE_PX
from vision.arrays import Pixels
from vision.detect.detections import DIE, Detections
from vision.detect.detector import Detector, resized
from vision.detect.scale_search import USUAL_DIE_MM, evidence_of
from vision.networks.classifier import DiceClassifier, TileClassifier
from vision.networks.runtime import default_weights

log = logging.getLogger(__name__)

MOST_OF_A_PICTURE = 10
"""Windows cut out of one picture."""
LEAST_APART = 0.5
"""Distance of two windows' middles, in sides of a window."""
SCALE_SPREAD = 0.3
"""Logarithm by which a window's scale differs from that at which it deceives."""


@cache
def _networks(weights: Path) -> tuple[Detector, TileClassifier, DiceClassifier]:
    return Detector.load(weights, 1), TileClassifier.load(weights, 1), DiceClassifier.load(weights, 1)


def mine(pictures: Path, out: Path, weights: Path, seed: int = 1, workers: int = 2) -> int:
    """Write the windows and where their pictures come from; return how many there are.

    Raises:
        RealPicturesError: there is no index of the pictures.
        ModelError: a model is missing.
    """
    out.mkdir(parents=True, exist_ok=True)
    files = training_files(pictures)
    job = partial(_of_picture, out, weights, seed)
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        count = sum(pool.map(job, range(len(files)), files, chunksize=8))
    (out / SOURCES_FILE).write_text(json.dumps(sources(pictures), indent=1) + "\n", encoding="utf-8")
    return count


def _of_picture(out: Path, weights: Path, seed: int, number: int, file: Path) -> int:
    cv2.setNumThreads(1)
    image = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if image is None:
        return 0
    picture = np.asarray(image, np.uint8)
    detector, name, read = _networks(weights)
    found = detector.detect(picture, None, threshold=LEAST_FALSE_SCORE)
    worst = found.take(np.argsort(-evidence_of(picture, found, name, read)))
    rng = np.random.default_rng((seed, number))
    windows = _windows(picture, worst, rng)
    for index, window in enumerate(windows):
        keep_piece(out, f"m{number:05d}_{index}", (seed, number), window)
    return len(windows)


def _windows(picture: Pixels, worst: Detections, rng: np.random.Generator) -> Sequence[Pixels]:
    """Cut windows around the strongest hard negatives, far enough apart."""
    out: list[Pixels] = []
    taken: list[tuple[float, float, float]] = []
    size_mm = np.where(worst.kind == DIE, USUAL_DIE_MM, TILE_MM[0])
    for (x, y), size_px, mm in zip(worst.centre_px, worst.size_px[:, 0], size_mm, strict=True):
        factor = float(BANK_TILE_PX / TILE_MM[0] * mm / size_px * np.exp(rng.uniform(-SCALE_SPREAD, SCALE_SPREAD)))
        side = WINDOW_PX / factor
        if any(np.hypot(x - a, y - b) < LEAST_APART * min(side, c) and 0.5 < side / c < 2 for a, b, c in taken):
            continue
        taken.append((float(x), float(y), side))
        left, top = (np.array([x, y]) - side * rng.uniform(0.25, 0.75, 2)).round().astype(int)
        whole = round(side)
        piece = picture[max(top, 0) : top + whole, max(left, 0) : left + whole]
        beyond = max(-top, 0), max(-left, 0)
        rest = whole - beyond[0] - piece.shape[0], whole - beyond[1] - piece.shape[1]
        filled = cv2.copyMakeBorder(piece, beyond[0], max(rest[0], 0), beyond[1], max(rest[1], 0), cv2.BORDER_REFLECT)
        out.append(resized(np.asarray(filled, np.uint8), WINDOW_PX / whole))
        if len(out) == MOST_OF_A_PICTURE:
            break
    return out


def main(
    pictures: Annotated[Path, typer.Option(help="folder of real pictures (python -m datasets.real_pictures)")],
    out: Annotated[Path, typer.Option(help="folder to fill")],
    weights: Annotated[Path | None, typer.Option(help="folder of the models; default: those in use")] = None,
    seed: Annotated[int, typer.Option(help="of places and scales")] = 1,
    workers: Annotated[int, typer.Option(help="processes")] = 2,
) -> None:
    """Cut out hard negatives for the networks in use."""
    typer.echo(f"{mine(pictures, out, weights or default_weights(), seed, workers)} windows in {out}")


if __name__ == "__main__":
    typer.run(main)
