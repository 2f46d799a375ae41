"""The mean of trainings of one network: ``python -m models.soup --checkpoint A --checkpoint B --out DIR``.

Trainings that began with the same weights err in different places; the mean of their weights is as good as the best of
them and errs less where either does (Wortsman et al. 2022, "Model soups"). It is exported like any checkpoint.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import torch


class SoupError(ValueError):
    """Checkpoints that have no mean, with what to do about it."""


def mean_of(checkpoints: Sequence[Path], out: Path) -> Path:
    """Write the mean of the averaged weights into ``out/checkpoint.pt`` and return its path.

    Settings and history are those of the last checkpoint.

    Raises:
        SoupError: there are fewer than two, or they are of different networks.
    """
    if len(checkpoints) < 2:
        raise SoupError("a mean takes two checkpoints or more; name each with --checkpoint")
    states = [torch.load(path, map_location="cpu", weights_only=True) for path in checkpoints]
    tasks = {state["config"]["task"] for state in states}
    if len(tasks) > 1:
        raise SoupError(f"checkpoints of {' and '.join(sorted(tasks))} have no mean; name those of one network")
    *others, last = states
    for name, weights in last["average"].items():
        if weights.is_floating_point():
            last["average"][name] = torch.stack([weights, *(each["average"][name] for each in others)]).mean(0)
    out.mkdir(parents=True, exist_ok=True)
    path = out / "checkpoint.pt"
    torch.save(last, path)
    return path


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the mean."""
    parser = argparse.ArgumentParser(prog="python -m models.soup", description="Average trainings of one network.")
    parser.add_argument("--checkpoint", type=Path, action="append", required=True, help="of a training; two or more")
    parser.add_argument("--out", type=Path, required=True, help="folder of the mean's checkpoint")
    given = parser.parse_args(arguments)
    print(mean_of(given.checkpoint, given.out))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
