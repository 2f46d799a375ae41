"""The detector's trunk in whole numbers: ``python -m models.quantise --bank DIR``, after its export.

The widest layers work in eight bits (Jacob et al. 2018, arXiv 1712.05877): weights by output channel, in half their
range so that no processor's sums overflow and all give the same answer; activations in the range that windows of the
bank call for. The first layers and the last, narrow and at four times the resolution, are no faster so, and where they
round nothing evens it out: they stay in floats.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

from models.bank import Bank, open_bank
from models.export import rounded_all
from models.targets import plain_window
from models.tasks import MEASURED_WINDOWS, FoundScore
from vision.networks.model_card import Trained, card_path, read_card, sha256_of, write_trained

NAME = "detector"
WINDOWS = 160
"""Windows of the bank by which the ranges of the activations are chosen."""
NOTE = "eight_bits"
WIDE = 48
"""Channels in from which a convolution is quicker in eight bits."""


class QuantiseError(ValueError):
    """A model that cannot be quantised, with the reason."""


def quantise(weights: Path, bank: Bank, measure_on: Bank | None = None) -> Path:
    """Put the detector in eight bits in the place of the one in floats, with its card, and return its path.

    Args:
        weights: folder of ``detector.onnx`` and its card.
        bank: windows to choose ranges by.
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
            _Windows(_pictures(bank, chosen)),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            reduce_range=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            nodes_to_quantize=_trunk(onnx.load(plain)),
        )
        draft.write_bytes(onnx.load(draft).SerializeToString(deterministic=True))
        apart = measure_on or bank
        figures = {
            f"{before}{key}": value
            for before, each in (("", draft), ("float_", path))
            for key, value in rounded_all(_measured(each, apart)).items()
        }
        draft.replace(path)
    card = replace(
        card,
        sha256=sha256_of(path),
        training={**card.training, NOTE: f"{len(chosen)} windows of {bank.digest}"},
        measured={"unseen_windows": float(len(apart)) if apart.unseen else 0.0, **figures},
    )
    card.write(card_path(path))
    write_trained(weights, Trained.of(card))
    return path


class _Windows(CalibrationDataReader):  # type: ignore[misc]
    """Windows as onnxruntime asks for them."""

    def __init__(self, pictures: Iterator[NDArray[np.uint8]]) -> None:
        self._pictures = pictures

    def get_next(self) -> dict[str, NDArray[np.uint8]] | None:
        """The next one; None after the last."""
        picture = next(self._pictures, None)
        return None if picture is None else {"pictures": picture[None]}


def _pictures(bank: Bank, windows: NDArray[np.int64]) -> Iterator[NDArray[np.uint8]]:
    for window in windows:
        yield plain_window(bank, int(window)).pixels


def _trunk(model: onnx.ModelProto) -> list[str]:
    """Names of the nodes that are quantised: the widest convolutions, where the time goes, and what joins them."""
    shapes = {each.name: tuple(each.dims) for each in model.graph.initializer}
    found: dict[str, str] = {}
    for node in model.graph.node:
        made_by = [found.get(name) for name in node.input]
        wide = node.op_type == "Conv" and shapes[node.input[1]][1:] >= (WIDE, 3, 3)
        if wide or (node.op_type == "Add" and "Conv" in made_by) or (node.op_type == "Relu" and any(made_by)):
            found |= dict.fromkeys(node.output, node.op_type)
    return [node.name for node in model.graph.node if node.output[0] in found]


def _measured(path: Path, bank: Bank) -> dict[str, float]:
    """Recall and precision of an ONNX file on held-out windows."""
    run: Callable[..., list[Any]] = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run
    score = FoundScore()
    for window in bank.held_out_windows()[:MEASURED_WINDOWS]:
        target = plain_window(bank, int(window))
        heat, values = run(None, {"pictures": target.pixels[None]})
        score.add(target, heat[0], values[0])
    return score.figures()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and quantise."""
    parser = argparse.ArgumentParser(prog="python -m models.quantise", description="Put the detector in eight bits.")
    parser.add_argument("--bank", type=Path, required=True, help="folder of windows")
    parser.add_argument("--weights", type=Path, default=Path("models/weights"))
    parser.add_argument("--unseen", type=Path, help="a bank of windows that no training has seen, to measure on")
    given = parser.parse_args(arguments)
    apart = None if given.unseen is None else open_bank(given.unseen, unseen=True)
    path = quantise(given.weights, open_bank(given.bank), apart)
    print(path, card_path(path).read_text(encoding="utf-8"), sep="\n")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
