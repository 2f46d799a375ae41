"""The settings of several tables on one computer: where the page of all is, and the settings file of each.

A file with ``[[tables]]`` names the tables' own files; what stands in those is said nowhere twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field, ValidationError

from service.config.section import File, Section
from service.config.service_settings import LimitsConfig, LogConfig, PageConfig, ServerConfig
from service.config.settings import Config, begun_config, config_of, names_source
from service.config.settings_file import ConfigError, SettingsFile, faults

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from pathlib import Path

    from service.config.settings import Given
    from service.config.settings_file import KeyPath

MOST_TABLES: Final = 4
"""Cameras that one computer is measured with."""
_LAST_PORT: Final = 65_535


class OneOfTables(Section):
    """One table of several.

    Attributes:
        settings: the table's own settings file; if it does not exist yet, the table is set up in the page.
        port: port of the table's own page; if left out that of the page of all tables, plus the table's place in the
            list.
    """

    settings: File
    port: Annotated[int | None, Field(ge=1, le=_LAST_PORT)] = None


class TablesConfig(Section):
    """Several tables on one computer: the page of all, and the settings file of each."""

    tables: Annotated[tuple[OneOfTables, ...], Field(min_length=1, max_length=MOST_TABLES)]
    server: ServerConfig = ServerConfig()
    limits: LimitsConfig = LimitsConfig()
    log: LogConfig = LogConfig()
    page: PageConfig = PageConfig()


@dataclass(frozen=True, slots=True)
class NamedTable:
    """One table of several, as it is to be run.

    Attributes:
        path: its settings file.
        config: its settings.
        port: of its own page.
        given: what stands in place of what its file says, by section and key.
        chosen: whether its file names a source; one that does not is set up in the page.
    """

    path: Path
    config: Config
    port: int
    given: Given
    chosen: bool

    @property
    def name(self) -> str:
        """The table's name."""
        return self.config.table.name


@dataclass(frozen=True, slots=True)
class Tables:
    """Several tables on one computer.

    Attributes:
        path: the file that names them.
        config: what holds for all.
        each: the tables, in the file's order; the first one's record has everybody's accounts.
    """

    path: Path
    config: TablesConfig
    each: tuple[NamedTable, ...]


def is_tables_file(path: Path) -> bool:
    """Whether a settings file names several tables; one that cannot be read is left to who reads it as a table's."""
    try:
        values = SettingsFile.read(path).values
    except ConfigError:
        return False
    return "tables" in values and "floor" not in values


def load_tables(path: Path, *, host: str | None = None, port: int | None = None) -> Tables:
    """Read the settings of several tables, and those of each; ConfigError if they cannot be used or do not go together.

    Args:
        path: the file that names the tables.
        host: in place of the file's.
        port: of the page of all tables, in place of the file's.
    """
    file = SettingsFile.read(path)
    for name, value in {"host": host, "port": port}.items():
        if value is not None:
            file.put(("server", name), value, f"option --{name}")
    try:
        config = TablesConfig.model_validate(file.values, context={"folder": path.resolve().parent})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        known: dict[KeyPath, Collection[str]] = {(): TablesConfig.model_fields, ("tables",): OneOfTables.model_fields}
        raise ConfigError(faults(file, found, known)) from None
    each = tuple(_named(file, config, place) for place in range(len(config.tables)))
    if wrong := list(_do_not_go_together(file, config, each)):
        raise ConfigError("\n".join(wrong))
    return Tables(path, config, each)


def _named(file: SettingsFile, config: TablesConfig, place: int) -> NamedTable:
    one = config.tables[place]
    port = one.port or (config.server.port + place + 1 if config.server.port else 0)
    origin = f"{file.path}: [[tables]]"
    server: dict[str, Any] = config.server.model_dump(mode="json", exclude_unset=True, exclude={"port"})
    given: dict[tuple[str, str], tuple[object, str]] = {
        ("server", name): (value, origin) for name, value in server.items()
    }
    if place > 0:
        given["accounts", "of"] = (str(config.tables[0].settings), origin)
    try:
        written = SettingsFile.read_or_new(one.settings)
        chosen = names_source(written)
        read = config_of if chosen else begun_config
        return NamedTable(one.settings, read(written, port=port, given=given), port, given, chosen)
    except ConfigError as error:
        raise ConfigError(file.said(("tables", place, "settings"), str(error))) from None


def _do_not_go_together(file: SettingsFile, config: TablesConfig, each: tuple[NamedTable, ...]) -> Iterator[str]:
    """Faults of tables that want the same thing, one a line, with the line of the later one."""
    wanted: Mapping[str, Callable[[NamedTable], object]] = {
        "is read from the settings file {}": lambda one: one.path,
        "has the name {}": lambda one: repr(one.name),
        "keeps its record in {}": _record_of,
        "reads the camera {}": lambda one: _camera_of(one.config) if one.chosen else None,
        "has its page at port {}": lambda one: one.port or None,
    }
    for place, one in enumerate(each):
        before = each[:place]
        for says, of in wanted.items():
            what = of(one)
            if what is not None and (same := next((other for other in before if of(other) == what), None)):
                told = f"{says.format(what)}, as the table {same.name!r} before it does; each needs its own"
                yield file.said(("tables", place), f"the table {one.name!r} {told}")
                break
        if one.port == config.server.port and one.port != 0:
            yield file.said(("tables", place), f"port {one.port} is that of the page of all tables")
        if one.port > _LAST_PORT:
            yield file.said(("tables", place), f"there is no port {one.port}: give this table a port of its own")


def _record_of(one: NamedTable) -> object:
    url = one.config.record.url
    return one.config.record_folder.resolve() if url is None else str(url)


def _camera_of(config: Config) -> object:
    """What only one program can read, or what would show one table twice; None for films and simulated tables."""
    return config.source.declared.exclusive(config.source)
