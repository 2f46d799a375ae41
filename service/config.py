"""One table's settings, read once from TOML into frozen values; an unknown key is an error."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import os
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, IPvAnyNetwork, SecretStr, ValidationError, model_validator

TOKEN_VARIABLE = "HOUSEWAY_TOKEN"  # noqa: S105  the variable's name, not a secret
RECORD_URL_VARIABLE = "HOUSEWAY_RECORD_URL"
SAMPLE_CONFIG = Path(__file__).resolve().parents[1] / "config" / "sample.toml"


class ConfigError(ValueError):
    """A settings file that cannot be used; the message says which key is wrong and what it should be."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class TableConfig(_Frozen):
    """What is being watched.

    Attributes:
        name: the table's name in addresses: small letters, digits and hyphens.
        title: the name people read; the table's name if left out.
        rulebook: id of the rulebook its House Way is judged by, or the file of a House Way of its own.
        house_way: id or file of the House Way played under that rulebook; its own if left out (the UK poster prints
            none).
        calibration: calibration file of this camera, or None to read without millimetres and places.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    title: Annotated[str, Field(max_length=80)] = ""
    rulebook: str = "crown-6.1"
    house_way: str | None = None
    calibration: Path | None = None


class SourceConfig(_Frozen):
    """Where the pictures come from.

    Attributes:
        kind: ``path`` (a picture, a folder of pictures or a video, played again and again), ``camera`` (a USB camera),
            ``rtsp`` or ``picamera2``.
        path: the picture, folder or video of a ``path`` source.
        url: address of an ``rtsp`` source.
        device: number of a ``camera`` or ``picamera2`` source.
        interval_s: shortest time between two readings, seconds.
    """

    kind: Literal["path", "camera", "rtsp", "picamera2"] = "path"
    path: Path | None = None
    url: str | None = None
    device: Annotated[int, Field(ge=0, le=63)] = 0
    interval_s: Annotated[float, Field(ge=0.0, le=60.0)] = 0.2

    @property
    def spec(self) -> str | Path:
        """The source as ``vision.frames.open_source`` takes it."""
        if self.kind == "path" and self.path is not None:
            return self.path
        if self.kind == "rtsp" and self.url is not None:
            return self.url
        return f"picamera2:{self.device}" if self.kind == "picamera2" else str(self.device)

    @model_validator(mode="after")
    def _has_its_address(self) -> Self:
        if self.kind == "path" and self.path is None:
            raise ValueError("a source of kind 'path' needs path = \"a picture, a folder or a video\"")
        if self.kind == "rtsp" and not (self.url or "").startswith(("rtsp://", "rtsps://")):
            raise ValueError("a source of kind 'rtsp' needs url = \"rtsp://...\"")
        return self


class RoundsConfig(_Frozen):
    """When what is seen becomes a round, and how many rounds stay in memory.

    Attributes:
        settle_frames: a hand counts once it was read alike in this many frames in a row.
        clear_frames: a round ends once no tile lay at any place for this many frames in a row.
        keep: rounds kept in memory; older ones are forgotten.
    """

    settle_frames: Annotated[int, Field(ge=1, le=100)] = 3
    clear_frames: Annotated[int, Field(ge=1, le=100)] = 3
    keep: Annotated[int, Field(ge=1, le=10_000)] = 50


class ServerConfig(_Frozen):
    """The HTTP side.

    Attributes:
        host: address to listen on.
        port: port to listen on; 0 takes any free one.
        token: bearer token every request but ``/healthz`` must carry; needed on every address but this machine's own.
        max_upload_mb: largest request body, megabytes.
        max_wait_s: longest time a long poll is held, seconds.
        max_upload_s: longest time a request may take to arrive, seconds.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    token: Annotated[SecretStr, Field(min_length=16)] | None = None
    max_upload_mb: Annotated[int, Field(ge=1, le=512)] = 64
    max_wait_s: Annotated[float, Field(ge=0.0, le=300.0)] = 60.0
    max_upload_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 60.0

    @property
    def local_only(self) -> bool:
        """Whether the address is reachable from this machine alone."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @model_validator(mode="after")
    def _open_to_others_only_with_a_token(self) -> Self:
        if self.token is None and not self.local_only:
            raise ValueError(
                f"listening on {self.host} lets other machines in, so a token of at least 16 characters is needed: set "
                f"the environment variable {TOKEN_VARIABLE} or server.token, or listen on 127.0.0.1"
            )
        return self


class RecordConfig(_Frozen):
    """What is remembered, and how much of it.

    Attributes:
        folder: the record's key, evidence and database; ``houseway/TABLE`` in the user's state folder if left out.
        url: SQLAlchemy URL of a PostgreSQL database of the record's own, in place of the SQLite file in ``folder``.
        keep_days: exported evidence older than this is removed, days; what was not exported never is.
        max_mb: the most that all evidence may fill, megabytes; the oldest exported makes room.
        min_free_mb: what must stay free on the disk, megabytes.
    """

    folder: Path | None = None
    url: SecretStr | None = None
    keep_days: Annotated[int, Field(ge=1, le=36_500)] = 365
    max_mb: Annotated[int, Field(ge=1, le=100_000_000)] = 50_000
    min_free_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 200


class SubscriberConfig(_Frozen):
    """What somebody is told of by himself, in the order recorded, each once and with the same id if told again.

    Attributes:
        kinds: ``result`` (every revision of every round), and the alarms ``house_hand_wrong``, ``needs_review`` and
            ``health``.
        begin: where somebody named for the first time begins: with what is recorded from ``now`` on, or at the
            ``start`` of the record.
    """

    kinds: Annotated[
        tuple[Literal["result", "house_hand_wrong", "needs_review", "health"], ...], Field(min_length=1)
    ] = ("result", "house_hand_wrong", "needs_review", "health")
    begin: Literal["now", "start"] = "now"


class WebhookConfig(SubscriberConfig):
    """An address that is told by HTTP POST.

    Attributes:
        name: names it for ever; how far it was told is kept under this name.
        url: ``https://...``; ``http://`` only to a private address.
        secret_file: file with the secret, ``whsec_`` and base64; while secrets are changed one a line, newest first.
        secret_env: environment variable with the same, in place of a file.
        networks: private networks that the URL's name may lead to; an address in the URL itself is named thereby.
        attempts: after so many an event is laid aside as a dead letter, and the next one is sent.
        first_pause_s: about how long after the first failure it is sent again; doubled with each further one.
        longest_pause_s: at most so long.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    url: Annotated[str, Field(max_length=2000, pattern=r"^https?://[^/\s@]+(/\S*)?$")]
    secret_file: Path | None = None
    secret_env: Annotated[str, Field(max_length=100)] | None = None
    networks: tuple[IPvAnyNetwork, ...] = ()
    attempts: Annotated[int, Field(ge=1, le=1000)] = 30
    first_pause_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 2.0
    longest_pause_s: Annotated[float, Field(gt=0.0, le=86_400.0)] = 3600.0

    @model_validator(mode="after")
    def _has_one_secret(self) -> Self:
        if (self.secret_file is None) == (self.secret_env is None):
            raise ValueError("name either secret_file or secret_env")
        return self

    def secrets(self) -> tuple[bytes, ...]:
        """The secrets it is signed with; ConfigError if there are none or they are none."""
        where = f"webhook {self.name!r}"
        found = _secret(where, self.secret_file, self.secret_env).split()
        try:
            keys = tuple(base64.b64decode(each.removeprefix("whsec_"), validate=True) for each in found)
        except binascii.Error:
            keys = ()
        if not keys or not all(24 <= len(key) <= 64 for key in keys):
            raise ConfigError(
                f"{where}: a secret is whsec_ and 24 to 64 bytes as base64; make one with: echo "
                "whsec_$(openssl rand -base64 32)"
            )
        return keys


