"""The settings of a floor: its own service and database, and the tables that it collects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from service.config.account_settings import AccountsConfig
from service.config.section import (
    Address,
    ClearAddress,
    File,
    Name,
    SecretFile,
    Section,
    Variable,
    WebAddress,
    clear_address,
    needs_one_of,
)
from service.config.service_settings import LimitsConfig, LogConfig, PageConfig, ServerConfig
from service.config.settings_file import ConfigError, SettingsFile, faults, read_secret
from service.config.subscriber_settings import MqttConfig, Webhooks, subscriber_secrets
from service.record.store.record_settings import RecordSettings
from vision.addresses import secret_parts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from service.config.settings_file import KeyPath

MOST_TABLES: Final = 2_000
URL_VARIABLE: Final = "HOUSEWAY_FLOOR_DATABASE_URL"
Title = Annotated[str, Field(max_length=80)]


class _Named(Section):
    @model_validator(mode="before")
    @classmethod
    def _is_titled(cls, told: Any) -> Any:  # noqa: ANN401  whatever the file says
        named = isinstance(told, dict) and not told.get("title") and "name" in told
        return {**told, "title": told["name"]} if named else told


class FloorSection(_Named):
    """The floor.

    Attributes:
        name: the floor's name for programs: small letters, digits and hyphens.
        title: the name people read; the floor's name if left out.
    """

    name: Name
    title: Title = ""


class DatabaseConfig(Section):
    """The PostgreSQL database that everything is collected into.

    Attributes:
        url: SQLAlchemy URL, ``postgresql+pg8000://USER:PASSWORD@HOST/NAME``, or on this machine, by its socket,
            ``postgresql+pg8000://USER@/NAME?unix_sock=/run/postgresql/.s.PGSQL.5432``; only its host is ever shown.
        url_file: file that holds ``url``.
    """

    url: Address
    url_file: File | None = None

    @field_validator("url")
    @classmethod
    def _is_postgresql(cls, url: Address) -> Address:
        text = url.get_secret_value()
        if not text.startswith("postgresql+pg8000://"):
            raise ValueError("a floor needs PostgreSQL: postgresql+pg8000://USER:PASSWORD@HOST/NAME")
        by_socket = re.fullmatch(r"postgresql\+pg8000://([^/@:]+@)?/[^/?]+\?unix_sock=/[^?&@]+", text)
        return url if by_socket else clear_address(url)


class FloorRecordConfig(Section):
    """The floor's own record: who did what on the floor. Its entries are in the floor's database.

    Attributes:
        folder: folder of the record's key; it belongs to one floor alone.
        mark_file: file that remembers the newest checkpoint, so that an older copy of the record is noticed; beside
            ``folder`` if left out.
        cosigned_every_s: how often the newest checkpoint of each table is co-signed, if it has a new one, seconds.
    """

    folder: File
    mark_file: File | None = None
    cosigned_every_s: Annotated[float, Field(ge=1, le=86_400)] = 300.0


class BucketConfig(Section):
    """A bucket of an S3-compatible store, which pictures are copied into in place of a folder.

    Attributes:
        endpoint: address of the store, ``https://HOST[:PORT]`` or ``http://...``.
        name: the bucket's name.
        region: where the store says that it is.
        prefix: what the names of pictures begin with, such as ``floor/``.
        key_id: name of the key that the store is asked with.
        key_file: file with that key.
        key_env: environment variable with the key, instead of a file.
        encryption: how the store is to encrypt: ``none`` as it does by itself, ``AES256`` or ``aws:kms``.
        kms_key: name of the key at the store for ``aws:kms``, if not its usual one.
        ca_file: certificates to trust beside the system's.
    """

    endpoint: ClearAddress
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
    region: Annotated[str, Field(pattern=r"^[a-z0-9-]{1,40}$")] = "us-east-1"
    prefix: Annotated[str, Field(pattern=r"^([A-Za-z0-9._-]{1,60}/){0,8}$")] = ""
    key_id: Annotated[str, Field(min_length=1, max_length=200)]
    key_file: SecretFile | None = None
    key_env: Variable | None = None
    encryption: Literal["none", "AES256", "aws:kms"] = "none"
    kms_key: Annotated[str, Field(min_length=1, max_length=400)] | None = None
    ca_file: File | None = None

    @field_validator("endpoint")
    @classmethod
    def _is_of_the_web(cls, url: ClearAddress) -> ClearAddress:
        if not re.fullmatch(r"https?://[^/\s@?#]+/?", url.get_secret_value()):
            raise ValueError("https://HOST or http://HOST is needed, without a user before HOST or a path behind it")
        return url

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needs_one_of(self, "key_file", "key_env")
        if self.kms_key is not None and self.encryption != "aws:kms":
            raise ValueError('kms_key needs encryption = "aws:kms"')
        return self

    @property
    def address(self) -> str:
        """Where the store is, without a slash at the end."""
        return self.endpoint.get_secret_value().rstrip("/")

    def key(self) -> tuple[str, str]:
        """Name and secret of the key; ConfigError if it cannot be read."""
        return self.key_id, read_secret("bucket", self.key_file, self.key_env)


class FloorEvidenceConfig(Section):
    """Pictures of the tables that are copied to the floor; others are fetched from their table when asked for.

    Attributes:
        copied: which: ``none``, those of rounds that raised an alarm (``alarms``), or ``all``; written ``copy``.
        folder: folder that they are copied into; ``alarms`` and ``all`` need it, or a ``[bucket]``.
        max_mb: the most that they may fill, megabytes.
        min_free_mb: what must stay free on the disk, megabytes.
    """

    copied: Annotated[Literal["none", "alarms", "all"], Field(alias="copy")] = "none"
    folder: File | None = None
    max_mb: Annotated[int, Field(ge=1, le=1_000_000_000)] = 1_000_000
    min_free_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 1_000


class PitConfig(_Named):
    """A part of the floor.

    Attributes:
        name: the pit's name for programs: small letters, digits and hyphens.
        title: the name people read; the pit's name if left out.
    """

    name: Name
    title: Title = ""


class FloorTableConfig(_Named):
    """A table of the floor.

    Attributes:
        name: the table's name on this floor; what was collected is kept under it, so do not change it.
        title: the name people read; the table's name if left out.
        pit: name of the pit that it belongs to.
        url: address of the table's service, ``https://HOST[:PORT][/PATH]`` or ``http://...``.
        key_file: file with a key of the table's with the role ``floor``.
        key_env: environment variable with the key, instead of a file.
        ca_file: certificates to trust instead of the system's.
        record: id of the table's record, if it is not to be taken as it is at the first contact.
    """

    name: Name
    title: Title = ""
    pit: Name | None = None
    url: WebAddress
    key_file: SecretFile | None = None
    key_env: Variable | None = None
    ca_file: File | None = None
    record: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None

    @model_validator(mode="after")
    def _has_one_key(self) -> Self:
        needs_one_of(self, "key_file", "key_env")
        return self

    @property
    def address(self) -> str:
        """Where its service is, without a slash at the end."""
        return self.url.get_secret_value().rstrip("/")

    def key(self) -> str:
        """The key that the table is asked with; ConfigError if it cannot be read."""
        return read_secret(f"table {self.name!r}", self.key_file, self.key_env)


class FloorConfig(Section):
    """Everything the floor service is told, in one frozen value."""

    floor: FloorSection
    database: DatabaseConfig
    record: FloorRecordConfig
    evidence: FloorEvidenceConfig = FloorEvidenceConfig()
    bucket: BucketConfig | None = None
    server: ServerConfig = ServerConfig()
    accounts: AccountsConfig = AccountsConfig()
    limits: LimitsConfig = LimitsConfig()
    page: PageConfig = PageConfig()
    log: LogConfig = LogConfig()
    webhooks: Webhooks = ()
    mqtt: MqttConfig | None = None
    pits: tuple[PitConfig, ...] = ()
    tables: Annotated[tuple[FloorTableConfig, ...], Field(min_length=1, max_length=MOST_TABLES)]

    @property
    def database_url(self) -> str:
        """URL of the database, with its password."""
        return self.database.url.get_secret_value()

    @property
    def subject(self) -> str:
        """The floor's name."""
        return self.floor.name

    @property
    def names(self) -> tuple[str, ...]:
        """What somebody knows who knows this floor: its names, its pits', its tables' and its machine's."""
        named: tuple[FloorSection | PitConfig | FloorTableConfig, ...] = (self.floor, *self.pits, *self.tables)
        return (self.server.host, *(each.name for each in named), *(each.title for each in named))

    def public(self) -> dict[str, Any]:
        """The settings as JSON has them, without a secret."""
        return self.model_dump(mode="json", by_alias=True)

    @property
    def record_settings(self) -> RecordSettings:
        """Where the floor's own record lies."""
        return RecordSettings(folder=self.record.folder, url=self.database_url, mark=self.record.mark_file)

    def secrets(self) -> tuple[str, ...]:
        """Every secret in the settings, so that none is written anywhere; ConfigError if one cannot be read."""
        keys = {table.key() for table in self.tables} | (set() if self.bucket is None else {self.bucket.key()[1]})
        told = subscriber_secrets(self.webhooks, self.mqtt)
        signs_on = set() if self.accounts.oidc is None else {self.accounts.oidc.secret()}
        return tuple(sorted(keys | told | signs_on | set(secret_parts(self.database_url))))


