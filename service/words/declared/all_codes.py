"""The declarations of all codes, by code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.declared.camera_findings import CAMERA_FINDINGS
from service.words.declared.declaration import doubt, note
from service.words.declared.part_doubts import PART_DOUBTS
from service.words.declared.record_findings import RECORD_FINDINGS
from service.words.declared.service_findings import SERVICE_FINDINGS, STATUS_FINDINGS
from service.words.declared.table_findings import TABLE_FINDINGS
from service.words.diagnoses import DiagnosisCode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from service.words.declared.declaration import Declaration

_DIAGNOSES: Final = tuple(
    doubt(code, code.sentence, about="computer", cause="self_test", group="table")
    if code.level == "fail"
    else note(code, code.sentence, about="computer")
    for code in DiagnosisCode
)
EVERY: Final[tuple[Declaration, ...]] = (
    *PART_DOUBTS,
    *TABLE_FINDINGS,
    *SERVICE_FINDINGS,
    *STATUS_FINDINGS,
    *RECORD_FINDINGS,
    *CAMERA_FINDINGS,
    *_DIAGNOSES,
)
_BY_CODE: Final[Mapping[str, Declaration]] = {str(each.code): each for each in EVERY}


def declaration_of(code: str) -> Declaration | None:
    """Return the declaration of a code; None for a code of another version."""
    return _BY_CODE.get(code)


def cause_of(code: str) -> str:
    """Return the metric label of a doubt; ``other`` for a code of another version.

    >>> cause_of("low_confidence")
    'classifier'
    """
    found = declaration_of(code)
    return "other" if found is None else found.cause
