"""All checks of the doctor, in the order in which faults are best repaired."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from service.system.settings import load_table
from service.system.settings_file import ConfigError
from service.table.doctor import machine_checks, software_checks, table_checks
from service.table.doctor.diagnosis import Diagnosis
from service.table.doctor.record_checks import record
from service.words.diagnoses import DiagnosisCode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from service.record.integrity.verify import Look
    from service.system.settings import Config


def examine(
    settings: Path,
    *,
    root: Path = Path("/"),
    patience_s: float = table_checks.PATIENCE_S,
    beside: Mapping[str, Look] | None = None,
    known: Config | None = None,
) -> Iterator[Diagnosis]:
    """Make all checks, one after the other.

    Args:
        settings: the settings file.
        root: root of the file system.
        patience_s: longest wait for the camera's first picture, seconds.
        beside: comparisons of further tables with the record, by table name.
        known: the settings in force, if they differ from the file's.
    """
    yield software_checks.python()
    yield software_checks.libraries()
    yield software_checks.code()
    try:
        config = known or load_table(settings)
    except ConfigError as error:
        yield software_checks.models()
        yield Diagnosis.of(DiagnosisCode.SETTINGS_WRONG, why=error)
        return
    yield software_checks.models(config.weights_folder, config.models_folder)
    yield Diagnosis.of(DiagnosisCode.SETTINGS_WELL, path=settings, table=config.table.name)
    yield table_checks.rulebook(config)
    yield table_checks.calibration(config)
    yield table_checks.enrolment(config)
    yield table_checks.markers(config)
    if config.table.watched.kind != "path" and machine_checks.running(config):
        yield Diagnosis.of(DiagnosisCode.SOURCE_IN_USE, table=config.table.name)
    else:
        yield from table_checks.source(config, patience_s=patience_s)
    if (places := table_checks.layout(config)) is not None:
        yield places
    yield from record(config, root, beside)
    yield machine_checks.disk(config)
    yield machine_checks.memory(root)
    yield machine_checks.handles(config)
    yield machine_checks.clock(config.table.clock)
    yield machine_checks.temperature(root)
    yield machine_checks.power(root)
    yield machine_checks.port(config)
    yield machine_checks.tls(config)
    yield from machine_checks.secrets(config, settings)
