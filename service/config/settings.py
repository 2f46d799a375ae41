"""One table's settings, read once from TOML into frozen values; an unknown key is an error."""

from __future__ import annotations

import base64
import binascii
import ipaddress
import os
import re
from datetime import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    IPvAnyNetwork,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)

from service.config.settings_file import ConfigError, SettingsFile, faults

if TYPE_CHECKING:
    from collections.abc import Collection

    from service.config.settings_file import Key

__all__ = ["SAMPLE_CONFIG", "Config", "ConfigError", "load_config"]

OLD_TOKEN_VARIABLE = "HOUSEWAY_TOKEN"  # noqa: S105  the variable's name, not a secret
RECORD_URL_VARIABLE = "HOUSEWAY_RECORD_URL"
SOURCE_URL_VARIABLE = "HOUSEWAY_SOURCE_URL"
SAMPLE_CONFIG = Path(__file__).resolve().parents[2] / "config" / "sample.toml"

_PASSWORD_IN_URL = re.compile(r"(?<=//)[^/@]*@")

_SETTABLE = {
    "size": ("camera", "picamera2"),
    "fps": ("camera", "picamera2"),
    "exposure_us": ("camera", "picamera2"),
    "gain": ("camera", "picamera2"),
    "colour_gains": ("picamera2",),
    "white_balance_k": ("camera",),
    "focus": ("camera", "picamera2"),
}

SECRETS = {
    ("record", "url"): RECORD_URL_VARIABLE,
    ("source", "url"): SOURCE_URL_VARIABLE,
}
"""Keys that may come from the environment, or from a file named by ``KEY_file`` or the variable's ``_FILE``."""


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
        house_way_boxes: boxes whose hands the dealer always sets the House Way, as some layouts print them.
        enrolment: enrolment of this table's own tiles (``houseway enrol``), or None; it needs the calibration.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")]
    title: Annotated[str, Field(max_length=80)] = ""
    rulebook: str = "crown-6.1"
    house_way: str | None = None
    calibration: Path | None = None
    house_way_boxes: tuple[Annotated[int, Field(ge=1, le=8)], ...] = ()
    enrolment: Path | None = None


