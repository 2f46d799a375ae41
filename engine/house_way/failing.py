"""Failures of a House Way written as a program: location in its file, and suggestions for an undefined name."""

from __future__ import annotations

import builtins
import traceback
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

from engine.house_way.rules import Place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FrameType


@dataclass(frozen=True, slots=True)
class Failing:
    """A failure of a program.

    Attributes:
        words: the error, and the nearest match for an undefined name.
        place: location in the file; None if it failed elsewhere.
        unknown: the undefined name; None for other failures.
    """

    words: str
    place: Place | None = None
    unknown: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.words}" if self.place else self.words


def failing(error: Exception, file: str) -> Failing:
    """Describe a failure of the program with this file name."""
    if isinstance(error, SyntaxError):
        place = Place(error.lineno, max(error.offset or 1, 1)) if error.lineno else None
        return Failing(f"{type(error).__name__}: {error.msg}", place)
    inside = [each for each in traceback.walk_tb(error.__traceback__) if each[0].f_code.co_filename == file]
    frame = inside[-1][0] if inside else None
    place = _place(error, file)
    words = f"{type(error).__name__}: {error}"
    if not isinstance(error, NameError | AttributeError) or not error.name:
        return Failing(words, place)
    near = get_close_matches(error.name, _known(error, frame), n=1)
    return Failing(f"{words} (did you mean {near[0]!r}?)" if near else words, place, error.name)


def _place(error: Exception, file: str) -> Place | None:
    """Location in the file where the error was raised, or of the call that raised it."""
    found, each = None, error.__traceback__
    while each is not None:
        if each.tb_frame.f_code.co_filename == file:
            _, _, column, _ = next(islice(each.tb_frame.f_code.co_positions(), each.tb_lasti // 2, None))
            found = Place(each.tb_lineno, (column or 0) + 1)
        each = each.tb_next
    return found


def _known(error: NameError | AttributeError, frame: FrameType | None) -> Iterable[str]:
    """Defined names that may have been meant."""
    if isinstance(error, AttributeError):
        return [name for name in dir(error.obj) if not name.startswith("_")]
    return [] if frame is None else [*frame.f_locals, *frame.f_globals, *dir(builtins)]
