"""Evaluation reports, as JSON for programs and tables for people, and a comparison of trained models."""

from __future__ import annotations

import statistics
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.padding import Padding
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from datasets.evaluation.scoring import RATES, Score

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from datasets.evaluation.folder_scores import Evaluation, PictureJob
    from datasets.evaluation.rates import Proportion
    from datasets.evaluation.tally import Mistake
    from vision.findings import Finding
    from vision.networks.model_card import Trained

_GROUP_COLUMNS: Final = {
    "tiles found": "tiles_found",
    "named": "faces_right",
    "dice read": "dice_right",
    "hands whole": "hands_whole",
    "covered tiles": "coverage_tiles",
    "dice ": "coverage_dice",
    "hands": "coverage_hands",
    "silent": "silent",
}
"""Rates of a group, few enough for 80 columns."""
_NOT_COMPARED: Final = frozenset(
    {"unseen_windows", "windows", "crops", "objects", "calibration_crops", "parity_max_difference", "temperature"}
)
"""Card entries that are irrelevant to a model's quality."""
_LEARNT: Final = ("windows", "steps", "minutes")
_COLUMN: Final = 11
_RIM: Final = 4
"""Characters that a model's column and the first column's borders take."""


def with_bar(jobs: Iterator[PictureJob], count: int) -> Iterator[PictureJob]:
    """Show a progress bar on standard error."""
    with Progress(console=Console(stderr=True), transient=True) as progress:
        yield from progress.track(jobs, total=count, description="reading")


def evaluation_json(evaluation: Evaluation, words_of: Callable[[Finding], object] = str) -> dict[str, object]:
    """The full evaluation, for programs; `words_of` converts doubts to text."""
    total = evaluation.total
    return {
        **_score_json(total),
        "by": {
            title: {name: _score_json(each) for name, each in part.items()}
            for title, part in evaluation.groups().items()
        },
        "elapsed_ms": {
            stage: {"median": round(statistics.median(times), 2), "longest": round(max(times), 2)}
            for stage, times in total.elapsed_ms.items()
        },
        # A digit for each object: 1 if it was found, right or verified.
        "trials": {
            picture: {name: "".join(str(int(did)) for did in trials) for name, trials in of_picture.items()}
            for picture, of_picture in total.trials.items()
        },
        "errors": [_mistake_json(each, words_of) for each in total.mistakes],
        "failed": [asdict(each) for each in evaluation.failures],
        "versions": evaluation.versions,
    }


def _mistake_json(mistake: Mistake, words_of: Callable[[Finding], object]) -> dict[str, object]:
    entry = {each.name: getattr(mistake, each.name) for each in fields(mistake) if each.name != "doubts"}
    return {**entry, "reasons": [str(words_of(doubt)) for doubt in mistake.doubts]}


def _score_json(score: Score) -> dict[str, object]:
    rates: dict[str, dict[str, object]] = {}
    for name in RATES:
        if (rate := score.rate(name)).of:
            interval = list(rate.interval())
            rates[name] = {"count": rate.count, "of": rate.of, "rate": rate.value, "interval": interval}
            if name.startswith("silent"):
                rates[name]["upper_bound"] = rate.upper_bound()
    return {"pictures": score.pictures, "rates": rates}


def print_evaluation(evaluation: Evaluation, console: Console, words_of: Callable[[Finding], object] = str) -> None:
    """Print every error, the rates, the rates by group, and the time by stage."""
    total = evaluation.total
    _print_errors(total.mistakes, console, words_of)
    figures = _table(f"{total.pictures} pictures", "figure", "count", "share", "95 % interval")
    for name, title in RATES.items():
        if (rate := total.rate(name)).of:
            style = "bold red" if name.startswith("silent") and rate.count else ""
            figures.add_row(
                title, f"{rate.count} / {rate.of}", _percent(rate.value), _interval(name, rate), style=style
            )
    console.print(figures)
    for title, parts in evaluation.groups().items():
        console.print(_group_table(title, parts))
    times = _table("time by stage, milliseconds", "stage", "median", "longest")
    for stage, spent in total.elapsed_ms.items():
        times.add_row(stage, f"{statistics.median(spent):.1f}", f"{max(spent):.1f}")
    if total.elapsed_ms:
        console.print(times)


