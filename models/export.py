"""Export: ``python -m models.export detector|tiles|dice|lean --checkpoint F --out models/weights``.

The ONNX file holds everything from the camera's bytes to chances: layout, normalisation, temperature, softmax. Beside
it goes the card. The exported graph must answer as the network does, else nothing is written.
"""

import argparse
import logging
import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
import onnxruntime
import torch
from torch import Tensor, nn

from models.bank import Bank, open_bank
from models.samples import UNKNOWN
from models.tasks import NAMES, DiceTask, LeanTask, TilesTask, network_of, task_of
from vision.detect.detections import KINDS
from vision.networks.classifier import DICE_CLASSES, LEAN_CLASSES, TILE_CLASSES
from vision.networks.model_card import CARD_VERSION, InputCard, ModelCard, Trained, card_path, sha256_of, write_trained

log = logging.getLogger(__name__)

OPSET = 18
PARITY_MOST = 1e-3
CALIBRATION_CROPS = 6000

CLASSES: dict[str, tuple[str, ...]] = {
    "detector": KINDS,
    "tiles": TILE_CLASSES,
    "dice": DICE_CLASSES,
    "lean": LEAN_CLASSES,
}
SHAPES: dict[str, tuple[int | str, int | str, int | str, int]] = {
    "detector": (1, "height", "width", 3),
    "tiles": ("crops", 96, 48, 3),
    "dice": ("crops", 80, 80, 4),
    "lean": ("crops", 80, 80, 4),
}
ORDERS = dict.fromkeys(("dice", "lean"), "NHWC BGR and the foot of a flat die")
OUTPUTS: dict[str, dict[str, str]] = {
    "detector": {
        "heat": "(1, 3, height/4, width/4) chance of a centre; height and width multiples of 16",
        "regression": "(1, 10, height/4, width/4) offset x y; log size; sine cosine of 2 (dice 4) angles; body",
    },
    "tiles": {"chances": "(crops, 22)"},
    "dice": {
        "chances": "(crops, 7)",
        "move": "(crops, 4) onto the upper face: right and down in sides, logarithm of the growth, turn in radians",
    },
    "lean": {"leans": "(crops,) chance of leaning"},
}


class ExportError(ValueError):
    """An export that must not be used."""


class DetectorGraph(nn.Module):
    """The detector with its heat as chances.

    Args:
        network: trained.
    """

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return heat chances and regressions."""
        logits, values = self.network(pictures)
        return torch.sigmoid(logits), values


class _Calibrated(nn.Module):
    """A network whose chances are calibrated.

    Args:
        network: trained.
        temperature: by which its logits are divided.
    """

    def __init__(self, network: nn.Module, temperature: float) -> None:
        super().__init__()
        self.network = network
        self.temperature = temperature


class TilesGraph(_Calibrated):
    """The tile classifier."""

    def forward(self, crops: Tensor) -> Tensor:
        """Return chances (n, 22)."""
        return torch.softmax(self.network(crops) / self.temperature, dim=1)


class DiceGraph(_Calibrated):
    """The dice classifier."""

    def forward(self, crops: Tensor) -> tuple[Tensor, Tensor]:
        """Return chances (n, 7) and moves (n, 4)."""
        answers = self.network(crops)
        return torch.softmax(answers[:, :7] / self.temperature, dim=1), answers[:, 7:]


class LeanGraph(_Calibrated):
    """The network that tells leaning dice."""

    def forward(self, crops: Tensor) -> Tensor:
        """Return the chance of leaning (n,)."""
        return torch.sigmoid(self.network(crops) / self.temperature)


GRAPHS = {"tiles": TilesGraph, "dice": DiceGraph, "lean": LeanGraph}


def fitted_temperature(logits: Tensor, label: Tensor) -> float:
    """Return the temperature that makes the held-out crops most likely (arXiv 1706.04599), between 0.25 and 4.

    Args:
        logits: (n, classes), or (n,) for a yes or no.
        label: (n,) classes, or 0 and 1.
    """
    grid = np.exp(np.linspace(np.log(0.25), np.log(4.0), 81))
    yes_or_no = logits.ndim == 1

    def cost(temperature: float) -> float:
        scaled = logits / temperature
        if yes_or_no:
            return float(nn.functional.binary_cross_entropy_with_logits(scaled, label.float()))
        return float(nn.functional.cross_entropy(scaled, label))

    return float(min(grid, key=cost))


def calibration_error(chances: Tensor, label: Tensor, bins: int = 15) -> float:
    """Return the expected calibration error: how far confidence is from accuracy, over bins of confidence."""
    confidence, answer = chances.max(1)
    right = (answer == label).float()
    edges = (confidence * bins).long().clamp(max=bins - 1)
    error = 0.0
    for index in range(bins):
        here = edges == index
        if bool(here.any()):
            error += float(here.float().mean() * (confidence[here].mean() - right[here].mean()).abs())
    return error


@torch.no_grad()
def calibrated_graph(name: str, network: nn.Module, bank: Bank) -> tuple[nn.Module, dict[str, float]]:
    """Return the graph to export, and what was measured while fitting its temperatures on held-out crops."""
    if name == "detector":
        return DetectorGraph(network), {}
    task = cast("TilesTask | DiceTask | LeanTask", task_of(name, bank))
    pixels, label, _ = task.held_out_batch(CALIBRATION_CROPS)
    outputs = torch.cat([network(part) for part in torch.split(pixels, 500)])
    known = label != UNKNOWN
    logits = outputs[known] if name == "lean" else outputs[known, : len(CLASSES[name])]
    temperature = fitted_temperature(logits, label[known])
    figures = {"temperature": temperature, "calibration_crops": float(known.sum())}
    if name == "lean":
        chance = torch.sigmoid(logits / temperature)
        chances = torch.stack([1 - chance, chance], 1)
    else:
        chances = torch.softmax(logits / temperature, 1)
    figures["calibration_error"] = calibration_error(chances, label[known])
    return GRAPHS[name](network, temperature), figures


def write_onnx(name: str, graph: nn.Module, path: Path) -> None:
    """Write a graph as ONNX, without a trace of the machine it was written on."""
    shape = SHAPES[name]
    example = torch.zeros(
        [size if isinstance(size, int) else 64 if size != "crops" else 2 for size in shape], dtype=torch.uint8
    )
    free: dict[int, Any] = {}
    for axis, size in enumerate(shape):
        if size == "crops":
            free[axis] = torch.export.Dim("crops", min=1, max=4096)
        elif isinstance(size, str):
            free[axis] = 16 * torch.export.Dim(f"{size}_16", min=2, max=512)
    program = torch.onnx.export(
        graph.eval(),
        (example,),
        input_names=["pictures"],
        output_names=list(OUTPUTS[name]),
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
    del model.metadata_props[:]
    model.doc_string = ""
    model.graph.name = name
    model.graph.doc_string = ""
    for part in (
        *model.graph.node,
        *model.graph.input,
        *model.graph.output,
        *model.graph.value_info,
        *model.graph.initializer,
    ):
        part.doc_string = ""
        del part.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.graph.value_info[:]
    for axis, size in zip(model.graph.input[0].type.tensor_type.shape.dim, SHAPES[name], strict=True):
        if isinstance(size, str):
            axis.dim_param = size


@torch.no_grad()
def parity(name: str, graph: nn.Module, path: Path) -> float:
    """Return the largest difference between the network's and the ONNX file's answers to random pictures."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    worst = 0.0
    for height, width, count in ((64, 112, 3), (208, 160, 1)):
        shape = tuple(
            {"height": height, "width": width, "crops": count}[size] if isinstance(size, str) else size
            for size in SHAPES[name]
        )
        pictures = test_pictures(rng, shape)
        answers = graph(torch.from_numpy(pictures))
        expected = (answers,) if isinstance(answers, Tensor) else answers
        given = session.run(None, {"pictures": pictures})
        worst = max(worst, *(float(np.abs(a.numpy() - b).max()) for a, b in zip(expected, given, strict=True)))
    return worst


