"""The machine: disk, memory, clock, heat, power, port and the files it keeps secrets in."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from cryptography.x509 import load_pem_x509_certificate

from service.config.settings import SECRETS
from service.monitor.clock import kernel_sync
from service.monitor.doctor.finding import Finding, fail, warn, well

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from service.config.settings import Config
    from service.config.table_settings import ClockConfig
    from service.monitor.clock import Sync

LEAST_FREE_BYTES: Final = 1_000_000_000
"""Less than this beyond what the settings keep free is a night or two of evidence."""
LEAST_MEMORY_BYTES: Final = 1_000_000_000
RENEW: Final = timedelta(days=30)
HOT_C: Final = 75.0
TOO_HOT_C: Final = 82.0
"""A Raspberry Pi slows down at 80 to 85 degrees."""

_NOW: Final = {0: "the supply voltage is too low", 1: "the clock rate is capped", 2: "slowed down", 3: "too warm"}


def disk(config: Config) -> Finding:
    """Whether there is room for evidence."""
    folder = config.record_folder
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    least = config.record.min_free_mb * 1_000_000
    told = f"{free / 1e9:.1f} GB free at {folder}"
    remedy = "export and remove what is not needed (docs/record.md), or give record.folder a larger disk"
    if free < least:
        return fail("disk", f"{told}, less than record.min_free_mb", remedy)
    if free < least + LEAST_FREE_BYTES:
        return warn("disk", f"{told}, {(free - least) / 1e9:.1f} GB above record.min_free_mb", remedy)
    return well("disk", told)


def memory(root: Path) -> Finding:
    """Whether the service fits beside what else runs."""
    try:
        told = (root / "proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return warn("memory", "the system does not say", "Houseway is made for Linux")
    kilobytes = {name: int(value) for name, value in re.findall(r"^(\w+): +(\d+) kB", told, re.MULTILINE)}
    available, total = (kilobytes.get(name, 0) * 1024 for name in ("MemAvailable", "MemTotal"))
    words = f"{available / 1e9:.1f} of {total / 1e9:.1f} GB available"
    if available < LEAST_MEMORY_BYTES:
        return warn("memory", words, "end what else runs; the table service needs some 600 MB")
    return well("memory", words)


def clock(settings: ClockConfig, sync: Callable[[], Sync] = kernel_sync) -> Finding:
    """Whether a time server sets the clock."""
    found = sync()
    if found.synchronised:
        error = "" if found.max_error_s is None else f", off by at most {found.max_error_s:.3f} s"
        return well("clock", f"set by a time server{error}")
    what = "the kernel does not say whether it is set" if found.synchronised is None else "no time server sets it"
    remedy = "see `timedatectl`: systemd-timesyncd or chrony must run and reach a server"
    if settings.need_sync:
        return fail("clock", f"{what}, and clock.need_sync is true: nothing is verified", remedy)
    return warn("clock", what, remedy)


def temperature(root: Path) -> Finding:
    """Whether the processor is cool."""
    found = []
    for file in sorted((root / "sys/class/thermal").glob("thermal_zone*/temp")):
        try:
            found.append(int(file.read_text(encoding="ascii")) / 1000)
        except (OSError, ValueError):
            continue  # a sensor that is there, but does not answer
    if not found:
        return well("temperature", "this machine has no sensor that can be read")
    hottest = max(found)
    told = f"{hottest:.0f} degrees Celsius"
    remedy = "give it air: the active cooler, and no closed case"
    if hottest >= TOO_HOT_C:
        return fail("temperature", told, remedy)
    return warn("temperature", told, remedy) if hottest >= HOT_C else well("temperature", told)


def power(root: Path) -> Finding:
    """Whether a Raspberry Pi is slowed down by heat or its supply; other machines do not say."""
    try:
        model = (root / "proc/device-tree/model").read_text(encoding="utf-8").rstrip("\0\n")
    except OSError:
        return well("power", "not a Raspberry Pi: the supply cannot be asked")
    flags = _throttled(root)
    if flags is None:
        return warn(
            "power", f"{model}: the firmware does not say", "`vcgencmd get_throttled` should print throttled=0x0"
        )
    now = [words for bit, words in _NOW.items() if flags & (1 << bit)]
    before = [words for bit, words in _NOW.items() if flags & (1 << (bit + 16))]
    remedy = "use the maker's own supply (27 W for a Raspberry Pi 5) and the active cooler"
    if now:
        return fail("power", f"{model}: {', '.join(now)}", remedy)
    if before:
        return warn("power", f"{model}: since it was started at times {', '.join(before)}", remedy)
    return well("power", f"{model}: supply and speed are as they should be")


def _throttled(root: Path) -> int | None:
    """The firmware's flags, from the kernel or from the maker's own command; None if neither says."""
    for file in (root / "sys/devices/platform").glob("soc*/*firmware/get_throttled"):
        return int(file.read_text(encoding="ascii").strip(), 16)
    command = shutil.which("vcgencmd")
    if command is None:
        return None
    told = subprocess.run([command, "get_throttled"], capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    found = re.fullmatch(r"throttled=0x([0-9a-f]+)\s*", told.stdout)
    return None if found is None else int(found[1], 16)


def port(config: Config) -> Finding:
    """Whether the service can listen, or does."""
    host, number = config.server.host, config.server.port
    try:
        family, _, _, _, address = socket.getaddrinfo(host, number, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except OSError as error:
        if version := running(config):
            return well("port", f"Houseway {version} answers on {host} port {number}")
        return fail("port", f"{host} port {number}: {error.strerror or error}", "end what uses it, or set server.port")
    return well("port", f"{host} port {number} is free")


def running(config: Config) -> str | None:
    """The version of the service that answers on the configured port; None if none does."""
    host, number = config.server.host, config.server.port
    connection = http.client.HTTPConnection(host, number, timeout=2)
    if config.server.tls:
        # Who answers on this machine's own port is asked for its version, and told nothing.
        connection = http.client.HTTPSConnection(host, number, timeout=2, context=ssl._create_unverified_context())  # noqa: S323, SLF001
    try:
        connection.request("GET", "/healthz")
        told = json.loads(connection.getresponse().read(1000))
        return str(told["version"]) if told.get("status") == "alive" else None
    except (OSError, ValueError, KeyError, AttributeError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def secrets(config: Config, settings: Path | None) -> Iterator[Finding]:
    """Whether files with secrets are their owner's alone."""
    files: list[Path | None] = [getattr(getattr(config, section), f"{key}_file") for section, key in SECRETS]
    if settings is not None and _holds_secret(config):
        files.append(settings)
    files += [config.server.tls_key, config.record_folder / "record.key"]
    for file in files:
        if file is None or not file.exists():
            continue
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            yield fail("secrets", f"{file} can be read or written by others ({mode:03o})", f"chmod 600 {file}")
        elif not os.access(file, os.R_OK):
            yield fail("secrets", f"{file} cannot be read by this user", "run this as the user of the service")
        else:
            yield well("secrets", f"{file} is its owner's alone")


def tls(config: Config, now: datetime | None = None) -> Finding:
    """Whether the certificate is in force, and for how long yet."""
    file = config.server.tls_certificate
    if file is None:
        return well(
            "tls", "not spoken here" + ("" if config.server.local_only else "; other machines come through a proxy")
        )
    remedy = "have a new one made, and name it in server.tls_certificate"
    try:
        certificate = load_pem_x509_certificate(file.read_bytes())
    except (OSError, ValueError) as error:
        return fail("tls", f"{file} cannot be read: {error}", "name a PEM file in server.tls_certificate")
    left = certificate.not_valid_after_utc - (now or datetime.now(UTC))
    told = f"{file.name} is valid until {certificate.not_valid_after_utc:%Y-%m-%d}"
    if left < timedelta(0):
        return fail("tls", told, remedy)
    return warn("tls", told, remedy) if left < RENEW else well("tls", told)


def _holds_secret(config: Config) -> bool:
    """Whether the settings themselves hold a secret: neither a file nor the environment does."""
    return any(
        getattr(getattr(config, section), key) is not None
        and getattr(getattr(config, section), f"{key}_file") is None
        and not os.environ.get(variable)
        for (section, key), variable in SECRETS.items()
    )
