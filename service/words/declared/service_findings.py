"""Findings of the service itself: why it verifies nothing, how its checks are, and what it cannot judge."""

from __future__ import annotations

from functools import partial
from typing import Final

from service.words.codes import ServiceCode, StatusCode
from service.words.declared.declaration import doubt, note
from service.words.wording import sentence

_clock: Final = partial(doubt, about="clock", cause="clock", group="table")
_camera: Final = partial(doubt, about="camera", cause="camera", group="table")
_throw: Final = partial(doubt, about="throw", cause="other")
_subscriber: Final = partial(note, about="subscriber")
_record: Final = partial(note, about="record")
_set: Final = partial(note, about="set")
_witness: Final = partial(note, about="witness")
_status: Final = partial(note, about="table")

SERVICE_FINDINGS: Final = (
    # Nothing is verified
    doubt(
        ServiceCode.NOT_RECORDED, sentence("not recorded: %(why)s"), about="record", cause="not_recorded", group="table"
    ),
    doubt(
        ServiceCode.NOT_AS_RECORDED,
        sentence("the record was changed after it was written"),
        about="record",
        cause="not_recorded",
        group="table",
    ),
    doubt(
        ServiceCode.SELF_TEST_FAILED,
        sentence("the self-test failed: %(why)s"),
        about="program",
        cause="self_test",
        group="table",
    ),
    note(ServiceCode.SELF_TEST_FAULT, sentence("%(subject)s: %(found)s (%(remedy)s)"), about="program"),
    _clock(
        ServiceCode.CLOCK_SET_BACK,
        sentence(
            "the clock was set back by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    _clock(
        ServiceCode.CLOCK_SET_FORWARD,
        sentence(
            "the clock was set forward by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    _clock(
        ServiceCode.CLOCK_BEHIND_RECORD,
        sentence("the clock says %(now)s UTC, which is before the last entry of the record: set the clock"),
    ),
    _clock(
        ServiceCode.CLOCK_NOT_SYNCHRONISED,
        sentence(
            "no time server sets the clock: check `timedatectl` (systemd-timesyncd or chrony, and the network); if "
            "there is no time server, clock.need_sync = false allows results to be verified without one"
        ),
    ),
    _clock(
        ServiceCode.CLOCK_STATE_UNKNOWN,
        sentence(
            "it is not known whether a time server sets the clock: check `timedatectl` (systemd-timesyncd or "
            "chrony, and the network); if there is no time server, clock.need_sync = false allows results to be "
            "verified without one"
        ),
    ),
    _camera(
        ServiceCode.DRIFTED, sentence("The camera or the table has moved (%(measured)s): calibrate the table again")
    ),
    _camera(
        ServiceCode.MARKER_MOVED,
        sentence(
            "Only marker %(marker)s has moved (%(measured)s): put it back where it was, or calibrate the table again"
        ),
    ),
    _camera(ServiceCode.DRIFT_UNKNOWN, sentence("It is not known whether the camera has moved: %(why)s")),
    _camera(
        ServiceCode.PICTURE_TURNED,
        sentence(
            "The picture is not as calibrated: the orientation in its EXIF data (%(exif)s) turns it by 180 degrees. "
            "Remove that orientation, or calibrate the table again"
        ),
        sentence(
            "The picture is not as calibrated: it is turned by 180 degrees. Turn the camera or its setting back, or "
            "calibrate the table again"
        ),
    ),
    _camera(
        ServiceCode.PICTURE_CLOCKWISE,
        sentence(
            "The picture is not as calibrated: it is turned by 90 degrees clockwise. Turn the camera or its setting "
            "back, or calibrate the table again"
        ),
    ),
    _camera(
        ServiceCode.PICTURE_COUNTER_CLOCKWISE,
        sentence(
            "The picture is not as calibrated: it is turned by 90 degrees counter-clockwise. Turn the camera or its "
            "setting back, or calibrate the table again"
        ),
    ),
    _camera(
        ServiceCode.PICTURE_MIRRORED,
        sentence(
            "The picture is not as calibrated: it is mirrored, left and right are swapped. Switch mirroring off in "
            "the camera, or calibrate the table again"
        ),
    ),
    _camera(
        ServiceCode.PICTURE_FLIPPED,
        sentence(
            "The picture is not as calibrated: it is mirrored, top and bottom are swapped. Switch mirroring off in "
            "the camera, or calibrate the table again"
        ),
    ),
    doubt(
        ServiceCode.HANDS_LIE_TURNED,
        sentence(
            "The picture seems to be upside down: turned by 180 degrees, it would have tiles at %(turned)s places "
            "of hands, now it has tiles at %(seen)s. Turn the camera or its setting back, or calibrate the table "
            "again"
        ),
        about="camera",
        cause="other",
    ),
    doubt(
        ServiceCode.REFERENCE_NOT_SENT,
        sentence(
            "It is not known whether the picture is as calibrated: send the picture of the empty table, %(file)s, "
            "with the calibration"
        ),
        about="camera",
        cause="other",
    ),
    note(
        ServiceCode.MEASURED_BY_MARKERS,
        sentence("%(moved_mm)s mm by %(number)s markers, %(limit_mm)s mm allowed"),
        about="camera",
    ),
    note(
        ServiceCode.MEASURED_BY_LAYOUT,
        sentence("%(moved_mm)s mm by %(number)s spots of the layout, %(limit_mm)s mm allowed"),
        about="camera",
    ),
    _camera(
        ServiceCode.NOT_WATCHED,
        sentence(
            "It is not known whether the camera has moved: the calibration has neither markers nor a picture of the "
            "empty table; calibrate the table again"
        ),
    ),
    doubt(
        ServiceCode.FROZEN,
        sentence("The camera repeats the same picture: restart it"),
        about="camera",
        cause="frozen",
        group="table",
    ),
    # Reported with a reading, which is unchanged
    note(
        ServiceCode.STAND_NOT_CHECKED,
        sentence(
            "It was not checked whether the picture is as calibrated: the calibration has neither a picture of the "
            "empty table nor two markers in view of the camera"
        ),
        about="camera",
    ),
    # The set of tiles
    _set(ServiceCode.NO_SET_ENROLLED, sentence("no set of tiles is enrolled")),
    doubt(
        ServiceCode.SET_NOT_ENROLLED_YET,
        sentence("%(file)s does not exist yet: lay out the whole set at the display, then enrol it"),
        about="set",
        cause="tiles",
        group="table",
    ),
    _set(ServiceCode.SET_NOT_CONTRADICTED, sentence("no tile seen differs from the enrolled set")),
    _set(ServiceCode.SET_ENROLLED, sentence("the set at the display is enrolled")),
    _set(ServiceCode.DISPLAY_WHOLE, sentence("all 32 tiles are in order of rank")),
    _set(ServiceCode.OWN_SET_WHOLE, sentence("all 32 tiles are in order of rank and are the enrolled ones")),
    _set(
        ServiceCode.DISPLAY_FAULTY,
        sentence("the display is wrong: %(faults)s; and %(more)s more"),
        sentence("the display is wrong: %(faults)s"),
    ),
    doubt(
        ServiceCode.DISPLAY_OF_ANOTHER_SET,
        sentence(
            "the display is wrong: %(faults)s; and %(more)s more. Show this table's own set at the display, enrol "
            "this set, or have a supervisor accept the tiles"
        ),
        sentence(
            "the display is wrong: %(faults)s. Show this table's own set at the display, enrol this set, or have a "
            "supervisor accept the tiles"
        ),
        about="set",
        cause="tiles",
        group="table",
    ),
    _set(
        ServiceCode.NO_DISPLAY_SEEN,
        sentence("no display was seen: lay all 32 tiles face up in order of rank, and take your hands away"),
    ),
    doubt(
        ServiceCode.ANOTHER_SET_IN_PLAY,
        sentence(
            "the tiles in play do not look like the enrolled set (last seen: %(last_seen)s). Show this table's own "
            "set at the display, enrol this set, or have a supervisor accept the tiles"
        ),
        about="set",
        cause="tiles",
        group="table",
    ),
    _set(ServiceCode.SET_ACCEPTED, sentence("%(by)s accepted the tiles: %(reason)s")),
    _set(
        ServiceCode.NO_ENROLMENT_FILE,
        sentence("there is no file for the enrolment: name one as `enrolment` in the table's settings"),
    ),
    _set(ServiceCode.FILE_NOT_WRITTEN, sentence("%(file)s cannot be written (%(why)s)")),
    # The dice
    note(ServiceCode.DICE_ENROLLED, sentence("the dice that lie there are enrolled"), about="set"),
    note(
        ServiceCode.DICE_THROW_LEARNT,
        sentence("a confirmed throw was added to the enrolled dice (%(throws)s throws so far)"),
        about="set",
    ),
    note(
        ServiceCode.NO_DICE_FILE,
        sentence("there is no file for the dice: name one as `dice` in the table's settings"),
        about="set",
    ),
    # How a check is
    doubt(
        ServiceCode.SOURCE_NOT_CHOSEN,
        sentence("no camera is chosen yet: set the table up"),
        about="source",
        cause="other",
    ),
    note(ServiceCode.SOURCE_OPENING, sentence("opening the source"), about="source"),
    note(ServiceCode.SOURCE_WELL, sentence("pictures arrive"), about="source"),
    note(ServiceCode.READING_WELL, sentence("pictures are read"), about="program"),
    doubt(
        ServiceCode.READING_FAULT,
        sentence("error while reading (%(why)s); trying again"),
        about="program",
        cause="other",
    ),
    doubt(ServiceCode.NO_PICTURE, sentence("no picture for %(seconds)s s"), about="source", cause="other"),
    note(ServiceCode.CLOCK_WELL, sentence("the clock runs evenly"), about="clock"),
    note(ServiceCode.ALARMS_WELL, sentence("the list of alarms is up to date"), about="alarms"),
    note(ServiceCode.SELF_TEST_WELL, "%(why)s", about="program"),
    note(
        ServiceCode.CAMERA_WELL,
        sentence("the camera has not moved; the picture is sharp, well lit and clear"),
        about="camera",
    ),
    note(ServiceCode.CAMERA_NOT_INSPECTED, sentence("no picture has been checked yet"), about="camera"),
    note(
        ServiceCode.CAMERA_RECORDED,
        sentence("recorded pictures: it is not known whether their camera had moved"),
        about="camera",
    ),
    note(ServiceCode.PROGRAM_SAME, sentence("the program's files are those of the last start"), about="program"),
    note(
        ServiceCode.PROGRAM_CHANGED,
        sentence(
            "the program's files differ from the last start (%(before)s then, %(now)s now): expected after "
            "an update; otherwise somebody changed them: tell the technician"
        ),
        about="program",
    ),
    _record(
        ServiceCode.EVIDENCE_HAS_ROOM,
        sentence("there is room for evidence pictures"),
    ),
    _record(
        ServiceCode.EVIDENCE_FILLS,
        sentence(
            "evidence pictures will fill their space in about %(days)s days, and nothing more can be "
            "recorded then: run `houseway record export`, or set a larger record.max_mb (%(kept_mb)s of "
            "%(limit_mb)s MB are not exported)"
        ),
    ),
    _record(ServiceCode.EVIDENCE_NOT_COUNTED, sentence("the space used by evidence pictures is unknown: %(why)s")),
    _subscriber(ServiceCode.CHANNEL_WELL, sentence("accepts events")),
    _subscriber(ServiceCode.CHANNEL_WAITS_FOR_RECORD, sentence("waiting for the record: %(why)s")),
    _subscriber(ServiceCode.CHANNEL_FAULT, sentence("internal error (%(why)s); trying again")),
    _subscriber(
        ServiceCode.CHANNEL_REFUSES,
        sentence("does not accept events (%(why)s); tried %(attempts)s times, trying again"),
    ),
    _subscriber(
        ServiceCode.CHANNEL_UNDELIVERED,
        sentence(
            "%(events)s events could not be delivered in %(attempts)s attempts each: see `houseway webhook list`, "
            "then `houseway webhook resend`"
        ),
    ),
    _subscriber(
        ServiceCode.CHANNEL_STOPPED,
        sentence(
            "stopped on %(day)s: it answered 410 (gone), so nothing is sent to it; nothing is lost. An "
            "administrator starts it again on the page Health or with `houseway webhook resend %(name)s --reason ...`"
        ),
    ),
    _subscriber(ServiceCode.NO_ANSWER, sentence("no answer within %(seconds)s s")),
    _subscriber(ServiceCode.ANSWERED, sentence("it answered %(status)s")),
    _subscriber(ServiceCode.NOT_REACHED, "%(why)s"),
    _subscriber(
        ServiceCode.ADDRESS_PUBLIC,
        sentence("%(address)s is a public address, and http:// would show it everything: use https://"),
    ),
    _subscriber(
        ServiceCode.ADDRESS_PRIVATE,
        sentence(
            "%(address)s is not an address of the public Internet, and the settings do not allow it: if it is one of "
            'your own network, add it to the webhook\'s networks = ["%(network)s"]'
        ),
    ),
    _subscriber(ServiceCode.ADDRESS_OF_MANY, sentence("%(address)s is not the address of a single machine")),
    _subscriber(
        ServiceCode.ADDRESS_LINK_LOCAL,
        sentence(
            "%(address)s is a link-local address: nothing is sent to it, because cloud machines serve secrets there"
        ),
    ),
    _subscriber(ServiceCode.HOST_NOT_FOUND, sentence("the name %(host)s was not found (%(why)s)")),
    _subscriber(ServiceCode.BROKER_CONNECTING, sentence("connecting to %(host)s port %(port)s")),
    _subscriber(ServiceCode.BROKER_CONNECTED, sentence("connected to %(host)s port %(port)s")),
    _subscriber(ServiceCode.BROKER_REFUSES, sentence("the broker refuses: %(why)s")),
    _subscriber(
        ServiceCode.BROKER_CONNECTION_LOST,
        sentence("the connection to the broker is lost (%(why)s); trying again, no event is lost"),
    ),
    _subscriber(
        ServiceCode.BROKER_UNREACHABLE,
        sentence("no broker answers at %(host)s port %(port)s; trying again, no event is lost"),
    ),
    # What is remembered of the record elsewhere
    _record(ServiceCode.HISTORY_WELL, sentence("the record has every entry that is known elsewhere")),
    _record(
        ServiceCode.HISTORY_LOST,
        sentence(
            "the record lacks entry %(entry)s, which was signed and is known elsewhere (%(source)s): it was"
            " restored from a copy, or somebody removed its end. If it was restored, run `houseway record "
            "accept --restored`"
        ),
    ),
    _record(
        ServiceCode.MARK_NOT_WRITTEN,
        sentence("%(file)s cannot be written (%(why)s): an older copy of the record would not be noticed"),
    ),
    _record(ServiceCode.CHECKPOINTS_WELL, sentence("the newest checkpoint is in %(file)s")),
    _record(ServiceCode.CHECKPOINTS_NOT_WRITTEN, sentence("checkpoints cannot be added to %(file)s (%(why)s)")),
    _witness(ServiceCode.WITNESS_WELL, sentence("has signed up to entry %(entry)s")),
    _witness(ServiceCode.WITNESS_AWAY, sentence("does not answer (%(why)s); trying again")),
    _witness(
        ServiceCode.WITNESS_REFUSES,
        sentence(
            "refuses to sign: the record does not extend what it knows (%(why)s). Entries were removed or changed, or "
            "the record was restored from a copy"
        ),
    ),
    # A round
    note(
        ServiceCode.INTERRUPTED, sentence("The service was stopped in this round; its end was not seen."), about="round"
    ),
    # A hand
    doubt(
        ServiceCode.TILES_NOT_CERTAIN, sentence("some tiles of this hand are uncertain"), about="hand", cause="other"
    ),
    doubt(ServiceCode.CANNOT_BE_JUDGED, "%(why)s", about="hand", cause="other"),
    # A throw
    _throw(ServiceCode.DIE_NOT_READ, sentence("a die cannot be read")),
    _throw(ServiceCode.CUT_DIE_UNKNOWN, sentence("it is not known which die is the cut die: enrol the dice")),
    _throw(ServiceCode.DICE_OUT_OF_SIGHT, sentence("not all dice are in sight")),
    _throw(ServiceCode.SHAKE_AGAIN, sentence("a %(die)s is cocked: the dice must be shaken again (%(rule)s)")),
    _throw(
        ServiceCode.SHAKE_AGAIN_UNPRINTED,
        sentence(
            "a %(die)s is cocked: the dice must be shaken again (%(rule)s; the rulebook does not mention it, but no "
            "total can be read)"
        ),
    ),
    _throw(ServiceCode.BOX_DICE_COUNT, sentence("%(needed)s box dice must be thrown, not %(seen)s (%(rule)s)")),
    _throw(ServiceCode.CUT_DIE_MISSING, sentence("1 cut die must be thrown, not 0 (%(rule)s)")),
    _throw(ServiceCode.CUT_DIE_UNUSED, sentence("this cup has no cut die: remove it (%(rule)s)")),
    _throw(ServiceCode.NOT_A_THROW, "%(why)s"),
    doubt(ServiceCode.COUNTED_TWO_WAYS, "%(why)s (%(rule)s)", about="throw", cause="other", styles={"why": "book"}),
    _throw(
        ServiceCode.BOX_ORDER_UNKNOWN,
        sentence(
            "the first box is not known: it is not known from which end the boxes are numbered (calibrate the places)"
        ),
    ),
    _throw(
        ServiceCode.COUNTED_PAST_BOXES,
        sentence(
            "counting to %(total)s goes past the %(boxes)s boxes of this table: the rulebook does not say "
            "how to continue (%(rule)s)"
        ),
    ),
    _throw(
        ServiceCode.FIRST_BOX_DEPENDS_ON_BANK,
        sentence("the bank's box is not known, and the first box is counted from it"),
    ),
    # The bank of a round
    note(
        ServiceCode.BANKER_AT_ANOTHER_BOX,
        sentence("the chung is seen at box %(seen)s, but box %(entered)s was entered as the banker's"),
        about="bank",
    ),
    note(ServiceCode.BANK_DIFFERS, sentence("the chung does not show the bank that was entered"), about="bank"),
    note(
        ServiceCode.ADJUSTMENT_DIFFERS,
        sentence("the button shows %(seen)s, but %(entered)s was entered"),
        about="bank",
        styles={"seen": "signed", "entered": "signed"},
    ),
)
STATUS_FINDINGS: Final = (
    _status(StatusCode.VERIFYING, sentence("All checks OK")),
    _status(StatusCode.STARTING, sentence("Starting: no picture yet")),
    _status(StatusCode.ATTENTION, sentence("Needs attention: %(check)s")),
    # Nothing can be verified
    _status(StatusCode.NOT_RECORDING, sentence("The record cannot be written: nothing can be verified")),
    _status(StatusCode.RECORD_CHANGED, sentence("The record was changed: nothing can be verified")),
    _status(StatusCode.SOURCE_LOST, sentence("Source gone: no pictures")),
    _status(StatusCode.BAD_PICTURES, sentence("The camera's pictures cannot be used: nothing can be verified")),
    _status(
        StatusCode.SAME_PICTURE,
        sentence("The same picture for %(seconds)s s: nothing can be verified"),
        sentence("The camera repeats the same picture: nothing can be verified"),
    ),
    _status(StatusCode.NO_NEW_PICTURE, sentence("No new picture for %(seconds)s s")),
    _status(StatusCode.READING_FAILED, sentence("Reading failed: nothing can be verified")),
    _status(StatusCode.UNFIT, sentence("The self-test failed: nothing can be verified")),
    _status(StatusCode.CLOCK_NOT_SET, sentence("Clock not set: nothing can be verified")),
    _status(StatusCode.NOT_SET_UP, sentence("Set-up is not finished: nothing can be verified")),
    _status(StatusCode.NOT_CALIBRATED, sentence("No calibration: nothing can be verified")),
    _status(StatusCode.CAMERA_MOVED, sentence("Camera or table moved: nothing can be verified")),
    _status(StatusCode.VIEW_NOT_CLEAR, sentence("The view is not clear: nothing can be verified")),
    _status(StatusCode.SET_IN_DOUBT, sentence("The set of tiles is in doubt: nothing can be verified")),
    _status(StatusCode.CHECK_FAILED, sentence("A check failed (%(check)s): nothing can be verified")),
)
"""The line with the table's status."""
