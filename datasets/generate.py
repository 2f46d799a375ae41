"""Make labelled pictures: `python -m datasets.generate bank --out DIR --count N --seed S --workers 2`."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import cv2
import numpy as np
import typer
from rich.progress import track

from datasets.labels import PictureLabels, write_labels
from datasets.render import Drawn, render
from datasets.table import Kind, table
from datasets.window import window

if TYPE_CHECKING:
    from datasets.scene import Scene

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def main() -> None:
    """Make labelled pictures with Houseway's own renderer."""


WINDOW_PX = 384
JPEG_QUALITY = 96


def save(folder: Path, name: str, scene: Scene, drawn: Drawn, seed: tuple[int, ...]) -> None:
    """Write NAME.jpg and NAME.json; a file appears only when it is complete."""
    picture = folder / f"{name}.jpg"
    if not cv2.imwrite(str(picture), drawn.image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY]):
        raise OSError(f"cannot write {picture}")
    camera = scene.camera
    labels = PictureLabels(
        image=picture.name,
        size=camera.size,
        kind=scene.kind,
        objects=drawn.objects,
        camera={"K": camera.k.tolist(), "dist": camera.dist.tolist(), "R": camera.r.tolist(), "t": camera.t.tolist()},
        layout=scene.layout,
        dealer_side=scene.dealer_side,
        tileset={"style": scene.tile_set.maker.style},
        spec={"seed": list(seed)},
    )
    write_labels(folder / f"{name}.json", labels)


def _one(job: tuple[str, int, int]) -> None:
    out, seed, index = job
    cv2.setNumThreads(1)
    name = f"w{index:06d}"
    if (Path(out) / f"{name}.json").exists():
        return
    rng = np.random.default_rng((seed, index))
    scene = window(rng, WINDOW_PX)
    save(Path(out), name, scene, render(scene, rng), (seed, index))


@app.command()
def bank(
    out: Annotated[Path, typer.Option(help="Folder to fill.")],
    count: Annotated[int, typer.Option(help="Number of windows.", min=1)] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of the whole bank.")] = 1,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
    start: Annotated[int, typer.Option(help="Number of the first window.", min=0)] = 0,
) -> None:
    """Fill a folder with training windows; what is there already is kept, so a stopped run goes on."""
    out.mkdir(parents=True, exist_ok=True)
    jobs = [(str(out), seed, index) for index in range(start, start + count)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for _ in track(pool.imap_unordered(_one, jobs, chunksize=8), total=count, description="Drawing windows"):
            pass


def _one_table(job: tuple[str, int, int, Kind]) -> None:
    out, seed, index, kind = job
    cv2.setNumThreads(1)
    rng = np.random.default_rng((seed, 1, index))
    scene = table(rng, kind)
    save(Path(out), f"{kind}_{index:04d}", scene, render(scene, rng, supersample=1.0), (seed, 1, index))


@app.command()
def tables(
    out: Annotated[Path, typer.Option(help="Folder to fill.")],
    count: Annotated[int, typer.Option(help="Number of frames.", min=1)] = 40,
    seed: Annotated[int, typer.Option(help="Seed of the set.")] = 1,
    workers: Annotated[int, typer.Option(help="Processes.", min=1)] = 2,
) -> None:
    """Fill a folder with whole-table frames (rounds, throws, displays, hard ones in turn), with truth and camera."""
    out.mkdir(parents=True, exist_ok=True)
    kinds: tuple[Kind, ...] = ("round", "dice", "display", "hard")
    jobs = [(str(out), seed, index, kinds[index % 4]) for index in range(count)]
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        for _ in track(pool.imap_unordered(_one_table, jobs), total=count, description="Drawing tables"):
            pass


if __name__ == "__main__":
    app()
