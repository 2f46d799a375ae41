"""The models trained, side by side with those of their kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rich.console import Console

    from vision.card import Trained

_NOT_COMPARED: Final = frozenset(
    {"unseen_windows", "windows", "crops", "objects", "calibration_crops", "parity_max_difference", "temperature"}
)
"""What is on a card and says nothing about how good a model is."""


def print_models(trained: Sequence[Trained], in_use: Collection[str], console: Console) -> None:
    """Every model trained side by side with those of its kind.

    Args:
        trained: oldest first.
        in_use: sha256 of the models that read.
        console: where to print.
    """
    for name in dict.fromkeys(each.name for each in trained):
        mine = [each for each in trained if each.name == name]
        table = Table(title=f"{name}: models trained, each measured on windows held out then", title_justify="left")
        table.add_column("")
        for each in mine:
            used = each.sha256 in in_use
            table.add_column(each.sha256[:8], justify="right", style="bold" if used else "")
        table.add_row("in use", *("yes" if each.sha256 in in_use else "" for each in mine))
        for words in ("windows", "steps", "minutes"):
            table.add_row(words, *(f"{getattr(each, words):g}" for each in mine))
        for key in dict.fromkeys(key for each in mine for key in each.measured if key not in _NOT_COMPARED):
            cells = (f"{each.measured[key]:.4g}" if key in each.measured else "" for each in mine)
            table.add_row(key.replace("_", " "), *cells)
        console.print(table)
