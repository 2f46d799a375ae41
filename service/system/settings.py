"""The settings of a service, read once from TOML into frozen values; an unknown key is an error."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias, get_args

from pydantic import BaseModel, Discriminator, Field, Tag, ValidationError, field_validator, model_validator

from service.system.account_settings import AccountsConfig
from service.system.remote_settings import BucketConfig, EvidenceConfig, PitConfig, RemoteTableConfig
from service.system.section import Section
from service.system.service_settings import (
    AuditConfig,
    LearningConfig,
    LimitsConfig,
    LogConfig,
    ModelsConfig,
    PageConfig,
    ReadConfig,
    RecordConfig,
    ServerConfig,
    ServiceConfig,
    WitnessConfig,
)
from service.system.settings_file import ConfigError, SettingsFile, faults
from service.system.subscriber_settings import LetterConfig, MqttConfig, Webhooks, subscriber_secrets
from service.system.table_settings import LocalTableConfig
from vision.addresses import secret_parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from pydantic_core import ErrorDetails

    from service.system.settings_file import KeyPath

SAMPLE_CONFIG: Final = Path(__file__).resolve().parents[2] / "config" / "sample.toml"
SAMPLE_PICTURES: Final = SAMPLE_CONFIG.parents[1] / "service" / "sample" / "pictures"
"""Single pictures of the sample's film."""
RECORD_URL_VARIABLE: Final = "HOUSEWAY_RECORD_URL"
SOURCE_URL_VARIABLE: Final = "HOUSEWAY_SOURCE_URL"
"""Of the first local table."""
SECRETS: Final[Mapping[tuple[str, ...], str]] = {
    ("record", "url"): RECORD_URL_VARIABLE,
    ("tables", "source", "url"): SOURCE_URL_VARIABLE,
}
"""Keys that may come from the environment, or from a file named by ``KEY_file`` or the variable's ``_FILE``."""
MOST_TABLES: Final = 2_000
MOST_LOCAL: Final = 4

_LONGEST_NAME: Final = 40
_NO_TABLES: Final = (
    "no [[tables]] is given: add one with a name and a [tables.source], or with the url of the table's own service"
)
_ATTRIBUTE: Final = re.compile(r"^    (\w+): (.*(?:\n {5,}.*)*)", re.MULTILINE)
_LOCAL: Final = "local"
_REMOTE: Final = "remote"


def kind_of_table(values: object) -> str:
    """Whether a table is local or remote, before it is known to make sense."""
    remote = "url" in values if isinstance(values, dict) else isinstance(values, RemoteTableConfig)
    return _REMOTE if remote else _LOCAL


TableConfig: TypeAlias = Annotated[
    Annotated[LocalTableConfig, Tag(_LOCAL)] | Annotated[RemoteTableConfig, Tag(_REMOTE)],
    Discriminator(kind_of_table),
]


