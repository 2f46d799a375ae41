"""What a person is told first of a table: whether it can verify anything now, and if not, why.

One value for the page's status line, the terminal and ``/v1/tables``, made from the checks. It never says that all is
well of a table that cannot verify.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from service.codes import ServiceCode, StatusCode
from service.config.source_kinds import KINDS
from service.words.wording import Words, words
from vision.capture.faults import CaptureCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

    from service.config.source_kinds import Pictures
    from service.table.live_state import Check, LiveState

_SOURCE_WORDS: Final[Mapping[Pictures, Words]] = {
    "recording": words("Recording, not a live table"),
    "simulation": words("Simulated table"),
}
_SOURCE: Final[Mapping[StrEnum, StatusCode]] = {
    ServiceCode.SOURCE_NOT_CHOSEN: StatusCode.NOT_SET_UP,
    CaptureCode.PICTURE_FROZEN: StatusCode.SAME_PICTURE,
    CaptureCode.PICTURE_STILL_FROZEN: StatusCode.SAME_PICTURE,
    CaptureCode.PICTURE_BLACK: StatusCode.BAD_PICTURES,
    CaptureCode.PICTURE_PLAIN: StatusCode.BAD_PICTURES,
    CaptureCode.PICTURE_DAMAGED: StatusCode.BAD_PICTURES,
    CaptureCode.STREAM_DAMAGED: StatusCode.BAD_PICTURES,
}
"""What a fault of the source means; any other is a source that is gone."""
_CAMERA: Final[Mapping[StrEnum, StatusCode]] = {
    ServiceCode.FROZEN: StatusCode.SAME_PICTURE,
    ServiceCode.DRIFTED: StatusCode.CAMERA_MOVED,
    ServiceCode.MARKER_MOVED: StatusCode.CAMERA_MOVED,
}
"""What a fault of the picture means; any other is a view that is not clear."""
_CHECKS: Final[Mapping[str, StatusCode]] = {
    "record": StatusCode.NOT_RECORDING,
    "integrity": StatusCode.RECORD_CHANGED,
    "source": StatusCode.SOURCE_GONE,
    "pictures": StatusCode.NO_NEW_PICTURE,
    "reading": StatusCode.READING_FAILED,
    "self_test": StatusCode.UNFIT,
    "clock": StatusCode.CLOCK_NOT_SET,
    "camera": StatusCode.VIEW_NOT_CLEAR,
    "tiles": StatusCode.SET_IN_DOUBT,
}
"""What a check that fails means, the one first that must be mended first."""


@dataclass(frozen=True, slots=True)
class TableStatus:
    """Whether a table verifies.

    Attributes:
        pictures: where its pictures come from.
        verifying: whether a hand that is read clearly can be verified now.
        finding: why not, or what else needs attention, or that all is well.
        more: how many other checks fail.
    """

    pictures: Pictures
    verifying: bool
    finding: Finding
    more: int = 0

    @property
    def level(self) -> Literal["well", "attention", "fault"]:
        """``fault`` while nothing can be verified, ``attention`` while something else fails."""
        if self.finding.code in {StatusCode.VERIFYING, StatusCode.STARTING}:
            return "well"
        return "attention" if self.verifying else "fault"

    @property
    def source_words(self) -> Words | None:
        """What to say first of pictures that are not a live table's."""
        return _SOURCE_WORDS.get(self.pictures)


def table_status(live: LiveState, kind: str, *, calibrated: bool) -> TableStatus:
    """The status of a table at this moment.

    Args:
        live: what is known of it.
        kind: of its source, as the settings name it.
        calibrated: whether it is read by a calibration.
    """

    def made(finding: Finding, *, verifying: bool = False, more: int = 0) -> TableStatus:
        return TableStatus(KINDS[kind].pictures, verifying, finding, more)

    failing = {check.name: check for check in live.health() if not check.ok}
    first = next((name for name in _CHECKS if name in failing), None)
    others = [name for name, check in failing.items() if name not in _CHECKS and check.blocks]
    if first is not None:
        return made(_finding(failing[first], live), more=len(failing) - 1)
    if others:
        return made(Finding.of(StatusCode.CHECK_FAILED, check=others[0]), more=len(failing) - 1)
    if not calibrated:
        return made(Finding(StatusCode.NOT_CALIBRATED), more=len(failing))
    if failing:
        return made(Finding.of(StatusCode.ATTENTION, check=next(iter(failing))), verifying=True, more=len(failing) - 1)
    if live.state.view is None:
        return made(Finding(StatusCode.STARTING))
    return made(Finding(StatusCode.VERIFYING), verifying=True)


def _finding(check: Check, live: LiveState) -> Finding:
    codes = {"source": _SOURCE, "camera": _CAMERA}.get(check.name, {})
    code = next((codes[found.code] for found in check.findings if found.code in codes), _CHECKS[check.name])
    if code is StatusCode.NO_NEW_PICTURE or (code is StatusCode.SAME_PICTURE and check.name == "source"):
        return Finding.of(code, seconds=round(live.silent_s()))
    return Finding(code)
