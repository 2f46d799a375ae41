"""One side of the comparison, in a separate process: measures on request.

``python -m benchmarks.bench.child PICTURES`` answers each line of JSON on standard input with one on standard output.
It runs with the program of either commit, so it uses only interfaces that both have. For a feature that an older
program lacks it answers ``{"missing": "why"}``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from functools import cached_property
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnxruntime

import vision
from calibration.files.calibration_file import load_calibration
from vision.detect.detector import Detector
from vision.networks.runtime import default_weights
from vision.placing import tile_length_px
from vision.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from numpy.typing import NDArray

Answer = dict[str, Any]

RATE = 10.0
"""Declared pictures a second of the fixed camera."""
SETTLES = 15
"""Pictures of a scene read before the measurement, for the reader to know the table at rest."""


class _Following:
    """A reader of a fixed camera, with times of the pictures if it takes them."""

    def __init__(self, reader: Any) -> None:  # noqa: ANN401 - of whichever program this is
        self._reader = reader
        self._timed = "t_s" in signature(reader.read).parameters
        self.pictures = 0

    def read(self, image: NDArray[np.uint8], known: dict[str, Any]) -> Any:  # noqa: ANN401 - the same
        """Read the next picture."""
        self.pictures += 1
        return self._reader.read(image, **known, **({"t_s": self.pictures / RATE} if self._timed else {}))


class Measurer:
    """Measures on request; loads what a measure needs on its first use.

    Args:
        folder: of the pictures, as ``benchmarks.bench.pictures`` makes them.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._kept: dict[object, Any] = {}

    def answer(self, request: Answer) -> Answer:
        """Call the method named by ``do`` with the other fields as arguments."""
        measures: dict[str, Callable[..., Answer]] = {
            "about": self.about,
            "read": self.read,
            "detect": self.detect,
            "network": self.network,
        }
        asked = dict(request)
        return measures[asked.pop("do")](**asked)

    def about(self) -> Answer:
        """Identify the program."""
        return {"vision": vision.__file__, "onnxruntime": onnxruntime.__version__, "runtime": onnxruntime.__file__}

    def read(self, scene: str, number: int, *, steady: bool, threads: int = 2) -> Answer:
        """Read a picture of a scene completely, or as the next one of a fixed camera."""
        image = self._picture(scene, number)
        reader = self._once(("plain", threads), lambda: Reader.load(threads=threads))
        empty = self._once("empty", lambda: np.load(self._folder / "empty.npy"))
        known = {"calibration": self._calibration, "empty": empty, "hands": not steady}
        if steady:
            follow = self._once(("steady", scene, threads), lambda: _Following(reader.steady()))
            if follow.pictures == 0:
                for each in range(SETTLES):
                    follow.read(self._picture(scene, each), known)
            started = time.perf_counter()
            reading = follow.read(image, known)
        else:
            started = time.perf_counter()
            reading = reader.read(image, **known)
        ms = 1e3 * (time.perf_counter() - started)
        return {"ms": ms, "stages": dict(reading.elapsed_ms), "tiles": len(reading.tiles)}

    def detect(self, scene: str, number: int, threads: int = 2) -> Answer:
        """Detect tiles and dice in a full picture, including scaling and decoding."""
        image = self._picture(scene, number)
        detector = self._once(("detector", threads), lambda: Detector.load(default_weights(), threads))
        scale = tile_length_px(self._calibration)
        started = time.perf_counter()
        detector.detect(image, scale)
        return {"ms": 1e3 * (time.perf_counter() - started)}

    def network(self, path: str, height: int, width: int, threads: int = 2) -> Answer:
        """Run only a network of uint8 pictures."""
        session = self._once((path, threads), lambda: _session(path, threads))
        picture = self._once((height, width), lambda: _noise(height, width))
        started = time.perf_counter()
        session.run(None, {"pictures": picture})
        return {"ms": 1e3 * (time.perf_counter() - started)}

    @cached_property
    def _calibration(self) -> Any:  # noqa: ANN401 - of whichever program this is
        return load_calibration(self._folder / "calibration.json")

    def _scene(self, scene: str) -> NDArray[np.uint8]:
        pictures: NDArray[np.uint8] = self._once(scene, lambda: np.load(self._folder / f"{scene}.npy", mmap_mode="r"))
        return pictures

    def _picture(self, scene: str, number: int) -> NDArray[np.uint8]:
        pictures = self._scene(scene)
        return np.array(pictures[number % len(pictures)], np.uint8)

    def _once(self, key: object, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is kept
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]


def _session(path: str, threads: int) -> Any:  # noqa: ANN401 - onnxruntime has no types
    """Return a session with our options (``vision.networks.runtime``)."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _noise(height: int, width: int) -> NDArray[np.uint8]:
    return np.random.default_rng(1).integers(0, 256, (1, height, width, 3), np.uint8)


def serve(measurer: Measurer, requests: TextIO, answers: TextIO) -> None:
    """Answer each line of the input."""
    for line in requests:
        try:
            answer = measurer.answer(json.loads(line))
        except Exception as fault:  # noqa: BLE001 - an older program may fail in any way
            answer = {"missing": f"{type(fault).__name__}: {fault}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def main() -> None:
    """Serve on standard output, to which nothing else may write."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    serve(Measurer(Path(sys.argv[1])), sys.stdin, answers)


if __name__ == "__main__":
    main()