class Config(Section):
    """All settings of a service, in one frozen value."""

    service: ServiceConfig = ServiceConfig()
    pits: tuple[PitConfig, ...] = ()
    tables: Annotated[tuple[TableConfig, ...], Field(max_length=MOST_TABLES)]
    server: ServerConfig = ServerConfig()
    accounts: AccountsConfig = AccountsConfig()
    record: RecordConfig = RecordConfig()
    evidence: EvidenceConfig = EvidenceConfig()
    bucket: BucketConfig | None = None
    audit: AuditConfig = AuditConfig()
    limits: LimitsConfig = LimitsConfig()
    read: ReadConfig = ReadConfig()
    log: LogConfig = LogConfig()
    page: PageConfig = PageConfig()
    learning: LearningConfig = LearningConfig()
    models: ModelsConfig = ModelsConfig()
    webhooks: Webhooks = ()
    mqtt: MqttConfig | None = None
    letter: LetterConfig | None = None
    witnesses: Annotated[tuple[WitnessConfig, ...], Field(max_length=16)] = ()

    @model_validator(mode="before")
    @classmethod
    def _is_named_as_its_only_table(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        given = values.get("service", {}) if isinstance(values, dict) else None
        if not isinstance(given, dict) or "name" in given:
            return values
        tables = values.get("tables")
        only = tables[0] if isinstance(tables, list | tuple) and len(tables) == 1 else {}
        keys = only if isinstance(only, dict) else vars(only) if isinstance(only, Section) else {}
        named = {key: keys[key] for key in ("name", "title") if keys.get(key)}
        try:
            ServiceConfig.model_validate(named)
        except ValidationError:
            named = {}  # the fault is reported for the table itself
        return {**values, "service": {**named, **given}}

    @field_validator("tables", mode="before")
    @classmethod
    def _may_be_several(cls, values: Any) -> Any:  # noqa: ANN401  whatever the file says
        if isinstance(values, dict):
            raise ValueError("write [[tables]], with two brackets: there may be several")  # noqa: TRY004
        return values

    @model_validator(mode="after")
    def _witnesses_have_names_of_their_own(self) -> Self:
        if len({witness.name for witness in self.witnesses}) < len(self.witnesses):
            raise ValueError("two witnesses have the same name")
        return self

    @property
    def local(self) -> tuple[LocalTableConfig, ...]:
        """The tables that this service watches itself."""
        return tuple(table for table in self.tables if isinstance(table, LocalTableConfig))

    @property
    def remote(self) -> tuple[RemoteTableConfig, ...]:
        """The tables that other services watch, and this one collects."""
        return tuple(table for table in self.tables if isinstance(table, RemoteTableConfig))

    @property
    def table(self) -> LocalTableConfig:
        """The only local table; ConfigError unless there is exactly one."""
        if len(self.local) != 1:
            raise ConfigError(f"one table with a camera is needed here; the settings have {len(self.local)}")
        return self.local[0]

    def of_table(self, table: LocalTableConfig) -> Config:
        changes: dict[str, object] = {"tables": (table,)}
        if len(self.local) > 1:
            # Each table learns from its own tiles only.
            changes["learning"] = self.learning.model_copy(update={"folder": self.crops_folder / table.name})
        return self.model_copy(update=changes)

    def public(self) -> dict[str, Any]:
        """The settings as JSON has them, without a secret."""
        return self.model_dump(mode="json", by_alias=True)

    def secrets(self) -> tuple[str, ...]:
        """Every secret in the settings, so that none is written anywhere; ConfigError if one cannot be read."""
        addresses = [table.source.url for table in self.local if table.source is not None]
        addresses += [self.record.url, *(witness.url for witness in self.witnesses)]
        secrets = {part for each in addresses if each is not None for part in secret_parts(each.get_secret_value())}
        secrets |= {table.key() for table in self.remote}
        if self.bucket is not None:
            secrets.add(self.bucket.key()[1])
        if self.accounts.oidc is not None:
            secrets.add(self.accounts.oidc.secret())
        return tuple(sorted(secrets | subscriber_secrets(self.webhooks, self.mqtt, self.letter)))

    @property
    def subject(self) -> str:
        """The name under which changes of the settings are recorded."""
        return self.service.name

    @property
    def names(self) -> tuple[str, ...]:
        """Names that somebody knows who knows this service: none of them is a password."""
        named = (self.service, *self.pits, *self.tables)
        books = (table.rulebook for table in self.local)
        return (self.server.host, *(each.name for each in named), *(each.title for each in named), *books)

    @property
    def record_folder(self) -> Path:
        if self.record.folder is not None:
            return self.record.folder
        # The XDG base directory specification: what is to persist, but is neither settings nor the user's documents.
        state = os.environ.get("XDG_STATE_HOME", "")
        base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
        return base / "houseway" / self.service.name

    @property
    def crops_folder(self) -> Path:
        """Where crops are kept that the table learns from."""
        return self.learning.folder or self.record_folder / "crops"

    @property
    def models_folder(self) -> Path:
        """Where the tile models lie that were put in use at this table, and what others read beside them."""
        return self.record_folder / "models"

    @property
    def weights_folder(self) -> Path:
        """Where the models lie that are used but for a tile model of the table's own."""
        from vision.networks.runtime import default_weights  # noqa: PLC0415  not before networks are wanted

        return self.models.weights or default_weights()


def load_config(path: Path, *, host: str | None = None, port: int | None = None) -> Config:
    """Read a settings file; ``host`` and ``port`` take the place of the file's; ConfigError if it cannot be used."""
    return config_of(SettingsFile.read(path), host=host, port=port)


def load_table(path: Path) -> Config:
    """Read the settings of one table with a camera; ConfigError if they cannot be used, or are not of such a table."""
    config = load_config(path)
    if len(config.local) != 1 or config.remote:
        what = f"settings of one table with a camera are needed here; these are of {_counted(config)}"
        raise ConfigError(f"{path}: {what}")
    return config


def _counted(config: Config) -> str:
    tables = (config.local, "with a camera"), (config.remote, "with a url")
    return " and ".join(f"{len(some)} table{'s' * (len(some) > 1)} {what}" for some, what in tables if some)


def begun_config(file: SettingsFile, *, host: str | None = None, port: int | None = None) -> Config:
    """Settings of a table that is still to be set up: its source may be missing, and its name; ConfigError."""
    without_tables = [] if "tables" in file.values else [file.fault(("tables",), _NO_TABLES)]
    tables = file.values.setdefault("tables", [{}])
    if isinstance(tables, list) and len(tables) == 1 and isinstance(tables[0], dict) and "name" not in tables[0]:
        name = re.sub("[^a-z0-9]+", "-", file.path.stem.lower()).strip("-")[:_LONGEST_NAME].strip("-")
        file.put(("tables", 0, "name"), name or "table", "the name of the file")
    try:
        return config_of(file, host=host, port=port, unfinished=True)
    except ConfigError as error:
        # A wrong key may have been meant as [[tables]].
        raise ConfigError("\n".join((str(error), *without_tables))) from None


def config_of(
    file: SettingsFile, *, host: str | None = None, port: int | None = None, unfinished: bool = False
) -> Config:
    """The settings in a file.

    Args:
        file: the file.
        host: replaces the file's.
        port: replaces the file's.
        unfinished: whether the source of a local table may still be missing.

    Raises:
        ConfigError: it cannot be used; each fault is reported with its line.
    """
    path = file.path
    for name, value in {"host": host, "port": port}.items():
        if value is not None:
            file.put(("server", name), value, f"option --{name}")
    _put_secrets(file)
    try:
        config = Config.model_validate(file.values, context={"folder": path.resolve().parent})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConfigError(faults(file, _with_keys(found), _known())) from None
    if wrong := list(_do_not_go_together(file, config, unfinished=unfinished)):
        raise ConfigError("\n".join(wrong))
    return config


def _put_secrets(file: SettingsFile) -> None:
    file.put_secret(("record", "url"), RECORD_URL_VARIABLE)
    tables = file.values.get("tables")
    listed = tables if isinstance(tables, list) else []
    variable: str | None = SOURCE_URL_VARIABLE
    for place, table in enumerate(listed):
        if isinstance(table, dict) and kind_of_table(table) == _LOCAL:
            file.put_secret(("tables", place, "source", "url"), variable)
            variable = None


def _with_keys(found: Iterable[ErrorDetails]) -> Iterator[tuple[KeyPath, ErrorDetails]]:
    """Faults with their keys as the file has them: pydantic also says which kind of table it looked for."""
    for fault in found:
        key = fault["loc"]
        if key == ("tables",) and fault["type"] == "missing":
            fault["type"], fault["msg"] = "no_tables", _NO_TABLES
        tagged = len(key) > 2 and key[0] == "tables" and key[2] in {_LOCAL, _REMOTE}
        yield (*key[:2], *key[3:]) if tagged else key, fault


def _known() -> Mapping[KeyPath, Collection[str]]:
    """The names that each section may hold, by its key without the numbers in it."""
    known: dict[KeyPath, set[str]] = {(): set(Config.model_fields)}
    for key, kind in sections():
        known.setdefault(key, set()).update(field.alias or name for name, field in kind.model_fields.items())
    return known


def sections() -> Iterator[tuple[tuple[str, ...], type[Section]]]:
    """Each section that a settings file may have, by its path, with its model; ``tables`` twice: local and remote."""
    yield from _sections_in(Config, ())


def _sections_in(kind: type[BaseModel], above: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], type[Section]]]:
    for name, field in kind.model_fields.items():
        for within in _models_in(field.annotation):
            yield (*above, name), within
            yield from _sections_in(within, (*above, name))


