"""The four networks: small plain convolutions that a Raspberry Pi runs and two CPU cores can train.

All take pictures as the camera gives them, uint8 BGR (n, height, width, 3); every conversion is inside the graph, so
that there is one preprocessing and not two.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as nnf

from vision.crops import DIE_CROP_PX, TILE_CROP_PX
from vision.detect.detections import KINDS
from vision.networks.classifier import DICE_CLASSES, TILE_CLASSES

REGRESSION_CHANNELS = 10
"""Offset x, y; log size long, short; angle sine, cosine; body left, top, right, bottom."""
HEAT_PRIOR_LOGIT = -4.6
"""Initial probability of 1 % everywhere; otherwise the first steps are spent on the empty felt."""
CROP_STRIDE = 16
"""Pixels of a crop to one of its trunk's last features."""


class ConvUnit(nn.Sequential):
    """A 3x3 convolution, its normalisation and a ReLU."""

    def __init__(self, inputs: int, outputs: int, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
        )


class ResidualUnit(nn.Module):
    """Two 3x3 convolutions around which the input passes unchanged."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = ConvUnit(channels, channels)
        self.second = nn.Conv2d(channels, channels, 3, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, features: Tensor) -> Tensor:
        """Return features of the same shape, (n, channels, height, width)."""
        return nnf.relu(features + self.norm(self.second(self.first(features))))


def planes_of(pictures: Tensor) -> Tensor:
    """Turn uint8 pictures (n, height, width, colours) into float planes (n, colours, height, width), still 0 to 255."""
    return pictures.permute(0, 3, 1, 2).float()


class DetectorNet(nn.Module):
    """Finds tiles and dice by their centres, on a grid of one cell for each 4x4 pixels.

    Channel counts are multiples of sixteen because both onnxruntime and oneDNN work in blocks of sixteen lanes.
    """

    def __init__(self) -> None:
        super().__init__()
        self.at_2 = ConvUnit(3, 16, 2)
        self.at_4 = nn.Sequential(ConvUnit(16, 16, 2), ResidualUnit(16))
        self.at_8 = nn.Sequential(ConvUnit(16, 48, 2), ResidualUnit(48), ResidualUnit(48))
        self.at_16 = nn.Sequential(ConvUnit(48, 64, 2), ResidualUnit(64), ResidualUnit(64), ResidualUnit(64))
        self.lateral_16 = nn.Conv2d(64, 48, 1)
        self.lateral_8 = nn.Conv2d(48, 32, 1)
        self.lateral_4 = nn.Conv2d(16, 32, 1)
        self.fuse = ConvUnit(32, 32)
        self.heat = nn.Conv2d(32, len(KINDS), 1)
        self.regression = nn.Conv2d(32, REGRESSION_CHANNELS, 1)
        with torch.no_grad():
            self.heat.bias.fill_(HEAT_PRIOR_LOGIT)  # type: ignore[union-attr]

    def forward(self, pictures: Tensor) -> tuple[Tensor, Tensor]:
        """Return heat logits (n, 3, h/4, w/4) and regressions (n, 10, h/4, w/4); h and w multiples of 16."""
        # No scaling: the first normalisation takes any range, and bf16 holds the whole numbers up to 256 exactly.
        quarter = self.at_4(self.at_2(planes_of(pictures)))
        eighth = self.at_8(quarter)
        sixteenth = self.at_16(eighth)
        eighth = nnf.relu(eighth + nnf.interpolate(self.lateral_16(sixteenth), scale_factor=2.0, mode="nearest"))
        fused = self.lateral_4(quarter) + nnf.interpolate(self.lateral_8(eighth), scale_factor=2.0, mode="nearest")
        features = self.fuse(nnf.relu(fused))
        return self.heat(features), self.regression(features)


def levelled(planes: Tensor) -> Tensor:
    """Bring crops (n, 3, height, width) to zero mean and unit contrast over all their pixels and colours together.

    Exposure and veiling glare go, the colours relative to each other stay.
    """
    mean = planes.mean(dim=(1, 2, 3), keepdim=True)
    spread = ((planes - mean) ** 2).mean(dim=(1, 2, 3), keepdim=True).sqrt()
    return (planes - mean) / (spread + 8.0)


def _features(size_px: tuple[int, int]) -> int:
    return size_px[0] // CROP_STRIDE * (size_px[1] // CROP_STRIDE)


class TileNet(nn.Module):
    """Names the face in a 96x48 crop, in the order of ``TILE_CLASSES``."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            ConvUnit(3, 16, 2),
            ConvUnit(16, 32, 2),
            ConvUnit(32, 48, 2),
            ResidualUnit(48),
            ConvUnit(48, 64, 2),
        )
        self.dropout = nn.Dropout(0.1)
        self.last = nn.Linear(64 * _features(TILE_CROP_PX), len(TILE_CLASSES))

    def forward(self, crops: Tensor) -> Tensor:
        """Return logits (n, 22) of uint8 crops (n, 96, 48, 3)."""
        features = self.trunk(levelled(planes_of(crops)))
        logits: Tensor = self.last(self.dropout(features.flatten(1)))
        return logits


class DieTrunk(nn.Module):
    """Common part of the two networks for crops of dice, 80x80.

    The fourth channel of a crop is the foot, where the die would stand if it lay flat (``vision.crops.with_foot``). It
    tells a leaning die from a flat one, and a transparent die's upper face from its sides, which show pips as well.

    Args:
        outputs: numbers the last layer gives.
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            ConvUnit(4, 16, 2),
            ConvUnit(16, 24, 2),
            ResidualUnit(24),
            ResidualUnit(24),
            ConvUnit(24, 48, 2),
            ResidualUnit(48),
            ResidualUnit(48),
            ConvUnit(48, 64, 2),
        )
        self.dropout = nn.Dropout(0.1)
        self.last = nn.Linear(64 * _features(DIE_CROP_PX), outputs)

    def answers(self, crops: Tensor) -> Tensor:
        """Return (n, outputs) for uint8 crops (n, 80, 80, 4)."""
        planes = planes_of(crops)
        planes = torch.cat([levelled(planes[:, :3]), planes[:, 3:] / 255.0], 1)
        numbers: Tensor = self.last(self.dropout(self.trunk(planes).flatten(1)))
        return numbers


class DiceNet(DieTrunk):
    """Reads a die in an 80x80 crop: ``DICE_CLASSES``, and the move onto its face (``dice.outlines.corrected``)."""

    def __init__(self) -> None:
        super().__init__(outputs=len(DICE_CLASSES) + 4)

    def forward(self, crops: Tensor) -> Tensor:
        """Return logits (n, 7) and moves (n, 4), side by side, of uint8 crops (n, 80, 80, 4)."""
        return self.answers(crops)


class LeanNet(DieTrunk):
    """Estimates whether the die in an exactly cut 80x80 crop leans."""

    def __init__(self) -> None:
        super().__init__(outputs=1)

    def forward(self, crops: Tensor) -> Tensor:
        """Return the logit of leaning (n,) of uint8 crops (n, 80, 80, 4)."""
        return self.answers(crops)[:, 0]
