"""The sentences of what the service itself may raise, in English; catalogues have them in other languages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

_AS_GIVEN: Final = ("%(why)s",)
"""Words that come from elsewhere: a rulebook, the operating system, an entry of the record."""
SERVICE: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    ServiceCode.BANKER_AT_ANOTHER_BOX: (
        sentence("the chung is seen at box %(seen)s, but box %(told)s was named as the banker's"),
    ),
    ServiceCode.BANK_HELD_OTHERWISE: (sentence("the chung shows another bank than was named"),),
    ServiceCode.ADJUSTED_OTHERWISE: (sentence("the button shows %(seen)s, but %(told)s was named"),),
    ServiceCode.NOT_RECORDED: (sentence("not recorded: %(why)s"),),
    ServiceCode.SELF_TEST_FAULT: (sentence("%(subject)s: %(found)s (%(remedy)s)"),),
    ServiceCode.SELF_TEST_FAILED: (sentence("the self-test failed: %(why)s"),),
    ServiceCode.CLOCK_SET_BACK: (
        sentence(
            "the clock was put back by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_SET_FORWARD: (
        sentence(
            "the clock was put forward by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_BEHIND_RECORD: (
        sentence("the clock says %(now)s UTC, which is before the last entry of the record: set the clock"),
    ),
    ServiceCode.CLOCK_NOT_SYNCHRONISED: (
        sentence(
            "no time server sets the clock: see `timedatectl` (systemd-timesyncd or chrony, and the network); where "
            "there is no time server, clock.need_sync = false lets results be verified without one"
        ),
    ),
    ServiceCode.CLOCK_STATE_UNKNOWN: (
        sentence(
            "whether a time server sets the clock cannot be told: see `timedatectl` (systemd-timesyncd or chrony, and "
            "the network); where there is no time server, clock.need_sync = false lets results be verified without one"
        ),
    ),
    ServiceCode.DRIFTED: (sentence("The camera or the table has moved (%(measured)s): calibrate the table again"),),
    ServiceCode.MARKER_MOVED: (
        sentence(
            "Only marker %(marker)s has moved (%(measured)s): lay it back where it was, or calibrate the table again"
        ),
    ),
    ServiceCode.MEASURED_BY_MARKERS: (sentence("%(moved_mm)s mm by %(number)s markers, %(limit_mm)s mm allowed"),),
    ServiceCode.MEASURED_BY_LAYOUT: (
        sentence("%(moved_mm)s mm by %(number)s spots of the layout, %(limit_mm)s mm allowed"),
    ),
    ServiceCode.PICTURE_TURNED: (
        sentence(
            "The camera does not stand as calibrated: the picture is turned by half a turn, by the orientation in its "
            "EXIF data (%(exif)s). Take that out, or calibrate the table again"
        ),
        sentence(
            "The camera does not stand as calibrated: the picture is turned by half a turn. Turn the camera or its "
            "setting back, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_CLOCKWISE: (
        sentence(
            "The camera does not stand as calibrated: the picture is turned by a quarter turn, clockwise. Turn the "
            "camera or its setting back, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_COUNTER_CLOCKWISE: (
        sentence(
            "The camera does not stand as calibrated: the picture is turned by a quarter turn, counter-clockwise. "
            "Turn the camera or its setting back, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_MIRRORED: (
        sentence(
            "The camera does not stand as calibrated: the picture is mirrored, left and right are exchanged. Switch "
            "mirroring off in the camera, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_FLIPPED: (
        sentence(
            "The camera does not stand as calibrated: the picture is mirrored, top and bottom are exchanged. Switch "
            "mirroring off in the camera, or calibrate the table again"
        ),
    ),
    ServiceCode.HANDS_LIE_TURNED: (
        sentence(
            "The camera does not seem to stand as calibrated: with the picture turned by half a turn tiles would lie "
            "at %(turned)s places of hands, now they lie at %(seen)s. Turn the camera or its setting back, or "
            "calibrate the table again"
        ),
    ),
    ServiceCode.REFERENCE_NOT_SENT: (
        sentence(
            "Whether the camera stands as calibrated cannot be told: send the picture of the empty table, %(file)s, "
            "with the calibration"
        ),
    ),
    ServiceCode.STAND_NOT_CHECKED: (
        sentence(
            "Whether the camera stands as calibrated was not checked: the calibration has neither a picture of the "
            "empty table nor two markers in sight of the camera"
        ),
    ),
    ServiceCode.DRIFT_UNKNOWN: (sentence("Whether the camera has moved cannot be told: %(why)s"),),
    ServiceCode.NOT_WATCHED: (
        sentence(
            "Whether the camera has moved cannot be told: its calibration has neither markers nor a picture of the "
            "empty table; calibrate the table again"
        ),
    ),
    ServiceCode.FROZEN: (sentence("The camera gives the same picture again and again: restart it"),),
    ServiceCode.NO_SET_ENROLLED: (sentence("no set is enrolled"),),
    ServiceCode.SET_NOT_ENROLLED_YET: (
        sentence("%(file)s is not there yet: show the set at the display, and enrol it"),
    ),
    ServiceCode.SET_NOT_CONTRADICTED: (sentence("no tile has spoken against the enrolled set"),),
    ServiceCode.SET_ENROLLED: (sentence("the set that lies at the display is enrolled"),),
    ServiceCode.DISPLAY_WHOLE: (sentence("all 32 tiles lie in the order of rank"),),
    ServiceCode.OWN_SET_WHOLE: (sentence("all 32 tiles lie in the order of rank and are the enrolled ones"),),
    ServiceCode.DISPLAY_FAULTY: (
        sentence("the display is not as it should be: %(faults)s; and %(more)s more"),
        sentence("the display is not as it should be: %(faults)s"),
    ),
    ServiceCode.DISPLAY_OF_ANOTHER_SET: (
        sentence(
            "the display is not as it should be: %(faults)s; and %(more)s more. Show the own set at the display, enrol "
            "this one, or have a supervisor answer for it"
        ),
        sentence(
            "the display is not as it should be: %(faults)s. Show the own set at the display, enrol this one, or have "
            "a supervisor answer for it"
        ),
    ),
    ServiceCode.NO_DISPLAY_SEEN: (
        sentence("no display was seen: lay all 32 tiles face up in the order of rank, and take hands away"),
    ),
    ServiceCode.ANOTHER_SET_IN_PLAY: (
        sentence(
            "the tiles in play do not look like the enrolled set (last seen: %(last_seen)s). Show the own set at the "
            "display, enrol this one, or have a supervisor answer for it"
        ),
    ),
    ServiceCode.SET_ANSWERED_FOR: (sentence("%(by)s answers for the tiles: %(reason)s"),),
    ServiceCode.NO_ENROLMENT_FILE: (
        sentence("there is no place to keep it: name a file as `enrolment` in the table's settings"),
    ),
    ServiceCode.FILE_NOT_WRITTEN: (sentence("%(file)s cannot be written (%(why)s)"),),
    ServiceCode.SOURCE_NOT_CHOSEN: (sentence("no camera is chosen yet: set the table up"),),
    ServiceCode.SOURCE_OPENING: (sentence("opening the source"),),
    ServiceCode.SOURCE_WELL: (sentence("pictures arrive"),),
    ServiceCode.READING_WELL: (sentence("pictures are read"),),
    ServiceCode.READING_FAULT: (sentence("a fault while reading (%(why)s); trying again"),),
    ServiceCode.NO_PICTURE: (sentence("no picture for %(seconds)s s"),),
    ServiceCode.ALARMS_WELL: (sentence("the list of alarms is up to date"),),
    ServiceCode.CLOCK_WELL: (sentence("the clock runs evenly"),),
    ServiceCode.SELF_TEST_WELL: _AS_GIVEN,
    ServiceCode.CAMERA_WELL: (sentence("the camera stands as calibrated; the picture is sharp, lit and clear"),),
    ServiceCode.CAMERA_NOT_INSPECTED: (sentence("no picture was inspected yet"),),
    ServiceCode.CAMERA_RECORDED: (sentence("recorded pictures: whether their camera had moved is not known"),),
    ServiceCode.CHANNEL_WELL: (sentence("takes what it is sent"),),
    ServiceCode.CHANNEL_WAITS_FOR_RECORD: (sentence("waits for the record: %(why)s"),),
    ServiceCode.CHANNEL_FAULT: (sentence("a fault of our own (%(why)s); trying again"),),
    ServiceCode.CHANNEL_REFUSES: (
        sentence("does not take what it is sent (%(why)s); tried %(attempts)s times, trying on"),
    ),
    ServiceCode.CHANNEL_LAID_ASIDE: (
        sentence(
            "%(events)s events were laid aside after %(attempts)s attempts each: see `houseway webhook dead`, then "
            "`houseway webhook resend`"
        ),
    ),
    ServiceCode.NO_ANSWER: (sentence("no answer within %(seconds)s s"),),
    ServiceCode.ANSWERED: (sentence("it answered %(status)s"),),
    ServiceCode.NOT_REACHED: _AS_GIVEN,
    ServiceCode.ADDRESS_PUBLIC: (
        sentence("%(address)s is a public address, and http:// would show it everything: use https://"),
    ),
    ServiceCode.ADDRESS_PRIVATE: (
        sentence(
            "%(address)s is a private address that the settings do not name: write it in the url, or add its network "
            'to the webhook\'s networks = ["%(network)s"]'
        ),
    ),
    ServiceCode.ADDRESS_OF_MANY: (sentence("%(address)s is no address of one machine"),),
    ServiceCode.HOST_NOT_FOUND: (sentence("the name %(host)s is not found (%(why)s)"),),
    ServiceCode.BROKER_CONNECTING: (sentence("connecting to %(host)s port %(port)s"),),
    ServiceCode.BROKER_CONNECTED: (sentence("connected to %(host)s port %(port)s"),),
    ServiceCode.BROKER_REFUSES: (sentence("the broker refuses: %(why)s"),),
    ServiceCode.BROKER_GONE: (sentence("the broker is gone (%(why)s); trying again, nothing is lost"),),
    ServiceCode.BROKER_ABSENT: (
        sentence("no broker answers at %(host)s port %(port)s; trying again, nothing is lost"),
    ),
    ServiceCode.INTERRUPTED: (sentence("The service was stopped in this round; its end was not seen."),),
    ServiceCode.TILES_NOT_CERTAIN: (sentence("the tiles of this hand are not all certain"),),
    ServiceCode.CANNOT_BE_JUDGED: _AS_GIVEN,
    ServiceCode.DIE_NOT_READ: (sentence("a die cannot be read"),),
    ServiceCode.CUT_DIE_UNKNOWN: (sentence("which die is the cut die cannot be told by the colours; enrol the dice"),),
    ServiceCode.DICE_OUT_OF_SIGHT: (sentence("not all dice are in sight"),),
    ServiceCode.SHAKE_AGAIN: (sentence("a %(die)s leans: the dice are shaken again (%(rule)s)"),),
    ServiceCode.SHAKE_AGAIN_UNPRINTED: (
        sentence(
            "a %(die)s leans: the dice are shaken again (%(rule)s; the book is silent on it, but no total can be read)"
        ),
    ),
    ServiceCode.BOX_DICE_COUNT: (sentence("%(needed)s box dice are thrown, not %(seen)s (%(rule)s)"),),
    ServiceCode.CUT_DIE_MISSING: (sentence("1 cut die is thrown, not 0 (%(rule)s)"),),
    ServiceCode.CUT_DIE_UNUSED: (sentence("there is no cut die in this cup; leave it out (%(rule)s)"),),
    ServiceCode.NOT_A_THROW: _AS_GIVEN,
    ServiceCode.COUNTED_TWO_WAYS: ("%(why)s (%(rule)s)",),
    ServiceCode.BOX_ORDER_UNKNOWN: (
        sentence(
            "the first box is not told: nobody knows from which end the boxes are numbered (calibrate the places)"
        ),
    ),
    ServiceCode.FIRST_BOX_DEPENDS_ON_BANK: (
        sentence("it is not known who banks at which box, and the first box is counted from there"),
    ),
    ServiceCode.COUNTED_PAST_BOXES: (
        sentence(
            "%(total)s counts past the %(boxes)s boxes of this table: the book does not say how it goes on (%(rule)s)"
        ),
    ),
    ServiceCode.AS_RECORDED: _AS_GIVEN,
}
