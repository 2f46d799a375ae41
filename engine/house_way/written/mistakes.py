"""Mistakes in a file, with line and column, and the error that collects them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.errors import RulebookFileError
from engine.house_way.written.phrases import printable

if TYPE_CHECKING:
    from engine.house_way.rules import Place


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake at one position in a file, with advice."""

    place: Place
    words: str

    def __str__(self) -> str:
        return f"{self.place}: {self.words}"


class WayFileError(RulebookFileError):
    """A House Way file with mistakes; the message shows the first one.

    Attributes:
        file: its name.
        mistakes: all of them, in file order.
    """

    def __init__(self, file: str, mistakes: tuple[Mistake, ...]) -> None:
        """Name the file, the first mistake, and how many more there are."""
        file = printable(file)
        more = len(mistakes) - 1
        others = f"; and {more} more, houseway house-way check {file} names them all" if more else ""
        super().__init__(f"{file}: {mistakes[0]}{others}")
        self.file = file
        self.mistakes = mistakes