def test_pictures(rng: np.random.Generator, shape: tuple[int, ...]) -> np.typing.NDArray[np.uint8]:
    """Return pictures of blocks and grain, so that every layer has something to answer to."""
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
    apart = open_bank(unseen, unseen=True) if unseen is not None else bank
    graph, figures = calibrated_graph(name, network, apart)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out) as folder:
        draft = Path(folder) / f"{name}.onnx"
        write_onnx(name, graph, draft)
        difference = parity(name, graph, draft)
        if difference > PARITY_MOST:
            raise ExportError(f"the exported {name} differs from the network by {difference:.3g}; nothing was written")
        path = draft.replace(out / f"{name}.onnx")
    threads_and_time = {"minutes": round(state["elapsed_s"] / 60, 1), "threads": config["threads"]}
    card = ModelCard(
        version=CARD_VERSION,
        name=name,
        sha256=sha256_of(path),
        input=InputCard("pictures", "uint8", SHAPES[name], ORDERS.get(name, "NHWC BGR"), (0, 255)),
        outputs=OUTPUTS[name],
        classes=CLASSES[name],
        data={
            "command": bank.command,
            "windows": len(bank),
            "held_out_windows": len(bank.held_out_windows()),
            "digest": bank.digest,
        },
        training={
            "seed": config["seed"],
            "steps": state["step"],
            **threads_and_time,
            **_began_with(config["begin_with"]),
            "torch": torch.__version__,
        },
        measured={
            **rounded_all(_measured(name, network, state, apart)),
            **rounded_all(figures),
            "parity_max_difference": _rounded(difference),
        },
    )
    card.write(card_path(path))
    write_trained(out, Trained.of(card))
    return path


def _began_with(path: str | None) -> dict[str, str]:
    """Return which weights a training went on from: the hash of their file, as far as it is still there."""
    return {"began_with": sha256_of(Path(path))} if path is not None and Path(path).exists() else {}


def _measured(name: str, network: nn.Module, state: Mapping[str, Any], bank: Bank) -> dict[str, float]:
    """Return figures on windows not learnt from: all of an unseen bank, else what the training measured last."""
    if not bank.unseen:
        return {key: value for key, value in (state["history"] or [{}])[-1].items() if key != "step"}
    with torch.no_grad():
        return {"unseen_windows": float(len(bank)), **task_of(name, bank).measure(network)}


def _rounded(value: float) -> float:
    """Return four significant digits, which is more than the counts deserve."""
    return float(f"{value:.4g}")


def rounded_all(figures: Mapping[str, float]) -> dict[str, float]:
    """Return the rounded figures; those of nothing at all are left out."""
    return {key: _rounded(value) for key, value in figures.items() if math.isfinite(value)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and export."""
    parser = argparse.ArgumentParser(prog="python -m models.export", description="Export a checkpoint as ONNX.")
    parser.add_argument("task", choices=NAMES)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("models/weights"))
    parser.add_argument("--unseen", type=Path, help="a bank of windows that no training has seen, to measure on")
    given = parser.parse_args(arguments)
    path = export(given.task, given.checkpoint, given.out, given.unseen)
    print(path, card_path(path).read_text(encoding="utf-8"), sep="\n")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
