"""The mean of trainings of one network: ``python -m models.soup --checkpoint A --checkpoint B --out DIR``.

Trainings that began with the same weights err in different places; the mean of their weights is as good as the best of
them and errs less where either does (Wortsman et al. 2022, "Model soups"). It is exported like any checkpoint.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import torch
import typer
from torch.optim.swa_utils import AveragedModel

from models.tasks import network_of


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
    network = network_of(*tasks)
    mean = AveragedModel(network, use_buffers=True)
    for state in states:
        network.load_state_dict(state["average"])
        mean.update_parameters(network)
    out.mkdir(parents=True, exist_ok=True)
    path = out / "checkpoint.pt"
    torch.save({**states[-1], "average": mean.module.state_dict()}, path)
    return path


def main(
    checkpoint: Annotated[list[Path], typer.Option(help="of a training; two or more")],
    out: Annotated[Path, typer.Option(help="folder of the mean's checkpoint")],
) -> None:
    """Average trainings of one network."""
    typer.echo(mean_of(checkpoint, out))


if __name__ == "__main__":
    typer.run(main)
