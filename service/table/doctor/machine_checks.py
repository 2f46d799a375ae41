"""Checks of the machine: disk, memory, clock, heat, power, port and files with secrets.

A record with wrong times proves nothing, so :class:`ClockWatch` withholds results while the clock has a fault. The
order of events does not depend on the clock: entries are numbered.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import re
import shutil
import socket
import stat
import subprocess
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import httpx2

from service.record.health import HOT_C, LEAST_FREE_BYTES, Check
from service.record.store.record_settings import KEY
from service.system.host import connections_within, handles_needed, most_handles
from service.system.outgoing import Bounds, client
from service.system.settings import RECORD_URL_VARIABLE, SOURCE_URL_VARIABLE
from service.table.doctor.diagnosis import Diagnosis
from service.words.codes import ServiceCode
from service.words.diagnoses import DiagnosisCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from service.system.settings import Config
    from service.system.table_settings import ClockConfig


LEAST_MEMORY_BYTES: Final = 1_000_000_000
"""Memory available before the service starts, which needs some 600 MB."""
RENEW: Final = timedelta(days=30)
TOO_HOT_C: Final = 82.0
"""A Raspberry Pi slows down at 80 to 85 degrees."""

_THROTTLED: Final = {0: "the supply voltage is too low", 1: "the clock rate is capped", 2: "slowed down", 3: "too warm"}


_TIME_ERROR: Final = 5
_STA_UNSYNC: Final = 0x40
_SLACK: Final = timedelta(seconds=1)
"""A record written through another machine's database may be this far ahead of the clock."""


class _Timex(ctypes.Structure):
    """The first fields of ``struct timex`` of adjtimex(2), and room for the rest."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_char * 512),
    )


@dataclass(frozen=True, slots=True)
class ClockSync:
    """The kernel's synchronisation state, set by the time daemon (timesyncd, chrony, ntpd).

    Attributes:
        synchronised: None if unknown.
        max_error_s: the largest expected error, seconds; None if unknown.
    """

    synchronised: bool | None
    max_error_s: float | None = None


def kernel_sync() -> ClockSync:
    """Query the kernel, without changing anything."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return ClockSync(None)
    timex = _Timex()
    state = adjtimex(ctypes.byref(timex))
    if state < 0:
        return ClockSync(None)
    if state == _TIME_ERROR or timex.status & _STA_UNSYNC:
        return ClockSync(synchronised=False)
    return ClockSync(synchronised=True, max_error_s=timex.maxerror / 1e6)


