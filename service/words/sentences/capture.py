"""The sentences of a source's faults, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.wording import sentence
from vision.capture.faults import CaptureCode

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

CAPTURE: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    CaptureCode.NO_SUCH_SOURCE: (
        sentence(
            "%(name)s: there is no such file or folder. Give a picture, a folder of pictures, a video, a camera's "
            "number, an rtsp:// address or picamera2."
        ),
    ),
    CaptureCode.NO_PICTURES_IN_FOLDER: (sentence("%(folder)s: contains no pictures (%(suffixes)s)"),),
    CaptureCode.FILES_PASSED_OVER: (sentence("%(folder)s: %(count)s files were not read (%(why)s)"),),
    CaptureCode.NOT_A_VIDEO: (sentence("%(name)s: is not a picture or video that Houseway can read."),),
    CaptureCode.NO_FRAME_IN_VIDEO: (sentence("%(name)s: contains no frame that can be decoded."),),
    CaptureCode.NO_CAMERA_NUMBER: (sentence("%(name)s: expected picamera2 or picamera2:NUMBER"),),
    CaptureCode.NOT_SIMULATED: ("%(why)s",),
    CaptureCode.FILE_UNREADABLE: (sentence("%(fault)s"),),
    CaptureCode.NOT_OPENING: (
        sentence("%(name)s: does not open. Check its cable, power and address, and that no other program uses it."),
    ),
    CaptureCode.SETTING_NOT_TAKEN: (
        sentence(
            "%(name)s: does not take %(property)s = %(value)s (%(key)s). See what it can do with v4l2-ctl --device "
            "%(device)s --list-ctrls --list-formats-ext, or leave %(key)s out."
        ),
    ),
    CaptureCode.PICAMERA2_MISSING: (
        sentence(
            "%(name)s: picamera2 is not installed. It runs on a Raspberry Pi: sudo apt install python3-picamera2, and "
            "make the virtual environment with --system-site-packages."
        ),
    ),
    CaptureCode.RIBBON_CAMERA_NOT_OPENING: (
        sentence(
            "%(name)s: does not open (%(why)s). Check the ribbon cable, and that no other program uses the camera."
        ),
    ),
    CaptureCode.SETTINGS_REFUSED: (sentence("%(name)s: the camera refuses these settings (%(why)s)."),),
    CaptureCode.EXPOSURE_TOO_LONG: (
        sentence(
            "%(name)s: an exposure of %(exposure_us)s us takes longer than a picture, %(longest_us)s us. Expose "
            "shorter, or set fewer pictures a second (fps)."
        ),
    ),
    CaptureCode.OTHER_SIZE_GIVEN: (
        sentence(
            "%(name)s: gives pictures of %(given)s (%(format)s), not %(asked)s. Set a size that it supports: "
            "rpicam-hello --list-cameras."
        ),
    ),
    CaptureCode.CONTROL_MISSING: (sentence("%(name)s: this camera has no %(control)s. Leave it out of its settings."),),
    CaptureCode.CONTROL_OUT_OF_RANGE: (
        sentence("%(name)s: %(control)s must be from %(least)s to %(most)s, not %(value)s."),
    ),
    CaptureCode.SILENT: (sentence("%(name)s: no picture for %(seconds)s s."),),
    CaptureCode.SILENT_OR_HUNG_UP: (sentence("%(name)s: no picture for %(seconds)s s, or the connection was closed."),),
    CaptureCode.SOURCE_ENDED: (sentence("%(name)s: no more pictures arrive. Opening it again."),),
    CaptureCode.NO_MEMORY: (sentence("%(name)s: not enough memory for a picture of %(bytes)s bytes."),),
    CaptureCode.UNFORESEEN: (sentence("%(name)s: unexpected error: %(why)s. Trying again."),),
    CaptureCode.PROCESS_NOT_STARTING: (sentence("%(name)s: its process does not start: %(why)s."),),
    CaptureCode.PROCESS_NOT_WATCHED: (sentence("%(name)s: its process cannot be monitored: %(why)s. Trying again."),),
    CaptureCode.PROCESS_SLOW_TO_OPEN: (
        sentence(
            "%(name)s: did not open within %(seconds)s s, so its process was stopped. Check its cable, power and "
            "address."
        ),
    ),
    CaptureCode.PROCESS_SILENT: (
        sentence(
            "%(name)s: no picture for %(seconds)s s, so its process was stopped. Check its cable, power and address."
        ),
    ),
    CaptureCode.PROCESS_KILLED: (sentence("%(name)s: its process was ended by %(signal)s. Starting it again."),),
    CaptureCode.PROCESS_ENDED: (sentence("%(name)s: its process ended with code %(status)s. Starting it again."),),
    CaptureCode.PICTURE_DAMAGED: (
        sentence(
            "%(name)s: a picture did not arrive complete (%(why)s). Check the cable or the network, and the disk."
        ),
    ),
    CaptureCode.STREAM_DAMAGED: (
        sentence(
            "%(name)s: parts of the video were lost on the network, so pictures are damaged. Check the network to "
            "the camera, or lower its bit rate."
        ),
    ),
    CaptureCode.PICTURE_BLACK: (
        sentence("%(name)s: the picture is black. Check the lens cover, the light and the exposure."),
    ),
    CaptureCode.PICTURE_PLAIN: (
        sentence("%(name)s: the picture is one plain colour. Check the lens and the camera's cable."),
    ),
    CaptureCode.PICTURE_FROZEN: (
        sentence("%(name)s: the picture is frozen: no pixel has changed for %(seconds)s s. Opening the camera again."),
    ),
    CaptureCode.PICTURE_STILL_FROZEN: (sentence("%(name)s: the picture is still frozen."),),
}
