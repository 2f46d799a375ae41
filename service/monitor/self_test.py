"""What the service looks at before it verifies anything: its code, its models, its calibration and its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.codes import ServiceCode
from service.monitor.doctor import software_checks, table_checks
from service.monitor.doctor.diagnosis import Diagnosis
from service.table.live_state import Check
from service.words.diagnoses import DiagnosisCode
from vision.findings import Finding

if TYPE_CHECKING:
    from service.config.settings import Config
    from service.record.store.record import Record

NAME = "self_test"
_PLAIN = frozenset({"python", "libraries"})
"""Told among the versions of every result."""


def self_test(config: Config, record: Record) -> tuple[Diagnosis, ...]:
    """Everything that can be told before the first picture.

    Args:
        config: the settings.
        record: the open record, which held its newest entries and signatures against each other when it was opened.
    """
    state = record.state
    recorded = (
        Diagnosis.of(DiagnosisCode.RECORD_END_WELL, record=record.id)
        if state.ok
        # Not a failure for ever: the record mends itself, and its own check holds everything back until it has.
        else Diagnosis.of(DiagnosisCode.RECORD_NOT_CHECKED, why=(state.finding,))
    )
    return (
        software_checks.python(),
        software_checks.libraries(),
        software_checks.code(),
        software_checks.models(config.weights_folder, config.models_folder),
        table_checks.calibration(config),
        recorded,
    )


def as_check(findings: tuple[Diagnosis, ...]) -> Check:
    """The self-test as one thing that must be well."""
    failed = tuple(
        Finding.of(ServiceCode.SELF_TEST_FAULT, subject=one.name, found=(one.finding,))
        for one in findings
        if one.level == "fail"
    )
    if failed:
        return Check.of(NAME, ServiceCode.SELF_TEST_FAILED, ok=False, why=failed)
    passed = tuple(one.finding for one in findings if one.name not in _PLAIN)
    return Check.of(NAME, ServiceCode.SELF_TEST_WELL, ok=True, why=passed)
