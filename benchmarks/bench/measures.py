"""What is measured, by turns: in each turn every measure is taken of one side and at once of the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Answer = dict[str, Any]

NETWORK: Final = "yolox"
"""Key of YOLOX-Nano's architecture, with whose time all others are compared."""


class Unit(StrEnum):
    """What a figure is counted in."""

    MS = "ms"
    RATE = "pictures/s"
    MB = "MB"
    SECONDS = "s"

    @property
    def more_is_better(self) -> bool:
        """Whether a larger figure is the better one."""
        return self is Unit.RATE


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table.

    Attributes:
        key: in the JSON.
        name: in the table.
        unit: of its figures.
        part: whether it is a stage of the row above.
    """

    key: str
    name: str
    unit: Unit = Unit.MS
    part: bool = False


@dataclass(slots=True)
class Series:
    """The figures of each measure, by its key, and why there are none of the others."""

    values: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, key: str, value: float) -> None:
        """Keep a figure."""
        self.values.setdefault(key, []).append(value)


COLD: Final = Measure("cold", "cold picture")
DETECTOR: Final = Measure("detector", "detector alone, whole picture")
REST: Final = Measure("rest", "at rest")
PLAY: Final = Measure("play", "in play")
YOLOX: Final = Measure(NETWORK, "YOLOX-Nano's architecture")
MEMORY: Final = Measure("memory", "memory of the service, peak", Unit.MB)
START: Final = Measure("start", "start to the first picture read", Unit.SECONDS)
START_CPU: Final = Measure("start-cpu", "the same in processor time", Unit.SECONDS)

READINGS: Final[dict[str, Answer]] = {
    COLD.key: {"do": "read", "scene": "rest", "steady": False},
    REST.key: {"do": "read", "scene": "rest", "steady": True},
    PLAY.key: {"do": "read", "scene": "play", "steady": True},
}
VIEWERS: Final = (0, 5)
"""How many pages are open while the whole loop of the service is measured."""


def loop_measure(scene: str, viewers: int) -> Measure:
    """The row of the whole loop of the service in a scene."""
    words = {"rest": "at rest", "play": "in play"}[scene]
    return Measure(f"loop-{scene}-{viewers}-viewers", f"whole loop, {words}, {viewers} viewers", Unit.RATE)


def take_turns(sides: Mapping[str, Callable[[int], None]], runs: int) -> None:
    """Let the sides work by turns, each told the number of the run; who is first changes from run to run."""
    order = list(sides.values())
    for run in range(runs):
        for work in order if run % 2 == 0 else reversed(order):
            work(run)


def read_once(
    ask: Callable[[Answer], Answer],
    series: Series,
    run: int,
    *,
    length: Mapping[str, int],
    warm_up: int,
    threads: int = 2,
) -> None:
    """Take each measure of single pictures once, of the picture whose turn it is.

    Args:
        ask: has the side measure.
        series: where the figures are kept.
        run: number of the turn; the first ``warm_up`` fill caches and are not kept.
        length: how many pictures each scene has. Its first is not kept: it follows upon its last, which is no movement.
        warm_up: turns that are not kept.
        threads: of the networks.
    """
    for key, request in READINGS.items():
        number = run % length[request["scene"]]
        answer = ask({**request, "number": number, "threads": threads})
        if _kept(answer, key, series) and run >= warm_up and not (key == PLAY.key and number == 0):
            series.add(key, answer["ms"])
            for stage, ms in answer["stages"].items():
                if stage != "total":
                    series.add(f"{key}-{stage}", ms)
    answer = ask({"do": "detect", "scene": "rest", "number": run, "threads": threads})
    if _kept(answer, DETECTOR.key, series) and run >= warm_up:
        series.add(DETECTOR.key, answer["ms"])


def loop_once(ask: Callable[[Answer], Answer], series: Series, seconds: float) -> None:
    """Measure the whole loop of the service once, with each number of viewers."""
    for viewers in VIEWERS:
        answer = ask({"do": "loop", "viewers": viewers, "seconds": seconds})
        for scene in ("rest", "play"):
            key = loop_measure(scene, viewers).key
            if _kept(answer, key, series):
                series.add(key, answer["pictures_a_second"][scene])


def start_once(start: Callable[[], Answer], series: Series) -> None:
    """Start the service once."""
    answer = start()
    for key, told in ((START.key, "start_s"), (START_CPU.key, "start_cpu_s"), (MEMORY.key, "peak_mb")):
        if _kept(answer, key, series):
            series.add(key, answer[told])


def _kept(answer: Answer, key: str, series: Series) -> bool:
    if "missing" in answer:
        series.missing[key] = answer["missing"]
        return False
    return True


def rows(now: Sequence[str]) -> list[Measure]:
    """The rows of the table in their order, with the stages that there are figures of.

    Args:
        now: keys of all figures that this side has.
    """

    def with_stages(measure: Measure) -> list[Measure]:
        stages = [key.removeprefix(f"{measure.key}-") for key in now if key.startswith(f"{measure.key}-")]
        return [measure, *(Measure(f"{measure.key}-{stage}", stage, part=True) for stage in stages)]

    loops = [loop_measure(scene, viewers) for viewers in VIEWERS for scene in ("rest", "play")]
    pictures = [*with_stages(COLD), *with_stages(REST), *with_stages(PLAY), DETECTOR, YOLOX]
    return [*pictures, *loops, MEMORY, START, START_CPU]