class SourceConfig(_Frozen):
    """Where the pictures come from.

    Attributes:
        kind: ``path`` (a picture, a folder of pictures or a video, played again and again), ``camera`` (a USB camera),
            ``rtsp``, ``picamera2`` or ``simulator`` (a table that does not exist).
        path: the picture, folder or video of a ``path`` source.
        url: address of an ``rtsp`` source, with its password if it needs one.
        url_file: file that holds ``url``.
        device: number of a ``camera`` or ``picamera2`` source.
        simulator: the session of a ``simulator`` source: ``seed=3,rounds=20,fps=5``, see docs/simulator.md.
        interval_s: shortest time between two readings, seconds.
        size: width and height of a camera's pictures, pixels; what is left out of these stays as the camera has it.
        fps: pictures a second.
        exposure_us: exposure time, microseconds.
        gain: a factor for ``picamera2``, the driver's own unit for ``camera``.
        colour_gains: gains of red and blue, for ``picamera2``.
        white_balance_k: colour temperature for ``camera``, kelvin.
        focus: dioptres (1 / metres) for ``picamera2``, the driver's own unit for ``camera``.
        open_timeout_s: time from opening the source to its first picture, seconds; then it is ended and tried again.
        frame_timeout_s: the same from one picture to the next.
        frozen_after_s: a camera whose pictures are alike to the last bit for so long is opened anew; 0 for never.
    """

    kind: Literal["path", "camera", "rtsp", "picamera2", "simulator"] = "path"
    path: Path | None = None
    url: str | None = None
    url_file: Path | None = None
    device: Annotated[int, Field(ge=0, le=63)] = 0
    simulator: Annotated[str, Field(max_length=500)] = "seed=1,rounds=20,fps=5"
    interval_s: Annotated[float, Field(ge=0.0, le=60.0)] = 0.2
    size: tuple[Annotated[int, Field(ge=64, le=16_384)], Annotated[int, Field(ge=64, le=16_384)]] | None = None
    fps: Annotated[float, Field(gt=0.0, le=240.0)] | None = None
    exposure_us: Annotated[int, Field(gt=0, le=10_000_000)] | None = None
    gain: Annotated[float, Field(ge=0.0)] | None = None
    colour_gains: tuple[Annotated[float, Field(gt=0.0)], Annotated[float, Field(gt=0.0)]] | None = None
    white_balance_k: Annotated[int, Field(ge=1_000, le=20_000)] | None = None
    focus: Annotated[float, Field(ge=0.0)] | None = None
    open_timeout_s: Annotated[float, Field(ge=1.0, le=30.0)] = 10.0
    frame_timeout_s: Annotated[float, Field(ge=0.2, le=30.0)] = 3.0
    frozen_after_s: Annotated[float, Field(ge=0.0, le=600.0)] = 10.0

    @property
    def spec(self) -> str | Path:
        """The source in one word; all but a simulated one as ``vision.capture.sources.open_source`` takes it."""
        if self.kind == "path" and self.path is not None:
            return self.path
        if self.kind == "rtsp" and self.url is not None:
            return self.url
        if self.kind == "simulator":
            return f"simulator:{self.simulator}"
        return f"picamera2:{self.device}" if self.kind == "picamera2" else str(self.device)

    @model_validator(mode="after")
    def _has_its_address(self) -> Self:
        if self.kind == "path" and self.path is None:
            raise ValueError("a source of kind 'path' needs path = \"a picture, a folder or a video\"")
        if self.kind == "rtsp" and not (self.url or "").startswith(("rtsp://", "rtsps://")):
            raise ValueError("a source of kind 'rtsp' needs url = \"rtsp://...\"")
        if strange := [key for key in _SETTABLE if getattr(self, key) is not None and self.kind not in _SETTABLE[key]]:
            raise ValueError(f"{strange[0]} can be set for a source of kind {' or '.join(_SETTABLE[strange[0]])} only")
        return self


