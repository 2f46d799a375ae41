"""All checks of the doctor, in the order in which faults are best repaired, and the self-test at the start."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from service.record.health import Check, Watch
from service.record.store.entries import RecordUnavailableError
from service.system.settings import load_config
from service.system.settings_file import ConfigError
from service.table.doctor import machine_checks, program_checks, table_checks
from service.table.doctor.diagnosis import Diagnosis
from service.table.doctor.machine_checks import ClockWatch
from service.table.doctor.program_checks import record
from service.words.codes import ServiceCode
from service.words.diagnoses import DiagnosisCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.record import Record
    from service.system.settings import Config


_ROOT: Final = Path("/")


def examine(settings: Path) -> Iterator[Diagnosis]:
    """Make all checks, one after the other; those of a table for each table with a camera."""
    yield program_checks.python()
    yield program_checks.libraries()
    yield program_checks.code()
    try:
        config = load_config(settings)
    except ConfigError as error:
        yield program_checks.models()
        yield Diagnosis.of(DiagnosisCode.SETTINGS_WRONG, why=error)
        return
    yield program_checks.models(config.weights_folder, config.models_folder)
    names = ", ".join(table.name for table in config.tables)
    yield Diagnosis.of(DiagnosisCode.SETTINGS_WELL, path=settings, tables=names)
    running = machine_checks.running(config) is not None
    for table in config.local:
        for one in _examine_table(config.of_table(table), running=running):
            yield replace(one, table=table.name)
    yield from record(config, _ROOT)
    yield machine_checks.disk(config)
    yield machine_checks.memory(_ROOT)
    yield machine_checks.handles(config)
    yield machine_checks.temperature(_ROOT)
    yield machine_checks.power(_ROOT)
    yield machine_checks.port(config)
    yield machine_checks.tls(config)
    yield from machine_checks.secrets(config, settings)


def _examine_table(config: Config, *, running: bool) -> Iterator[Diagnosis]:
    yield table_checks.rulebook(config)
    yield table_checks.calibration(config)
    yield table_checks.enrolment(config)
    yield table_checks.dice(config)
    yield table_checks.markers(config)
    if config.table.watched.declared.pictures == "live" and running:
        yield Diagnosis.of(DiagnosisCode.SOURCE_IN_USE, table=config.table.name)
    else:
        yield from table_checks.source(config)
    if (places := table_checks.layout(config)) is not None:
        yield places
    yield machine_checks.clock(config.table.clock_needed)


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
        program_checks.python(),
        program_checks.libraries(),
        program_checks.code(),
        program_checks.models(config.weights_folder, config.models_folder),
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
    return (lambda: tested, ClockWatch(config.table.clock_needed, _newest(record)).check)


def _newest(record: Record) -> datetime | None:
    """Return the moment of the newest entry; None for an empty or unreadable record."""
    try:
        head = record.head()
    except RecordUnavailableError:
        return None
    return None if head is None else datetime.fromisoformat(head.at)
