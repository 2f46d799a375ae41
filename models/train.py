"""Training: ``python -m models.train detector|tiles|dice|lean --bank DIR --out DIR --minutes M --seed S``."""

import json
import logging
import math
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import cv2
import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from models.tasks import Batch, Task, TaskName, task_of
from models.training_bank import open_bank
from models.warm_start import init_from_export

log = logging.getLogger(__name__)

WARM_UP = 0.03
"""Share of the training in which the learning rate rises."""
LAST_RATE = 0.01
"""Learning rate at the end, as a share of the peak."""
WEIGHT_DECAY = 0.02
AVERAGE_DECAY = 0.998
"""Of the exponential moving average of the weights, a step."""
CLIP_NORM = 10.0
FINE_TUNING = 0.25
"""Peak learning rate for weights that were trained before, as a share of the usual one."""
BATCHES_AHEAD = 4
LOG_SECONDS = 20.0

Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Settings of one training, as stored in the checkpoint; ``main`` explains them.

    By the clock, the learning rate falls with the minutes spent, pauses not counted.
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
        return init_from_export(task, path, config.seed).state_dict()
    weights: dict[str, Any] = torch.load(path, map_location=config.device, weights_only=True)["average"]
    return weights


class Training:
    """A training under way: weights, their moving average, optimiser, clock."""

    def __init__(self, config: TrainConfig, task: Task) -> None:
        torch.manual_seed(config.seed)
        self.config, self.task = config, task
        self._bf16 = config.device != "cpu" or torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001 - nowhere else to ask
        self.network = task.network().to(config.device, memory_format=torch.channels_last)  # type: ignore[call-overload]
        if config.begin_with is not None:
            self.network.load_state_dict(_earlier(Path(config.begin_with), config, task))
        self.average = AveragedModel(self.network, multi_avg_fn=_moving_average, use_buffers=True).eval()
        self.average.n_averaged.fill_(1)  # the first weights
        matrices = [weight for weight in self.network.parameters() if weight.ndim > 1]
        others = [weight for weight in self.network.parameters() if weight.ndim <= 1]
        groups = [{"params": matrices, "weight_decay": WEIGHT_DECAY}, {"params": others, "weight_decay": 0.0}]
        self.optimiser = torch.optim.AdamW(groups, lr=task.peak_rate)
        self.peak_rate = task.peak_rate * (1.0 if config.begin_with is None else FINE_TUNING)
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
        self.average.update_parameters(self.network)
        self.step += 1
        return {name: float(part.detach()) for name, part in parts.items()}

    @torch.no_grad()
    def measure(self) -> dict[str, float]:
        """Return the step and the figures of the averaged weights on held-out windows, and keep them."""
        figures = self.task.measure(self.average.module.cpu())
        self.average.to(self.config.device)
        self.history.append({"step": self.step, **figures})
        return self.history[-1]

    def save(self) -> Path:
        """Write the checkpoint in one go and return its path."""
        path = Path(self.config.out) / "checkpoint.pt"
        state = {
            "config": asdict(self.config),
            "step": self.step,
            "elapsed_s": self.elapsed_s,
            "network": self.network.state_dict(),
            "average": self.average.module.state_dict(),
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
        self.average.module.load_state_dict(state["average"])
        self.average.n_averaged.fill_(state["step"] + 1)
        self.optimiser.load_state_dict(state["optimiser"])
        self.step, self.elapsed_s, self.history = state["step"], state["elapsed_s"], state["history"]


def _moving_average(averages: Any, weights: Any, updates: Tensor | int) -> None:  # noqa: ANN401 - torch's tensor lists
    """Move the averages toward the weights, less the longer the training lasts."""
    decay = min(AVERAGE_DECAY, float(updates / (9 + updates)))
    get_ema_multi_avg_fn(decay)(averages, weights, updates)  # type: ignore[no-untyped-call]


def batches(task: Task, seed: int, first_step: int) -> Generator[Batch]:
    """Yield batches, drawn in a second thread while the last one is learnt from.

    Each batch has its own seed, so a resumed training sees the batches it would have seen.
    """

    def drawn(step: int) -> Batch:
        return task.batch(np.random.default_rng((seed, step)))

    with ThreadPoolExecutor(1) as pool:
        steps = count(first_step)
        ahead = deque(pool.submit(drawn, next(steps)) for _ in range(BATCHES_AHEAD))
        try:
            while True:
                yield ahead.popleft().result()
                ahead.append(pool.submit(drawn, next(steps)))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


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
        stream = batches(training.task, config.seed, training.step)
        with closing(stream), (out / "log.jsonl").open("a") as record:
            _loop(training, stream, record)
    except KeyboardInterrupt:
        log.warning("interrupted; go on later with --resume")
        return training.save()
    log.info("done: %s", _in_line(training.measure()))
    return training.save()


def _loop(training: Training, stream: Iterator[Batch], record: IO[str]) -> None:
    """Train until the end, with periodic reports."""
    last_log = last_save = training.elapsed_s
    last_step = training.step
    sums: Counter[str] = Counter()
    while training.progress < 1.0:
        started = time.monotonic()
        sums.update(training.learn(next(stream)))
        training.elapsed_s += time.monotonic() - started
        over = training.progress >= 1.0
        if training.elapsed_s - last_log >= LOG_SECONDS or over:
            steps = training.step - last_step
            line = {
                "step": training.step,
                "minutes": round(training.elapsed_s / 60, 2),
                "rate": training.optimiser.param_groups[0]["lr"],
                "per_second": steps * training.task.batch_size / max(training.elapsed_s - last_log, 1e-9),
                **{name: value / max(steps, 1) for name, value in sums.items()},
            }
            last_log, last_step = training.elapsed_s, training.step
            sums.clear()
            _report(training, record, line)
        if training.elapsed_s - last_save >= training.config.save_minutes * 60 and not over:
            last_save = training.elapsed_s
            _report(training, record, training.measure())
            training.save()


def _report(training: Training, record: IO[str], line: dict[str, Any]) -> None:
    """Write a line of figures to the log file and the screen."""
    record.write(json.dumps(line) + "\n")
    record.flush()
    log.info("%s %3.0f %%: %s", training.task.name, 100 * training.progress, _in_line(line))


def _in_line(figures: dict[str, Any]) -> str:
    return " ".join(f"{name} {value:.4g}" for name, value in figures.items())


def main(
    task: TaskName,
    bank: Annotated[str, typer.Option(help="folder of windows (python -m datasets.generate bank)")],
    out: Annotated[str, typer.Option(help="folder of the checkpoint and the log")],
    minutes: Annotated[float, typer.Option(help="length of the training")] = 60.0,
    steps: Annotated[int | None, typer.Option(help="length in steps instead, repeatable to the bit")] = None,
    seed: Annotated[int, typer.Option(help="of weights and batches")] = 1,
    threads: Annotated[int, typer.Option(help="of the arithmetic")] = 2,
    batch: Annotated[int | None, typer.Option(help="pictures in a batch (default: the task's own)")] = None,
    save_minutes: Annotated[float, typer.Option(help="time between checkpoints")] = 4.0,
    device: Device = "cpu",
    begin_with: Annotated[
        str | None, typer.Option(help="first weights: a checkpoint's averages or an ONNX file")
    ] = None,
    *,
    resume: Annotated[bool, typer.Option("--resume", help="go on from the checkpoint in --out")] = False,
) -> None:
    """Train one of the four networks."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    config = TrainConfig(task, bank, out, minutes, seed, threads, steps, batch, save_minutes, device, begin_with)
    typer.echo(train(config, resume=resume))


if __name__ == "__main__":
    typer.run(main)
