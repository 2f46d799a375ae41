"""What is learnt, task by task: the network, its batches, its loss, and how it is measured."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from models.bank import Bank
from models.loss import class_loss, heat_loss, lean_loss, move_loss, regression_loss
from models.network import DetectorNet, DiceNet, LeanNet, TileNet
from models.samples import UNKNOWN, DieSampler, LeanSampler, Objects, Sampler, TileSampler
from models.targets import Target, plain_window, training_window
from vision.detect.detections import non_maximum_suppression
from vision.detect.detector import SCORE_THRESHOLD, decode_maps

Batch = tuple[Tensor, ...]
NAMES = ("detector", "tiles", "dice", "lean")
MEASURED_WINDOWS = 200
MEASURED_CROPS = 2000
LEANING_PASSED = 0.02


class Task(Protocol):
    """One of the four things to learn."""

    name: str
    batch_size: int
    peak_rate: float

    def network(self) -> nn.Module:
        """Return a fresh network."""

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw a batch to learn from."""

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the parts of the loss by name; their sum is what is made small."""

    def measure(self, network: nn.Module) -> dict[str, float]:
        """Return figures on the held-out windows."""


def task_of(name: str, bank: Bank, batch_size: int | None = None) -> Task:
    """Return the task called ``detector``, ``tiles``, ``dice`` or ``lean``."""
    if name == "detector":
        return DetectorTask(bank, batch_size or 16)
    if name == "tiles":
        return TilesTask(bank, batch_size or 256)
    if name == "dice":
        return DiceTask(bank, batch_size or 256)
    if name == "lean":
        return LeanTask(bank, batch_size or 256)
    raise ValueError(f"no task {name!r}; known: {', '.join(NAMES)}")


def network_of(name: str) -> nn.Module:
    """Return a fresh network of the task called ``detector``, ``tiles``, ``dice`` or ``lean``."""
    return {"detector": DetectorNet, "tiles": TileNet, "dice": DiceNet, "lean": LeanNet}[name]()


class DetectorTask:
    """Finding tiles and dice in windows.

    Args:
        bank: the windows.
        batch_size: windows in a batch.
    """

    name = "detector"
    peak_rate = 2.5e-3

    def __init__(self, bank: Bank, batch_size: int) -> None:
        self.bank = bank
        self.batch_size = batch_size
        self._windows = bank.training_windows()

    def network(self) -> nn.Module:
        """Return a fresh network."""
        return DetectorNet()

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw windows: pixels, heat, counts, regression, weight."""
        chosen = rng.choice(self._windows, self.batch_size)
        return _stacked([training_window(self.bank, int(window), rng) for window in chosen])

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the loss of the heat and of the regressions."""
        pixels, heat, counts, regression, weight = batch
        logits, values = network(pixels)
        return {
            "heat": heat_loss(logits.float(), heat, counts),
            "regression": regression_loss(values.float(), regression, weight),
        }

    def measure(self, network: nn.Module) -> dict[str, float]:
        """Return loss, recall and precision (a centre within a third of the short side) on held-out windows."""
        windows = self.bank.held_out_windows()[:MEASURED_WINDOWS]
        score = FoundScore()
        total = 0.0
        for window in windows:
            target = plain_window(self.bank, int(window))
            batch = _stacked([target])
            total += sum(float(part) for part in self.loss(network, batch).values())
            logits, values = network(batch[0])
            score.add(target, torch.sigmoid(logits.float())[0].numpy(), values.float()[0].numpy())
        return {"windows": float(len(windows)), "loss": total / max(len(windows), 1), **score.figures()}


@dataclass(slots=True)
class FoundScore:
    """Counts of what a detector found in windows whose truth is known."""

    wanted: int = 0
    found: int = 0
    answered: int = 0
    right: int = 0

    def add(
        self, target: Target, heat: "np.typing.NDArray[np.float32]", values: "np.typing.NDArray[np.float32]"
    ) -> None:
        """Count one window."""
        truth = non_maximum_suppression(decode_maps(target.heat, target.regression, 1.0))
        answer = non_maximum_suppression(decode_maps(heat, values, SCORE_THRESHOLD))
        self.wanted += len(truth)
        hits = np.zeros(len(answer), np.bool_)
        for index in range(len(truth)):
            away = np.hypot(*(answer.centre_px - truth.centre_px[index]).T)
            close = (away < truth.size_px[index, 1] / 3) & (answer.kind == truth.kind[index])
            self.found += bool(close.any())
            hits |= close
        cells = np.clip((answer.centre_px / 4).astype(int), 0, len(target.counts) - 1)
        judged = target.counts[cells[:, 1], cells[:, 0]] > 0
        self.answered += int(judged.sum())
        self.right += int((hits & judged).sum())

    def figures(self) -> dict[str, float]:
        """Return recall and precision."""
        return {
            "objects": float(self.wanted),
            "recall": self.found / max(self.wanted, 1),
            "precision": self.right / max(self.answered, 1),
        }


def _stacked(targets: list[Target]) -> Batch:
    """Put windows and their truths into one batch."""
    names = ("pixels", "heat", "counts", "regression", "weight")
    return tuple(torch.from_numpy(np.stack([getattr(target, name) for target in targets])) for name in names)


class _CropTask:
    """What the three that look at crops have in common.

    Crops are drawn to learn from, to measure on as hard as those, and to measure on as rendered.

    Args:
        bank: the windows.
        batch_size: crops in a batch.
    """

    peak_rate = 3e-3
    smoothing = 0.03
    _sampler: type[TileSampler | DieSampler | LeanSampler]
    _network: type[nn.Module]

    def __init__(self, bank: Bank, batch_size: int) -> None:
        training, held_out = Objects(bank, bank.training_windows()), Objects(bank, bank.held_out_windows())
        self._training, self._held_out = self._sampler(training), self._sampler(held_out)
        self._plain = self._sampler(held_out, plain=True)
        self.batch_size = batch_size

    def network(self) -> nn.Module:
        """Return a fresh network."""
        return self._network()

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw crops: pixels, labels, moves."""
        return _drawn(self._training, self.batch_size, rng)

    def held_out_batch(self, count: int) -> Batch:
        """Draw the same crops each time from the held-out windows, as hard as those of training."""
        return _drawn(self._held_out, count, np.random.default_rng(0))

    def measure(self, network: nn.Module) -> dict[str, float]:
        """Return accuracies on held-out crops: hard ones, and those as rendered (``plain_``)."""
        batches = {
            "": self.held_out_batch(MEASURED_CROPS),
            "plain_": _drawn(self._plain, MEASURED_CROPS, np.random.default_rng(1)),
        }
        figures = {"crops": float(MEASURED_CROPS)}
        for prefix, (pixels, *truth) in batches.items():
            outputs = network(pixels).float()
            figures |= {f"{prefix}{key}": value for key, value in self.accuracies(outputs, *truth).items()}
        return figures

    def accuracies(self, outputs: Tensor, label: Tensor, move: Tensor) -> dict[str, float]:
        """Return the share of crops rightly classed, and of those named (not "cannot tell") the share wrongly named."""
        del move
        cannot_tell = outputs.shape[1] - 1
        known = label != UNKNOWN
        answer = outputs.argmax(1)
        named = known & (answer != cannot_tell)
        readable = known & (label != cannot_tell)
        return {
            "accuracy": _share((answer == label)[known]),
            "face_accuracy": _share((answer == label)[readable]),
            "wrongly_named": _share((answer != label)[named]),
        }


