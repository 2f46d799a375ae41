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
        sentence("the chung is seen at box %(seen)s, but box %(told)s was entered as the banker's"),
    ),
    ServiceCode.BANK_HELD_OTHERWISE: (sentence("the chung shows another bank than was entered"),),
    ServiceCode.ADJUSTED_OTHERWISE: (sentence("the button shows %(seen)s, but %(told)s was entered"),),
    ServiceCode.NOT_RECORDED: (sentence("not recorded: %(why)s"),),
    ServiceCode.NOT_AS_RECORDED: (sentence("the record is not as it was recorded"),),
    ServiceCode.SELF_TEST_FAULT: (sentence("%(subject)s: %(found)s (%(remedy)s)"),),
    ServiceCode.SELF_TEST_FAILED: (sentence("the self-test failed: %(why)s"),),
    ServiceCode.CLOCK_SET_BACK: (
        sentence(
            "the clock was set back by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_SET_FORWARD: (
        sentence(
            "the clock was set forward by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_BEHIND_RECORD: (
        sentence("the clock says %(now)s UTC, which is before the last entry of the record: set the clock"),
    ),
    ServiceCode.CLOCK_NOT_SYNCHRONISED: (
        sentence(
            "no time server sets the clock: check `timedatectl` (systemd-timesyncd or chrony, and the network); if "
            "there is no time server, clock.need_sync = false allows results to be verified without one"
        ),
    ),
    ServiceCode.CLOCK_STATE_UNKNOWN: (
        sentence(
            "it is not known whether a time server sets the clock: check `timedatectl` (systemd-timesyncd or "
            "chrony, and the network); if there is no time server, clock.need_sync = false allows results to be "
            "verified without one"
        ),
    ),
    ServiceCode.DRIFTED: (sentence("The camera or the table has moved (%(measured)s): calibrate the table again"),),
    ServiceCode.MARKER_MOVED: (
        sentence(
            "Only marker %(marker)s has moved (%(measured)s): put it back where it was, or calibrate the table again"
        ),
    ),
    ServiceCode.MEASURED_BY_MARKERS: (sentence("%(moved_mm)s mm by %(number)s markers, %(limit_mm)s mm allowed"),),
    ServiceCode.MEASURED_BY_LAYOUT: (
        sentence("%(moved_mm)s mm by %(number)s spots of the layout, %(limit_mm)s mm allowed"),
    ),
    ServiceCode.PICTURE_TURNED: (
        sentence(
            "The picture is not as calibrated: the orientation in its EXIF data (%(exif)s) turns it by 180 degrees. "
            "Remove that orientation, or calibrate the table again"
        ),
        sentence(
            "The picture is not as calibrated: it is turned by 180 degrees. Turn the camera or its setting back, or "
            "calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_CLOCKWISE: (
        sentence(
            "The picture is not as calibrated: it is turned by 90 degrees clockwise. Turn the camera or its setting "
            "back, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_COUNTER_CLOCKWISE: (
        sentence(
            "The picture is not as calibrated: it is turned by 90 degrees counter-clockwise. Turn the camera or its "
            "setting back, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_MIRRORED: (
        sentence(
            "The picture is not as calibrated: it is mirrored, left and right are swapped. Switch mirroring off in "
            "the camera, or calibrate the table again"
        ),
    ),
    ServiceCode.PICTURE_FLIPPED: (
        sentence(
            "The picture is not as calibrated: it is mirrored, top and bottom are swapped. Switch mirroring off in "
            "the camera, or calibrate the table again"
        ),
    ),
    ServiceCode.HANDS_LIE_TURNED: (
        sentence(
            "The picture seems to be upside down: turned by 180 degrees, it would have tiles at %(turned)s places "
            "of hands, now it has tiles at %(seen)s. Turn the camera or its setting back, or calibrate the table "
            "again"
        ),
    ),
    ServiceCode.REFERENCE_NOT_SENT: (
        sentence(
            "It is not known whether the picture is as calibrated: send the picture of the empty table, %(file)s, "
            "with the calibration"
        ),
    ),
    ServiceCode.STAND_NOT_CHECKED: (
        sentence(
            "It was not checked whether the picture is as calibrated: the calibration has neither a picture of the "
            "empty table nor two markers in view of the camera"
        ),
    ),
    ServiceCode.DRIFT_UNKNOWN: (sentence("It is not known whether the camera has moved: %(why)s"),),
    ServiceCode.NOT_WATCHED: (
        sentence(
            "It is not known whether the camera has moved: the calibration has neither markers nor a picture of the "
            "empty table; calibrate the table again"
        ),
    ),
    ServiceCode.FROZEN: (sentence("The camera repeats the same picture: restart it"),),
    ServiceCode.NO_SET_ENROLLED: (sentence("no set of tiles is enrolled"),),
    ServiceCode.SET_NOT_ENROLLED_YET: (
        sentence("%(file)s does not exist yet: lay out the whole set at the display, then enrol it"),
    ),
    ServiceCode.SET_NOT_CONTRADICTED: (sentence("no tile seen differs from the enrolled set"),),
    ServiceCode.SET_ENROLLED: (sentence("the set at the display is enrolled"),),
    ServiceCode.DISPLAY_WHOLE: (sentence("all 32 tiles are in order of rank"),),
    ServiceCode.OWN_SET_WHOLE: (sentence("all 32 tiles are in order of rank and are the enrolled ones"),),
    ServiceCode.DISPLAY_FAULTY: (
        sentence("the display is wrong: %(faults)s; and %(more)s more"),
        sentence("the display is wrong: %(faults)s"),
    ),
    ServiceCode.DISPLAY_OF_ANOTHER_SET: (
        sentence(
            "the display is wrong: %(faults)s; and %(more)s more. Show this table's own set at the display, enrol "
            "this set, or have a supervisor accept the tiles"
        ),
        sentence(
            "the display is wrong: %(faults)s. Show this table's own set at the display, enrol this set, or have a "
            "supervisor accept the tiles"
        ),
    ),
    ServiceCode.NO_DISPLAY_SEEN: (
        sentence("no display was seen: lay all 32 tiles face up in order of rank, and take your hands away"),
    ),
    ServiceCode.ANOTHER_SET_IN_PLAY: (
        sentence(
            "the tiles in play do not look like the enrolled set (last seen: %(last_seen)s). Show this table's own "
            "set at the display, enrol this set, or have a supervisor accept the tiles"
        ),
    ),
    ServiceCode.SET_ANSWERED_FOR: (sentence("%(by)s accepted the tiles: %(reason)s"),),
    ServiceCode.NO_ENROLMENT_FILE: (
        sentence("there is no file for the enrolment: name one as `enrolment` in the table's settings"),
    ),
    ServiceCode.FILE_NOT_WRITTEN: (sentence("%(file)s cannot be written (%(why)s)"),),
    ServiceCode.SOURCE_NOT_CHOSEN: (sentence("no camera is chosen yet: set the table up"),),
    ServiceCode.SOURCE_OPENING: (sentence("opening the source"),),
    ServiceCode.SOURCE_WELL: (sentence("pictures arrive"),),
    ServiceCode.READING_WELL: (sentence("pictures are read"),),
    ServiceCode.READING_FAULT: (sentence("error while reading (%(why)s); trying again"),),
    ServiceCode.NO_PICTURE: (sentence("no picture for %(seconds)s s"),),
    ServiceCode.ALARMS_WELL: (sentence("the list of alarms is up to date"),),
    ServiceCode.CLOCK_WELL: (sentence("the clock runs evenly"),),
    ServiceCode.SELF_TEST_WELL: _AS_GIVEN,
    ServiceCode.CAMERA_WELL: (sentence("the camera has not moved; the picture is sharp, well lit and clear"),),
    ServiceCode.CAMERA_NOT_INSPECTED: (sentence("no picture has been checked yet"),),
    ServiceCode.CAMERA_RECORDED: (sentence("recorded pictures: it is not known whether their camera had moved"),),
    ServiceCode.PROGRAM_SAME: (sentence("the program's files are those of the last start"),),
    ServiceCode.PROGRAM_CHANGED: (
        sentence(
            "the program's files differ from the last start (%(before)s then, %(now)s now): expected after "
            "an update; otherwise somebody changed them: tell the technician"
        ),
    ),
    ServiceCode.EVIDENCE_HAS_ROOM: (
        sentence("pictures of evidence take %(used_mb)s MB of the %(limit_mb)s MB that they may take"),
    ),
    ServiceCode.EVIDENCE_FILLS: (
        sentence(
            "pictures of evidence fill their space in about %(days)s days, then nothing more can be recorded: run "
            "`houseway record archive`, or set a larger record.max_mb (%(kept_mb)s of %(limit_mb)s MB are not exported)"
        ),
    ),
    ServiceCode.EVIDENCE_NOT_COUNTED: (sentence("it is not known how full the evidence is: %(why)s"),),
    ServiceCode.CHANNEL_WELL: (sentence("accepts events"),),
    ServiceCode.CHANNEL_WAITS_FOR_RECORD: (sentence("waiting for the record: %(why)s"),),
    ServiceCode.CHANNEL_FAULT: (sentence("internal error (%(why)s); trying again"),),
    ServiceCode.CHANNEL_REFUSES: (
        sentence("does not accept events (%(why)s); tried %(attempts)s times, trying again"),
    ),
    ServiceCode.CHANNEL_LAID_ASIDE: (
        sentence(
            "%(events)s events could not be delivered in %(attempts)s attempts each: see `houseway webhook dead`, "
            "then `houseway webhook resend`"
        ),
    ),
    ServiceCode.CHANNEL_STOPPED: (
        sentence(
            "stopped on %(day)s: it answered 410 (gone), so nothing is sent to it; nothing is lost. An "
            "administrator starts it again on the page Health or with `houseway webhook begin %(name)s`"
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
            "%(address)s is not an address of the public Internet, and the settings do not allow it: if it is one of "
            'your own network, add it to the webhook\'s networks = ["%(network)s"]'
        ),
    ),
    ServiceCode.ADDRESS_OF_MANY: (sentence("%(address)s is not the address of a single machine"),),
    ServiceCode.ADDRESS_LINK_LOCAL: (
        sentence(
            "%(address)s is a link-local address: nothing is sent to it, because cloud computers give out secrets there"
        ),
    ),
    ServiceCode.HOST_NOT_FOUND: (sentence("the name %(host)s was not found (%(why)s)"),),
    ServiceCode.BROKER_CONNECTING: (sentence("connecting to %(host)s port %(port)s"),),
    ServiceCode.BROKER_CONNECTED: (sentence("connected to %(host)s port %(port)s"),),
    ServiceCode.BROKER_REFUSES: (sentence("the broker refuses: %(why)s"),),
    ServiceCode.BROKER_GONE: (
        sentence("the connection to the broker is lost (%(why)s); trying again, no event is lost"),
    ),
    ServiceCode.BROKER_ABSENT: (
        sentence("no broker answers at %(host)s port %(port)s; trying again, no event is lost"),
    ),
    ServiceCode.HISTORY_WELL: (sentence("the record has every entry that is known elsewhere"),),
    ServiceCode.HISTORY_LOST: (
        sentence(
            "the record lacks entry %(entry)s, which was signed and is known elsewhere (%(whence)s): it was"
            " restored from a copy, or somebody removed its end. If it was restored, run `houseway record "
            "restored`"
        ),
    ),
    ServiceCode.MARK_NOT_WRITTEN: (
        sentence("%(file)s cannot be written (%(why)s): an older copy of the record would not be noticed"),
    ),
    ServiceCode.CHECKPOINTS_WELL: (sentence("the newest checkpoint is in %(file)s"),),
    ServiceCode.CHECKPOINTS_NOT_WRITTEN: (sentence("checkpoints cannot be added to %(file)s (%(why)s)"),),
    ServiceCode.WITNESS_WELL: (sentence("has signed up to entry %(entry)s"),),
    ServiceCode.WITNESS_AWAY: (sentence("does not answer (%(why)s); trying again"),),
    ServiceCode.WITNESS_REFUSES: (
        sentence(
            "refuses to sign: the record does not extend what it knows (%(why)s). Entries were removed or changed, or "
            "the record was restored from a copy"
        ),
    ),
    ServiceCode.INTERRUPTED: (sentence("The service was stopped in this round; its end was not seen."),),
    ServiceCode.TILES_NOT_CERTAIN: (sentence("some tiles of this hand are uncertain"),),
    ServiceCode.CANNOT_BE_JUDGED: _AS_GIVEN,
    ServiceCode.DIE_NOT_READ: (sentence("a die cannot be read"),),
    ServiceCode.CUT_DIE_UNKNOWN: (sentence("the colours do not show which die is the cut die: enrol the dice"),),
    ServiceCode.DICE_OUT_OF_SIGHT: (sentence("not all dice are in sight"),),
    ServiceCode.SHAKE_AGAIN: (sentence("a %(die)s leans: the dice must be shaken again (%(rule)s)"),),
    ServiceCode.SHAKE_AGAIN_UNPRINTED: (
        sentence(
            "a %(die)s leans: the dice must be shaken again (%(rule)s; the rulebook does not mention it, but no "
            "total can be read)"
        ),
    ),
    ServiceCode.BOX_DICE_COUNT: (sentence("%(needed)s box dice must be thrown, not %(seen)s (%(rule)s)"),),
    ServiceCode.CUT_DIE_MISSING: (sentence("1 cut die must be thrown, not 0 (%(rule)s)"),),
    ServiceCode.CUT_DIE_UNUSED: (sentence("this cup has no cut die: leave it out (%(rule)s)"),),
    ServiceCode.NOT_A_THROW: _AS_GIVEN,
    ServiceCode.COUNTED_TWO_WAYS: ("%(why)s (%(rule)s)",),
    ServiceCode.BOX_ORDER_UNKNOWN: (
        sentence(
            "the first box is not known: it is not known from which end the boxes are numbered (calibrate the places)"
        ),
    ),
    ServiceCode.FIRST_BOX_DEPENDS_ON_BANK: (
        sentence("the bank's box is not known, and the first box is counted from it"),
    ),
    ServiceCode.COUNTED_PAST_BOXES: (
        sentence(
            "counting to %(total)s goes past the %(boxes)s boxes of this table: the rulebook does not say how to go "
            "on (%(rule)s)"
        ),
    ),
}