def _models_in(annotation: object) -> Iterator[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        yield annotation
    for each in get_args(annotation):
        yield from _models_in(each)


def _do_not_go_together(file: SettingsFile, config: Config, *, unfinished: bool) -> Iterator[str]:
    """Faults of sections that do not fit each other, one a line."""
    if not config.tables:
        yield file.fault(("tables",), _NO_TABLES)
    pits: set[str] = set()
    for place, pit in enumerate(config.pits):
        if pit.name in pits:
            yield file.fault(("pits", place, "name"), f"a pit before it has the name {pit.name!r} too")
        pits.add(pit.name)
    names: set[str] = set()
    for place, table in enumerate(config.tables):
        if table.name in names:
            yield file.fault(("tables", place, "name"), f"a table before it has the name {table.name!r} too")
        elif table.pit is not None and table.pit not in pits:
            yield file.fault(("tables", place, "pit"), f"there is no pit {table.pit!r} in [[pits]]")
        names.add(table.name)
    yield from _of_local(file, config, unfinished=unfinished)
    yield from _of_remote(file, config)
    yield from _of_copies(file, config)
    for place, group in enumerate(() if config.accounts.oidc is None else config.accounts.oidc.groups):
        if unknown := sorted(set(group.pits) - pits):
            fault = f"there is no pit {unknown[0]!r} in [[pits]]"
            yield file.fault(("accounts", "oidc", "groups", place, "pits"), fault)


def _of_local(file: SettingsFile, config: Config, *, unfinished: bool) -> Iterator[str]:
    cameras: dict[tuple[str, object], str] = {}
    local = ((place, table) for place, table in enumerate(config.tables) if isinstance(table, LocalTableConfig))
    for count, (place, table) in enumerate(local):
        if count >= MOST_LOCAL:
            yield file.fault(("tables", place), f"at most {MOST_LOCAL} tables may have a camera; the others need a url")
        if table.source is None:
            if not unfinished:
                yield file.fault(
                    ("tables", place), "a [tables.source] is needed, or the url of the table's own service"
                )
            continue
        camera = (table.source.kind, table.source.declared.exclusive(table.source))
        if camera[1] is not None:
            if (other := cameras.get(camera)) is not None:
                yield file.fault(("tables", place, "source"), f"the table {other!r} before it has this camera too")
            cameras[camera] = table.name


def _of_remote(file: SettingsFile, config: Config) -> Iterator[str]:
    addresses: dict[str, str] = {}
    for place, table in enumerate(config.tables):
        if not isinstance(table, RemoteTableConfig):
            continue
        if (other := addresses.get(table.address)) is not None and other != table.name:
            yield file.fault(("tables", place, "url"), f"the table {other!r} before it is at this address too")
        addresses[table.address] = table.name


def _of_copies(file: SettingsFile, config: Config) -> Iterator[str]:
    places = (config.evidence.folder, config.bucket)
    if config.evidence.copied != "none" and places == (None, None):
        yield file.fault(("evidence", "copy"), f'copy = "{config.evidence.copied}" needs a folder, or a [bucket]')
    if None not in places:
        yield file.fault(("bucket",), "pictures are copied into a folder or into a bucket: leave one of them out")


def config_schema() -> dict[str, Any]:
    """The JSON Schema of the settings, for editors and for tools that write them."""
    schema = Config.model_json_schema()
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "Houseway settings"}
    for _, kind in sections():
        definition = schema["$defs"][kind.__name__]
        definition["description"] = _first_line(kind)
        for name, words in described(kind).items():
            definition["properties"][kind.model_fields[name].alias or name]["description"] = words
    return schema


def described(kind: type[BaseModel]) -> dict[str, str]:
    """What each key of a section is, from the section's docstring.

    >>> from service.system.table_settings import RoundsConfig
    >>> described(RoundsConfig)["keep"]
    'rounds kept in memory; older ones are forgotten.'
    """
    found: dict[str, str] = {}
    for each in reversed(kind.__mro__):
        _, _, attributes = inspect.cleandoc(vars(each).get("__doc__") or "").partition("Attributes:\n")
        known = _ATTRIBUTE.findall(attributes)
        found |= {name: " ".join(words.replace("``", "").split()) for name, words in known if name in kind.model_fields}
    return found


def _first_line(kind: type[BaseModel]) -> str:
    return (inspect.getdoc(kind) or "").partition("\n")[0]
