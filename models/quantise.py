"""Quantises the detector's trunk to eight bits: ``python -m models.quantise --bank DIR``, after its export.

Static quantisation (Jacob et al. 2018, arXiv 1712.05877): weights by output channel, in half their range so that no
processor's sums overflow and all give the same answer; activations in the range found on windows of the bank. The
narrow first and last layers stay in floats: they are no faster in eight bits, and their rounding errors would show.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import onnx
import onnxruntime
import typer
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from models.export import WEIGHTS, rounded_all
from models.samples.detector_windows import Target, plain_window
from models.tasks import MEASURED_WINDOWS, detection_figures
from models.training_bank import TrainingBank, open_bank
from vision.arrays import Indices, Pixels
from vision.networks.model_card import Trained, card_path, read_card, sha256_of, write_trained

NAME = "detector"
WINDOWS = 160
"""Windows of the bank on which the ranges of the activations are found."""
NOTE = "eight_bits"
"""Key of the card that says so."""
WIDE = 48
"""Input channels from which a convolution is faster in eight bits."""


class QuantiseError(ValueError):
    """A model that cannot be quantised, with the reason."""


def quantise(weights: Path, bank: TrainingBank, measure_on: TrainingBank | None = None) -> Path:
    """Replace the detector in floats by the one in eight bits, with its card, and return its path.

    Args:
        weights: folder of ``detector.onnx`` and its card.
        bank: windows to find ranges on.
        measure_on: windows to measure both on; None for the held-out ones of the bank.

    Raises:
        QuantiseError: it works in eight bits already.
        ModelError: there is no card.
    """
    path = weights / f"{NAME}.onnx"
    card = read_card(card_path(path))
    if NOTE in card.training:
        raise QuantiseError(f"{path} works in eight bits already; export its checkpoint again first")
    chosen = bank.training_windows()
    chosen = chosen[np.linspace(0, len(chosen) - 1, min(WINDOWS, len(chosen))).astype(int)]
    with tempfile.TemporaryDirectory(dir=weights) as folder:
        plain, draft = Path(folder) / "plain.onnx", Path(folder) / path.name
        quant_pre_process(str(path), str(plain), skip_symbolic_shape=True)
        quantize_static(
            str(plain),
            str(draft),
            _Windows(bank, chosen),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=_trunk(onnx.load(plain)),
        )
        draft.write_bytes(onnx.load(draft).SerializeToString(deterministic=True))
        measured_on = measure_on or bank
        figures = {
            f"{prefix}{key}": value
            for prefix, each in (("", draft), ("float_", path))
            for key, value in rounded_all(_measured(each, measured_on)).items()
        }
        draft.replace(path)
    card = replace(
        card,
        sha256=sha256_of(path),
        training={**card.training, NOTE: f"{len(chosen)} windows of {bank.digest}"},
        measured={"unseen_windows": float(len(measured_on)) if measured_on.unseen else 0.0, **figures},
    )
    card.write(card_path(path))
    write_trained(weights, Trained.of(card))
    return path


class _Windows(CalibrationDataReader):  # type: ignore[misc]
    """Windows of a bank, one at a time, as onnxruntime takes them."""

    def __init__(self, bank: TrainingBank, windows: Indices) -> None:
        self._targets = iter(_plain_windows(bank, windows))

    def get_next(self) -> dict[str, Pixels] | None:
        target = next(self._targets, None)
        return None if target is None else {"pictures": target.pixels[None]}


def _plain_windows(bank: TrainingBank, windows: Indices) -> Iterator[Target]:
    return (plain_window(bank, int(window)) for window in windows)


def _trunk(model: onnx.ModelProto) -> list[str]:
    """Return the names of the nodes to quantise: the widest convolutions, where the time goes, and what joins them."""
    shapes = {each.name: tuple(each.dims) for each in model.graph.initializer}
    found: dict[str, str] = {}
    for node in model.graph.node:
        made_by = [found.get(name) for name in node.input]
        wide = node.op_type == "Conv" and shapes[node.input[1]][1:] >= (WIDE, 3, 3)
        if wide or (node.op_type == "Add" and "Conv" in made_by) or (node.op_type == "Relu" and any(made_by)):
            found |= dict.fromkeys(node.output, node.op_type)
    return [node.name for node in model.graph.node if node.output[0] in found]


def _measured(path: Path, bank: TrainingBank) -> dict[str, float]:
    """Return recall and precision of an ONNX file on held-out windows."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    targets = _plain_windows(bank, bank.held_out_windows()[:MEASURED_WINDOWS])
    answers = ((target, *session.run(None, {"pictures": target.pixels[None]})) for target in targets)
    return detection_figures((target, heat[0], values[0]) for target, heat, values in answers)


def main(
    bank: Annotated[Path, typer.Option(help="folder of windows")],
    weights: Annotated[Path, typer.Option(help="folder of the ONNX file and its card")] = WEIGHTS,
    unseen: Annotated[Path | None, typer.Option(help="a bank that no training has seen, to measure on")] = None,
) -> None:
    """Put the detector in eight bits."""
    path = quantise(weights, open_bank(bank), open_bank(unseen, unseen=True) if unseen else None)
    typer.echo(f"{path}\n{card_path(path).read_text(encoding='utf-8')}")


if __name__ == "__main__":
    typer.run(main)
