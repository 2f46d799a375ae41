"""How well labelled pictures are read: reading them, scoring them, and saying so to people and programs."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from calibration.files.calibration_file import CalibrationError, TableCalibration, load_calibration
from datasets.evaluation.scoring import RATES, Score, score_picture
from datasets.labels.labels import LabelError
from datasets.scenes.cutouts import GROUNDS, lay, load_cutout
from vision.capture.images import ImageError, load_image

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from datasets.evaluation.scoring import Mistake, Rate
    from datasets.labels.label_folders import LabelledPicture
    from datasets.labels.labels import PictureLabels
    from vision.capture.images import Image
    from vision.findings import Finding
    from vision.reading import PictureReader

LAYINGS = 8
"""How often each cut-out tile is laid on made-up ground."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A picture that could not be read at all.

    Attributes:
        image: its name.
        message: what was wrong and what to do.
    """

    image: str
    message: str


@dataclass(frozen=True, slots=True)
class PictureResult:
    """One picture's score, and what it is counted under.

    Attributes:
        kind: kind of picture.
        style: style of its set of tiles, None if the labels do not say.
        shift: what of it lies outside what was trained on (``datasets.scenes.shifts``), None if nothing is known to.
        score: how well it was read.
    """

    kind: str
    style: str | None
    shift: str | None
    score: Score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """How well a folder was read.

    Attributes:
        results: each picture that could be read.
        failures: each that could not.
        versions: what read them.
    """

    results: tuple[PictureResult, ...]
    failures: tuple[Failure, ...]
    versions: dict[str, str]

    @property
    def total(self) -> Score:
        """All pictures together."""
        return Score.total(each.score for each in self.results)

    def groups(self) -> dict[str, dict[str, Score]]:
        """The same by kind of picture and by style of tiles, where there is more than one."""
        found: dict[str, dict[str, Score]] = {}
        for title, key in (("kind", _kind_of), ("style", _style_of), ("shift", _shift_of)):
            names = sorted({name for each in self.results if (name := key(each)) is not None})
            if len(names) > 1:
                found[title] = {
                    name: Score.total(each.score for each in self.results if key(each) == name) for name in names
                }
        return found

    def as_json(self, words_of: Callable[[Finding], object] = str) -> dict[str, object]:
        """Everything, for programs."""
        total = self.total
        return {
            **_score_json(total),
            "by": {
                title: {name: _score_json(each) for name, each in part.items()} for title, part in self.groups().items()
            },
            "elapsed_ms": {stage: _times_json(times) for stage, times in total.elapsed_ms.items()},
            "errors": [_mistake_json(each, words_of) for each in total.mistakes],
            "failed": [{"image": each.image, "message": each.message} for each in self.failures],
            "versions": self.versions,
        }


def _word(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _kind_of(result: PictureResult) -> str | None:
    return result.kind


def _style_of(result: PictureResult) -> str | None:
    return result.style


def _shift_of(result: PictureResult) -> str | None:
    return result.shift


def evaluate(
    pictures: Sequence[LabelledPicture],
    reader: PictureReader,
    *,
    calibrated: bool = True,
    layings: int = LAYINGS,
    seed: int = 1,
    track: Callable[[Iterator[Task], int], Iterator[Task]] | None = None,
) -> Evaluation:
    """Read and score pictures.

    Args:
        pictures: what to read.
        reader: what reads it.
        calibrated: whether the camera a label file gives is used.
        layings: how often each cut-out tile is laid.
        seed: of the layings.
        track: shows progress; takes the tasks and their number.
    """
    results: list[PictureResult] = []
    failures: list[Failure] = []
    versions: dict[str, str] = {}
    tasks = _tasks(pictures, calibrated=calibrated, layings=layings, seed=seed)
    count = sum(layings if each.labels.scope == "tiles" else 1 for each in pictures)
    for task in tasks if track is None else track(tasks, count):
        try:
            image, labels, table = task.prepare()
        except (ImageError, CalibrationError, LabelError, OSError) as error:
            failures.append(Failure(task.name, str(error)))
            continue
        reading = reader.read(image, calibration=table, name=task.name)
        versions = dict(reading.versions)
        style, shift = (labels.tileset or {}).get("style"), (labels.spec or {}).get("shift")
        results.append(PictureResult(labels.kind, _word(style), _word(shift), score_picture(reading, labels)))
    return Evaluation(tuple(results), tuple(failures), versions)


@dataclass(frozen=True, slots=True)
class Task:
    """One picture to read and score; nothing is loaded before its turn.

    Attributes:
        name: of the picture.
        prepare: gives the picture, its labels, and its calibration or None.
    """

    name: str
    prepare: Callable[[], tuple[Image, PictureLabels, TableCalibration | None]]


def _tasks(pictures: Sequence[LabelledPicture], *, calibrated: bool, layings: int, seed: int) -> Iterator[Task]:
    for number, picture in enumerate(pictures):
        if picture.labels.scope == "tiles":
            for turn in range(layings):
                yield _laying(picture, turn, (seed, number, turn))
        else:
            yield Task(picture.path.name, partial(_whole, picture, calibrated=calibrated))


def _whole(picture: LabelledPicture, *, calibrated: bool) -> tuple[Image, PictureLabels, TableCalibration | None]:
    """A picture as it is, with the camera its label file gives."""
    image = load_image(picture.path)
    size = (image.shape[1], image.shape[0])
    if picture.labels.size not in (None, size):
        raise LabelError(f"{picture.path.name}: is {size[0]} x {size[1]}, its labels are for {picture.labels.size}")
    table = None
    if calibrated and picture.truth is not None and picture.labels.camera is not None:
        table = load_calibration(picture.truth)
        table.check_size(size, picture.path.name)
    return image, picture.labels, table


def _laying(picture: LabelledPicture, turn: int, seed: tuple[int, int, int]) -> Task:
    """A cut-out tile on made-up ground."""
    name = f"{picture.path.name}#{turn}"

    def prepare() -> tuple[Image, PictureLabels, TableCalibration | None]:

        face = picture.labels.tiles[0].face
        if face is None:
            raise LabelError(f"{picture.path.name}: its label names no face")
        ground = GROUNDS[turn % len(GROUNDS)]
        image, labels = lay(load_cutout(picture.path), face, name, ground, np.random.default_rng(seed))
        return image, labels, None

    return Task(name, prepare)


def with_bar(tasks: Iterator[Task], count: int) -> Iterator[Task]:
    """The tasks, with a progress bar on standard error."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(tasks, total=count, description="reading")


