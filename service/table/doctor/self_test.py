"""Checks that need no picture and that every verified result depends on: the self-test at the start, and the clock."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from service.record.health import Check, Watch
from service.record.store.entries import RecordUnavailableError
from service.table.doctor import software_checks, table_checks
from service.table.doctor.diagnosis import Diagnosis
from service.table.monitor.clock import ClockWatch
from service.words.codes import ServiceCode
from service.words.diagnoses import DiagnosisCode
from vision.findings import Finding

if TYPE_CHECKING:
    from service.record.store.record import Record
    from service.system.settings import Config

NAME = "self_test"
_PLAIN = frozenset({"python", "libraries"})
"""Diagnoses that the versions of every result contain anyway."""


def self_test(config: Config, record: Record) -> tuple[Diagnosis, ...]:
    """Make the checks that are possible before the first picture.

    Args:
        config: the settings.
        record: the open record, which checked its newest entries and signatures when it was opened.
    """
    state = record.state
    recorded = (
        Diagnosis.of(DiagnosisCode.RECORD_END_WELL, record=record.id)
        if state.ok
        # Not a permanent failure: the record recovers automatically, and its own check withholds results until then.
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
    """Return the self-test as one check."""
    failed = tuple(
        Finding.of(ServiceCode.SELF_TEST_FAULT, subject=one.name, found=(one.finding,))
        for one in findings
        if one.level == "fail"
    )
    if failed:
        return Check.of(NAME, ServiceCode.SELF_TEST_FAILED, ok=False, why=failed)
    passed = tuple(one.finding for one in findings if one.name not in _PLAIN)
    return Check.of(NAME, ServiceCode.SELF_TEST_WELL, ok=True, why=passed)


def watches_of(config: Config, record: Record) -> tuple[Watch, ...]:
    """Return the watches of a table service: its self-test, made now, and its clock."""
    tested = as_check(self_test(config, record))
    return (lambda: tested, ClockWatch(config.table.clock, _newest(record)).check)


def _newest(record: Record) -> datetime | None:
    """Return the moment of the newest entry; None for an empty or unreadable record."""
    try:
        head = record.head()
    except RecordUnavailableError:
        return None
    return None if head is None else datetime.fromisoformat(head.at)