def is_floor_file(path: Path) -> bool:
    """Whether a settings file is a floor's; one that cannot be read is left to who reads it as a table's."""
    try:
        return "floor" in SettingsFile.read(path).values
    except ConfigError:
        return False


def load_floor(path: Path, *, host: str | None = None, port: int | None = None) -> FloorConfig:
    """Read the settings of a floor; ConfigError if they cannot be used, with the line of each fault.

    Args:
        path: the file.
        host: in place of the file's.
        port: in place of the file's.
    """
    file = SettingsFile.read(path)
    for name, value in {"host": host, "port": port}.items():
        if value is not None:
            file.put(("server", name), value, f"option --{name}")
    file.put_secret(("database", "url"), URL_VARIABLE)
    try:
        config = FloorConfig.model_validate(file.values, context={"folder": path.resolve().parent})
    except ValidationError as error:
        raise ConfigError(faults(file, error.errors(include_url=False, include_input=False), _known())) from None
    if wrong := list(_do_not_go_together(file, config)):
        raise ConfigError("\n".join(wrong))
    return config


def _known() -> Mapping[KeyPath, Collection[str]]:
    """The names that each section may hold."""
    known: dict[KeyPath, Collection[str]] = {(): FloorConfig.model_fields}
    for name, told in FloorConfig.model_fields.items():
        for kind in (told.annotation, *get_args(told.annotation)):
            if isinstance(kind, type) and issubclass(kind, Section):
                known[name,] = {field.alias or key for key, field in kind.model_fields.items()}
    return known


