"""The pictures that both sides read: a simulated table at rest, in play and on film, drawn once and kept in ``build``.

Their folder is named by a hash of their inputs, so that a change of the simulator makes new ones. Single pictures are
raw arrays, so that no side decodes them while it is measured; the film is a folder of JPEG files, as a user has it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from benchmarks.measure import ROOT
from datasets.simulator.moments import Renderer, empty_table
from datasets.simulator.script import Options, script

if TYPE_CHECKING:
    from datasets.simulator.script import Script
    from vision.capture.images import Image

SIZE: Final = (2304, 1296)
SEED: Final = 3
REST: Final = "rest"
PLAY: Final = "play"
FILM: Final = "film"
JPEG_QUALITY: Final = 90
PLAY_FPS: Final = 15.0
WANTED_SHARE: Final = 1 / 3
"""Wanted share of the picture that moves in play."""
_AROUND_PX: Final = 88
"""Distance around a change that counts as moving: about a tile's length, the reach of a hand."""
_CHANGED_LEVELS: Final = 12
_SMALLER: Final = 4


@dataclass(frozen=True, slots=True)
class Counts:
    """Number of pictures of each scene; the film shows ``moments`` of a round, ``each`` pictures of every one."""

    rest: int = 8
    play: int = 30
    moments: int = 12
    each: int = 12


def made_by(counts: Counts) -> str:
    """Return a hash of the programs and numbers that make the pictures."""
    digest = hashlib.sha256(f"{counts} {SIZE} {SEED} {np.__version__} {cv2.__version__}".encode())
    for file in sorted([Path(__file__), *ROOT.glob("datasets/**/*.py")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def pictures(folder: Path, counts: Counts) -> Path:
    """Return the folder of the pictures in ``folder``; draw them if they are missing.

    It holds ``rest.npy`` and ``play.npy`` (n, 1296, 2304, 3) uint8 blue-green-red, ``empty.npy`` of the empty table,
    the folder ``film`` and ``calibration.json``; ``about.json`` has the share of the picture that moves.
    """
    kept = folder / made_by(counts)
    if not kept.is_dir():
        for old in folder.glob("*"):
            shutil.rmtree(old)
        unfinished = folder / "unfinished"
        unfinished.mkdir(parents=True)
        _draw(unfinished, counts)
        unfinished.rename(kept)
    return kept


def _draw(folder: Path, counts: Counts) -> None:
    made = script(SEED, Options(size=SIZE))
    renderer = Renderer(made)
    at_rest_s = _open_longest(made)
    in_play, share = _in_play(made, counts.play)
    for scene, times in ((REST, [at_rest_s] * counts.rest), (PLAY, in_play)):
        np.save(folder / f"{scene}.npy", np.stack([renderer.draw(made.at(t)).image for t in times]))
    (folder / FILM).mkdir()
    moments = np.linspace(0.0, made.end_s, counts.moments + 2)[1:-1].tolist()
    for number, t in enumerate(t for t in moments for _ in range(counts.each)):
        picture = str(folder / FILM / f"{number:04}.jpg")
        cv2.imwrite(picture, renderer.draw(made.at(t)).image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    np.save(folder / "empty.npy", empty_table(made))
    (folder / "calibration.json").write_text(json.dumps(made.calibration()), encoding="utf-8")
    about = {"at_rest_s": at_rest_s, "in_play_s": in_play[0], "moving_share": share}
    (folder / "about.json").write_text(json.dumps(about), encoding="utf-8")


def _open_longest(made: Script) -> float:
    """Return a moment at which most hands are open and nothing moves."""
    spans = [span for hand in made.rounds[0].exposed for span in hand.visible]
    times = [t for t in np.arange(0.0, made.end_s, 0.1).tolist() if not made.at(t).moving and not made.at(t).hands]
    return float(max(times, key=lambda t: sum(start <= t <= end for start, end in spans)))


def _in_play(made: Script, count: int) -> tuple[list[float], float]:
    """Return the times of a part of the round in which about a third of the picture moves, and that share."""
    apart_s, lasts_s = 0.5, count / PLAY_FPS
    renderer = Renderer(made, noise=False)
    times = np.arange(0.0, made.end_s, apart_s).tolist()
    small = [_small(renderer.draw(made.at(t)).image) for t in times]
    moving = [moving_share(before, now) for before, now in pairwise(small)]
    whole = max(1, round(lasts_s / apart_s))
    shares = [float(np.mean(moving[n : n + whole])) for n in range(len(moving) - whole + 1)]
    best = min(range(len(shares)), key=lambda n: abs(shares[n] - WANTED_SHARE))
    return [times[best] + n / PLAY_FPS for n in range(count)], shares[best]


def _small(image: Image) -> Image:
    """Reduce a picture, which suppresses noise."""
    return np.asarray(cv2.resize(image, None, fx=1 / _SMALLER, fy=1 / _SMALLER, interpolation=cv2.INTER_AREA), np.uint8)


def moving_share(before: Image, now: Image) -> float:
    """Return the share of a picture that differs from an earlier one, or is near a difference; both (h, w, 3) uint8."""
    changed = (cv2.absdiff(before, now).max(axis=2) > _CHANGED_LEVELS).astype(np.uint8)
    return float(np.mean(cv2.dilate(changed, np.ones((2 * (_AROUND_PX // _SMALLER) + 1,) * 2, np.uint8))))
