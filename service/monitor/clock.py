"""The machine's clock: is it set by a time server, does it run on evenly, is it not behind what was recorded.

A record whose times are wrong proves nothing, so while the clock is not well nothing is verified. The order of what
happened never depends on it: entries are numbered.
"""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from service.table.live_state import Check
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.config.table_settings import ClockConfig

_TIME_ERROR: Final = 5
_STA_UNSYNC: Final = 0x40
_SLACK: Final = timedelta(seconds=1)
"""A record written by another machine's database may be this much ahead of the clock."""


class _Timex(ctypes.Structure):
    """The beginning of ``struct timex`` as adjtimex(2) has it; what follows is room that the kernel may fill."""

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
class Sync:
    """Whether a time server sets the clock, as the kernel was told by whatever keeps it (timesyncd, chrony, ntpd).

    Attributes:
        synchronised: None if the kernel does not say.
        max_error_s: the largest error to be expected, seconds; None if not known.
    """

    synchronised: bool | None
    max_error_s: float | None = None


def kernel_sync() -> Sync:
    """Ask the kernel; nothing is changed."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except (OSError, AttributeError):
        return Sync(None)
    asked = _Timex()
    state = adjtimex(ctypes.byref(asked))
    if state < 0:
        return Sync(None)
    if state == _TIME_ERROR or asked.status & _STA_UNSYNC:
        return Sync(synchronised=False)
    return Sync(synchronised=True, max_error_s=asked.maxerror / 1e6)


def steady_ns() -> int:
    """Nanoseconds since the machine was started, times of sleep included; nobody can set it."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


@dataclass(slots=True)
class ClockWatch:
    """Looks at the clock again and again.

    Attributes:
        settings: what it must be.
        not_before: the newest time in the record; a clock that is behind it is wrong.
        utc_ns: the clock.
        steady_ns: a clock that nobody sets.
        sync: whether a time server sets the clock.
    """

    settings: ClockConfig
    not_before: datetime | None = None
    utc_ns: Callable[[], int] = time.time_ns
    steady_ns: Callable[[], int] = steady_ns
    sync: Callable[[], Sync] = kernel_sync
    _offset_ns: int = field(init=False)
    _jump: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Begin with the clocks as they are."""
        self._offset_ns = self.utc_ns() - self.steady_ns()

    def check(self) -> Check:
        """How the clock is now."""
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
            self.not_before = None  # reached once; from here on a step back is a jump
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
