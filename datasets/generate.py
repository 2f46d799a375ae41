"""Make labelled pictures: `python -m datasets.generate bank --out DIR --count N --seed S --workers 2`."""

from __future__ import annotations

import json
import multiprocessing
import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import cv2
import numpy as np
import typer
from rich.progress import track

from datasets.labels.label_files import write_labels
from datasets.rendering.path_traced import level_camera
from datasets.rendering.picture_labels import label_picture
from datasets.rendering.renderer import Drawn, render
from datasets.scenes.shifts import SHIFTS
from datasets.scenes.whole_table import DealtHand, TableKind, sample_setup, table
from datasets.scenes.whole_table import film as film_of
from datasets.scenes.windows import bare_window, dice_window, window
from datasets.simulate import simulate
from engine.books.house_ways import get
from engine.game.setting import Deal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from datasets.scenes.scene import Scene
    from engine.house_way.rules import HouseWay

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def main() -> None:
    """Make labelled pictures with Houseway's own renderer."""


WINDOW_PX = 384
"""Side of a training window: the detector sees pieces of this size."""
JPEG_QUALITY = 96
"""High, as cameras compress the pictures of the scene already."""

MALLOC = {"MALLOC_MMAP_THRESHOLD_": "1000000000", "MALLOC_TRIM_THRESHOLD_": "2000000000"}
"""glibc would otherwise hand each picture's memory back to the system and fetch it again: twice the time."""


Out = Annotated[Path, typer.Option(help="Folder to fill.")]
SetSeed = Annotated[int, typer.Option(help="Seed of the set.")]
Workers = Annotated[int, typer.Option(help="Processes.", min=1)]
_Job = TypeVar("_Job")


def save(folder: Path, name: str, scene: Scene, drawn: Drawn, seed: tuple[int, ...], shift: str | None = None) -> None:
    """Write NAME.jpg and NAME.json; a file appears only when it is complete."""
    picture = folder / f"{name}.jpg"
    if not cv2.imwrite(str(picture), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]):
        raise OSError(f"cannot write {picture}")
    spec = {"seed": list(seed)} | ({"shift": shift} if shift is not None else {})
    write_labels(folder / f"{name}.json", label_picture(picture.name, scene, drawn.objects, spec))


def _draw_all(draw: Callable[[_Job], None], jobs: Sequence[_Job], workers: int, what: str, chunk: int = 1) -> None:
    """Run jobs in drawing processes of one thread each, with a progress bar."""
    os.environ.update(MALLOC, OMP_NUM_THREADS="1")
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for _ in track(pool.imap_unordered(draw, jobs, chunksize=chunk), total=len(jobs), description=what):
            pass


def _draw_window(job: tuple[Path, int, int, float, float, float]) -> None:
    out, seed, index, bare, dice, traced = job
    cv2.setNumThreads(1)
    name = f"w{index:06d}"
    if (out / f"{name}.json").exists():
        return
    rng = np.random.default_rng((seed, index))
    kind = rng.random()
    full_of_dice = bare <= kind < bare + dice
    by_path = full_of_dice and traced > 0 and float(rng.random()) < traced
    if by_path:
        scene = dice_window(rng, WINDOW_PX, near=True)
        scene = replace(scene, camera=level_camera(scene.camera))
    else:
        draw = bare_window if kind < bare else dice_window if full_of_dice else window
        scene = draw(rng, WINDOW_PX)
    save(out, name, scene, render(scene, rng, traced=by_path), (seed, index))


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
) -> None:
    """Fill a folder with training windows; what is there already is kept, so a stopped run goes on."""
    if traced > 0 and find_spec("mitsuba") is None:
        raise typer.BadParameter(
            "path tracing needs Mitsuba: pip install -r requirements-train.txt", param_hint="--traced"
        )
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(out, seed, index, bare, dice, traced) for index in range(start, start + count)]
    _draw_all(_draw_window, jobs, workers, "Drawing windows", chunk=8)


def _draw_table(job: tuple[Path, int, int, TableKind]) -> None:
    out, seed, index, kind = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, 1, index))
    scene = table(rng, kind)
    save(out, f"{kind}_{index:04d}", scene, render(scene, rng, supersample=1.0), (seed, 1, index))


