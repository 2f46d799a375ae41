"""The four tasks: for each its network, its batches, its loss and its measures."""

from collections import Counter
from collections.abc import Iterable
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from models.loss import heat_loss, lean_loss, move_loss, regression_loss
from models.network import DetectorNet, DiceNet, LeanNet, TileNet
from models.samples.crop_sampler import UNKNOWN, Objects, Sampler
from models.samples.detector_windows import Target, plain_window, training_window
from models.samples.die_sampler import DieSampler, LeanSampler
from models.samples.tile_sampler import TileSampler
from models.training_bank import TrainingBank
from vision.arrays import Floats
from vision.detect.detections import non_maximum_suppression
from vision.detect.detector import SCORE_THRESHOLD, STRIDE_PX, decode_maps
from vision.networks.classifier import DICE_CLASSES

Batch = tuple[Tensor, ...]
TaskName = Literal["detector", "tiles", "dice", "lean"]
MEASURED_WINDOWS = 200
MEASURED_CROPS = 2000
DECEIVING_SHARE = 0.25
"""Share of the windows drawn among those in which the detector in use finds what is not there (``models.found``)."""
LEANING_PASSED = 0.02
"""Share of the leaning dice that pass for flat where ``flat_passed`` is measured."""


class Task:
    """One of the four training tasks.

    Args:
        bank: the windows.
        batch_size: windows or crops in a batch; None for the usual number.
    """

    name: ClassVar[str]
    network: ClassVar[type[nn.Module]]
    peak_rate: ClassVar[float]
    usual_batch: ClassVar[int]

    def __init__(self, bank: TrainingBank, batch_size: int | None = None) -> None:
        self.bank = bank
        self.batch_size = batch_size or self.usual_batch

    def batch(self, rng: np.random.Generator) -> Batch:
        raise NotImplementedError

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the parts of the loss by name; their sum is minimised."""
        raise NotImplementedError

    def measure(self, network: nn.Module) -> dict[str, float]:
        """Return figures on the held-out windows."""
        raise NotImplementedError


class DetectorTask(Task):
    """Finding tiles and dice in windows; batches are pixels, heat, counts, regression, weight."""

    name, network, peak_rate, usual_batch = "detector", DetectorNet, 2.5e-3, 16

    def __init__(self, bank: TrainingBank, batch_size: int | None = None) -> None:
        super().__init__(bank, batch_size)
        self._windows = bank.training_windows()
        self._deceiving = np.intersect1d(bank.false_window, self._windows)

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw windows, photographed again; often such in which the detector in use finds what is not there."""
        chosen = rng.choice(self._windows, self.batch_size)
        if len(self._deceiving):
            again = rng.random(self.batch_size) < DECEIVING_SHARE
            chosen[again] = rng.choice(self._deceiving, int(again.sum()))
        return _stacked([training_window(self.bank, int(window), rng) for window in chosen])

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        pixels, heat, counts, regression, weight = batch
        logits, values = network(pixels)
        return {
            "heat": heat_loss(logits.float(), heat, counts),
            "regression": regression_loss(values.float(), regression, weight),
        }

    def measure(self, network: nn.Module) -> dict[str, float]:
        """Return loss, recall and precision on held-out windows."""
        windows = self.bank.held_out_windows()[:MEASURED_WINDOWS]
        losses, answers = [], []
        for window in windows:
            target = plain_window(self.bank, int(window))
            batch = _stacked([target])
            losses.append(sum(float(part) for part in self.loss(network, batch).values()))
            logits, values = network(batch[0])
            answers.append((target, torch.sigmoid(logits.float())[0].numpy(), values.float()[0].numpy()))
        loss = sum(losses) / max(len(windows), 1)
        return {"windows": float(len(windows)), "loss": loss, **detection_figures(answers)}


def detection_figures(answers: Iterable[tuple[Target, Floats, Floats]]) -> dict[str, float]:
    """Return recall and precision of detections; right is a centre within a third of the object's short side.

    Args:
        answers: of each window the truth, and the network's heat (3, g, g) and regressions (10, g, g).
    """
    count: Counter[str] = Counter()
    for target, heat, values in answers:
        truth = non_maximum_suppression(decode_maps(target.heat, target.regression, 1.0))
        answer = non_maximum_suppression(decode_maps(heat, values, SCORE_THRESHOLD))
        away = np.linalg.norm(truth.centre_px[:, None] - answer.centre_px, axis=2)
        close = (away < truth.size_px[:, 1:] / 3) & (truth.kind[:, None] == answer.kind)
        cells = np.clip((answer.centre_px / STRIDE_PX).astype(int), 0, len(target.counts) - 1)
        judged = target.counts[cells[:, 1], cells[:, 0]] > 0
        count["wanted"] += len(truth)
        count["found"] += int(close.any(1).sum())
        count["answered"] += int(judged.sum())
        count["right"] += int((close.any(0) & judged).sum())
    return {
        "objects": float(count["wanted"]),
        "recall": count["found"] / max(count["wanted"], 1),
        "precision": count["right"] / max(count["answered"], 1),
    }


