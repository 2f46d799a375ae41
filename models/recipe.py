"""Everything from nothing: ``python -m models.recipe`` makes the windows, trains the four networks and exports them.

What is already there is not made again, and a training that was stopped goes on, so the command can be repeated until
it ends.
"""

import argparse
import logging
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from models import found, quantise
from models.bank import COMMAND_FILE, open_bank
from models.export import export
from models.tasks import NAMES
from models.train import TrainConfig, train

log = logging.getLogger(__name__)

MINUTES = {"detector": 90.0, "tiles": 60.0, "dice": 45.0, "lean": 60.0}
"""On two cores, one network after the other."""
DICE_WINDOWS = "0.2"
"""Share of windows full of dice: telling leaning ones takes many."""
TRACED = "0.25"
"""Share of those that are path-traced, which takes as long as all the others."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the four models are made.

    Attributes:
        runs: folder of everything on the way.
        out: folder of the ONNX files and their cards.
        windows: windows in the bank.
        seed: of the bank and of the trainings.
        share: of the usual length of each training.
        threads: threads of a training, and workers of the generator.
        device: ``cpu`` or ``cuda``.
    """

    runs: Path
    out: Path
    windows: int
    seed: int
    share: float
    threads: int
    device: str


def bank_command(recipe: Recipe) -> list[str]:
    """Return the arguments that make the windows."""
    return [
        *("datasets.generate", "bank", "--out", str(recipe.runs / "bank"), "--count", str(recipe.windows)),
        *("--seed", str(recipe.seed), "--dice", DICE_WINDOWS, "--traced", TRACED, "--workers", str(recipe.threads)),
    ]


def make_bank(recipe: Recipe) -> Path:
    """Make the windows, unless they are there, and return their folder."""
    bank = recipe.runs / "bank"
    made_by = bank / COMMAND_FILE
    if not made_by.exists():
        bank.mkdir(parents=True, exist_ok=True)
        arguments = bank_command(recipe)
        subprocess.run([sys.executable, "-m", *arguments], check=True)  # noqa: S603 - our own command
        made_by.write_text(f"python -m {shlex.join(arguments)}\n", encoding="utf-8")
    return bank


def cook(recipe: Recipe) -> list[Path]:
    """Follow the recipe and return the ONNX files."""
    bank = make_bank(recipe)
    written = []
    for name in NAMES:
        if name == "lean":
            found.find(bank, recipe.out, recipe.threads)
        config = TrainConfig(
            task=name,
            bank=str(bank),
            out=str(recipe.runs / name),
            minutes=MINUTES[name] * recipe.share,
            seed=recipe.seed,
            threads=recipe.threads,
            device=recipe.device,
        )
        checkpoint = recipe.runs / name / "checkpoint.pt"
        written.append(export(name, train(config, resume=checkpoint.exists()), recipe.out))
        if name == quantise.NAME:
            quantise.quantise(recipe.out, open_bank(bank))
        log.info("%s written", written[-1])
    return written


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and follow the recipe."""
    parser = argparse.ArgumentParser(prog="python -m models.recipe", description="Make the four models from nothing.")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of everything on the way")
    parser.add_argument("--out", type=Path, default=Path("models/weights"), help="folder of the ONNX files")
    parser.add_argument("--windows", type=int, default=12000, help="training windows (default 12000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=1.0, help="share of the usual training time (default 1)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    given = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    cook(Recipe(**vars(given)))


if __name__ == "__main__":
    main()
