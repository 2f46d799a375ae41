"""Settings of the service: its name, HTTP, rate limits, record, audit, page and log."""

from __future__ import annotations

import ipaddress
import re
from datetime import time  # noqa: TC003  pydantic resolves annotations
from typing import Annotated, Literal, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import Field, field_validator, model_validator

from service.system.section import Address, ClearAddress, File, Host, Name, Section, TitledSection, clear_address
from vision.addresses import is_this_machine, shown_address


class ServiceConfig(TitledSection):
    """What this service is called. Without this section it has the name and title of its only table.

    Attributes:
        name: the service's name for programs: small letters, digits and hyphens.
        title: the name people read; the service's name if omitted.
    """

    name: Name = "houseway"
    title: Annotated[str, Field(max_length=80)] = "Houseway"


class ServerConfig(Section):
    """Where the service listens, and what it accepts.

    Attributes:
        host: address to listen on.
        port: port to listen on; 0 takes any free one.
        tls_certificate: file of the TLS certificate (PEM, with the intermediate ones); needs ``tls_key``.
        tls_key: file of the certificate's private key (PEM).
        trusted_proxies: addresses or networks of the proxies in front, whose ``X-Forwarded-For`` and
            ``X-Forwarded-Proto`` are believed.
        path: path of the proxy's address under which it serves this service, such as ``/houseway``; whether the proxy
            removes it from requests does not matter.
        plain_http: other machines may connect without TLS, so that passwords and keys cross the network in the clear.
        session_hours: how long a page stays signed in.
        max_upload_mb: largest request body, megabytes.
        max_wait_s: longest time a long poll is held, seconds.
        max_upload_s: longest time a request may take to arrive, seconds.
    """

    host: Host = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    tls_certificate: File | None = None
    tls_key: File | None = None
    trusted_proxies: tuple[str, ...] = ()
    path: Annotated[str, Field(pattern=r"^(/[A-Za-z0-9_-]+)*$", max_length=100)] = ""
    plain_http: bool = False
    session_hours: Annotated[float, Field(gt=0.0, le=24.0 * 31)] = 12.0
    max_upload_mb: Annotated[int, Field(ge=1, le=512)] = 64
    max_wait_s: Annotated[float, Field(ge=0.0, le=300.0)] = 60.0
    max_upload_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 60.0

    @property
    def local_only(self) -> bool:
        """Whether the address is reachable from this machine alone."""
        return is_this_machine(self.host)

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
                raise ValueError(
                    f"{shown_address(proxy)!r} is neither an address nor a network, such as 10.0.0.7 or 10.0.0.0/24"
                ) from None
        return proxies

    @model_validator(mode="after")
    def _open_to_others_only_in_private(self) -> Self:
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key are needed together")
        if not (self.local_only or self.tls or self.trusted_proxies or self.plain_http):
            raise ValueError(
                f"listening on {self.host} lets other machines in, and their passwords and keys must not cross the "
                "network in the clear: give tls_certificate and tls_key, name the proxy that speaks TLS in "
                "trusted_proxies, set plain_http = true if the network is your own, or listen on 127.0.0.1"
            )
        return self


class LimitsConfig(Section):
    """How often requests are accepted, and how many connections there are; 0 a minute or an hour sets no limit.

    Attributes:
        requests_per_minute: requests of one key or one signed-in page, on average.
        burst: requests accepted at once.
        strangers_per_minute: requests of one address without a valid key or session, on average.
        strangers_burst: requests accepted at once.
        sign_ins_per_minute: wrong passwords from one address, on average.
        sign_in_burst: wrong passwords accepted at once: from one address, and for one account from one address or from
            one browser in which it has signed in.
        guesses_per_hour: wrong passwords for one account, on average: from all browsers in which it has not signed in
            together, of which one address may use a fifth, and from each one in which it has.
        guesses_burst: wrong passwords for one account accepted at once, from browsers in which it has not signed in.
        connections: connections at once; fewer if the system gives the service too few file handles.
        connections_per_address: connections from one address where nobody is signed in, once they are two seconds old.
        connections_per_caller: connections of one key or one signed-in page.
    """

    requests_per_minute: Annotated[float, Field(ge=0.0, le=1_000_000.0)] = 3_000.0
    burst: Annotated[int, Field(ge=1, le=100_000)] = 300
    strangers_per_minute: Annotated[float, Field(ge=0.0, le=1_000_000.0)] = 120.0
    strangers_burst: Annotated[int, Field(ge=1, le=100_000)] = 60
    sign_ins_per_minute: Annotated[float, Field(ge=0.0, le=1_000.0)] = 6.0
    sign_in_burst: Annotated[int, Field(ge=1, le=1_000)] = 10
    guesses_per_hour: Annotated[float, Field(ge=0.0, le=10_000.0)] = 30.0
    guesses_burst: Annotated[int, Field(ge=1, le=10_000)] = 50
    connections: Annotated[int, Field(ge=16, le=10_000)] = 768
    connections_per_address: Annotated[int, Field(ge=1, le=10_000)] = 64
    connections_per_caller: Annotated[int, Field(ge=1, le=10_000)] = 256


