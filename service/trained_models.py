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
        figures = [key for key in mine[-1].measured if key not in _NOT_COMPARED]
        table = Table(title=f"{name}: models trained, measured on held-out windows", title_justify="left")
        for column in ("model", "windows", "steps", "minutes", *(key.replace("_", " ") for key in figures)):
            table.add_column(column, justify="left" if column == "model" else "right")
        for each in mine:
            cells = (f"{each.measured[key]:.4g}" if key in each.measured else "" for key in figures)
            used = each.sha256 in in_use
            row = (each.sha256[:8], str(each.windows), str(each.steps), f"{each.minutes:g}", *cells)
            table.add_row(*row, style="bold" if used else "")
        console.print(table)
