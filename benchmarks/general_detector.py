"""Our detector against a general one of the same class: `python -m benchmarks.general_detector` (needs torch).

The other is YOLOX-Nano's architecture (Ge et al. 2021, "YOLOX: Exceeding YOLO Series in 2021": CSPDarknet and PAFPN of
depth 0.33 and width 0.25 with depthwise convolutions, decoupled anchor-free heads at strides 8, 16 and 32), with our
three kinds as its classes. Weights do not matter for time, so they are as drawn. Both are ONNX files run by onnxruntime
with the same options on the same picture, padded to what each needs, alternately in one run; medians. What comes before
and after the network (resizing, decoding, suppression) is left out of both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
import onnxruntime
import torch
from torch import Tensor, nn

from benchmarks.measure import by_turns, parser_of, report, with_ratios
from benchmarks.read_frame import add_picture
from calibration.files.calibration_file import load_calibration
from vision.capture.images import load_image
from vision.detect.detections import KINDS
from vision.detect.detector import TRAINED_TILE_PX
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTHS: Final = (16, 32, 64, 128, 256)
"""Channels after the stem and the four stages."""
DEPTHS: Final = (1, 3, 3, 1)
"""Bottlenecks of the four stages."""
HEAD: Final = 64
OPSET: Final = 17


class Unit(nn.Sequential):
    """A convolution, its normalisation and a SiLU."""

    def __init__(self, inputs: int, outputs: int, size: int = 1, stride: int = 1, groups: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, size, stride, size // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
            nn.SiLU(inplace=True),
        )


class Separable(nn.Sequential):
    """A convolution of each channel by itself, then one of all channels at each pixel."""

    def __init__(self, inputs: int, outputs: int, size: int = 3, stride: int = 1) -> None:
        super().__init__(Unit(inputs, inputs, size, stride, groups=inputs), Unit(inputs, outputs))


class Bottleneck(nn.Module):
    """Narrow, look around, and add."""

    def __init__(self, channels: int, *, shortcut: bool) -> None:
        super().__init__()
        self.inner = nn.Sequential(Unit(channels, channels), Separable(channels, channels))
        self.shortcut = shortcut

    def forward(self, features: Tensor) -> Tensor:
        """Return features of the same shape."""
        found: Tensor = self.inner(features)
        return features + found if self.shortcut else found


class CrossStage(nn.Module):
    """Half of the channels pass bottlenecks, the others go around them."""

    def __init__(self, inputs: int, outputs: int, depth: int, *, shortcut: bool = True) -> None:
        super().__init__()
        half = outputs // 2
        self.through = nn.Sequential(Unit(inputs, half), *(Bottleneck(half, shortcut=shortcut) for _ in range(depth)))
        self.around = Unit(inputs, half)
        self.join = Unit(2 * half, outputs)

    def forward(self, features: Tensor) -> Tensor:
        """Return (n, outputs, h, w)."""
        joined: Tensor = self.join(torch.cat([self.through(features), self.around(features)], 1))
        return joined


class Pyramid(nn.Module):
    """Maxima over three neighbourhoods beside the features themselves."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.narrow = Unit(channels, channels // 2)
        self.pools = nn.ModuleList(nn.MaxPool2d(size, 1, size // 2) for size in (5, 9, 13))
        self.join = Unit(channels * 2, channels)

    def forward(self, features: Tensor) -> Tensor:
        """Return features of the same shape."""
        narrow = self.narrow(features)
        joined: Tensor = self.join(torch.cat([narrow, *(pool(narrow) for pool in self.pools)], 1))
        return joined


class Head(nn.Module):
    """Kinds, boxes and objectness at one stride."""

    def __init__(self, inputs: int, kinds: int) -> None:
        super().__init__()
        self.stem = Unit(inputs, HEAD)
        self.of_kind = nn.Sequential(Separable(HEAD, HEAD), Separable(HEAD, HEAD))
        self.of_box = nn.Sequential(Separable(HEAD, HEAD), Separable(HEAD, HEAD))
        self.kind, self.box, self.object = nn.Conv2d(HEAD, kinds, 1), nn.Conv2d(HEAD, 4, 1), nn.Conv2d(HEAD, 1, 1)

    def forward(self, features: Tensor) -> Tensor:
        """Return (n, 5 + kinds, h, w)."""
        stem = self.stem(features)
        boxes, kinds = self.of_box(stem), self.of_kind(stem)
        return torch.cat([self.box(boxes), self.object(boxes).sigmoid(), self.kind(kinds).sigmoid()], 1)


class GeneralDetector(nn.Module):
    """YOLOX-Nano's architecture for uint8 pictures (n, height, width, 3), sides multiples of 32."""

    def __init__(self, kinds: int = len(KINDS)) -> None:
        super().__init__()
        stem, two, three, four, five = WIDTHS
        self.stem = Unit(12, stem, 3)
        self.two = nn.Sequential(Separable(stem, two, 3, 2), CrossStage(two, two, DEPTHS[0]))
        self.three = nn.Sequential(Separable(two, three, 3, 2), CrossStage(three, three, DEPTHS[1]))
        self.four = nn.Sequential(Separable(three, four, 3, 2), CrossStage(four, four, DEPTHS[2]))
        last = CrossStage(five, five, DEPTHS[3], shortcut=False)
        self.five = nn.Sequential(Separable(four, five, 3, 2), Pyramid(five), last)
        self.narrow_5, self.narrow_4 = Unit(five, four), Unit(four, three)
        self.down_4 = CrossStage(2 * four, four, 1, shortcut=False)
        self.down_3 = CrossStage(2 * three, three, 1, shortcut=False)
        self.step_3, self.step_4 = Separable(three, three, 3, 2), Separable(four, four, 3, 2)
        self.up_4 = CrossStage(2 * three, four, 1, shortcut=False)
        self.up_5 = CrossStage(2 * four, five, 1, shortcut=False)
        self.larger = nn.Upsample(scale_factor=2, mode="nearest")
        self.heads = nn.ModuleList(Head(width, kinds) for width in (three, four, five))

    def forward(self, pictures: Tensor) -> Tensor:
        """Return (n, cells of all strides, 5 + kinds)."""
        planes = pictures.permute(0, 3, 1, 2).float()
        corners = [planes[..., row::2, column::2] for column in (0, 1) for row in (0, 1)]
        three = self.three(self.two(self.stem(torch.cat(corners, 1))))
        four = self.four(three)
        five = self.narrow_5(self.five(four))
        down_4 = self.narrow_4(self.down_4(torch.cat([self.larger(five), four], 1)))
        out_3 = self.down_3(torch.cat([self.larger(down_4), three], 1))
        out_4 = self.up_4(torch.cat([self.step_3(out_3), down_4], 1))
        out_5 = self.up_5(torch.cat([self.step_4(out_4), five], 1))
        maps = (head(each) for head, each in zip(self.heads, (out_3, out_4, out_5), strict=True))
        return torch.cat([each.flatten(2) for each in maps], 2).transpose(1, 2)


def write_general(path: Path, height: int, width: int) -> int:
    """Write the general detector as ONNX for pictures of one size and return the number of its weights."""
    torch.manual_seed(1)
    network = GeneralDetector().eval()
    example = torch.zeros((1, height, width, 3), dtype=torch.uint8)
    program = torch.onnx.export(network, (example,), input_names=["pictures"], opset_version=OPSET, dynamo=True)
    if program is None:
        raise RuntimeError("torch gave no graph")
    program.save(str(path))
    return sum(weight.numel() for weight in network.parameters())


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _padded(image: NDArray[np.uint8], multiple: int) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    padded = cv2.copyMakeBorder(image, 0, -height % multiple, 0, -width % multiple, cv2.BORDER_CONSTANT)
    return np.asarray(padded[None], np.uint8)


def main() -> None:
    """Time both networks by turns."""
    parser = parser_of(__doc__)
    add_picture(parser)
    parser.add_argument("--size", type=int, nargs=2, default=(2304, 1296), metavar=("WIDTH", "HEIGHT"))
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    image, calibration = load_image(asked.picture), load_calibration(asked.calibration)
    # A tile's length in the picture as asked for, and so by how much our detector makes the picture smaller first.
    tile_px = 63.5 * float(calibration.px_per_mm(np.zeros((1, 3)))[0]) * asked.size[0] / image.shape[1]
    factor = TRAINED_TILE_PX / tile_px
    seen = cv2.resize(image, (round(asked.size[0] * factor), round(asked.size[1] * factor))).astype(np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        other = _padded(seen, 32)
        weights = write_general(Path(folder) / "general.onnx", *other.shape[1:3])
        ours = _session(default_weights() / "detector.onnx", asked.threads)
        general = _session(Path(folder) / "general.onnx", asked.threads)
        padded = _padded(seen, 16)
        work = {
            "ours": lambda _: ours.run(None, {"pictures": padded}),
            "YOLOX-Nano's architecture": lambda _: general.run(None, {"pictures": other}),
        }
        times = by_turns(work, asked.runs, warm_up=2)
    size = {"seen at": f"{seen.shape[1]} x {seen.shape[0]}", "weights of the other": weights}
    report({**size, **with_ratios(times, "ours")}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