class ReadConfig(Section):
    """Limits for ``/v1/read``, which reads pictures in a separate process.

    Attributes:
        max_megapixels: largest picture that is decoded.
        max_memory_mb: the most memory that the process may allocate, megabytes.
        max_s: longest time for one picture, seconds.
        max_waiting: pictures that may wait while one is read; more are answered 503.
    """

    max_megapixels: Annotated[float, Field(ge=0.1, le=100.0)] = 13.0
    max_memory_mb: Annotated[int, Field(ge=400, le=100_000)] = 600
    max_s: Annotated[float, Field(ge=1.0, le=600.0)] = 60.0
    max_waiting: Annotated[int, Field(ge=0, le=1_000)] = 24

    @property
    def max_pixels(self) -> int:
        """Largest picture, in pixels."""
        return round(self.max_megapixels * 1e6)


class RecordConfig(Section):
    """Where the record is kept, and how much of it.

    Attributes:
        folder: folder of the record's key, pictures and database; by default ``houseway/NAME`` in the user's state
            folder, where NAME is the service's.
        url: SQLAlchemy URL of a PostgreSQL database of the record's own, instead of the SQLite file in ``folder``:
            ``postgresql+pg8000://USER:PASSWORD@HOST/NAME``, or on this machine, by its socket,
            ``postgresql+pg8000://USER@/NAME?unix_sock=/run/postgresql/.s.PGSQL.5432``; only its host is ever shown.
        url_file: file that holds ``url``.
        keep_days: exported pictures older than this many days are removed; others never are.
        max_mb: the most that all pictures may fill, megabytes; then the oldest exported ones are removed.
        min_free_mb: what must stay free on the disk, megabytes.
        clip_s: how many seconds before an alarm are kept as a clip; 0 for none.
        warn_days: days before pictures fill their space at which the table warns.
        archive: folder that ``houseway record export`` writes exports to, best on another machine.
        mark_file: file that stores the newest checkpoint, so that an older copy of the record is detected; beside
            ``folder`` by default.
        checkpoints_file: file on a share or a USB stick that checkpoints are appended to; none by default.
        checkpoints_every_s: how often checkpoints are added to that file and sent to witnesses, seconds.
        cosigned_every_s: how often the newest checkpoint of each remote table is co-signed, if it has a new one,
            seconds.
    """

    folder: File | None = None
    url: Address | None = None
    url_file: File | None = None
    keep_days: Annotated[int, Field(ge=1, le=36_500)] = 365
    max_mb: Annotated[int, Field(ge=1, le=100_000_000)] = 50_000
    min_free_mb: Annotated[int, Field(ge=0, le=1_000_000)] = 200
    clip_s: Annotated[float, Field(ge=0.0, le=60.0)] = 30.0
    warn_days: Annotated[int, Field(ge=0, le=365)] = 14
    archive: File | None = None
    mark_file: File | None = None
    checkpoints_file: File | None = None
    checkpoints_every_s: Annotated[float, Field(gt=0.0, le=86_400.0)] = 60.0
    cosigned_every_s: Annotated[float, Field(ge=1.0, le=86_400.0)] = 300.0

    @field_validator("url")
    @classmethod
    def _is_postgresql(cls, url: Address | None) -> Address | None:
        if url is None:
            return None
        text = url.get_secret_value()
        if not text.startswith("postgresql+pg8000://"):
            raise ValueError("the URL of a PostgreSQL database is needed: postgresql+pg8000://USER:PASSWORD@HOST/NAME")
        by_socket = re.fullmatch(r"postgresql\+pg8000://([^/@:]+@)?/[^/?]+\?unix_sock=/[^?&@]+", text)
        return url if by_socket else clear_address(url)


