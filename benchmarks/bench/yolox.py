"""YOLOX-Nano's architecture as an ONNX file, a general detector of the same class to compare ours with.

Ge et al. 2021, "YOLOX: Exceeding YOLO Series in 2021": CSPDarknet and PAFPN of depth 0.33 and width 0.25 with depthwise
convolutions, decoupled anchor-free heads at strides 8, 16 and 32. Weights do not affect the time and are random;
normalisations are folded into the convolutions before them, as every runtime does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

if TYPE_CHECKING:
    from pathlib import Path

    from onnx import NodeProto

WIDTHS: Final = (16, 32, 64, 128, 256)
"""Channels after the stem and the four stages."""
DEPTHS: Final = (1, 3, 3, 1)
"""Bottlenecks of the four stages."""
HEAD: Final = 64
KINDS: Final = 3
"""Classes, as of our detector: face of a tile, back of a tile, die."""
OPSET: Final = 17
IR_VERSION: Final = 10


@dataclass(slots=True)
class _Graph:
    """A network under construction; each method adds layers after an output and returns the name of the new output."""

    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))
    nodes: list[NodeProto] = field(default_factory=list)
    constants: list[TensorProto] = field(default_factory=list)
    weights: int = 0

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401 - as ONNX defines them
        name = f"{kind.lower()}{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def constant(self, values: np.ndarray[Any, Any]) -> str:
        name = f"constant{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(values, name))
        return name

    def conv(self, x: str, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> str:
        fan_in = inputs // groups * size * size
        # Scaled to keep activations of one magnitude; denormal numbers are slow on some processors.
        kernel = self.rng.normal(0.0, 1.7 / np.sqrt(fan_in), (outputs, inputs // groups, size, size))
        bias = self.rng.normal(0.0, 0.1, outputs)
        self.weights += kernel.size + bias.size
        named = [self.constant(each.astype(np.float32)) for each in (kernel, bias)]
        around = [size // 2] * 4
        return self.node("Conv", x, *named, kernel_shape=[size] * 2, strides=[stride] * 2, pads=around, group=groups)

    def unit(self, x: str, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> str:
        """Add a convolution with normalisation and a SiLU."""
        folded = self.conv(x, inputs, outputs, size, stride, groups)
        self.weights += outputs  # a normalisation has two weights a channel, the folded bias has one
        return self.node("Mul", folded, self.node("Sigmoid", folded))

    def separable(self, x: str, inputs: int, outputs: int, stride: int = 1) -> str:
        """Add a depthwise convolution and a pointwise one."""
        return self.unit(self.unit(x, inputs, inputs, 3, stride, inputs), inputs, outputs)

    def bottleneck(self, x: str, channels: int, *, shortcut: bool) -> str:
        """Add a bottleneck with a skip connection."""
        found = self.separable(self.unit(x, channels, channels), channels, channels)
        return self.node("Add", x, found) if shortcut else found

    def cross_stage(self, x: str, inputs: int, outputs: int, depth: int, *, shortcut: bool = True) -> str:
        """Add a cross-stage block: half of the channels bypass the bottlenecks."""
        half = outputs // 2
        through = self.unit(x, inputs, half)
        for _ in range(depth):
            through = self.bottleneck(through, half, shortcut=shortcut)
        return self.unit(self.beside(through, self.unit(x, inputs, half)), outputs, outputs)

    def pyramid(self, x: str, channels: int) -> str:
        """Add spatial pyramid pooling: the features and their maxima over three neighbourhoods."""
        narrow = self.unit(x, channels, channels // 2)
        pools = [self.node("MaxPool", narrow, kernel_shape=[n] * 2, pads=[n // 2] * 4) for n in (5, 9, 13)]
        return self.unit(self.beside(narrow, *pools), 2 * channels, channels)

    def head(self, x: str, inputs: int, kinds: int) -> str:
        """Add boxes, objectness and classes at one stride, flattened: (n, 5 + kinds, cells)."""
        stem = self.unit(x, inputs, HEAD)
        boxes, names = (self.separable(self.separable(stem, HEAD, HEAD), HEAD, HEAD) for _ in range(2))
        box, there = self.conv(boxes, HEAD, 4), self.node("Sigmoid", self.conv(boxes, HEAD, 1))
        kind = self.node("Sigmoid", self.conv(names, HEAD, kinds))
        return self.node("Reshape", self.beside(box, there, kind), self.constant(np.array([0, 5 + kinds, -1])))

    def beside(self, *parts: str, axis: int = 1) -> str:
        return self.node("Concat", *parts, axis=axis)

    def larger(self, x: str) -> str:
        """Add an upsampling by 2."""
        scales = self.constant(np.array([1, 1, 2, 2], np.float32))
        nearest = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.node("Resize", x, "", scales, **nearest)

    def corners(self, pictures: str) -> str:
        """Add the focus layer: (n, h, w, 3) uint8 to (n, 12, h / 2, w / 2)."""
        planes = self.node("Cast", self.node("Transpose", pictures, perm=[0, 3, 1, 2]), to=TensorProto.FLOAT)
        ends, axes, steps = (self.constant(np.array(each)) for each in ([2**31 - 1] * 2, [2, 3], [2, 2]))
        starts = [self.constant(np.array([row, column])) for column in (0, 1) for row in (0, 1)]
        return self.beside(*(self.node("Slice", planes, start, ends, axes, steps) for start in starts))


def _layers(graph: _Graph, kinds: int) -> str:
    stem, two, three, four, five = WIDTHS
    x = graph.unit(graph.corners("pictures"), 12, stem, 3)
    x = graph.cross_stage(graph.separable(x, stem, two, 2), two, two, DEPTHS[0])
    at_3 = graph.cross_stage(graph.separable(x, two, three, 2), three, three, DEPTHS[1])
    at_4 = graph.cross_stage(graph.separable(at_3, three, four, 2), four, four, DEPTHS[2])
    x = graph.pyramid(graph.separable(at_4, four, five, 2), five)
    narrow_5 = graph.unit(graph.cross_stage(x, five, five, DEPTHS[3], shortcut=False), five, four)
    down_4 = graph.cross_stage(graph.beside(graph.larger(narrow_5), at_4), 2 * four, four, 1, shortcut=False)
    narrow_4 = graph.unit(down_4, four, three)
    out_3 = graph.cross_stage(graph.beside(graph.larger(narrow_4), at_3), 2 * three, three, 1, shortcut=False)
    up_4 = graph.beside(graph.separable(out_3, three, three, 2), narrow_4)
    out_4 = graph.cross_stage(up_4, 2 * three, four, 1, shortcut=False)
    up_5 = graph.beside(graph.separable(out_4, four, four, 2), narrow_5)
    out_5 = graph.cross_stage(up_5, 2 * four, five, 1, shortcut=False)
    outputs = ((out_3, three), (out_4, four), (out_5, five))
    cells = graph.beside(*(graph.head(out, width, kinds) for out, width in outputs), axis=2)
    return graph.node("Transpose", cells, perm=[0, 2, 1])


def write_yolox_nano(path: Path, height: int, width: int, kinds: int = KINDS) -> int:
    """Write the network for uint8 pictures (1, height, width, 3) and return its number of weights.

    Args:
        path: of the ONNX file.
        height: of the pictures, pixels, a multiple of 32.
        width: the same.
        kinds: number of classes.
    """
    graph = _Graph()
    last = _layers(graph, kinds)
    cells = sum((height // stride) * (width // stride) for stride in (8, 16, 32))
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "yolox-nano",
            [helper.make_tensor_value_info("pictures", TensorProto.UINT8, (1, height, width, 3))],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, (1, cells, 5 + kinds))],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    checker.check_model(model, full_check=True)
    save(model, path)
    return graph.weights
