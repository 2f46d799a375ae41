"""Why a House Way that is written as a program fails: where in its file, and which name is meant by an unknown one."""

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
    """How a program fails.

    Attributes:
        words: with which error, and the nearest name to one that there is not.
        place: where in the file; None if it failed elsewhere.
        unknown: the name that there is not; None if it fails otherwise.
    """

    words: str
    place: Place | None = None
    unknown: str | None = None

    def __str__(self) -> str:
        """Place and words."""
        return f"{self.place}: {self.words}" if self.place else self.words


def failing(error: Exception, file: str) -> Failing:
    """How a program failed whose file has that name."""
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
    """Where in a file an error was raised, or where what raised it was called."""
    found, each = None, error.__traceback__
    while each is not None:
        if each.tb_frame.f_code.co_filename == file:
            _, _, column, _ = next(islice(each.tb_frame.f_code.co_positions(), each.tb_lasti // 2, None))
            found = Place(each.tb_lineno, (column or 0) + 1)
        each = each.tb_next
    return found


def _known(error: NameError | AttributeError, frame: FrameType | None) -> Iterable[str]:
    """The names that could have been meant."""
    if isinstance(error, AttributeError):
        return [name for name in dir(error.obj) if not name.startswith("_")]
    return [] if frame is None else [*frame.f_locals, *frame.f_globals, *dir(builtins)]