class WitnessConfig(Section):
    """An independent witness that signs this table's checkpoints as long as each extends the one before.

    Attributes:
        url: address of the witness, ``https://...`` or ``http://...``; only its host is ever shown.
        key: its public key, ``NAME+ID+KEY``, as ``houseway witness serve`` prints it there.
    """

    url: ClearAddress
    key: Annotated[str, Field(max_length=400, pattern=r"^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$")]

    @property
    def name(self) -> str:
        return self.key.partition("+")[0]

    @field_validator("url")
    @classmethod
    def _is_of_the_web(cls, url: ClearAddress) -> ClearAddress:
        if not re.fullmatch(r"https?://[^/\s@?#]+(/[^\s?#]*)?", url.get_secret_value()):
            raise ValueError("https://HOST/PATH is needed, without a user before HOST")
        return url


class AuditConfig(Section):
    """How many verified hands and throws of a day a person is asked about, to measure the rate of silent errors.

    Attributes:
        hands_a_day: hands drawn at random each day; 0 for none, otherwise at least 4, one of each kind.
        throws_a_day: throws drawn at random each day; 0 for none, otherwise at least 3, one of each kind.
    """

    hands_a_day: Annotated[int, Field(ge=0, le=1_000)] = 12
    throws_a_day: Annotated[int, Field(ge=0, le=1_000)] = 6

    @model_validator(mode="after")
    def _reaches_every_kind(self) -> Self:
        for name, drawn, kinds in (("hands_a_day", self.hands_a_day, 4), ("throws_a_day", self.throws_a_day, 3)):
            if 0 < drawn < kinds:
                raise ValueError(
                    f"{name} = {drawn} leaves some of the {kinds} kinds without a draw: set 0, or {kinds} or more"
                )
        return self


class ShiftConfig(Section):
    """A shift of dealers; it lasts until the next one starts.

    Attributes:
        name: name of the shift.
        starts: when it starts, in the page's time zone, such as ``"06:00"``.
    """

    name: Annotated[str, Field(min_length=1, max_length=40)]
    starts: time

    @field_validator("starts")
    @classmethod
    def _is_plain(cls, starts: time) -> time:
        if starts.tzinfo is not None:
            raise ValueError("a time of day without an offset is needed; page.time_zone sets the time zone")
        return starts


class PageConfig(Section):
    """What the supervisor's page looks like.

    Attributes:
        time_zone: time zone of the casino, by its IANA name; for times and shifts on the page.
        language: language of the page, if the browser asks for none that the page has.
        shifts: the dealers' shifts; if there are none, charts show parts of the day.
    """

    time_zone: str = "UTC"
    language: Literal["en", "zh-Hant", "zh-Hans"] = "en"
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
        if len({shift.starts for shift in shifts}) != len(shifts):
            raise ValueError("two shifts start at the same time; each lasts until the next starts")
        return shifts


class LogConfig(Section):
    """What is written to standard error.

    Attributes:
        format: ``text`` for people, ``json`` for one object a line.
        level: the least important messages that are written.
    """

    format: Literal["text", "json"] = "text"
    level: Literal["debug", "info", "warning", "error"] = "info"


class LearningConfig(Section):
    """Tile pictures that the service keeps to learn from.

    Attributes:
        collect: whether the service keeps small pictures of the tiles of displays and reviewed hands, with their faces.
        folder: folder that they are kept in; ``crops`` in the record's folder by default.
        max_mb: the most that they may fill, megabytes; then the oldest of the commonest face is removed.
    """

    collect: bool = False
    folder: File | None = None
    max_mb: Annotated[int, Field(ge=1, le=10_000)] = 50


class ModelsConfig(Section):
    """The models, and a candidate for the tile model, which is compared with the one in use.

    Attributes:
        weights: folder of all four models with their cards, instead of those of the program.
        shadow: folder of a candidate (``houseway train tiles``) that reads the same tiles as the model in use, for
            comparison only.
        shadow_hours: hours that a candidate must have read beside the model in use before it can be put in use.
    """

    weights: File | None = None
    shadow: File | None = None
    shadow_hours: Annotated[float, Field(ge=0.0, le=1_000.0)] = 24.0
