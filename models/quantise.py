"""Quantises the detector to eight bits: ``python -m models.quantise --bank DIR``, after its export.

Static quantisation (Jacob et al. 2018, arXiv 1712.05877): weights by output channel, in half their range so that no
processor's sums overflow and all give the same answer; activations in the range found on windows of the bank. The last
layers stay in floats, for their rounding errors would move what is found. One that works in eight bits already is put
in floats first, so that the ranges can be found anew.
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
from onnx import helper, numpy_helper
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
EIGHT_BITS = frozenset({"Conv", "Add", "Relu", "Resize"})
"""What is done in eight bits."""


def quantise(weights: Path, bank: TrainingBank, measure_on: TrainingBank | None = None) -> Path:
    """Replace the detector by one in eight bits, with its card, and return its path.

    Args:
        weights: folder of ``detector.onnx`` and its card.
        bank: windows to find ranges on.
        measure_on: windows to measure both on; None for the held-out ones of the bank.

    Raises:
        ModelError: there is no card.
    """
    path = weights / f"{NAME}.onnx"
    card = read_card(card_path(path))
    chosen = bank.training_windows()
    chosen = chosen[np.linspace(0, len(chosen) - 1, min(WINDOWS, len(chosen))).astype(int)]
    with tempfile.TemporaryDirectory(dir=weights) as folder:
        floats, plain, draft = (Path(folder) / name for name in ("floats.onnx", "plain.onnx", path.name))
        onnx.save(in_floats(onnx.load(path)), floats)
        quant_pre_process(str(floats), str(plain), skip_symbolic_shape=True)
        quantize_static(
            str(plain),
            str(draft),
            _Windows(bank, chosen),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=_all_but_last(onnx.load(plain)),
        )
        draft.write_bytes(onnx.load(draft).SerializeToString(deterministic=True))
        measured_on = measure_on or bank
        figures = {
            f"{prefix}{key}": value
            for prefix, each in (("", draft), ("float_", floats))
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
        """Return the next one; None after the last."""
        target = next(self._targets, None)
        return None if target is None else {"pictures": target.pixels[None]}


def _plain_windows(bank: TrainingBank, windows: Indices) -> Iterator[Target]:
    return (plain_window(bank, int(window)) for window in windows)


def in_floats(model: onnx.ModelProto) -> onnx.ModelProto:
    """The same network, its weights in floats and its activations not rounded; one in floats stays as it is."""
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    nodes: list[onnx.NodeProto] = []
    same_as: dict[str, str] = {}
    for node in model.graph.node:
        source = node.input[0] if node.input else ""
        if node.op_type == "DequantizeLinear" and source in constants:
            whole, scale = (constants[name] for name in node.input[:2])
            by_channel = scale.reshape(-1, *[1] * (whole.ndim - 1)) if scale.ndim else scale
            constants[node.output[0]] = (whole.astype(np.float32) * by_channel).astype(np.float32)
        elif node.op_type == "QuantizeLinear" and not constants[node.input[2]].any():
            # A range that begins at zero is a rectifier, and the one before it was left out.
            nodes.append(helper.make_node("Relu", [source], [node.output[0]], f"{source}_from_zero"))
        elif node.op_type in {"QuantizeLinear", "DequantizeLinear"}:
            same_as[node.output[0]] = source
        else:
            nodes.append(node)
    for node in nodes:
        node.input[:] = [_first(same_as, name) for name in node.input]
    used = {name for node in nodes for name in node.input}
    weights = [numpy_helper.from_array(array, name) for name, array in constants.items() if name in used]
    graph = helper.make_graph(nodes, model.graph.name, model.graph.input, model.graph.output, weights)
    made = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    onnx.checker.check_model(made)
    return made


def _first(same_as: dict[str, str], name: str) -> str:
    """The first of the names that mean the same."""
    while name in same_as:
        name = same_as[name]
    return name


def _all_but_last(model: onnx.ModelProto) -> list[str]:
    """Names of the nodes to quantise: all but the convolutions that make the answers."""
    answers = {output.name for output in model.graph.output}
    for node in reversed(model.graph.node):
        if node.op_type not in EIGHT_BITS and answers.intersection(node.output):
            answers.update(node.input)
    return [
        node.name
        for node in model.graph.node
        if node.op_type in EIGHT_BITS and not answers.intersection(node.output)
    ]


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