class RoundsConfig(_Frozen):
    """When what is seen becomes a round, and how many rounds stay in memory.

    Attributes:
        settle_frames: a tile counts once it was read alike and verified in this many pictures, lying still.
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
        tls_certificate: file of the certificate (PEM, with those between it and a root); with ``tls_key``.
        tls_key: file of its private key (PEM).
        trusted_proxies: addresses or networks of the proxies in front, whose ``X-Forwarded-For`` and
            ``X-Forwarded-Proto`` are believed.
        plain_http: other machines may ask without TLS, so that passwords and keys cross the network in the clear.
        session_hours: how long a page stays signed in.
        max_upload_mb: largest request body, megabytes.
        max_wait_s: longest time a long poll is held, seconds.
        max_upload_s: longest time a request may take to arrive, seconds.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    trusted_proxies: tuple[str, ...] = ()
    plain_http: bool = False
    session_hours: Annotated[float, Field(gt=0.0, le=24.0 * 31)] = 12.0
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

    @property
    def tls(self) -> bool:
        """Whether the service itself speaks TLS."""
        return self.tls_certificate is not None

    @field_validator("trusted_proxies")
    @classmethod
    def _are_addresses(cls, proxies: tuple[str, ...]) -> tuple[str, ...]:
        for proxy in proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                raise ValueError(f"{proxy!r} is no address and no network, such as 10.0.0.7 or 10.0.0.0/24") from None
        return proxies

    @model_validator(mode="after")
    def _open_to_others_only_in_private(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key come together")
        if not (self.local_only or self.tls or self.trusted_proxies or self.plain_http):
            raise ValueError(
                f"listening on {self.host} lets other machines in, and their passwords and keys must not cross the "
                "network in the clear: give tls_certificate and tls_key, name the proxy that speaks TLS in "
                "trusted_proxies, set plain_http = true if the network is your own, or listen on 127.0.0.1"
            )
        return self


class LimitsConfig(_Frozen):
    """How often anybody may ask; 0 a minute sets no limit.

    Attributes:
        requests_per_minute: of one key or one signed-in page, in the long run.
        burst: so many at once.
        strangers_per_minute: of one address that shows no valid key or session.
        strangers_burst: so many at once.
        sign_ins_per_minute: wrong passwords from one address, and for one account.
        sign_in_burst: so many at once.
    """

    requests_per_minute: Annotated[float, Field(ge=0.0, le=1_000_000.0)] = 3_000.0
    burst: Annotated[int, Field(ge=1, le=100_000)] = 300
    strangers_per_minute: Annotated[float, Field(ge=0.0, le=1_000_000.0)] = 120.0
    strangers_burst: Annotated[int, Field(ge=1, le=100_000)] = 60
    sign_ins_per_minute: Annotated[float, Field(ge=0.0, le=1_000.0)] = 6.0
    sign_in_burst: Annotated[int, Field(ge=1, le=1_000)] = 10


class RecordConfig(_Frozen):
    """What is remembered, and how much of it.

    Attributes:
        folder: the record's key, evidence and database; ``houseway/TABLE`` in the user's state folder if left out.
        url: SQLAlchemy URL of a PostgreSQL database of the record's own, in place of the SQLite file in ``folder``.
        url_file: file that holds ``url``.
        keep_days: exported evidence older than this is removed, days; what was not exported never is.
        max_mb: the most that all evidence may fill, megabytes; the oldest exported makes room.
        min_free_mb: what must stay free on the disk, megabytes.
    """

    folder: Path | None = None
    url: SecretStr | None = None
    url_file: Path | None = None
    keep_days: Annotated[int, Field(ge=1, le=36_500)] = 365
    max_mb: Annotated[int, Field(ge=1, le=100_000_000)] = 50_000
    min_free_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 200


class ShiftConfig(_Frozen):
    """A shift of dealers; it lasts until the next one begins.

    Attributes:
        name: what people call it.
        begins: time of day in the page's time zone, such as ``"06:00"``.
    """

    name: Annotated[str, Field(min_length=1, max_length=40)]
    begins: time

    @field_validator("begins")
    @classmethod
    def _is_plain(cls, begins: time) -> time:
        if begins.tzinfo is not None:
            raise ValueError("a time of day without an offset; page.time_zone says where")
        return begins


class PageConfig(_Frozen):
    """What the supervisor's page looks like.

    Attributes:
        time_zone: the casino's, by its IANA name; times and shifts on the page are of this zone.
        language: the language of the page where a browser asks for none that it has.
        shifts: the dealers' shifts; parts of the day if none is named.
    """

    time_zone: str = "UTC"
    language: Literal["en", "zh-Hant"] = "en"
    shifts: tuple[ShiftConfig, ...] = ()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone itself."""
        return ZoneInfo(self.time_zone)

    @field_validator("time_zone")
    @classmethod
    def _exists(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f'there is no time zone {name!r}; write it like "Australia/Melbourne" or "UTC"') from None
        return name

    @field_validator("shifts")
    @classmethod
    def _begin_apart(cls, shifts: tuple[ShiftConfig, ...]) -> tuple[ShiftConfig, ...]:
        if len({shift.begins for shift in shifts}) != len(shifts):
            raise ValueError("two shifts begin at the same time; each lasts until the next begins")
        return shifts


class ClockConfig(_Frozen):
    """What the machine's clock must be for a result to be verified.

    Attributes:
        need_sync: whether a time server must set it; false for recorded pictures, or where there is no network.
        largest_step_s: a jump against the machine's monotonic clock by more than this is a fault, seconds.
        settle_s: how long after a jump nothing is verified, seconds.
    """

    need_sync: bool = True
    largest_step_s: Annotated[float, Field(ge=0.05, le=60.0)] = 0.5
    settle_s: Annotated[float, Field(ge=1.0, le=3600.0)] = 60.0