def _do_not_go_together(file: SettingsFile, config: FloorConfig) -> Iterator[str]:
    """Faults of sections that do not fit each other, one a line."""
    pits: set[str] = set()
    for place, pit in enumerate(config.pits):
        if pit.name in pits:
            yield file.said(("pits", place, "name"), f"a pit before it has the name {pit.name!r} too")
        pits.add(pit.name)
    names: set[str] = set()
    addresses: dict[str, str] = {}
    for place, table in enumerate(config.tables):
        if table.name in names:
            yield file.said(("tables", place, "name"), f"a table before it has the name {table.name!r} too")
        elif (other := addresses.get(table.address)) is not None:
            yield file.said(("tables", place, "url"), f"the table {other!r} before it is at this address too")
        if table.pit is not None and table.pit not in pits:
            yield file.said(("tables", place, "pit"), f"there is no pit {table.pit!r} in [[pits]]")
        names.add(table.name)
        addresses[table.address] = table.name
    yield from _of_copies(file, config)
    yield from _of_accounts(file, config.accounts, pits)


def _of_copies(file: SettingsFile, config: FloorConfig) -> Iterator[str]:
    places = (config.evidence.folder, config.bucket)
    if config.evidence.copied != "none" and places == (None, None):
        yield file.said(("evidence", "copy"), f'copy = "{config.evidence.copied}" needs a folder, or a [bucket]')
    if None not in places:
        yield file.said(("bucket",), "pictures are copied into a folder or into a bucket: leave one of them out")


def _of_accounts(file: SettingsFile, accounts: AccountsConfig, pits: Collection[str]) -> Iterator[str]:
    for place, group in enumerate(() if accounts.oidc is None else accounts.oidc.groups):
        if unknown := sorted(set(group.pits) - set(pits)):
            told = f"there is no pit {unknown[0]!r} in [[pits]]"
            yield file.said(("accounts", "oidc", "groups", place, "pits"), told)
