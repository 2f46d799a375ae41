"""What a fit that failed looks like: its own type, so that it can never be taken for a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibration.finding import Finding

if TYPE_CHECKING:
    from calibration.codes import CalibrationCode
    from calibration.finding import Param


@dataclass(frozen=True, slots=True)
class NotSolved:
    """A fit that was not made, or is not good enough to be used: why, and what to do next. It is false."""

    reason: Finding
    advice: Finding

    @classmethod
    def of(cls, reason: CalibrationCode, advice: CalibrationCode, /, **params: Param) -> NotSolved:
        """Make one from codes; the parameters are those of the reason."""
        return cls(Finding.of(reason, **params), Finding(advice))

    def __bool__(self) -> Literal[False]:
        """Never true."""
        return False