class MqttConfig(SubscriberConfig):
    """A broker that is told.

    Attributes:
        host: its name or address.
        port: its port; 1883, or 8883 with TLS, if left out.
        username: who signs in, if somebody must.
        password_file: file with the password.
        password_env: environment variable with it, in place of a file.
        tls: whether the connection is private.
        ca_file: certificates to trust in place of the system's.
        client_id: names this service to the broker; ``houseway-TABLE`` if left out.
        prefix: before every topic.
        keepalive_s: the broker tells others that this service is gone after one and a half times as long a silence.
    """

    host: Annotated[str, Field(min_length=1, max_length=255)]
    port: Annotated[int, Field(ge=1, le=65_535)] = 1883
    username: Annotated[str, Field(max_length=200)] | None = None
    password_file: Path | None = None
    password_env: Annotated[str, Field(max_length=100)] | None = None
    tls: bool = False
    ca_file: Path | None = None
    client_id: Annotated[str, Field(max_length=100)] = ""
    prefix: Annotated[str, Field(max_length=100, pattern=r"^[^+#/\x00]+(/[^+#/\x00]+)*$")] = "houseway"
    keepalive_s: Annotated[int, Field(ge=5, le=600)] = 20

    @model_validator(mode="before")
    @classmethod
    def _tls_has_a_port_of_its_own(cls, told: Any) -> Any:  # noqa: ANN401  whatever the file says
        if isinstance(told, dict) and told.get("tls") is True:
            return {"port": 8883, **told}
        return told

    @model_validator(mode="after")
    def _password_goes_with_a_name(self) -> Self:
        if self.password_file is not None and self.password_env is not None:
            raise ValueError("name either password_file or password_env")
        if self.username is None and (self.password_file or self.password_env):
            raise ValueError("a password needs a username")
        return self

    def password(self) -> str | None:
        """The password, if there is one; ConfigError if it cannot be read."""
        if self.password_file is None and self.password_env is None:
            return None
        return _secret("mqtt", self.password_file, self.password_env)


