"""A diagnosis of the doctor or the self-test."""

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
    """The result of one check, with the parameters of its sentence.

    Attributes:
        table: the table that was checked; empty if the check is not about one table.
    """

    code: DiagnosisCode
    finding: Finding
    table: str = ""

    @classmethod
    def of(cls, code: DiagnosisCode, **params: object) -> Diagnosis:
        """Return a diagnosis; parameters other than numbers and findings are converted to text."""
        return cls(code, Finding.of(code, **{name: _param(value) for name, value in params.items()}))

    @property
    def name(self) -> str:
        """The subject of the check, a stable word."""
        return self.code.subject

    @property
    def level(self) -> Level:
        return self.code.level

    @property
    def message(self) -> str:
        """The result in English."""
        return str(words_of(self.finding))

    @property
    def remedy(self) -> str:
        """What to do, in English; empty without a fault."""
        return str(remedy_of(self.finding))


def _param(value: object) -> Param:
    return value if isinstance(value, str | int | float | tuple) else str(value)
