"""What the doctor or the self-test found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from service.words.findings import remedy_of, words_of
from vision.findings import Finding

if TYPE_CHECKING:
    from service.words.diagnoses import DiagnosisCode, Level
    from vision.findings import Param


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, with the values that its sentence names."""

    code: DiagnosisCode
    finding: Finding

    @classmethod
    def of(cls, code: DiagnosisCode, **params: object) -> Diagnosis:
        """What was found; parameters that are no numbers or findings are written as text."""
        return cls(code, Finding.of(code, **{name: _param(value) for name, value in params.items()}))

    @property
    def name(self) -> str:
        """What was looked at, a stable word."""
        return self.code.subject

    @property
    def level(self) -> Level:
        """How well it is."""
        return self.code.level

    @property
    def message(self) -> str:
        """How it is, in English."""
        return str(words_of(self.finding))

    @property
    def remedy(self) -> str:
        """What to do, in English; empty if it is well."""
        return str(remedy_of(self.finding))


def _param(value: object) -> Param:
    return value if isinstance(value, str | int | float | tuple) else str(value)
