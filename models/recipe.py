"""The whole training: ``python -m models.recipe`` trains the four networks and exports them.

It fetches real pictures (Debian's packages, ``datasets.real_pictures``) and makes the windows first, also about what
deceives the networks in ``--out``. Each network but the detector learns on what the detector before it finds in them,
also where nothing lies. With ``--further`` the networks in ``--out`` are trained on instead, and each becomes the mean
of its weights before and after (``models.soup``), so it learns new kinds of objects and keeps what it knew.

Windows that are there are kept and a stopped training goes on, so the command can be repeated until it ends.
"""

import logging
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from datasets import real_pictures
from models import found, mined, quantise
from models.export import WEIGHTS, export
from models.soup import mean_of
from models.train import Device, TrainConfig, train
from models.training_bank import COMMAND_FILE, open_bank

log = logging.getLogger(__name__)

MINUTES = {"detector": 90.0, "tiles": 60.0, "dice": 45.0, "lean": 60.0}
"""Length of each training on two cores, in the order in which they are trained."""
FOUND_BEFORE = ("tiles", "lean")
"""Networks before whose training the bank is read again: the networks that find and outline have changed."""
DICE_WINDOWS = 0.25
"""Share of windows full of dice: leaning ones take many, and so do the looks of all makers."""
TRACED = 0.05
"""Share of those that are path-traced, which takes as long as all the others."""
BARE = 0.15
"""Share of windows without tiles and dice, most of them with things of other games."""
REAL = 0.2
"""Share of windows that are pieces of real pictures, in which nothing lies."""


def bank_command(folder: Path, pictures: Path, windows: int, seed: int, workers: int) -> list[str]:
    """Return the arguments of Python that make the windows."""
    shares = f"--dice {DICE_WINDOWS} --bare {BARE} --traced {TRACED} --real {REAL}"
    options = f"--count {windows} --seed {seed} {shares} --workers {workers}"
    return ["-m", "datasets.generate", "bank", "--out", str(folder), "--pictures", str(pictures), *options.split()]


def main(
    runs: Annotated[Path, typer.Option(help="folder of the bank and the checkpoints")] = Path("runs"),
    out: Annotated[Path, typer.Option(help="folder of the ONNX files and their cards")] = WEIGHTS,
    windows: Annotated[int, typer.Option(help="training windows")] = 14000,
    seed: Annotated[int, typer.Option(help="of the windows and the trainings")] = 1,
    share: Annotated[float, typer.Option(help="share of the usual training time")] = 1.0,
    threads: Annotated[int, typer.Option(help="of a training, and workers of the generator")] = 2,
    device: Device = "cpu",
    *,
    further: Annotated[bool, typer.Option("--further", help="train the networks in --out on")] = False,
    only: Annotated[list[str] | None, typer.Option(help="a network to train; repeatable; default: all")] = None,
) -> None:
    """Train the four models."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    bank = runs / "bank"
    if not (bank / COMMAND_FILE).exists():
        bank.mkdir(parents=True, exist_ok=True)
        pictures = runs / "pictures"
        if not (pictures / real_pictures.INDEX).exists():
            real_pictures.fetch(pictures)
        command = bank_command(bank, pictures, windows, seed, threads)
        subprocess.run([sys.executable, *command], check=True)  # noqa: S603 - our own command
        if all((out / f"{name}.onnx").exists() for name in MINUTES):
            mined.mine(pictures, bank, out, seed, threads)
        (bank / COMMAND_FILE).write_text(f"python {shlex.join(command)}\n", encoding="utf-8")
    before = runs / "before"
    if further and not before.exists():
        shutil.copytree(out, before)
    for name, minutes in MINUTES.items():
        if only and name not in only:
            continue
        if name in FOUND_BEFORE:
            found.find(bank, out, threads)
        folder, first = runs / name, before / f"{name}.onnx" if further else None
        config = TrainConfig(name, str(bank), str(folder), minutes * share, seed, threads, device=device)
        if first is not None:
            config = replace(config, begin_with=str(first))
        checkpoint = train(config, resume=(folder / "checkpoint.pt").exists())
        path = export(name, checkpoint if first is None else mean_of([first, checkpoint], bank, folder / "mean"), out)
        if name == quantise.NAME:
            quantise.quantise(out, open_bank(bank))
        log.info("%s written", path)


if __name__ == "__main__":
    typer.run(main)
