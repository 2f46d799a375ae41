"""Training: ``python -m models.train detector|tiles|dice|lean --bank DIR --out DIR --minutes M --seed S``."""

import argparse
import json
import logging
import math
import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import nn

from models.bank import open_bank
from models.begin import begin_with_export
from models.tasks import NAMES, Batch, Task, task_of

log = logging.getLogger(__name__)

WARM_UP = 0.03
LAST_RATE = 0.01
WEIGHT_DECAY = 0.02
AVERAGE_DECAY = 0.998
CLIP_NORM = 10.0
GOING_ON = 0.4
"""Share of the peak rate for weights that were trained before: enough to learn more, too little to begin again."""
LOG_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """One training, as it stands in the checkpoint.

    Attributes:
        task: ``detector``, ``tiles``, ``dice`` or ``lean``.
        bank: folder of windows.
        out: folder of the checkpoint and the log.
        minutes: length of the training; the learning rate falls by the clock, pauses not counted.
        seed: of weights and batches.
        threads: threads of the arithmetic.
        steps: where given, the length in steps instead, which makes a training repeatable to the bit.
        batch: pictures in a batch; None for the task's own.
        save_minutes: time between checkpoints.
        device: ``cpu`` or ``cuda``.
        begin_with: checkpoint of an earlier training whose averaged weights are the first ones of this, or the ONNX
            file exported from one; None for weights drawn by the seed.
    """

    task: str
    bank: str
    out: str
    minutes: float
    seed: int
    threads: int
    steps: int | None = None
    batch: int | None = None
    save_minutes: float = 4.0
    device: str = "cpu"
    begin_with: str | None = None


def learning_rate(peak: float, progress: float) -> float:
    """Return the rate after a share of the training: a short linear rise, then half a cosine down.

    >>> learning_rate(1.0, WARM_UP), round(learning_rate(1.0, 1.0), 3)
    (1.0, 0.01)
    """
    if progress < WARM_UP:
        return peak * (0.05 + 0.95 * progress / WARM_UP)
    fall = min((progress - WARM_UP) / (1 - WARM_UP), 1.0)
    return peak * (LAST_RATE + (1 - LAST_RATE) * (1 + math.cos(math.pi * fall)) / 2)


def _earlier(path: Path, config: TrainConfig, task: Task) -> dict[str, Any]:
    """Return the weights of a checkpoint or of an exported network."""
    if path.suffix == ".onnx":
        return begin_with_export(task, path, config.seed).state_dict()
    weights: dict[str, Any] = torch.load(path, map_location=config.device, weights_only=True)["average"]
    return weights


class Training:
    """A training under way: weights, their running average, optimiser, clock.

    Args:
        config: what to train and how.
        task: built from the config.
    """

    def __init__(self, config: TrainConfig, task: Task) -> None:
        torch.manual_seed(config.seed)
        self.config, self.task = config, task
        self._bf16 = config.device != "cpu" or torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001 - nowhere else to ask
        self.network = task.network().to(config.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        if config.begin_with is not None:
            self.network.load_state_dict(_earlier(Path(config.begin_with), config, task))
        self.average = task.network().to(config.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        self.average.load_state_dict(self.network.state_dict())
        self.average.eval()
        matrices = [weight for weight in self.network.parameters() if weight.ndim > 1]
        others = [weight for weight in self.network.parameters() if weight.ndim <= 1]
        groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=task.peak_rate)
        self.peak_rate = task.peak_rate * (1.0 if config.begin_with is None else GOING_ON)
        self.step = 0
        self.elapsed_s = 0.0
        self.history: list[dict[str, Any]] = []

    @property
    def progress(self) -> float:
        """Share of the training that is done, at least 1 when it is over."""
        if self.config.steps is not None:
            return self.step / self.config.steps
        return self.elapsed_s / (self.config.minutes * 60)

    def learn(self, batch: Batch) -> dict[str, float]:
        """Take one step and return the parts of the loss."""
        rate = learning_rate(self.peak_rate, self.progress)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.network.train()
        batch = tuple(part.to(self.config.device) for part in batch)
        # bf16 halves the time of a step on processors that have it, and costs no accuracy that could be measured; one
        # that has not takes ten times as long over it.
        with torch.autocast(self.config.device, torch.bfloat16, enabled=self._bf16):
            parts = self.task.loss(self.network, batch)
        total = torch.stack(list(parts.values())).sum()
        self.optimiser.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.network.parameters(), CLIP_NORM)
        self.optimiser.step()
        self._follow()
        self.step += 1
        return {name: float(part.detach()) for name, part in parts.items()}

    @torch.no_grad()
    def _follow(self) -> None:
        """Move the averaged weights a little toward the weights."""
        keep = min(AVERAGE_DECAY, (1 + self.step) / (10 + self.step))
        ours, theirs = self.average.state_dict(), self.network.state_dict()
        floats = [name for name, value in ours.items() if value.is_floating_point()]
        torch._foreach_lerp_([ours[name] for name in floats], [theirs[name] for name in floats], 1 - keep)

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """Return the figures of the averaged weights on held-out windows."""
        self.average.eval()
        network = self.average.cpu()
        figures = self.task.measure(network)
        self.average.to(self.config.device)
        return figures

    def save(self) -> Path:
        """Write the checkpoint in one go and return its path."""
        path = Path(self.config.out) / "checkpoint.pt"
        state = {
            "config": asdict(self.config),
            "step": self.step,
            "elapsed_s": self.elapsed_s,
            "network": self.network.state_dict(),
            "average": self.average.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "history": self.history,
        }
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)
        return path

    def resume(self) -> None:
        """Go on from the checkpoint in the output folder."""
        state = torch.load(Path(self.config.out) / "checkpoint.pt", map_location=self.config.device, weights_only=True)
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s, self.history = state["step"], state["elapsed_s"], state["history"]


