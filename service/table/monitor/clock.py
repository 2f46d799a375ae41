"""The machine's clock: set by a time server, without jumps, and not earlier than the newest entry.

A record with wrong times proves nothing, so nothing is verified while the clock has a fault. The order of events does
not depend on the clock: entries are numbered.
"""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from service.record.health import Check
from service.words.codes import ServiceCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.system.table_settings import ClockConfig

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