def steady_ns() -> int:
    """Return nanoseconds since the machine was started, including sleep; this clock cannot be set."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


@dataclass(slots=True)
class ClockWatch:
    """Checks the clock.

    Attributes:
        settings: its limits.
        not_before: the newest time in the record; a clock earlier than that is wrong.
        utc_ns: reads the clock.
        steady_ns: reads a clock that cannot be set.
        sync: reads the state of synchronisation.
    """

    settings: ClockConfig
    not_before: datetime | None = None
    utc_ns: Callable[[], int] = time.time_ns
    steady_ns: Callable[[], int] = steady_ns
    sync: Callable[[], ClockSync] = kernel_sync
    _offset_ns: int = field(init=False)
    _jump: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self._offset_ns = self.utc_ns() - self.steady_ns()

    def check(self) -> Check:
        fault = self._jumped() or self._behind() or self._unsynchronised()
        return Check("clock", ok=fault is None, findings=(fault or Finding(ServiceCode.CLOCK_WELL),))

    def _jumped(self) -> Finding | None:
        steady = self.steady_ns()
        offset = self.utc_ns() - steady
        by, self._offset_ns = offset - self._offset_ns, offset
        if abs(by) > self.settings.largest_step_s * 1e9:
            self._jump = (by, steady)
        if self._jump is None or steady - self._jump[1] >= self.settings.settle_s * 1e9:
            return None
        code = ServiceCode.CLOCK_SET_BACK if self._jump[0] < 0 else ServiceCode.CLOCK_SET_FORWARD
        seconds = round(abs(self._jump[0]) / 1e9, 1)
        return Finding.of(code, seconds=seconds, settle_s=round(self.settings.settle_s))

    def _behind(self) -> Finding | None:
        if self.not_before is None:
            return None
        now = datetime.fromtimestamp(self.utc_ns() / 1e9, UTC)
        if now + _SLACK >= self.not_before:
            self.not_before = None  # reached once; from then on a step back is a jump
            return None
        return Finding.of(ServiceCode.CLOCK_BEHIND_RECORD, now=f"{now:%Y-%m-%d %H:%M:%S}")

    def _unsynchronised(self) -> Finding | None:
        if not self.settings.need_sync:
            return None
        state = self.sync().synchronised
        if state:
            return None
        unknown = state is None
        return Finding(ServiceCode.CLOCK_STATE_UNKNOWN if unknown else ServiceCode.CLOCK_NOT_SYNCHRONISED)


def free_bytes(config: Config) -> tuple[Path, int]:
    """Return the folder of the record, or its nearest existing parent, and the free bytes on its disk."""
    folder = next(each for each in (config.record_folder, *config.record_folder.parents) if each.exists())
    return folder, shutil.disk_usage(folder).free


def disk(config: Config) -> Diagnosis:
    folder, free = free_bytes(config)
    above = free - config.record.min_free_mb * 1_000_000
    code = DiagnosisCode.DISK_WELL if above >= LEAST_FREE_BYTES else DiagnosisCode.DISK_LOW
    code = code if above >= 0 else DiagnosisCode.DISK_FULL
    return Diagnosis.of(code, free_gb=free / 1e9, folder=folder, above_gb=above / 1e9)


def memory(root: Path) -> Diagnosis:
    try:
        listed = (root / "proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return Diagnosis.of(DiagnosisCode.MEMORY_UNKNOWN)
    kilobytes = {name: int(value) for name, value in re.findall(r"^(\w+): +(\d+) kB", listed, re.MULTILINE)}
    available, total = (kilobytes.get(name, 0) * 1024 for name in ("MemAvailable", "MemTotal"))
    code = DiagnosisCode.MEMORY_LOW if available < LEAST_MEMORY_BYTES else DiagnosisCode.MEMORY_WELL
    return Diagnosis.of(code, available_gb=available / 1e9, total_gb=total / 1e9)


def handles(config: Config, most: Callable[[], int] = most_handles) -> Diagnosis:
    """Check that a process may open enough files for all connections and its other needs."""
    connections, available = config.limits.connections, most()
    code = DiagnosisCode.HANDLES_WELL if available >= handles_needed(connections) else DiagnosisCode.HANDLES_LOW
    return Diagnosis.of(
        code,
        handles=available,
        needed=handles_needed(connections),
        connections=connections,
        possible=connections_within(available, connections),
    )


def clock(settings: ClockConfig, sync: Callable[[], ClockSync] = kernel_sync) -> Diagnosis:
    """Check that a time server sets the clock."""
    found = sync()
    if found.synchronised:
        within = "" if found.max_error_s is None else f", off by at most {found.max_error_s:.3f} s"
        return Diagnosis.of(DiagnosisCode.CLOCK_WELL, within=within)
    if found.synchronised is None:
        return Diagnosis.of(DiagnosisCode.CLOCK_NEEDED_UNKNOWN if settings.need_sync else DiagnosisCode.CLOCK_UNKNOWN)
    needed = DiagnosisCode.CLOCK_NEEDED_NOT_SYNCHRONISED
    return Diagnosis.of(needed if settings.need_sync else DiagnosisCode.CLOCK_NOT_SYNCHRONISED)


def temperature(root: Path) -> Diagnosis:
    found = hottest_c(root)
    if found is None:
        return Diagnosis.of(DiagnosisCode.TEMPERATURE_UNKNOWN)
    code = DiagnosisCode.TEMPERATURE_HIGH if found >= HOT_C else DiagnosisCode.TEMPERATURE_WELL
    return Diagnosis.of(DiagnosisCode.TEMPERATURE_TOO_HIGH if found >= TOO_HOT_C else code, celsius=found)


def hottest_c(root: Path) -> float | None:
    """Return the highest temperature of the processor's sensors, degrees Celsius; None if no sensor answers."""
    found = []
    for file in sorted((root / "sys/class/thermal").glob("thermal_zone*/temp")):
        try:
            found.append(int(file.read_text(encoding="ascii")) / 1000)
        except (OSError, ValueError):
            continue  # the sensor exists, but does not answer
    return max(found, default=None)


def power(root: Path) -> Diagnosis:
    """Check whether a Raspberry Pi is throttled by heat or its power supply; other machines do not report it."""
    try:
        model = (root / "proc/device-tree/model").read_text(encoding="utf-8").rstrip("\0\n")
    except OSError:
        return Diagnosis.of(DiagnosisCode.POWER_NOT_APPLICABLE)
    flags = _throttled(root)
    if flags is None:
        return Diagnosis.of(DiagnosisCode.POWER_UNKNOWN, model=model)
    # The lower half of the flags is the present state, the upper half what occurred since the start.
    for code, shift in ((DiagnosisCode.POWER_THROTTLED, 0), (DiagnosisCode.POWER_WAS_THROTTLED, 16)):
        if named := [words for bit, words in _THROTTLED.items() if flags & (1 << (bit + shift))]:
            return Diagnosis.of(code, model=model, flags=", ".join(named))
    return Diagnosis.of(DiagnosisCode.POWER_WELL, model=model)


