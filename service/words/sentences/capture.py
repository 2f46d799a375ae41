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
    CaptureCode.NO_PICTURES_IN_FOLDER: (sentence("%(folder)s: holds no pictures (%(suffixes)s)"),),
    CaptureCode.FILES_PASSED_OVER: (sentence("%(folder)s: %(count)s files were not read (%(why)s)"),),
    CaptureCode.NOT_A_VIDEO: (sentence("%(name)s: is neither a picture nor a video this program reads."),),
    CaptureCode.NO_FRAME_IN_VIDEO: (sentence("%(name)s: holds no frame that can be decoded."),),
    CaptureCode.NO_CAMERA_NUMBER: (sentence("%(name)s: expected picamera2 or picamera2:NUMBER"),),
    CaptureCode.NOT_SIMULATED: ("%(why)s",),
    CaptureCode.FILE_UNREADABLE: (sentence("%(fault)s"),),
    CaptureCode.NOT_OPENING: (
        sentence("%(name)s: does not open. Check its cable, power and address, and that nothing else uses it."),
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
        sentence("%(name)s: does not open (%(why)s). Check the ribbon cable and that it is free."),
    ),
    CaptureCode.SETTINGS_REFUSED: (sentence("%(name)s: cannot be set so (%(why)s)."),),
    CaptureCode.EXPOSURE_TOO_LONG: (
        sentence(
            "%(name)s: an exposure of %(exposure_us)s us takes longer than a picture, %(longest_us)s us. Expose "
            "shorter, or set fewer pictures a second (fps)."
        ),
    ),
    CaptureCode.OTHER_SIZE_GIVEN: (
        sentence(
            "%(name)s: gives pictures of %(given)s (%(format)s), not %(asked)s. Set a size it has: rpicam-hello "
            "--list-cameras."
        ),
    ),
    CaptureCode.CONTROL_MISSING: (sentence("%(name)s: this camera has no %(control)s. Leave it out of its settings."),),
    CaptureCode.CONTROL_OUT_OF_RANGE: (
        sentence("%(name)s: %(control)s is from %(least)s to %(most)s, not %(value)s."),
    ),
    CaptureCode.SILENT: (sentence("%(name)s: gave no picture for %(seconds)s s."),),
    CaptureCode.SILENT_OR_HUNG_UP: (sentence("%(name)s: gave no picture for %(seconds)s s or hung up."),),
    CaptureCode.SOURCE_ENDED: (sentence("%(name)s: gives no more pictures. It is opened anew."),),
    CaptureCode.NO_MEMORY: (sentence("%(name)s: no memory for a picture of %(bytes)s bytes."),),
    CaptureCode.UNFORESEEN: (sentence("%(name)s: failed in a way nobody foresaw: %(why)s. It is tried again."),),
    CaptureCode.PROCESS_NOT_STARTING: (sentence("%(name)s: its process does not start: %(why)s."),),
    CaptureCode.PROCESS_NOT_WATCHED: (
        sentence("%(name)s: its process cannot be watched: %(why)s. It is tried again."),
    ),
    CaptureCode.PROCESS_SLOW_TO_OPEN: (
        sentence(
            "%(name)s: does not open within %(seconds)s s; its process was ended. Check its cable, power and address."
        ),
    ),
    CaptureCode.PROCESS_SILENT: (
        sentence(
            "%(name)s: gave no picture for %(seconds)s s; its process was ended. Check its cable, power and address."
        ),
    ),
    CaptureCode.PROCESS_KILLED: (sentence("%(name)s: its process was ended by %(signal)s. It is started anew."),),
    CaptureCode.PROCESS_ENDED: (sentence("%(name)s: its process ended with code %(status)s. It is started anew."),),
    CaptureCode.PICTURE_DAMAGED: (
        sentence("%(name)s: a picture did not arrive whole (%(why)s). Check the cable or the network, and the disk."),
    ),
    CaptureCode.STREAM_DAMAGED: (
        sentence(
            "%(name)s: parts of the video were lost on the way, so pictures are made up in part. Check the network to "
            "the camera, or lower its bit rate."
        ),
    ),
    CaptureCode.PICTURE_BLACK: (
        sentence("%(name)s: the picture is black. Check the lens cover, the light and the exposure."),
    ),
    CaptureCode.PICTURE_PLAIN: (
        sentence("%(name)s: the picture is of one plain colour. Check the lens and the camera's cable."),
    ),
    CaptureCode.PICTURE_FROZEN: (
        sentence(
            "%(name)s: the picture is frozen: not one pixel has changed for %(seconds)s s. The camera is opened anew."
        ),
    ),
    CaptureCode.PICTURE_STILL_FROZEN: (sentence("%(name)s: the picture is still the one it was frozen with."),),
}