def _rate_json(rate: Rate) -> dict[str, object]:
    return {"count": rate.count, "of": rate.of, "rate": rate.value, "interval": list(rate.interval())}


def _score_json(score: Score) -> dict[str, object]:

    rates = {name: _rate_json(score.rate(name)) for name in RATES if score.rate(name).of}
    for name, entry in rates.items():
        if name.startswith("silent"):
            entry["upper_bound"] = score.rate(name).upper_bound()
    return {"pictures": score.pictures, "rates": rates}


def _times_json(times: Sequence[float]) -> dict[str, float]:
    return {"median": round(statistics.median(times), 2), "longest": round(max(times), 2)}


def _mistake_json(mistake: Mistake, words_of: Callable[[Finding], object]) -> dict[str, object]:
    return {
        "image": mistake.image,
        "kind": mistake.kind,
        "fault": mistake.fault,
        "there": mistake.there,
        "read": mistake.read,
        "status": mistake.status,
        "confidence": mistake.confidence,
        "at_px": mistake.at_px,
        "silent": mistake.silent,
        "reasons": [str(words_of(doubt)) for doubt in mistake.doubts],
    }


def print_evaluation(evaluation: Evaluation, console: Console, words_of: Callable[[Finding], object] = str) -> None:
    """Tables for people: the figures, the same by group, the time by stage, and every error."""
    total = evaluation.total
    _print_errors(total.mistakes, console, words_of)
    figures = Table(title=f"{total.pictures} pictures", title_justify="left")
    for column in ("figure", "count", "share", "95 % interval"):
        figures.add_column(column, justify="left" if column == "figure" else "right")

    for name, words in RATES.items():
        if (rate := total.rate(name)).of:
            style = "bold red" if name.startswith("silent") and rate.count else ""
            figures.add_row(
                words, f"{rate.count} / {rate.of}", _percent(rate.value), _interval(name, rate), style=style
            )
    console.print(figures)
    for title, parts in evaluation.groups().items():
        console.print(_group_table(title, parts))
    times = Table(title="time by stage, milliseconds", title_justify="left")
    for column in ("stage", "median", "longest"):
        times.add_column(column, justify="left" if column == "stage" else "right")
    for stage, spent in total.elapsed_ms.items():
        times.add_row(stage, f"{statistics.median(spent):.1f}", f"{max(spent):.1f}")
    if total.elapsed_ms:
        console.print(times)


def _print_errors(mistakes: Sequence[Mistake], console: Console, words_of: Callable[[Finding], object]) -> None:
    """Every error in a few lines of its own, silent ones first: a table of them has no room for the reasons."""
    if not mistakes:
        console.print("every object read as it lies")
        return
    console.print(f"{len(mistakes)} errors", style="italic")
    for each in sorted(mistakes, key=lambda mistake: (not mistake.silent, mistake.image, mistake.kind)):
        at = "" if each.at_px is None else f" at {each.at_px[0]:.0f}, {each.at_px[1]:.0f}"
        status = "SILENT" if each.silent else each.status
        sure = None if each.confidence is None else f"{each.confidence:.3f}"
        how = ", ".join(word for word in (status, sure) if word)
        doubts = [str(words_of(doubt)) for doubt in each.doubts]
        lines = [f"{each.there} lies there, read as {each.read}" + (f" ({how})" if how else ""), *doubts]
        style = "bold red" if each.silent else ""
        console.print(Text(f"{each.image}{at}: {each.kind} {each.fault}"), style=style)
        for line in lines:
            console.print(Padding(Text(line), (0, 0, 0, 2)), style=style)
    console.print()


_GROUP_COLUMNS = {
    "tiles found": "tiles_found",
    "named": "faces_right",
    "dice read": "dice_right",
    "hands whole": "hands_whole",
    "covered tiles": "coverage_tiles",
    "dice ": "coverage_dice",
    "hands": "coverage_hands",
    "silent": "silent",
}


def _group_table(title: str, parts: Mapping[str, Score]) -> Table:
    """One line a group, narrow enough for 80 columns."""
    table = Table(title=f"by {title}", title_justify="left", box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(title)
    for column in ("pictures", *_GROUP_COLUMNS):
        table.add_column(column.strip(), justify="right", overflow="fold")
    for name, score in parts.items():
        rates = [score.rate(each) for each in _GROUP_COLUMNS.values()]
        cells = [f"{rate.count}/{rate.of}" if rate.of else "" for rate in rates]
        table.add_row(name, str(score.pictures), *cells)
    return table


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f} %"


def _interval(name: str, rate: Rate) -> str:
    if name.startswith("silent"):
        return f"at most {_percent(rate.upper_bound())}"
    low, high = rate.interval()
    return f"{_percent(low)} to {_percent(high)}"