@app.command()
def tables(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of frames.", min=1)] = 40,
    seed: SetSeed = 1,
    workers: Workers = 2,
    kind: Annotated[TableKind | None, typer.Option(help="Only tables of this kind.")] = None,
) -> None:
    """Fill a folder with whole-table frames (rounds, throws, displays, hard ones in turn), with truth and camera."""
    out.mkdir(parents=True, exist_ok=True)
    kinds: tuple[TableKind, ...] = ("round", "dice", "display", "hard") if kind is None else (kind,)
    jobs = [(out, seed, index, kinds[index % len(kinds)]) for index in range(count)]
    _draw_all(_draw_table, jobs, workers, "Drawing tables")


def _draw_shifted(job: tuple[Path, int, int, str]) -> None:
    out, seed, index, name = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, 4, index))
    scene = SHIFTS[name](table(rng, "round"), rng)
    title = f"{name.replace(' ', '-')}_{index:04d}"
    save(out, title, scene, render(scene, rng, supersample=1.0), (seed, 4, index), shift=name)


@app.command()
def shifted(
    out: Out,
    count: Annotated[int, typer.Option(help="Number of tables, each drawn with every shift.", min=1)] = 8,
    seed: SetSeed = 1,
    workers: Workers = 2,
) -> None:
    """Fill a folder with tables outside what was trained on; `houseway evaluate` tells the figures by shift."""
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(out, seed, index, name) for index in range(count) for name in SHIFTS]
    _draw_all(_draw_shifted, jobs, workers, "Drawing tables")


app.command("rounds")(simulate)

ROUNDS = (
    ("6-6 1-1 6-3 5-2", ("6-5 4-4 3-1 2-1", "5-5 4-3 6-1 3-2", "6-4 5-1 4-2 3-3")),
    ("6-6 6-3 5-4 2-1", ("1-1 5-3 4-1 2-2", "6-5 6-4 4-4 3-1", "6-2 5-5 5-1 3-3")),
)
"""The two rounds of the sample: the House's tiles and three boxes'; in the second the House is set wrongly."""
FILM_SIZE = (1920, 1080)
FILM_QUALITY = 82


def _hands(house: str, boxes: tuple[str, ...], way: HouseWay, *, wrongly: bool) -> list[DealtHand]:
    """Set every hand the House Way; the House's own, if asked, another way."""
    out = []
    for place, dealt in (("house", house), *((f"box{2 + 2 * n}", b) for n, b in enumerate(boxes))):
        decision = way.decide(Deal.parse(dealt))
        setting = decision.refused[0].setting if wrongly and place == "house" else decision.setting
        low, high = setting.low, setting.high
        out.append(DealtHand(place, (low.first, low.second), (high.first, high.second)))
    return out


@app.command()
def film(
    out: Annotated[Path, typer.Option(help="Folder to fill: frames/, labels/, calibration.json.")],
    seed: Annotated[int, typer.Option(help="Seed of table, light and camera.")] = 11,
    rulebook: Annotated[str, typer.Option(help="House Way the hands are set by.")] = "crown-6.1",
) -> None:
    """Draw the bundled sample: two short rounds seen by a ceiling camera, the second with the House set wrongly."""
    way = get(rulebook)
    rng = np.random.default_rng((seed, 2))
    at = sample_setup(rng, FILM_SIZE)
    frames, labels = out / "frames", out / "labels"
    for folder in (frames, labels):
        folder.mkdir(parents=True, exist_ok=True)
    scenes = [scene for n, (h, b) in enumerate(ROUNDS) for scene in film_of(rng, at, _hands(h, b, way, wrongly=n == 1))]
    for number, scene in enumerate(track(scenes, description="Drawing the sample")):
        drawn = render(scene, np.random.default_rng((seed, 3, number)), supersample=1.5)
        name = f"frame_{number:03d}"
        save(labels, name, scene, drawn, (seed, 3, number))
        (labels / f"{name}.jpg").unlink()
        cv2.imwrite(str(frames / f"{name}.jpg"), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, FILM_QUALITY])
    first = json.loads((labels / "frame_000.json").read_text(encoding="utf-8"))
    calibration = {key: first[key] for key in ("size", "camera", "layout", "dealer_side")}
    (out / "calibration.json").write_text(json.dumps(calibration, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    app()
