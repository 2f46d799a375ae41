"""The one line that says how a table is, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import StatusCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

STATUS: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    StatusCode.VERIFYING: (sentence("All checks OK"),),
    StatusCode.STARTING: (sentence("Starting: no picture yet"),),
    StatusCode.ATTENTION: (sentence("Needs attention: %(check)s"),),
    StatusCode.NOT_RECORDING: (sentence("The record cannot be written: nothing can be verified"),),
    StatusCode.RECORD_CHANGED: (sentence("The record is not as it was recorded: nothing can be verified"),),
    StatusCode.SOURCE_GONE: (sentence("Source gone: no pictures"),),
    StatusCode.BAD_PICTURES: (sentence("The camera's pictures cannot be used: nothing can be verified"),),
    StatusCode.SAME_PICTURE: (
        sentence("The same picture for %(seconds)s s: nothing can be verified"),
        sentence("The camera repeats the same picture: nothing can be verified"),
    ),
    StatusCode.NO_NEW_PICTURE: (sentence("No new picture for %(seconds)s s"),),
    StatusCode.READING_FAILED: (sentence("Reading failed: nothing can be verified"),),
    StatusCode.UNFIT: (sentence("The self-test failed: nothing can be verified"),),
    StatusCode.CLOCK_NOT_SET: (sentence("Clock not set: nothing can be verified"),),
    StatusCode.NOT_SET_UP: (sentence("Set-up is not finished: nothing can be verified"),),
    StatusCode.NOT_CALIBRATED: (sentence("No calibration: nothing can be verified"),),
    StatusCode.CAMERA_MOVED: (sentence("Camera or table moved: nothing can be verified"),),
    StatusCode.VIEW_NOT_CLEAR: (sentence("The view is not clear: nothing can be verified"),),
    StatusCode.SET_IN_DOUBT: (sentence("The set of tiles is in doubt: nothing can be verified"),),
    StatusCode.CHECK_FAILED: (sentence("A check failed (%(check)s): nothing can be verified"),),
}