class LogConfig(_Frozen):
    """What is written to standard error.

    Attributes:
        format: ``text`` for people, ``json`` for one object a line.
        level: the least that is written.
    """

    format: Literal["text", "json"] = "text"
    level: Literal["debug", "info", "warning", "error"] = "info"


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

    def secret_text(self) -> str:
        """What its file or variable says; ConfigError if that cannot be read."""
        return _secret(f"webhook {self.name!r}", self.secret_file, self.secret_env)

    def secrets(self) -> tuple[bytes, ...]:
        """The secrets it is signed with; ConfigError if there are none or they are none."""
        where = f"webhook {self.name!r}"
        found = self.secret_text().split()
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
    limits: LimitsConfig = LimitsConfig()
    clock: ClockConfig = ClockConfig()
    log: LogConfig = LogConfig()
    page: PageConfig = PageConfig()

    @model_validator(mode="after")
    def _enrolled_only_if_calibrated(self) -> Self:
        if self.table.enrolment is not None and self.table.calibration is None and self.source.kind != "simulator":
            raise ValueError('table.enrolment needs the calibration of the camera as well: calibration = "FILE"')
        return self

    def public(self) -> dict[str, Any]:
        """The settings as JSON has them, without a secret."""
        told: dict[str, Any] = self.model_dump(mode="json")
        if self.source.url is not None:
            told["source"]["url"] = _PASSWORD_IN_URL.sub("", self.source.url)
        return told

    def secrets(self) -> tuple[str, ...]:
        """Every secret in the settings, so that none is written anywhere; ConfigError if one cannot be read."""
        given = (getattr(getattr(self, section), name) for section, name in SECRETS)
        told = [one.get_secret_value() if isinstance(one, SecretStr) else one for one in given if one is not None]
        for webhook in self.webhooks:
            told += webhook.secret_text().split()
        if self.mqtt is not None and (password := self.mqtt.password()) is not None:
            told.append(password)
        return tuple(told)

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
    file = SettingsFile.read(path)
    for name, value in {"host": host, "port": port}.items():
        if value is not None:
            file.put(("server", name), value, f"option --{name}")
    if OLD_TOKEN_VARIABLE in os.environ or _has(file.values, "server", "token"):
        what = (
            "opens nothing any more: take it away, and make a key for each machine with `houseway key add NAME --role "
        )
        what += "integrator` and an account for each person with `houseway account add`"
        if OLD_TOKEN_VARIABLE in os.environ:
            raise ConfigError(f"{path}: {OLD_TOKEN_VARIABLE} {what}")
        raise ConfigError(file.said(("server", "token"), what))
    for key, variable in SECRETS.items():
        file.put_secret(key, variable)
    known: dict[Key, Collection[str]] = {(): Config.model_fields}
    known |= {(name,): kind.model_fields for name, kind in sections().items()}
    try:
        config = Config.model_validate(file.values)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise ConfigError(faults(file, found, known)) from None
    return _resolve(config, path.resolve().parent)


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


def _resolve(config: Config, folder: Path) -> Config:
    def beside(path: Path | None) -> Path | None:
        return None if path is None else (folder / path.expanduser()).resolve()

    def file_or_id(name: str | None) -> str | None:
        return str(beside(Path(name))) if name is not None and name.endswith(".py") else name

    table = config.table
    table = table.model_copy(
        update={
            "calibration": beside(table.calibration),
            "enrolment": beside(table.enrolment),
            "rulebook": file_or_id(table.rulebook),
            "house_way": file_or_id(table.house_way),
            "title": table.title or table.name,
        }
    )
    return config.model_copy(
        update={
            "table": table,
            "source": config.source.model_copy(update={"path": beside(config.source.path)}),
            "server": config.server.model_copy(
                update={
                    "tls_certificate": beside(config.server.tls_certificate),
                    "tls_key": beside(config.server.tls_key),
                }
            ),
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