def _stacked(targets: list[Target]) -> Batch:
    """Put windows and their truths into one batch."""
    names = ("pixels", "heat", "counts", "regression", "weight")
    return tuple(torch.from_numpy(np.stack([getattr(target, name) for target in targets])) for name in names)


class CropTask(Task):
    """Common part of the three classifiers of crops; batches are pixels, labels, moves."""

    peak_rate, usual_batch = 3e-3, 256
    class_loss = nn.CrossEntropyLoss(ignore_index=UNKNOWN, label_smoothing=0.03)
    _sampler: ClassVar[type[TileSampler | DieSampler | LeanSampler]]

    def __init__(self, bank: TrainingBank, batch_size: int | None = None) -> None:
        super().__init__(bank, batch_size)
        training, held_out = Objects(bank, bank.training_windows()), Objects(bank, bank.held_out_windows())
        self._training, self._held_out = self._sampler(training), self._sampler(held_out)
        self._plain = self._sampler(held_out, plain=True)

    def batch(self, rng: np.random.Generator) -> Batch:
        """Draw crops, photographed again."""
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


class TilesTask(CropTask):
    """Naming the face in a tile's crop."""

    name, network, _sampler = "tiles", TileNet, TileSampler

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        pixels, label, _ = batch
        return {"class": self.class_loss(network(pixels).float(), label)}


class DiceTask(CropTask):
    """Reading a die's crop."""

    name, network, _sampler = "dice", DiceNet, DieSampler

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        """Return the cross entropy of the value and the error of the move."""
        pixels, label, move = batch
        values, moves = network(pixels).float().tensor_split([len(DICE_CLASSES)], 1)
        return {"class": self.class_loss(values, label), "move": 4.0 * move_loss(moves, move)}

    def accuracies(self, outputs: Tensor, label: Tensor, move: Tensor) -> dict[str, float]:
        """Return the accuracies of the value, and the error of the move in sides."""
        values, moves = outputs.tensor_split([len(DICE_CLASSES)], 1)
        figures = super().accuracies(values, label, move)
        known = move[:, :2].isfinite().all(1)
        if bool(known.any()):
            away = (moves[known, :2] - move[known, :2]).norm(dim=1)
            figures |= {"move_error_median": float(away.median()), "move_error_95": float(away.quantile(0.95))}
        return figures


class LeanTask(CropTask):
    """Classifying whether a die leans."""

    name, network, _sampler = "lean", LeanNet, LeanSampler

    def loss(self, network: nn.Module, batch: Batch) -> dict[str, Tensor]:
        pixels, label, _ = batch
        return {"lean": lean_loss(network(pixels).float(), label)}

    def accuracies(self, outputs: Tensor, label: Tensor, move: Tensor) -> dict[str, float]:
        """Return the recalls of leaning and of flat dice.

        ``flat_passed`` is the share of flat dice below the threshold that lets one leaning die in fifty pass for flat.
        """
        del move
        flat, leaning = outputs[label == 0], outputs[label == 1]
        figures = {"leaning_told": _share(leaning > 0), "flat_told": _share(flat <= 0)}
        if len(leaning):
            figures["flat_passed"] = _share(flat < leaning.quantile(LEANING_PASSED))
        return figures


TASKS: dict[str, type[Task]] = {task.name: task for task in (DetectorTask, TilesTask, DiceTask, LeanTask)}
"""In the order in which they are trained."""


def task_of(name: str, bank: TrainingBank, batch_size: int | None = None) -> Task:
    """Return the task of a name in ``TASKS``.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in TASKS:
        raise ValueError(f"no task {name!r}; known: {', '.join(TASKS)}")
    return TASKS[name](bank, batch_size)


def network_of(name: str) -> nn.Module:
    """Return a fresh network of the task of a name in ``TASKS``."""
    return TASKS[name].network()


def _share(mask: Tensor) -> float:
    """Return the share of true values, NaN of none."""
    return float(mask.float().mean())


def _drawn(sampler: Sampler, count: int, rng: np.random.Generator) -> Batch:
    """Draw crops into one batch: pixels, labels, moves."""
    samples = [sampler.draw(rng) for _ in range(count)]
    return (
        torch.from_numpy(np.stack([sample.crop for sample in samples])),
        torch.tensor([sample.label for sample in samples]),
        torch.from_numpy(np.stack([sample.move for sample in samples])),
    )
