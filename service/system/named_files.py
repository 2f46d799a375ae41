"""Files that the settings name: whether they are there and can be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.books.way_files import is_file
from service.system.remote_settings import RemoteTableConfig
from service.system.settings_file import ConfigError, SettingsFile
from service.system.table_settings import LocalTableConfig

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.system.settings import Config
    from service.system.settings_file import KeyPath


def unreadable(path: Path, config: Config) -> Iterator[str]:
    """Each file that settings read from ``path`` name and that cannot be read, as a fault with its line.

    Folders that the service makes itself need not be there, nor an enrolment, which is written at the first display.
    """
    written = SettingsFile.read(path)
    for key, file in _named(config):
        if (why := _why_not(file)) is not None:
            yield written.fault(key, f"{file}: {why}")
    try:
        config.secrets()
        for webhook in config.webhooks:
            webhook.secrets()
    except ConfigError as error:
        yield f"{path}: {error}"


def _named(config: Config) -> Iterator[tuple[KeyPath, Path]]:
    server, mqtt = config.server, config.mqtt
    found: dict[KeyPath, Path | None] = {
        ("bucket", "ca_file"): None if config.bucket is None else config.bucket.ca_file,
        ("server", "tls_certificate"): server.tls_certificate,
        ("server", "tls_key"): server.tls_key,
        ("mqtt", "ca_file"): None if mqtt is None else mqtt.ca_file,
        ("letter", "ca_file"): None if config.letter is None else config.letter.ca_file,
        ("models", "shadow"): config.models.shadow,
        ("models", "weights"): config.models.weights,
    }
    for place, table in enumerate(config.tables):
        found |= {("tables", place, key): file for key, file in _of_table(table)}
        if isinstance(table, LocalTableConfig) and table.source is not None and table.source.kind == "path":
            found["tables", place, "source", "path"] = table.source.path
    yield from ((key, file) for key, file in found.items() if file is not None)


def _of_table(table: LocalTableConfig | RemoteTableConfig) -> Iterator[tuple[str, Path | None]]:
    if isinstance(table, RemoteTableConfig):
        yield "ca_file", table.ca_file
        return
    yield "calibration", table.calibration
    for key, file in (("enrolment", table.enrolment), ("dice", table.dice)):
        yield key, file if file is not None and file.exists() else None
    yield "markers", table.markers
    yield from ((key, Path(way)) for key in ("rulebook", "house_way") if is_file(way := getattr(table, key) or ""))


def _why_not(file: Path) -> str | None:
    """Why a file or folder cannot be read; None if it can."""
    try:
        if file.is_dir():
            next(file.iterdir(), None)
        else:
            with file.open("rb") as opened:
                opened.read(1)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None
