"""All that the doctor looks at, in the order in which it is best put right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from service.config.settings import load_config
from service.config.settings_file import ConfigError
from service.monitor.doctor import machine, software, table
from service.monitor.doctor.finding import Finding, fail, warn, well
from service.monitor.doctor.record import record

if TYPE_CHECKING:
    from collections.abc import Iterator


def examine(settings: Path, *, root: Path = Path("/"), patience_s: float = table.PATIENCE_S) -> Iterator[Finding]:
    """Look at everything, one thing after the other.

    Args:
        settings: the table's settings.
        root: where the system's files are.
        patience_s: how long a camera may take to its first picture, seconds.
    """
    yield software.python()
    yield software.libraries()
    yield software.code()
    yield software.models()
    try:
        config = load_config(settings)
    except ConfigError as error:
        yield fail("settings", str(error), "correct them; docs/configuration.md tells what each key is")
        return
    yield well("settings", f"{settings}: table {config.table.name!r}")
    yield table.rulebook(config)
    yield table.calibration(config)
    yield table.enrolment(config)
    if config.source.kind != "path" and machine.running(config):
        yield warn(
            "source",
            "the running service has the camera",
            f"GET /v1/tables/{config.table.name} tells how it is; stop the service to have it looked at here",
        )
    else:
        yield from table.source(config, patience_s=patience_s)
    yield from record(config, root)
    yield machine.disk(config)
    yield machine.memory(root)
    yield machine.clock(config.clock)
    yield machine.temperature(root)
    yield machine.power(root)
    yield machine.port(config)
    yield machine.tls(config)
    yield from machine.secrets(config, settings)