class TilesTask(_CropTask):
    """Naming the face in a tile's crop.

    Args:
        bank: the windows.
        batch_size: crops in a batch.
    """

    name = "tiles"
    _sampler, _network = TileSampler, TileNet

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy."""
        pixels, label, *_ = batch
        return {"class": class_loss(network(pixels).float(), label, self.smoothing)}


class DiceTask(_CropTask):
    """Reading a die's crop.

    Args:
        bank: the windows.
        batch_size: crops in a batch.
    """

    name = "dice"
    _sampler, _network = DieSampler, DiceNet

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy of the value and the error of the move."""
        pixels, label, move = batch
        outputs = network(pixels).float()
        return {
            "class": class_loss(outputs[:, :7], label, self.smoothing),
            "move": 4.0 * move_loss(outputs[:, 7:], move),
        }

    def accuracies(self, outputs: Tensor, label: Tensor, move: Tensor) -> dict[str, float]:
        """Return the accuracies of the value, and the error of the move in sides."""
        figures = super().accuracies(outputs[:, :7], label, move)
        known = move[:, :2].isfinite().all(1)
        if bool(known.any()):
            away = (outputs[known, 7:9] - move[known, :2]).norm(dim=1)
            figures |= {"move_error_median": float(away.median()), "move_error_95": float(away.quantile(0.95))}
        return figures


class LeanTask(_CropTask):
    """Telling whether a die leans.

    Args:
        bank: the windows.
        batch_size: crops in a batch.
    """

    name = "lean"
    _sampler, _network = LeanSampler, LeanNet

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy of leaning."""
        pixels, label, _ = batch
        return {"lean": lean_loss(network(pixels).float(), label)}

    def accuracies(self, outputs: Tensor, label: Tensor, move: Tensor) -> dict[str, float]:
        """Return how often leaning is told rightly.

        ``flat_passed`` is the share of flat dice that stay where a bound is set that lets one leaning die in fifty
        pass: how useful the promise is that a verified die lies flat.
        """
        del move
        flat, leaning = outputs[label == 0], outputs[label == 1]
        figures = {"leaning_told": _share(leaning > 0), "flat_told": _share(flat <= 0)}
        if len(leaning):
            figures["flat_passed"] = _share(flat < leaning.quantile(LEANING_PASSED))
        return figures


def _share(mask: Tensor) -> float:
    """Share of true values, NaN of none."""
    return float(mask.float().mean())


def _drawn(sampler: Sampler, count: int, rng: np.random.Generator) -> Batch:
    """Draw crops into one batch: pixels, labels, moves."""
    samples = [sampler.draw(rng) for _ in range(count)]
    return (
        torch.from_numpy(np.stack([sample.crop for sample in samples])),
        torch.tensor([sample.label for sample in samples]),
        torch.from_numpy(np.stack([sample.move for sample in samples])),
    )