def _secret(where: str, file: Path | None, variable: str | None) -> str:
    if file is None:
        found = os.environ.get(variable or "", "")
    else:
        try:
            found = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{where}: its secret cannot be read from {file}: {error}") from None
    if not found.strip():
        raise ConfigError(f"{where}: there is no secret in {f'the variable {variable}' if file is None else file}")
    return found.strip()


class Config(_Frozen):
    """Everything the table service is told, in one frozen value."""

    table: TableConfig
    source: SourceConfig
    rounds: RoundsConfig = RoundsConfig()
    server: ServerConfig = ServerConfig()
    record: RecordConfig = RecordConfig()
    webhooks: Annotated[tuple[WebhookConfig, ...], Field(max_length=50)] = ()
    mqtt: MqttConfig | None = None

    @model_validator(mode="after")
    def _webhooks_have_names_of_their_own(self) -> Self:
        if len({webhook.name for webhook in self.webhooks}) < len(self.webhooks):
            raise ValueError("two webhooks have the same name")
        return self

    @property
    def record_folder(self) -> Path:
        """Where the record lies."""
        if self.record.folder is not None:
            return self.record.folder
        # The XDG base directory specification: what is to persist, but is neither settings nor the user's documents.
        state = os.environ.get("XDG_STATE_HOME", "")
        base = Path(state) if Path(state).is_absolute() else Path.home() / ".local" / "state"
        return base / "houseway" / self.table.name


def load_config(path: Path, *, host: str | None = None, port: int | None = None) -> Config:
    """Read a table's settings.

    Args:
        path: the TOML file; paths inside it are relative to its folder.
        host: takes the place of ``server.host``.
        port: takes the place of ``server.port``.

    Raises:
        ConfigError: the file is missing, is not TOML, or a key is unknown, missing or out of range.
    """
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such settings file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: not TOML: {error}") from None
    server = raw.setdefault("server", {})
    if isinstance(server, dict):
        server |= {key: value for key, value in {"host": host, "port": port}.items() if value is not None}
        if token := os.environ.get(TOKEN_VARIABLE):
            server["token"] = token
    record = raw.setdefault("record", {})
    if isinstance(record, dict) and (url := os.environ.get(RECORD_URL_VARIABLE)):
        record["url"] = url
    try:
        config = Config.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(_explain(path, error)) from None
    return _resolve(config, path.resolve().parent)


def _resolve(config: Config, folder: Path) -> Config:
    def beside(path: Path | None) -> Path | None:
        return None if path is None else (folder / path.expanduser()).resolve()

    def file_or_id(name: str | None) -> str | None:
        return str(beside(Path(name))) if name is not None and name.endswith(".py") else name

    table = config.table
    table = table.model_copy(
        update={
            "calibration": beside(table.calibration),
            "rulebook": file_or_id(table.rulebook),
            "house_way": file_or_id(table.house_way),
            "title": table.title or table.name,
        }
    )
    return config.model_copy(
        update={
            "table": table,
            "source": config.source.model_copy(update={"path": beside(config.source.path)}),
            "record": config.record.model_copy(update={"folder": beside(config.record.folder)}),
            "webhooks": tuple(
                webhook.model_copy(update={"secret_file": beside(webhook.secret_file)}) for webhook in config.webhooks
            ),
            "mqtt": config.mqtt
            and config.mqtt.model_copy(
                update={"password_file": beside(config.mqtt.password_file), "ca_file": beside(config.mqtt.ca_file)}
            ),
        }
    )


def _explain(path: Path, error: ValidationError) -> str:
    lines = []
    for fault in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in fault["loc"])
        what = "unknown key" if fault["type"] == "extra_forbidden" else fault["msg"].removeprefix("Value error, ")
        lines.append(f"{path}: {where}: {what}" if where else f"{path}: {what}")
    return "\n".join(lines)