def _throttled(root: Path) -> int | None:
    """Return the firmware's flags, from the kernel or the manufacturer's command; None if neither is available."""
    for file in (root / "sys/devices/platform").glob("soc*/*firmware/get_throttled"):
        return int(file.read_text(encoding="ascii").strip(), 16)
    command = shutil.which("vcgencmd")
    if command is None:
        return None
    answer = subprocess.run([command, "get_throttled"], capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    found = re.fullmatch(r"throttled=0x([0-9a-f]+)\s*", answer.stdout)
    return None if found is None else int(found[1], 16)


def port(config: Config) -> Diagnosis:
    """Check that the service can listen on its port, or already does."""
    host, number = config.server.host, config.server.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except OSError as error:
        if version := running(config):
            return Diagnosis.of(DiagnosisCode.PORT_ANSWERS, version=version, host=host, port=number)
        return Diagnosis.of(DiagnosisCode.PORT_TAKEN, host=host, port=number, why=error.strerror or error)
    return Diagnosis.of(DiagnosisCode.PORT_FREE, host=host, port=number)


def running(config: Config) -> str | None:
    """Return the version of the service that answers on the configured port; None without an answer."""
    server = config.server
    url = httpx2.URL(scheme="https" if server.tls else "http", host=server.host, port=server.port, path="/healthz")
    try:
        # Only a version is requested from this machine's own port, so the certificate need not be verified.
        answer = asyncio.run(_asked(url))
        return str(answer["version"]) if answer.get("status") == "alive" else None
    except (httpx2.HTTPError, ValueError, KeyError, AttributeError):
        return None


async def _asked(url: httpx2.URL) -> Any:  # noqa: ANN401  whatever answers there
    async with client(Bounds(seconds=2.0, most_bytes=10_000), trusting=False) as here:
        return (await here.get(url)).json()


def secrets(config: Config, settings: Path | None) -> Iterator[Diagnosis]:
    """Check that only their owner can read files with secrets."""
    files: list[Path | None] = [config.record.url_file]
    files += [table.source.url_file for table in config.local if table.source is not None]
    if settings is not None and _holds_secret(config):
        files.append(settings)
    files += [config.server.tls_key, config.record_folder / KEY]
    for file in files:
        if file is None or not file.exists():
            continue
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield Diagnosis.of(DiagnosisCode.SECRETS_EXPOSED, file=file, mode=mode)
        elif not os.access(file, os.R_OK):
            yield Diagnosis.of(DiagnosisCode.SECRETS_UNREADABLE, file=file)
        else:
            yield Diagnosis.of(DiagnosisCode.SECRETS_WELL, file=file)


def tls(config: Config, now: datetime | None = None) -> Diagnosis:
    """Check that the certificate is valid, and for how long."""
    file = config.server.tls_certificate
    if file is None:
        return Diagnosis.of(DiagnosisCode.TLS_NONE if config.server.local_only else DiagnosisCode.TLS_BY_PROXY)
    from cryptography.x509 import load_pem_x509_certificate  # noqa: PLC0415  only where the service itself speaks TLS

    try:
        until = load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as error:
        return Diagnosis.of(DiagnosisCode.TLS_UNREADABLE, file=file, why=error)
    left = until - (now or datetime.now(UTC))
    code = DiagnosisCode.TLS_EXPIRES if left < RENEW else DiagnosisCode.TLS_WELL
    return Diagnosis.of(
        DiagnosisCode.TLS_EXPIRED if left < timedelta(0) else code, name=file.name, until=f"{until:%Y-%m-%d}"
    )


def _holds_secret(config: Config) -> bool:
    """Return whether the settings file itself holds a secret, instead of another file or the environment."""
    sources = [table.source for table in config.local if table.source is not None]
    secrets = [(config.record.url, config.record.url_file, RECORD_URL_VARIABLE)]
    secrets += [(each.url, each.url_file, "" if place else SOURCE_URL_VARIABLE) for place, each in enumerate(sources)]
    return any(url is not None and file is None and not os.environ.get(variable) for url, file, variable in secrets)