def _table(title: str, first: str, *columns: str) -> Table:
    """A table with its first column to the left, figures to the right."""
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _print_errors(mistakes: Sequence[Mistake], console: Console, words_of: Callable[[Finding], object]) -> None:
    """Print every error on separate lines, silent ones first: a table has no space for the reasons."""
    if not mistakes:
        console.print("every object read as it lies")
        return
    console.print(f"{len(mistakes)} errors", style="italic")
    for each in sorted(mistakes, key=lambda mistake: (not mistake.silent, mistake.image, mistake.kind)):
        at = "" if each.at_px is None else f" at {each.at_px[0]:.0f}, {each.at_px[1]:.0f}"
        status = "SILENT" if each.silent else each.status
        confidence = None if each.confidence is None else f"{each.confidence:.3f}"
        how = ", ".join(word for word in (status, confidence) if word)
        doubts = (str(words_of(doubt)) for doubt in each.doubts)
        lines = [f"{each.there} lies there, read as {each.read}" + (f" ({how})" if how else ""), *doubts]
        style = "bold red" if each.silent else ""
        console.print(Text(f"{each.image}{at}: {each.kind} {each.fault}"), style=style)
        for line in lines:
            console.print(Padding(Text(line), (0, 0, 0, 2)), style=style)
    console.print()


def _group_table(title: str, parts: Mapping[str, Score]) -> Table:
    table = Table(title=f"by {title}", title_justify="left", box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(title)
    for column in ("pictures", *_GROUP_COLUMNS):
        table.add_column(column.strip(), justify="right", overflow="fold")
    for name, score in parts.items():
        rates = [score.rate(each) for each in _GROUP_COLUMNS.values()]
        table.add_row(name, str(score.pictures), *(f"{each.count}/{each.of}" if each.of else "" for each in rates))
    return table


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.2f} %"


def _interval(name: str, rate: Proportion) -> str:
    if name.startswith("silent"):
        return f"at most {_percent(rate.upper_bound())}"
    return " to ".join(map(_percent, rate.interval()))


def print_models(trained: Sequence[Trained], in_use: Collection[str], console: Console) -> None:
    """Print every trained model, oldest first, in comparison with others of its kind, as many at a time as fit.

    The one in use, by its sha256, is beside each of the others.
    """
    for name in dict.fromkeys(each.name for each in trained):
        mine = [each for each in trained if each.name == name]
        used = [each for each in mine if each.sha256 in in_use]
        others = [each for each in mine if each not in used]
        words = max(len(key) for key in (*_keys(mine), *_LEARNT))
        fitting = max(1, (console.width - words - _RIM) // _COLUMN - len(used))
        title = f"{name}: models trained, each measured on windows held out then"
        for first in range(0, max(len(others), 1), fitting):
            console.print(_side_by_side(title, [*others[first : first + fitting], *used], in_use))
            title = f"{name}, continued"


def _keys(some: Sequence[Trained]) -> list[str]:
    return list(dict.fromkeys(key for each in some for key in each.measured if key not in _NOT_COMPARED))


def _side_by_side(title: str, some: Sequence[Trained], in_use: Collection[str]) -> Table:
    table = _table(title, "")
    for each in some:
        table.add_column(each.sha256[:8], justify="right", style="bold" if each.sha256 in in_use else "")
    table.add_row("in use", *("yes" if each.sha256 in in_use else "" for each in some))
    for words in _LEARNT:
        table.add_row(words, *(f"{getattr(each, words):g}" for each in some))
    for key in _keys(some):
        cells = (f"{each.measured[key]:.4g}" if key in each.measured else "" for each in some)
        table.add_row(key.replace("_", " "), *cells)
    return table
