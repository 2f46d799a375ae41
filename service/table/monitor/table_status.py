"""Status of a table: whether it can verify anything now, and if not, why; for page, terminal, log and ``/v1/tables``.

The status is made from the checks. A table that cannot verify never has the status "well".
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Final

from service.record.health import TableStatus
from service.system.host import notify
from service.system.source_kinds import KINDS
from service.words.codes import ServiceCode, StatusCode
from service.words.findings import words_of
from vision.capture.faults import CaptureCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping
    from enum import StrEnum

    from service.record.health import Check
    from service.table.live_state import LiveState

_SOURCE: Final[Mapping[StrEnum, StatusCode]] = {
    ServiceCode.SOURCE_NOT_CHOSEN: StatusCode.NOT_SET_UP,
    CaptureCode.PICTURE_FROZEN: StatusCode.SAME_PICTURE,
    CaptureCode.PICTURE_STILL_FROZEN: StatusCode.SAME_PICTURE,
    CaptureCode.PICTURE_BLACK: StatusCode.BAD_PICTURES,
    CaptureCode.PICTURE_PLAIN: StatusCode.BAD_PICTURES,
    CaptureCode.PICTURE_DAMAGED: StatusCode.BAD_PICTURES,
    CaptureCode.STREAM_DAMAGED: StatusCode.BAD_PICTURES,
}
"""Status by fault of the source; any other fault means that the source is gone."""
_CAMERA: Final[Mapping[StrEnum, StatusCode]] = {
    ServiceCode.FROZEN: StatusCode.SAME_PICTURE,
    ServiceCode.DRIFTED: StatusCode.CAMERA_MOVED,
    ServiceCode.MARKER_MOVED: StatusCode.CAMERA_MOVED,
}
"""Status by fault of the picture; any other fault means that the view is not clear."""
_CHECKS: Final[Mapping[str, StatusCode]] = {
    "record": StatusCode.NOT_RECORDING,
    "integrity": StatusCode.RECORD_CHANGED,
    "source": StatusCode.SOURCE_LOST,
    "pictures": StatusCode.NO_NEW_PICTURE,
    "reading": StatusCode.READING_FAILED,
    "self_test": StatusCode.UNFIT,
    "clock": StatusCode.CLOCK_NOT_SET,
    "camera": StatusCode.VIEW_NOT_CLEAR,
    "tiles": StatusCode.SET_IN_DOUBT,
}
"""Status by failed check, in the order of repair."""


def table_status(live: LiveState, kind: str, *, calibrated: bool) -> TableStatus:
    """Return the current status of a table.

    Args:
        live: state of the table.
        kind: kind of its source, as named in the settings.
        calibrated: whether it is read with a calibration.
    """

    def status(finding: Finding, *, verifying: bool = False, more: int = 0) -> TableStatus:
        return TableStatus(KINDS[kind].pictures, verifying, finding, more)

    failing = {check.name: check for check in live.health() if not check.ok}
    first = next((name for name in _CHECKS if name in failing), None)
    others = [name for name, check in failing.items() if name not in _CHECKS and check.blocks]
    if first is not None:
        return status(_finding(failing[first], live), more=len(failing) - 1)
    if others:
        return status(Finding.of(StatusCode.CHECK_FAILED, check=others[0]), more=len(failing) - 1)
    if not calibrated:
        return status(Finding(StatusCode.NOT_CALIBRATED), more=len(failing))
    if failing:
        needing = Finding.of(StatusCode.ATTENTION, check=next(iter(failing)))
        return status(needing, verifying=True, more=len(failing) - 1)
    if live.state.view is None:
        return status(Finding(StatusCode.STARTING))
    return status(Finding(StatusCode.VERIFYING), verifying=True)


def _finding(check: Check, live: LiveState) -> Finding:
    codes = {"source": _SOURCE, "camera": _CAMERA}.get(check.name, {})
    code = next((codes[found.code] for found in check.findings if found.code in codes), _CHECKS[check.name])
    if code is StatusCode.NO_NEW_PICTURE or (code is StatusCode.SAME_PICTURE and check.name == "source"):
        return Finding.of(code, seconds=round(live.silent_s()))
    return Finding(code)


_log = logging.getLogger(__name__)

_LOOK_EVERY_S: Final = 1.0


def status_text(status: TableStatus) -> str:
    """Return a status in one line of English."""
    more = f" (and {status.more} more)" if status.more else ""
    before = f"{status.source_words}. " if status.source_words else ""
    return f"{before}{words_of(status.finding)}{more}."


@asynccontextmanager
async def status_logged(
    statuses: Callable[[], Mapping[str, TableStatus]], every_s: float = _LOOK_EVERY_S
) -> AsyncIterator[None]:
    """Log changes of each table's status, and notify systemd of them, while the block runs."""
    task = asyncio.create_task(_log_changes(statuses, every_s))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _log_changes(statuses: Callable[[], Mapping[str, TableStatus]], every_s: float) -> None:
    logged: dict[str, tuple[object, ...]] = {}
    seen: dict[str, object] = {}
    while True:
        now = statuses()
        texts = {name: status_text(of) if len(now) == 1 else f"{name}: {status_text(of)}" for name, of in now.items()}
        # Parameters such as seconds are ignored; a new status is logged when it is seen twice in a row.
        kinds = {name: (of.level, of.finding.code, of.more) for name, of in now.items()}
        new = [name for name, kind in kinds.items() if kind == seen.get(name) != logged.get(name)]
        for name in new:
            before, logged[name] = logged.get(name), kinds[name]
            if now[name].level == "well" and (before is None or before[0] == "well"):
                continue  # as it should be
            _log.log(logging.INFO if now[name].level == "well" else logging.WARNING, "%s", texts[name])
        if new:
            notify(f"STATUS={' '.join(texts.values())}")
        seen = {**kinds}
        await asyncio.sleep(every_s)
