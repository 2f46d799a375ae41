"""Make labelled pictures: `python -m datasets.generate bank --out DIR --count N --seed S --workers 2`."""

from __future__ import annotations

import json
import multiprocessing
import operator
import os
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import cv2
import numpy as np
import typer
from rich.progress import track

from datasets.labels.label_files import write_labels
from datasets.labels.labels import PictureLabels
from datasets.real_pictures import piece, sources, training_files
from datasets.rendering.path_traced import level_camera
from datasets.rendering.picture_labels import label_picture
from datasets.rendering.renderer import DrawnScene, render
from datasets.scenes.sampling import pick
from datasets.scenes.shifts import SHIFTS
from datasets.scenes.whole_table import TableKind, own_dice, table, throws
from datasets.scenes.windows import bare_window, dice_window, window
from datasets.simulate import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from datasets.scenes.scene import Scene

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


@app.callback()
def main() -> None:
    """Make labelled pictures with Houseway's own renderer."""


NEAR = 0.6
"""Share of dice windows from a camera close above a dish, with large dice."""
SOURCES_FILE = "pictures.json"
"""File with the packages and licences of a bank's real pictures; not a window."""
WINDOW_PX = 384
"""Side of a training window: the detector sees pieces of this size."""
JPEG_QUALITY = 96
"""High, since cameras already compress the pictures."""
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "2000000000"}
"""By default glibc would return each picture's memory to the system and fetch it again: twice the time."""

Out = Annotated[Path, typer.Option(help="Folder to fill.")]
SetSeed = Annotated[int, typer.Option(help="Seed of the set.")]
Workers = Annotated[int, typer.Option(help="Processes.", min=1)]


def save(
    folder: Path,
    name: str,
    scene: Scene,
    drawn: DrawnScene,
    seed: tuple[int, ...],
    shift: str | None = None,
) -> None:
    """Write NAME.jpg, then its labels NAME.json."""
    picture = folder / f"{name}.jpg"
    if not cv2.imwrite(str(picture), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]):
        raise OSError(f"cannot write {picture}")
    spec = {"seed": list(seed)} | ({"shift": shift} if shift is not None else {})
    write_labels(folder / f"{name}.json", label_picture(picture.name, scene, drawn.objects, spec))


def _draw_all(out: Path, jobs: Sequence[Callable[[], None]], workers: int, what: str, chunk: int = 1) -> None:
    """Run jobs in drawing processes of one thread each, with a progress bar."""
    out.mkdir(parents=True, exist_ok=True)
    os.environ.update(MALLOC, OMP_NUM_THREADS="1")
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for _ in track(pool.imap_unordered(operator.call, jobs, chunk), total=len(jobs), description=what):
            pass


@dataclass(frozen=True, slots=True)
class Mixture:
    """Shares of the kinds of windows in a bank, and the real pictures used."""

    bare: float
    dice: float
    traced: float
    real: float
    pictures: Path | None


def _draw_window(out: Path, name: str, seed: tuple[int, int], mixture: Mixture) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    files = training_files(mixture.pictures) if mixture.pictures is not None else []
    if files and rng.random() < mixture.real:
        keep_piece(out, name, seed, piece(pick(rng, files), (WINDOW_PX, WINDOW_PX), rng))
        return
    kind = rng.random()
    bare, dice, traced = mixture.bare, mixture.dice, mixture.traced
    full_of_dice = bare <= kind < bare + dice
    by_path = full_of_dice and traced > 0 and rng.random() < traced
    if full_of_dice:
        scene = dice_window(rng, WINDOW_PX, near=by_path or rng.random() < NEAR, pictures=files)
        scene = replace(scene, camera=level_camera(scene.camera)) if by_path else scene
    else:
        draw = bare_window if kind < bare else window
        scene = draw(rng, WINDOW_PX, files)
    save(out, name, scene, render(scene, rng, traced=by_path), seed)


