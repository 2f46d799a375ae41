"""The models trained, side by side with those of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rich.console import Console

    from vision.networks.model_card import Trained

_NOT_COMPARED: Final = frozenset(
    {"unseen_windows", "windows", "crops", "objects", "calibration_crops", "parity_max_difference", "temperature"}
)
"""What is on a card and says nothing about how good a model is."""
_LEARNT: Final = ("windows", "steps", "minutes")
_COLUMN: Final = 11
_RIM: Final = 4
"""Characters that a model's column and the first column's borders take."""


def print_models(trained: Sequence[Trained], in_use: Collection[str], console: Console) -> None:
    """Every model trained side by side with those of its kind; where the line is too short for all, some at a time.

    The one in use stands beside each of the others.

    Args:
        trained: oldest first.
        in_use: sha256 of the models that read.
        console: where to print.
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
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for each in some:
        table.add_column(each.sha256[:8], justify="right", style="bold" if each.sha256 in in_use else "")
    table.add_row("in use", *("yes" if each.sha256 in in_use else "" for each in some))
    for words in _LEARNT:
        table.add_row(words, *(f"{getattr(each, words):g}" for each in some))
    for key in _keys(some):
        cells = (f"{each.measured[key]:.4g}" if key in each.measured else "" for each in some)
        table.add_row(key.replace("_", " "), *cells)
    return table
