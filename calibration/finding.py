"""Findings as values: a code from a closed list with its parameters.

A finding is created at its source and passed on unchanged. It becomes a sentence where a person reads it
(``service.words``), in the reader's language.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Self, TypeAlias

if TYPE_CHECKING:
    from enum import StrEnum

    from calibration.codes import CalibrationCode

Param: TypeAlias = str | int | float | tuple[str, ...] | tuple["Finding", ...]
"""A parameter: a face such as ``6-5``, a place, a count, a percentage, several of these, or underlying findings.
``why`` holds text from elsewhere: the operating system, a driver, a rulebook.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """Information for a person or a program: a doubt about one object, or a fault of picture or table.

    Attributes:
        code: from a closed list.
        params: by name, in the given order.
        about: the part concerned, such as the face of one tile of a hand; empty for the object itself.
    """

    code: StrEnum
    params: tuple[tuple[str, Param], ...] = ()
    about: str = ""

    @classmethod
    def of(cls, code: StrEnum, /, **params: Param) -> Finding:
        return cls(code, tuple(params.items()))

    def __str__(self) -> str:
        """The code with its parameters, for logs: ``low_confidence(face=6-5, percent=71)``."""
        params = ", ".join(f"{name}={_in_log(value)}" for name, value in self.params)
        return f"{self.about}: " * bool(self.about) + self.code + (f"({params})" if params else "")

    def regarding(self, about: object) -> Finding:
        """A copy about a part of something larger."""
        return replace(self, about=str(about))


@dataclass(frozen=True, slots=True)
class NotSolved:
    """A fit that failed, or is too inaccurate: why, and the next step. Falsy, so that it cannot pass for a fit."""

    reason: Finding
    advice: Finding

    @classmethod
    def of(cls, reason: CalibrationCode, advice: CalibrationCode, /, **params: Param) -> NotSolved:
        """Make one from codes; the parameters are those of the reason."""
        return cls(Finding.of(reason, **params), Finding(advice))

    def __bool__(self) -> Literal[False]:
        return False


class CodedError(Exception):
    """An error whose reason is a finding; its text is for logs.

    Attributes:
        finding: the reason.
    """

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding)
        self.finding = finding

    @classmethod
    def of(cls, code: StrEnum, /, **params: Param) -> Self:
        """Make an error of a code with its parameters."""
        return cls(Finding.of(code, **params))


def _in_log(value: Param) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
