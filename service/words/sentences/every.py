"""Every code with its sentences, all in one place: of several, the first whose parameters are all there is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.diagnoses import DiagnosisCode
from service.words.sentences.audit import AUDIT
from service.words.sentences.calibration import CALIBRATION
from service.words.sentences.capture import CAPTURE
from service.words.sentences.floor import FLOOR
from service.words.sentences.reading import READING
from service.words.sentences.record import RECORD
from service.words.sentences.service import SERVICE
from service.words.sentences.status import STATUS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

DIAGNOSES: Final[Mapping[StrEnum, tuple[str, ...]]] = {code: (code.sentence,) for code in DiagnosisCode}
SENTENCES: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    **READING,
    **SERVICE,
    **STATUS,
    **RECORD,
    **AUDIT,
    **FLOOR,
    **CAPTURE,
    **CALIBRATION,
    **DIAGNOSES,
}

CODES: Final[Mapping[str, StrEnum]] = {str(code): code for code in SENTENCES}
"""Every code by how it is written."""
