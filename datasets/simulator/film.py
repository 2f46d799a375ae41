"""A session as a source of pictures: at any rate, recorded or live, with the truth of each; and on disk."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, Literal

import cv2
from pydantic import TypeAdapter

from datasets.labels.label_files import to_json, write_labels
from datasets.simulator.layouts import SimulatorError
from datasets.simulator.moments import Renderer, SimulatedPicture
from datasets.simulator.script import Options, Script, script
from engine.vocabulary.play import Lie
from vision.capture import Frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from datasets.labels.labels import PictureLabels

PREFIX: Final = "simulator:"
START: Final = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
"""Start of a recorded session; a live one starts now."""
_JPEG_QUALITY: Final = 94


class SimulatedSource:
    """A session's pictures, as a ``vision.capture.sources.FrameSource``.

    A recorded source starts at ``START`` and delivers every picture; a live one starts now, keeps to the clock and
    drops late pictures, which gaps in the sequence numbers show.
    """

    def __init__(self, made: Script, fps: float = 10.0, *, live: bool = False) -> None:
        if not 0 < fps <= 240:
            raise SimulatorError(f"fps is above 0 and at most 240, not {fps}")
        self.script, self.fps, self.live = made, fps, live
        self._closed = False
        self._renderer = Renderer(made)
        self._last: SimulatedPicture | None = None

    @property
    def length(self) -> int:
        """Number of pictures of the whole session."""
        return int(self.script.end_s * self.fps) + 1

    def __iter__(self) -> Iterator[Frame]:
        """The pictures in order of time."""
        started_s = time.monotonic()
        start = datetime.now(UTC) if self.live else START
        sequence = 0
        while sequence < self.length and not self._closed:
            t = sequence / self.fps
            if self.live:
                time.sleep(max(0.0, t - (time.monotonic() - started_s)))
            self._last = self._renderer.draw(self.script.at(t))
            name = f"simulator-{self.script.seed}#{sequence}"
            yield Frame(sequence, start + timedelta(seconds=t), name, self._last.image)
            due = int((time.monotonic() - started_s) * self.fps) if self.live else 0
            sequence = max(sequence + 1, due)

    def labels(self, name: str) -> PictureLabels:
        """Labels of the last picture returned.

        Raises:
            SimulatorError: none was yet.
        """
        if self._last is None:
            raise SimulatorError("no picture was handed out yet, so none can be labelled")
        return self._renderer.labels(self._last, name)

    def close(self) -> None:
        """End a running iteration."""
        self._closed = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A session and how to film it, as one line of text names them."""

    seed: int = 1
    fps: float = 10.0
    live: bool = True
    options: Options


def parse_spec(text: str) -> Spec:
    """Read ``simulator:seed=3,rounds=20,fps=5,size=2304x1296,layout=eight,rulebook=crown-6.1,mistake_rate=0.2``.

    Lists are joined by ``+``: ``mistakes=tiles-swapped+foreign-tile``.

    Raises:
        SimulatorError: invalid text; the message names the fault and the known values.
    """
    if not text.startswith(PREFIX):
        raise SimulatorError(f"{text}: expected simulator:KEY=VALUE,...")
    settings: dict[str, Any] = {}
    for part in filter(None, text.removeprefix(PREFIX).split(",")):
        key, _, value = part.partition("=")
        if key not in _SETTINGS:
            raise SimulatorError(f"{text}: no setting is called {key!r}; known: {', '.join(_SETTINGS)}")
        try:
            settings[key] = _SETTINGS[key](value)
        except ValueError as fault:
            raise SimulatorError(f"{text}: {key} cannot be {value!r}") from fault
    own = {key: settings.pop(key) for key in ("seed", "fps", "live") if key in settings}
    return Spec(options=Options(**settings), **own)


def _pair(text: str) -> tuple[int, int]:
    one, other = (int(part) for part in text.replace("x", "-").split("-"))
    return one, other


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split("+")))


_SETTINGS: Final[dict[str, Callable[[str], object]]] = {
    "seed": int,
    "fps": float,
    "live": TypeAdapter(bool).validate_python,
    "rulebook": str,
    "variant": str,
    "layout": str,
    "house_way": str,
    "rounds": int,
    "size": _pair,
    "mistakes": _names,
    "mistake_rate": float,
    "in_turn": _names,
    "disturbances": _names,
    "disturbance_rate": float,
    "cocked_rate": float,
    "players": _pair,
    "pace": float,
    "any_look": TypeAdapter(bool).validate_python,
    "low_hand": Lie,
    "player_bank_rate": float,
}
"""Parser of each setting."""


def open_simulator(text: str) -> SimulatedSource:
    """The source that a line of text names; see ``parse_spec``.

    Raises:
        SimulatorError: it cannot be simulated.
        EngineError: the rulebook is not known.
    """
    spec = parse_spec(text)
    return SimulatedSource(script(spec.seed, spec.options), spec.fps, live=spec.live)


Form = Literal["mp4", "frames", "none"]


def write_film(out: Path, made: Script, fps: float, form: Form = "mp4", truth_fps: float = 5.0) -> Iterator[float]:
    """Write a session: video or pictures, labels, rounds, calibration; yield the share done as it goes.

    The form is ``mp4``: ``video.mp4``, with ``labels.jsonl``, one line each for `truth_fps` pictures a second;
    ``frames``: ``frames/NAME.jpg`` with ``NAME.json``, which ``houseway evaluate`` scores; or ``none``: neither.

    Raises:
        OSError: something cannot be written.
    """
    out.mkdir(parents=True, exist_ok=True)
    (out / "calibration.json").write_text(json.dumps(made.calibration(), indent=1) + "\n", encoding="utf-8")
    with (out / "rounds.jsonl").open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(truth.to_json(made.way), allow_nan=False) + "\n" for truth in made.rounds)
    if form == "none":
        yield 1.0
        return
    source = SimulatedSource(made, fps)
    if form == "frames":
        yield from _write_frames(out / "frames", source)
    else:
        yield from _write_video(out, source, truth_fps)


def _write_frames(folder: Path, source: SimulatedSource) -> Iterator[float]:
    folder.mkdir(exist_ok=True)
    for frame in source:
        picture = folder / f"frame_{frame.sequence:06d}.jpg"
        if not cv2.imwrite(str(picture), frame.image, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]):
            raise OSError(f"cannot write {picture}")
        write_labels(picture.with_suffix(".json"), source.labels(picture.name))
        yield (frame.sequence + 1) / source.length


def _write_video(out: Path, source: SimulatedSource, truth_fps: float) -> Iterator[float]:
    every = max(1, round(source.fps / truth_fps))
    path = out / "video.mp4"
    fourcc = cv2.VideoWriter.fourcc(*"mp4v")
    video = cv2.VideoWriter(str(path), fourcc, source.fps, source.script.setup.bare.camera.size)
    if not video.isOpened():
        raise OSError(f"cannot write {path}")
    try:
        with (out / "labels.jsonl").open("w", encoding="utf-8") as lines:
            for frame in source:
                video.write(frame.image)
                if frame.sequence % every == 0:
                    labels = to_json(source.labels(f"video.mp4#{frame.sequence}"))
                    t_s = round(frame.sequence / source.fps, 4)
                    line = {"t_s": t_s, "sequence": frame.sequence, "labels": labels}
                    lines.write(json.dumps(line, allow_nan=False) + "\n")
                yield (frame.sequence + 1) / source.length
    finally:
        video.release()
