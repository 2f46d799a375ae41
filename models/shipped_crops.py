"""The shipped crops: ``python -m models.shipped_crops --bank DIR``, a sheet of labelled tiles of many makers.

A table refines its tile classifier from them and its own (``vision.learning``): the first part is replayed, so that
other makers are not forgotten; the second, of other windows, is only measured on.
"""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from models.bank import Bank, open_bank
from models.samples.crop_sampler import UNKNOWN, Objects, Sample
from models.samples.tile_sampler import TileSampler
from vision.arrays import Indices
from vision.learning.shipped_set import write_shipped

COUNT = 800
"""Crops of each part."""


def drawn(bank: Bank, windows: Indices, count: int, seed: int) -> list[Sample]:
    """Draw crops with known faces, or "cannot tell", from some windows of a bank."""
    rng = np.random.default_rng(seed)
    sampler = TileSampler(Objects(bank, windows))
    found: list[Sample] = []
    while len(found) < count:
        sample = sampler.draw(rng)
        if sample.label != UNKNOWN:
            found.append(sample)
    return found


def main(
    bank: Annotated[Path, typer.Option(help="folder of windows that no training has seen")],
    out: Annotated[Path, typer.Option(help="folder of the sheet and its card")] = Path("models/weights"),
    count: Annotated[int, typer.Option(help="crops of each of the two parts", min=1)] = COUNT,
    seed: Annotated[int, typer.Option(help="seed of the crops")] = 1,
) -> None:
    """Write the sheet and its card."""
    opened = open_bank(bank, unseen=True)
    windows = np.arange(len(opened))
    parts = [drawn(opened, half, count, seed + n) for n, half in enumerate((windows[::2], windows[1::2]))]
    samples = [sample for part in parts for sample in part]
    crops = np.stack([sample.crop for sample in samples])
    labels = np.array([sample.label for sample in samples])
    path = write_shipped(out, crops, labels, replayed=count, made_by=opened.command)
    typer.echo(f"{path}: {len(crops)} crops, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    typer.run(main)
