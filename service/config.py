"""One table's settings, read once from TOML into frozen values; an unknown key is an error."""

from __future__ import annotations

import ipaddress
import os
import tomllib
from datetime import time  # noqa: TC003  pydantic resolves annotations
from pathlib import Path
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

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
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    token: Annotated[SecretStr, Field(min_length=16)] | None = None
    max_upload_mb: Annotated[int, Field(ge=1, le=512)] = 64
    max_wait_s: Annotated[float, Field(ge=0.0, le=300.0)] = 60.0

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


class PageConfig(_Frozen):
    """What the supervisor's page looks like.

    Attributes:
        time_zone: the casino's, by its IANA name; times and shifts on the page are of this zone.
        language: the language of the page where a browser asks for none that it has.
    """

    time_zone: str = "UTC"
    language: Literal["en", "zh-Hant"] = "en"

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


class Config(_Frozen):
    """Everything the table service is told, in one frozen value.

    Attributes:
        shifts: the dealers' shifts; parts of the day if none is named.
    """

    table: TableConfig
    source: SourceConfig
    rounds: RoundsConfig = RoundsConfig()
    server: ServerConfig = ServerConfig()
    record: RecordConfig = RecordConfig()
    page: PageConfig = PageConfig()
    shifts: tuple[ShiftConfig, ...] = ()

    @field_validator("shifts")
    @classmethod
    def _begin_apart(cls, shifts: tuple[ShiftConfig, ...]) -> tuple[ShiftConfig, ...]:
        if len({shift.begins for shift in shifts}) != len(shifts):
            raise ValueError("two shifts begin at the same time; each lasts until the next begins")
        return shifts

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
        }
    )


def _explain(path: Path, error: ValidationError) -> str:
    lines = []
    for fault in error.errors(include_url=False, include_input=False):
        where = ".".join(str(part) for part in fault["loc"])
        what = "unknown key" if fault["type"] == "extra_forbidden" else fault["msg"].removeprefix("Value error, ")
        lines.append(f"{path}: {where}: {what}" if where else f"{path}: {what}")
    return "\n".join(lines)
