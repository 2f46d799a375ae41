"""The result of a failed fit: a separate type, so that it cannot be mistaken for a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from calibration.finding import Finding

if TYPE_CHECKING:
    from calibration.codes import CalibrationCode
    from calibration.finding import Param


@dataclass(frozen=True, slots=True)
class NotSolved:
    """A fit that failed, or is too inaccurate: why, and the next step. It is falsy."""

    reason: Finding
    advice: Finding

    @classmethod
    def of(cls, reason: CalibrationCode, advice: CalibrationCode, /, **params: Param) -> NotSolved:
        """Make one from codes; the parameters are those of the reason."""
        return cls(Finding.of(reason, **params), Finding(advice))

    def __bool__(self) -> Literal[False]:
        return False
