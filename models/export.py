"""Export: ``python -m models.export detector|tiles|dice|lean --checkpoint F --out models/weights``.

The ONNX file holds everything from the camera's bytes to chances: layout, normalisation, temperature, softmax. The card
is written beside it. The exported graph must match the network, otherwise nothing is written.
"""

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import onnx
import onnxruntime
import torch
import typer
from scipy.optimize import minimize_scalar
from torch import Tensor, nn

from models.samples.crop_sampler import UNKNOWN
from models.tasks import CropTask, TaskName, network_of, task_of
from models.training_bank import TrainingBank, open_bank
from vision.arrays import Pixels
from vision.crops import DIE_CROP_PX, TILE_CROP_PX
from vision.detect.detections import KINDS
from vision.networks.classifier import DICE_CLASSES, LEAN_CLASSES, TILE_CLASSES
from vision.networks.model_card import CARD_VERSION, InputCard, ModelCard, Trained, card_path, sha256_of, write_trained

WEIGHTS = Path("models/weights")
"""Folder of the ONNX files and their cards."""
OPSET = 18
PARITY_MOST = 1e-3
"""Largest difference between the network's and the exported graph's answers."""
CALIBRATION_CROPS = 6000


@dataclass(frozen=True, slots=True)
class Interface:
    """Input and output of an exported network, as on its card."""

    classes: tuple[str, ...]  # of its first output
    shape: tuple[int | str, int | str, int | str, int]  # of its input; names where the size is free
    order: str  # of the input's axes and channels
    outputs: dict[str, str]  # each with its meaning

    def shape_of(self, **sizes: int) -> tuple[int, ...]:
        """Return the input's shape with sizes instead of their names."""
        return tuple(size if isinstance(size, int) else sizes[size] for size in self.shape)


_DIE_SHAPE = ("crops", *DIE_CROP_PX[::-1], 4)
_DIE_ORDER = "NHWC BGR and the foot of a flat die"
INTERFACES = {
    "detector": Interface(
        KINDS,
        (1, "height", "width", 3),
        "NHWC BGR",
        {
            "heat": "(1, 3, height/4, width/4) chance of a centre; height and width multiples of 16",
            "regression": "(1, 10, height/4, width/4) offset x y; log size; sine cosine of 2 (dice 4) angles; body",
        },
    ),
    "tiles": Interface(TILE_CLASSES, ("crops", *TILE_CROP_PX[::-1], 3), "NHWC BGR", {"chances": "(crops, 22)"}),
    "dice": Interface(
        DICE_CLASSES,
        _DIE_SHAPE,
        _DIE_ORDER,
        {
            "chances": "(crops, 7)",
            "move": "(crops, 4) onto the upper face: right and down in sides, logarithm of the growth, turn in radians",
        },
    ),
    "lean": Interface(LEAN_CLASSES, _DIE_SHAPE, _DIE_ORDER, {"leans": "(crops,) chance of leaning"}),
}


class ExportError(ValueError):
    """An invalid export."""


