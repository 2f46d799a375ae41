"""The measures: in each turn every measure is taken of one side and then of the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Answer = dict[str, Any]

NETWORK: Final = "yolox"
"""Key of YOLOX-Nano's architecture, the reference of all other times."""


class Unit(StrEnum):
    """Unit of a figure."""

    MS = "ms"
    RATE = "pictures/s"
    MB = "MB"
    SECONDS = "s"

    @property
    def more_is_better(self) -> bool:
        """Whether a larger figure is better."""
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
    """The figures of each measure by key, and the reasons for missing ones."""

    values: dict[str, list[float]] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    def add(self, key: str, value: float) -> None:
        self.values.setdefault(key, []).append(value)


COLD: Final = Measure("cold", "cold picture")
DETECTOR: Final = Measure("detector", "detector alone, full picture")
REST: Final = Measure("rest", "at rest")
PLAY: Final = Measure("play", "in play")
YOLOX: Final = Measure(NETWORK, "YOLOX-Nano's architecture")
FILM: Final = Measure("film", "whole service, film", Unit.RATE)
FOUR_TABLES: Final = Measure("four-tables", "whole service, four tables", Unit.RATE)
MEMORY: Final = Measure("memory", "memory of one table's service, peak", Unit.MB)
START: Final = Measure("start", "start to the first picture read", Unit.SECONDS)
START_CPU: Final = Measure("start-cpu", "the same in processor time", Unit.SECONDS)

READINGS: Final[dict[str, Answer]] = {
    COLD.key: {"do": "read", "scene": "rest", "steady": False},
    REST.key: {"do": "read", "scene": "rest", "steady": True},
    PLAY.key: {"do": "read", "scene": "play", "steady": True},
}


def take_turns(sides: Mapping[str, Callable[[int], None]], runs: int) -> None:
    """Run the sides in turns with the number of the run; the first side alternates."""
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
    """Take each measure of single pictures once, of the picture of this turn.

    Args:
        ask: sends a request to the side.
        series: collects the figures.
        run: number of the turn; the first ``warm_up`` only fill caches.
        length: number of pictures in each scene. The first is not counted: it follows the last without movement.
        warm_up: turns that are not counted.
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


def serve_once(serve: Callable[[], Answer], series: Series, measured: Mapping[str, Measure]) -> None:
    """Run the service once; ``measured`` has the measure of each figure of its answer that counts."""
    answer = serve()
    for figure, measure in measured.items():
        if _kept(answer, measure.key, series):
            series.add(measure.key, answer[figure])


def _kept(answer: Answer, key: str, series: Series) -> bool:
    if "missing" in answer:
        series.missing[key] = answer["missing"]
        return False
    return True


def rows(now: Sequence[str]) -> list[Measure]:
    """Return the rows of the table in order, with the stages that have figures.

    Args:
        now: keys of all figures that this side has.
    """

    def with_stages(measure: Measure) -> list[Measure]:
        stages = [key.removeprefix(f"{measure.key}-") for key in now if key.startswith(f"{measure.key}-")]
        return [measure, *(Measure(f"{measure.key}-{stage}", stage, part=True) for stage in stages)]

    pictures = [*with_stages(COLD), *with_stages(REST), *with_stages(PLAY), DETECTOR, YOLOX]
    return [*pictures, FILM, FOUR_TABLES, MEMORY, START, START_CPU]