@contextmanager
def batches(task: Task, seed: int, first_step: int) -> Iterator[Iterator[Batch]]:
    """Prepare batches in a second thread while the last one is learnt from.

    Each batch has its own seed, so a resumed training sees the batches it would have seen.
    """
    ready: queue.Queue[Batch | BaseException] = queue.Queue(maxsize=4)
    stop = threading.Event()

    def offer(item: Batch | BaseException) -> None:
        while not stop.is_set():
            try:
                ready.put(item, timeout=0.2)
            except queue.Full:
                continue
            return

    def fill() -> None:
        step = first_step
        try:
            while not stop.is_set():
                offer(task.batch(np.random.default_rng((seed, step))))
                step += 1
        except BaseException as fault:  # noqa: BLE001 - handed to the training thread, which raises it
            offer(fault)

    def take() -> Iterator[Batch]:
        while True:
            item = ready.get()
            if isinstance(item, BaseException):
                raise item
            yield item

    thread = threading.Thread(target=fill, name="batches", daemon=True)
    thread.start()
    try:
        yield take()
    finally:
        stop.set()
        thread.join()


def train(config: TrainConfig, *, resume: bool = False) -> Path:
    """Train one network and return its checkpoint."""
    torch.set_num_threads(config.threads)
    cv2.setNumThreads(1)
    out = Path(config.out)
    out.mkdir(parents=True, exist_ok=True)
    bank = open_bank(Path(config.bank))
    training = Training(config, task_of(config.task, bank, config.batch))
    if resume:
        training.resume()
    log.info("%s: %d windows, seed %d, from step %d", config.task, len(bank), config.seed, training.step)
    try:
        with batches(training.task, config.seed, training.step) as stream, (out / "log.jsonl").open("a") as record:
            _loop(training, stream, record)
    except KeyboardInterrupt:
        log.warning("interrupted; go on later with --resume")
        return training.save()
    figures = training.measure()
    training.history.append({"step": training.step, **figures})
    log.info("done after %d steps: %s", training.step, _written(figures))
    return training.save()


def _loop(training: Training, stream: Iterator[Batch], record: Any) -> None:  # noqa: ANN401 - a text file
    """Learn until the training is over, writing a line now and then."""
    config = training.config
    last_log = last_save = training.elapsed_s
    last_step = training.step
    sums: dict[str, float] = {}
    while training.progress < 1.0:
        started = time.monotonic()
        for name, value in training.learn(next(stream)).items():
            sums[name] = sums.get(name, 0.0) + value
        training.elapsed_s += time.monotonic() - started
        if training.elapsed_s - last_log >= LOG_SECONDS or training.progress >= 1.0:
            steps = training.step - last_step
            line = {
                "step": training.step,
                "minutes": round(training.elapsed_s / 60, 2),
                "rate": training.optimiser.param_groups[0]["lr"],
                "per_second": steps * training.task.batch_size / max(training.elapsed_s - last_log, 1e-9),
                **{name: value / max(steps, 1) for name, value in sums.items()},
            }
            last_log, last_step, sums = training.elapsed_s, training.step, {}
            _tell(training, record, line)
        if training.elapsed_s - last_save >= config.save_minutes * 60 and training.progress < 1.0:
            last_save = training.elapsed_s
            figures = training.measure()
            training.history.append({"step": training.step, **figures})
            _tell(training, record, {"step": training.step, **figures})
            training.save()


def _tell(training: Training, record: Any, line: dict[str, Any]) -> None:  # noqa: ANN401 - a text file
    """Write a line of figures to the log file and the screen."""
    record.write(json.dumps(line) + "\n")
    record.flush()
    log.info("%s %3.0f %%: %s", training.task.name, 100 * training.progress, _written(line))


def _written(figures: dict[str, Any]) -> str:
    """Return figures in a line."""
    return " ".join(f"{name} {value:.4g}" for name, value in figures.items())


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(prog="python -m models.train", description="Train one of the four networks.")
    parser.add_argument("task", choices=NAMES)
    parser.add_argument("--bank", required=True, help="folder of windows (python -m datasets.generate bank)")
    parser.add_argument("--out", required=True, help="folder of the checkpoint and the log")
    parser.add_argument("--minutes", type=float, default=60.0, help="length of the training (default 60)")
    parser.add_argument("--steps", type=int, help="length in steps instead, repeatable to the bit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, help="pictures in a batch (default: the task's own)")
    parser.add_argument("--save-minutes", type=float, default=4.0, help="time between checkpoints (default 4)")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--begin-with", help="checkpoint or ONNX file of an earlier training to go on from")
    parser.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    given = vars(parser.parse_args(arguments))
    resume = given.pop("resume")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    print(train(TrainConfig(**given), resume=resume))  # noqa: T201 - a command


if __name__ == "__main__":
    main()