def keep_piece(out: Path, name: str, seed: tuple[int, int], image: NDArray[np.uint8]) -> None:
    """Write a piece of a real picture as a window without objects."""
    cv2.imwrite(str(out / f"{name}.jpg"), image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    size = (image.shape[1], image.shape[0])
    labels = PictureLabels(image=f"{name}.jpg", size=size, kind="closeup", objects=(), spec={"seed": list(seed)})
    write_labels(out / f"{name}.json", labels)


@app.command()
def bank(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of windows.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the whole bank.")] = 1,
    workers: Workers = 2,
    start: Annotated[int, typer.Option(help="Number of the first window.", min=0)] = 0,
    bare: Annotated[float, typer.Option(help="Share of windows without tiles and dice.", min=0, max=1)] = 0.1,
    dice: Annotated[float, typer.Option(help="Share of windows full of dice, many leaning.", min=0, max=1)] = 0.1,
    traced: Annotated[
        float, typer.Option(help="Share of those path-traced (needs Mitsuba, takes seconds).", min=0, max=1)
    ] = 0.0,
    pictures: Annotated[
        Path | None, typer.Option(help="Folder of real pictures (python -m datasets.real_pictures).")
    ] = None,
    real: Annotated[float, typer.Option(help="Share of windows that are pieces of them.", min=0, max=1)] = 0.25,
) -> None:
    """Fill a folder with windows to train the detector.

    Existing files are kept, so an interrupted run can be resumed.
    """
    if traced > 0 and find_spec("mitsuba") is None:
        raise typer.BadParameter(
            "path tracing needs Mitsuba: pip install -r requirements-train.txt", param_hint="--traced"
        )
    missing = (index for index in range(start, start + count) if not (out / f"w{index:06d}.json").exists())
    mixture = Mixture(bare, dice, traced, real, pictures)
    if pictures is not None:
        out.mkdir(parents=True, exist_ok=True)
        (out / SOURCES_FILE).write_text(json.dumps(sources(pictures), indent=1) + "\n", encoding="utf-8")
    jobs = [partial(_draw_window, out, f"w{index:06d}", (seed, index), mixture) for index in missing]
    _draw_all(out, jobs, workers, "Drawing windows", chunk=8)


def _draw_table(out: Path, name: str, seed: tuple[int, int, int], kind: TableKind, shift: str | None = None) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    scene = table(rng, kind)
    if shift is not None:
        scene = SHIFTS[shift](scene, rng)
    save(out, name, scene, render(scene, rng, supersample=1.0), seed, shift)


@app.command()
def tables(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of frames.", min=1)] = 40,
    seed: SetSeed = 1,
    workers: Workers = 2,
    kind: Annotated[TableKind | None, typer.Option(help="Only tables of this kind.")] = None,
) -> None:
    """Fill a folder with pictures of full tables and their labels.

    Rounds, throws, displays and hard ones in turn, each with its truth and its camera.
    """
    kinds: tuple[TableKind, ...] = ("round", "dice", "display", "hard") if kind is None else (kind,)
    turns = ((index, kinds[index % len(kinds)]) for index in range(count))
    jobs = [partial(_draw_table, out, f"{each}_{index:04d}", (seed, 1, index), each) for index, each in turns]
    _draw_all(out, jobs, workers, "Drawing tables")


def _draw_throws(out: Path, name: str, seed: tuple[int, int, int], count: int) -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(seed)
    box, cut, stranger = own_dice(rng)
    (out / name).mkdir(exist_ok=True)
    for number, scene in enumerate(throws(rng, (box, cut), count, stranger)):
        save(out / name, f"throw_{number:02d}", scene, render(scene, rng, supersample=1.0), seed)


@app.command("throws")
def thrown(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of tables.", min=1)] = 12,
    each: Annotated[int, typer.Option(help="Throws of each table's own dice.", min=3)] = 18,
    seed: SetSeed = 1,
    workers: Workers = 2,
) -> None:
    """Fill a folder with tables, each a folder with throws of its own dice, the last third with one strange die.

    python -m datasets.evaluation.enrolled_dice enrols the first third and scores the rest.
    """
    jobs = [partial(_draw_throws, out, f"table_{n:03d}", (seed, 5, n), each) for n in range(count)]
    _draw_all(out, jobs, workers, "Drawing throws")


@app.command()
def shifted(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of tables, each drawn with every shift.", min=1)] = 8,
    seed: SetSeed = 1,
    workers: Workers = 2,
) -> None:
    """Fill a folder with tables that differ from the training data.

    houseway evaluate reports the metrics for each kind of shift.
    """
    jobs = [
        partial(_draw_table, out, f"{shift.replace(' ', '-')}_{index:04d}", (seed, 4, index), "round", shift)
        for index in range(count)
        for shift in SHIFTS
    ]
    _draw_all(out, jobs, workers, "Drawing tables")


app.command("rounds")(simulate)


if __name__ == "__main__":
    app()
