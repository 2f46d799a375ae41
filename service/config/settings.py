"""One table's settings, read once from TOML into frozen values; an unknown key is an error."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, get_args

from pydantic import BaseModel, Field, ValidationError, model_validator

from service.config.account_settings import AccountsConfig
from service.config.learning_settings import LearningConfig, ModelsConfig
from service.config.section import Section
from service.config.service_settings import (
    AuditConfig,
    LimitsConfig,
    LogConfig,
    PageConfig,
    ReadConfig,
    RecordConfig,
    ServerConfig,
    WitnessConfig,
)
from service.config.settings_file import ConfigError, SettingsFile, faults
from service.config.subscriber_settings import MqttConfig, Webhooks, subscriber_secrets
from service.config.table_settings import ClockConfig, RoundsConfig, SourceConfig, TableConfig
from vision.addresses import secret_parts

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.config.settings_file import KeyPath

SAMPLE_CONFIG: Final = Path(__file__).resolve().parents[2] / "config" / "sample.toml"
SAMPLE_PICTURES: Final = SAMPLE_CONFIG.parents[1] / "service" / "sample" / "pictures"
"""Single pictures of the sample's film."""
OLD_TOKEN_VARIABLE: Final = "HOUSEWAY_TOKEN"  # noqa: S105  the variable's name, not a secret
RECORD_URL_VARIABLE: Final = "HOUSEWAY_RECORD_URL"
SOURCE_URL_VARIABLE: Final = "HOUSEWAY_SOURCE_URL"

_LONGEST_NAME: Final = 40

SECRETS = {
    ("record", "url"): RECORD_URL_VARIABLE,
    ("source", "url"): SOURCE_URL_VARIABLE,
}
"""Keys that may come from the environment, or from a file named by ``KEY_file`` or the variable's ``_FILE``."""


class Config(Section):
    """Everything the table service is told, in one frozen value."""

    table: TableConfig
    source: SourceConfig
    rounds: RoundsConfig = RoundsConfig()
    server: ServerConfig = ServerConfig()
    accounts: AccountsConfig = AccountsConfig()
    record: RecordConfig = RecordConfig()
    audit: AuditConfig = AuditConfig()
    limits: LimitsConfig = LimitsConfig()
    read: ReadConfig = ReadConfig()
    clock: ClockConfig = ClockConfig()
    log: LogConfig = LogConfig()
    page: PageConfig = PageConfig()
    learning: LearningConfig = LearningConfig()
    models: ModelsConfig = ModelsConfig()
    webhooks: Webhooks = ()
    mqtt: MqttConfig | None = None
    witnesses: Annotated[tuple[WitnessConfig, ...], Field(max_length=16)] = ()

    @model_validator(mode="after")
    def _enrolled_only_if_calibrated(self) -> Self:
        if self.table.calibration is None and self.source.kind != "simulator":
            for name in ("enrolment", "markers"):
                if getattr(self.table, name) is not None:
                    raise ValueError(f'table.{name} needs the calibration of the camera as well: calibration = "FILE"')
        return self

    def public(self) -> dict[str, Any]:
        """The settings as JSON has them, without a secret."""
        return self.model_dump(mode="json")

    def secrets(self) -> tuple[str, ...]:
        """Every secret in the settings, so that none is written anywhere; ConfigError if one cannot be read."""
        addresses = [self.source.url, self.record.url, *(witness.url for witness in self.witnesses)]
        told = {part for each in addresses if each is not None for part in secret_parts(each.get_secret_value())}
        if self.accounts.oidc is not None:
            told.add(self.accounts.oidc.secret())
        return tuple(sorted(told | subscriber_secrets(self.webhooks, self.mqtt)))

    @model_validator(mode="after")
    def _has_no_pits(self) -> Self:
        if self.accounts.oidc is not None and any(group.pits for group in self.accounts.oidc.groups):
            raise ValueError("accounts.oidc.groups: a table has no pits; leave pits out")
        return self

    @model_validator(mode="after")
    def _witnesses_have_names_of_their_own(self) -> Self:
        if len({witness.name for witness in self.witnesses}) < len(self.witnesses):
            raise ValueError("two witnesses have the same name")
        return self

    @property
    def subject(self) -> str:
        """The table's name."""
        return self.table.name

    @property
    def names(self) -> tuple[str, ...]:
        """What somebody knows who knows this table: its names, its rulebook's and its machine's."""
        return (self.table.name, self.table.title, self.table.rulebook, self.server.host)

    @property
    def record_folder(self) -> Path:
        """Where the record lies."""
        if self.record.folder is not None:
            return self.record.folder
        # The XDG base directory specification: what is to persist, but is neither settings nor the user's documents.
        state = os.environ.get("XDG_STATE_HOME", "")
        base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
        return base / "houseway" / self.table.name

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
    """Read a table's settings; ``host`` and ``port`` take the place of the file's; ConfigError if it cannot be used."""
    return config_of(SettingsFile.read(path), host=host, port=port)


def names_source(file: SettingsFile) -> bool:
    """Whether a settings file says what to watch; one that does not yet is set up in the page."""
    return "source" in file.values


def begun_config(file: SettingsFile, *, host: str | None = None, port: int | None = None) -> Config:
    """Settings to set a table up with, whose file names no source yet: its camera is not to be opened; ConfigError."""
    section = file.values.setdefault("table", {})
    if isinstance(section, dict) and "name" not in section:
        name = re.sub("[^a-z0-9]+", "-", file.path.stem.lower()).strip("-")[:_LONGEST_NAME].strip("-")
        file.put(("table", "name"), name or "table", "the name of the file")
    file.put(("source", "kind"), "camera", "set-up")
    return config_of(file, host=host, port=port)


def config_of(file: SettingsFile, *, host: str | None = None, port: int | None = None) -> Config:
    """The settings in a file; ``host`` and ``port`` take the place of the file's.

    Raises:
        ConfigError: it cannot be used.
    """
    path = file.path
    for name, value in {"host": host, "port": port}.items():
        if value is not None:
            file.put(("server", name), value, f"option --{name}")
    if "floor" in file.values:
        what = "these are settings of a floor: see `houseway floor`; name the file of a table here"
        raise ConfigError(file.said(("floor",), what))
    if OLD_TOKEN_VARIABLE in os.environ or _has(file.values, "server", "token"):
        what = (
            "no longer has any effect: remove it, and make a key for each machine with `houseway key add NAME --role "
        )
        what += "integrator` and an account for each person with `houseway account add`"
        if OLD_TOKEN_VARIABLE in os.environ:
            raise ConfigError(f"{path}: {OLD_TOKEN_VARIABLE} {what}")
        raise ConfigError(file.said(("server", "token"), what))
    for key, variable in SECRETS.items():
        file.put_secret(key, variable)
    known: dict[KeyPath, Collection[str]] = {(): Config.model_fields}
    known |= {(name,): kind.model_fields for name, kind in sections().items()}
    try:
        config = Config.model_validate(file.values, context={"folder": path.resolve().parent})
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConfigError(faults(file, found, known)) from None
    table = config.table
    return config.model_copy(update={"table": table.model_copy(update={"title": table.title or table.name})})


def _has(values: dict[str, Any], section: str, key: str) -> bool:
    return isinstance(keys := values.get(section), dict) and key in keys


def sections() -> dict[str, type[BaseModel]]:
    """The model of each section of a settings file, by its name; of one that may be left out or come often, too."""
    found = {}
    for name, told in Config.model_fields.items():
        for kind in (told.annotation, *get_args(told.annotation)):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                found[name] = kind
    return found