class Graph(nn.Module):
    """A network with its outputs as chances.

    Args:
        network: trained.
        chances: turns its outputs into the outputs of the graph.
    """

    def __init__(self, network: nn.Module, chances: Callable[[Any], Tensor | tuple[Tensor, Tensor]]) -> None:
        super().__init__()
        self.network = network
        self.chances = chances

    def forward(self, pictures: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        return self.chances(self.network(pictures))


def fitted_temperature(logits: Tensor, label: Tensor) -> float:
    """Return the temperature that makes the held-out crops most likely (arXiv 1706.04599), between 0.25 and 4.

    Args:
        logits: (n, classes), or (n,) for a yes or no.
        label: (n,) classes, or 0 and 1.
    """

    def cost(log_temperature: float) -> float:
        scaled = logits / math.exp(log_temperature)
        if logits.ndim == 1:
            return float(nn.functional.binary_cross_entropy_with_logits(scaled, label.float()))
        return float(nn.functional.cross_entropy(scaled, label))

    return math.exp(minimize_scalar(cost, bounds=(math.log(0.25), math.log(4.0)), method="bounded").x)


def calibration_error(chances: Tensor, label: Tensor) -> float:
    """Return the expected calibration error: how far confidence is from accuracy, over 15 bins of confidence."""
    confidence, answer = (each.numpy() for each in chances.max(1))
    excess = confidence - (answer == label.numpy())
    return float(np.abs(np.histogram(confidence, 15, (0.0, 1.0), weights=excess)[0]).sum() / len(excess))


@torch.no_grad()
def calibrated_graph(name: str, network: nn.Module, bank: TrainingBank) -> tuple[nn.Module, dict[str, float]]:
    """Return the graph to export, and what was measured while fitting its temperature on held-out crops."""
    task = task_of(name, bank)
    if not isinstance(task, CropTask):
        return Graph(network, lambda outputs: (torch.sigmoid(outputs[0]), outputs[1])), {}
    classes = len(INTERFACES[name].classes)
    pixels, label, _ = task.held_out_batch(CALIBRATION_CROPS)
    outputs = torch.cat([network(part) for part in torch.split(pixels, 500)])
    known = label != UNKNOWN
    yes_or_no = outputs.ndim == 1
    temperature = fitted_temperature(outputs[known] if yes_or_no else outputs[known, :classes], label[known])

    def chances(outputs: Tensor) -> Tensor | tuple[Tensor, Tensor]:
        if yes_or_no:
            return torch.sigmoid(outputs / temperature)
        values = torch.softmax(outputs[:, :classes] / temperature, dim=1)
        return (values, outputs[:, classes:]) if name == "dice" else values

    answers = chances(outputs[known])
    values = answers if isinstance(answers, Tensor) else answers[0]
    calibrated = torch.stack([1 - values, values], 1) if yes_or_no else values
    return Graph(network, chances), {
        "temperature": temperature,
        "calibration_crops": float(known.sum()),
        "calibration_error": calibration_error(calibrated, label[known]),
    }


def write_onnx(name: str, graph: nn.Module, path: Path) -> None:
    """Write a graph as ONNX, without a trace of the machine it was written on."""
    interface = INTERFACES[name]
    example = torch.zeros(interface.shape_of(height=64, width=64, crops=2), dtype=torch.uint8)
    free: dict[int, Any] = {}
    for axis, size in enumerate(interface.shape):
        if size == "crops":
            free[axis] = torch.export.Dim("crops", min=1, max=4096)
        elif isinstance(size, str):
            free[axis] = 16 * torch.export.Dim(f"{size}_16", min=2, max=512)
    program = torch.onnx.export(
        graph.eval(),
        (example,),
        input_names=["pictures"],
        output_names=list(interface.outputs),
        opset_version=OPSET,
        dynamic_shapes=(free,),
        dynamo=True,
        verbose=False,
    )
    if program is None:
        raise ExportError(f"torch gave no graph for {name}")
    model = program.model_proto
    _strip(model, name)
    onnx.checker.check_model(model, full_check=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(model.SerializeToString(deterministic=True))


def _strip(model: onnx.ModelProto, name: str) -> None:
    """Take source lines, paths and tool names out of a graph, and name its free axes."""
    graph = model.graph
    graph.name = name
    del graph.value_info[:]
    for part in (model, graph, *graph.node, *graph.input, *graph.output, *graph.initializer):
        part.doc_string = ""
        del part.metadata_props[:]
    for axis, size in zip(graph.input[0].type.tensor_type.shape.dim, INTERFACES[name].shape, strict=True):
        if isinstance(size, str):
            axis.dim_param = size


@torch.no_grad()
def parity(name: str, graph: nn.Module, path: Path) -> float:
    """Return the largest difference between the network's and the ONNX file's answers to random pictures."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    worst = 0.0
    for height, width, count in ((64, 112, 3), (208, 160, 1)):
        pictures = _random_pictures(rng, INTERFACES[name].shape_of(height=height, width=width, crops=count))
        answers = graph(torch.from_numpy(pictures))
        expected = (answers,) if isinstance(answers, Tensor) else answers
        given = session.run(None, {"pictures": pictures})
        worst = max(worst, *(float(np.abs(a.numpy() - b).max()) for a, b in zip(expected, given, strict=True)))
    return worst


def _random_pictures(rng: np.random.Generator, shape: tuple[int, ...]) -> Pixels:
    """Return pictures of blocks and grain, so that every layer has something to respond to."""
    count, height, width, colours = shape
    blocks = rng.integers(0, 256, (count, -(-height // 8), -(-width // 8), colours)).repeat(8, 1).repeat(8, 2)
    grain = rng.normal(0, 12, shape)
    return np.clip(blocks[:, :height, :width] + grain, 0, 255).astype(np.uint8)


def export(name: str, checkpoint: Path, out: Path, unseen: Path | None = None) -> Path:
    """Write ``NAME.onnx`` and its card from a checkpoint and return the ONNX file's path.

    Args:
        name: ``detector``, ``tiles``, ``dice`` or ``lean``.
        checkpoint: of the training.
        out: folder of the ONNX file and its card.
        unseen: a bank that no training has seen, to measure on; None for what the training measured last.

    Raises:
        ExportError: the checkpoint is of another task, or the exported graph answers differently.
    """
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    config = state["config"]
    if config["task"] != name:
        raise ExportError(f"{checkpoint} is a checkpoint of {config['task']!r}, not of {name!r}")
    network = network_of(name)
    network.load_state_dict(state["average"])
    network.eval()
    bank = open_bank(Path(config["bank"]))
    measured_on = open_bank(unseen, unseen=True) if unseen is not None else bank
    graph, figures = calibrated_graph(name, network, measured_on)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as folder:
        draft = Path(folder) / f"{name}.onnx"
        write_onnx(name, graph, draft)
        difference = parity(name, graph, draft)
        if difference > PARITY_MOST:
            raise ExportError(f"the exported {name} differs from the network by {difference:.3g}; nothing was written")
        path = draft.replace(out / f"{name}.onnx")
    interface, first = INTERFACES[name], config["begin_with"]
    card = ModelCard(
        version=CARD_VERSION,
        name=name,
        sha256=sha256_of(path),
        input=InputCard("pictures", "uint8", interface.shape, interface.order, (0, 255)),
        outputs=interface.outputs,
        classes=interface.classes,
        data={
            "command": bank.command,
            "windows": len(bank),
            "held_out_windows": len(bank.held_out_windows()),
            "digest": bank.digest,
            **({"pictures": bank.pictures} if bank.pictures else {}),
        },
        training={
            "seed": config["seed"],
            "steps": state["step"],
            "minutes": round(state["elapsed_s"] / 60, 1),
            "threads": config["threads"],
            **({"began_with": sha256_of(Path(first))} if first and Path(first).exists() else {}),
            **({"mean_of": config["mean_of"]} if "mean_of" in config else {}),
            "torch": torch.__version__,
        },
        measured={
            **rounded_all(_measured(name, network, state, measured_on)),
            **rounded_all({**figures, "parity_max_difference": difference}),
        },
    )
    card.write(card_path(path))
    write_trained(out, Trained.of(card))
    return path


def _measured(name: str, network: nn.Module, state: Mapping[str, Any], bank: TrainingBank) -> dict[str, float]:
    """Return figures on all windows of an unseen bank, else what the training measured last on held-out ones."""
    if not bank.unseen:
        return {key: value for key, value in (state["history"] or [{}])[-1].items() if key != "step"}
    with torch.no_grad():
        return {"unseen_windows": float(len(bank)), **task_of(name, bank).measure(network)}


def rounded_all(figures: Mapping[str, float]) -> dict[str, float]:
    """Round to four significant digits; NaN values are omitted."""
    return {key: float(f"{value:.4g}") for key, value in figures.items() if math.isfinite(value)}


def main(
    task: TaskName,
    checkpoint: Annotated[Path, typer.Option(help="of the training")],
    out: Annotated[Path, typer.Option(help="folder of the ONNX file and its card")] = WEIGHTS,
    unseen: Annotated[Path | None, typer.Option(help="a bank that no training has seen, to measure on")] = None,
) -> None:
    """Export a checkpoint as ONNX."""
    path = export(task, checkpoint, out, unseen)
    typer.echo(f"{path}\n{card_path(path).read_text(encoding='utf-8')}")


if __name__ == "__main__":
    typer.run(main)
