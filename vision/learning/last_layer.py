"""The last layer of the tile classifier: extracted from its ONNX file, evaluated in NumPy, and replaced.

Everything before it (the trunk) is fixed; only the weights from its features to the faces are learnt at a table. So the
table needs no training framework, only linear algebra.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from vision.networks.classifier import TILE_CLASSES
from vision.networks.model_card import ModelError

if TYPE_CHECKING:
    from pathlib import Path

    from vision.arrays import Chances, Floats, TileCrops

_BATCH_CROPS: Final = 64


@dataclass(frozen=True, eq=False, slots=True)
class LastLayer:
    """Weights from features to faces, as stored in the file.

    Attributes:
        weight: (22, features), in the order of ``TILE_CLASSES``.
        bias: (22,).
        temperature: divisor of the logits before the softmax.
    """

    weight: Floats
    bias: Floats
    temperature: float

    def chances(self, features: Floats) -> Chances:
        """Probabilities (n, 22) of features (n, features)."""
        return softmax((features @ self.weight.T + self.bias) / np.float32(self.temperature))


def softmax(sums: Floats) -> Floats:
    """Softmax of logits (n, classes) along rows."""
    powers = np.exp(sums - sums.max(1, keepdims=True))
    return np.asarray(powers / powers.sum(1, keepdims=True))


class OpenedClassifier:
    """The tile classifier from an ONNX file, truncated before its last layer."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        """Open the classifier.

        Raises:
            ModelError: it cannot be read, or does not end with a single layer from features to the faces.
        """
        self._path = path
        try:
            self._model = onnx.load(path)
        except Exception as fault:  # protobuf raises its own exceptions, not onnx's
            raise ModelError(f"{path} cannot be read as ONNX: {fault}") from fault
        self._gemm = _last_gemm(self._model, path)
        stored = {each.name: each for each in self._model.graph.initializer}
        weight, bias = (numpy_helper.to_array(stored[name]) for name in self._gemm.input[1:])
        if weight.shape[0] != len(TILE_CLASSES) or weight.dtype != np.float32:
            raise ModelError(f"{path} does not end with a layer of floats that names {len(TILE_CLASSES)} classes")
        self.last = LastLayer(weight.copy(), bias.copy(), _temperature(self._model, self._gemm, stored, path))
        self._session = _features_of(self._model, self._gemm.input[0], threads)

    def features(self, crops: TileCrops) -> Floats:
        """Input of the last layer, (n, features), for crops (n, 96, 48, 3)."""
        parts = [
            self._session.run(None, {"pictures": crops[start : start + _BATCH_CROPS]})[0]
            for start in range(0, len(crops), _BATCH_CROPS)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.last.weight.shape[1]), np.float32)

    def with_last(self, last: LastLayer) -> bytes:
        """The ONNX file with its last layer replaced, otherwise bit-identical."""
        model = onnx.ModelProto()
        model.CopyFrom(self._model)
        new = dict(zip(self._gemm.input[1:], (last.weight, last.bias), strict=True))
        for each in model.graph.initializer:
            if each.name in new:
                each.CopyFrom(numpy_helper.from_array(new[each.name], each.name))
        data: bytes = model.SerializeToString(deterministic=True)
        return data


def _last_gemm(model: onnx.ModelProto, path: Path) -> onnx.NodeProto:
    """The node that computes the logits; ModelError unless there is exactly one and it does nothing else."""
    stored = {each.name for each in model.graph.initializer}
    found = [node for node in model.graph.node if node.op_type == "Gemm" and set(node.input[1:]) <= stored]
    plain = {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 1}
    if len(found) != 1 or len(found[0].input) != 3 or _attributes(found[0]) != plain:
        raise ModelError(f"{path} does not end with one plain layer, so it cannot be refined; use the shipped model")
    last: onnx.NodeProto = found[0]
    return last


def _attributes(node: onnx.NodeProto) -> dict[str, Any]:
    given = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    return {"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0} | given


def _temperature(model: onnx.ModelProto, gemm: onnx.NodeProto, stored: dict[str, Any], path: Path) -> float:
    """The divisor of the logits before the softmax; 1 otherwise."""
    takes = {name: node for node in model.graph.node for name in node.input}
    after = takes.get(gemm.output[0])
    temperature = 1.0
    if after is not None and after.op_type == "Div" and after.input[1] in stored:
        temperature = float(numpy_helper.to_array(stored[after.input[1]]))
        after = takes.get(after.output[0])
    if after is None or after.op_type != "Softmax":
        raise ModelError(f"{path} does not turn its last layer's sums into chances, so it cannot be refined")
    return temperature


def _features_of(model: onnx.ModelProto, name: str, threads: int) -> Any:  # noqa: ANN401 - onnxruntime has no types
    """A session that outputs the input of the last layer."""
    trunk = onnx.ModelProto()
    trunk.CopyFrom(model)
    del trunk.graph.output[:]
    trunk.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(trunk.SerializeToString(), options, providers=["CPUExecutionProvider"])
