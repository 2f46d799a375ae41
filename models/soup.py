"""The mean of trainings of one network: ``python -m models.soup --part A --part B --bank DIR --out DIR``.

Trainings started from the same weights err in different places; the mean of their weights is as good as the best of
them and errs less where either does (Wortsman et al. 2022, "Model soups"). It is exported like any checkpoint.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from torch import nn
from torch.optim.swa_utils import AveragedModel

from models.tasks import Task, task_of
from models.training_bank import open_bank
from models.warm_start import init_from_export
from vision.networks.model_card import sha256_of

BATCHES = 40
"""Batches over which the mean's normalisations are measured: those of its parts are not its own."""


class SoupError(ValueError):
    """Trainings that cannot be averaged, with advice."""


def mean_of(parts: Sequence[Path], bank: Path, out: Path) -> Path:
    """Write the mean of some trainings' weights into ``out/checkpoint.pt`` and return its path.

    Settings and history are those of the last part, which must be a checkpoint.

    Args:
        parts: checkpoints, by their averaged weights, and networks written by ``models.export`` (``.onnx``).
        bank: windows to measure normalisations and figures on.
        out: folder of the mean.

    Raises:
        SoupError: there are fewer than two, they are of different networks, or the last is no checkpoint.
        WarmStartError: an exported network is of another task.
    """
    if len(parts) < 2:
        raise SoupError("a mean takes two trainings or more; name each with --part")
    if parts[-1].suffix == ".onnx":
        raise SoupError(f"name a checkpoint last, not {parts[-1]}: the mean goes by its settings")
    checkpoints = {path: _checkpoint(path) for path in parts if path.suffix != ".onnx"}
    tasks = {state["config"]["task"] for state in checkpoints.values()}
    if len(tasks) > 1:
        raise SoupError(f"checkpoints of {' and '.join(sorted(tasks))} have no mean; name those of one network")
    task = task_of(tasks.pop(), open_bank(bank))
    network = task.network()
    mean = AveragedModel(network)
    for path in parts:
        if path in checkpoints:
            network.load_state_dict(checkpoints[path]["average"])
        else:
            network = init_from_export(task, path)
        mean.update_parameters(network)
    averaged = _with_fresh_statistics(mean.module, task)
    last = checkpoints[parts[-1]]
    with torch.no_grad():
        figures = {"step": last["step"], **task.measure(averaged)}
    config = {**last["config"], "mean_of": [sha256_of(path) for path in parts]}
    out.mkdir(parents=True, exist_ok=True)
    path = out / "checkpoint.pt"
    history = [*last["history"], figures]
    torch.save({**last, "config": config, "history": history, "average": averaged.state_dict()}, path)
    return path


def _checkpoint(path: Path) -> dict[str, Any]:
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return state


@torch.no_grad()
def _with_fresh_statistics(network: nn.Module, task: Task) -> nn.Module:
    """Give every normalisation the mean and variance of its inputs over some batches."""
    for layer in network.modules():
        if isinstance(layer, nn.BatchNorm2d):
            layer.reset_running_stats()
            layer.momentum = None  # the mean over all batches
    network.train()
    for number in range(BATCHES):
        network(task.batch(np.random.default_rng(number))[0])
    return network.eval()


def main(
    part: Annotated[list[Path], typer.Option(help="checkpoint of a training, or exported ONNX file; two or more")],
    bank: Annotated[Path, typer.Option(help="folder of windows to measure on (python -m datasets.generate bank)")],
    out: Annotated[Path, typer.Option(help="folder of the mean's checkpoint")],
) -> None:
    """Average trainings of one network."""
    typer.echo(mean_of(part, bank, out))


if __name__ == "__main__":
    typer.run(main)
