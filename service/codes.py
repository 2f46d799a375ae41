"""What the service itself may raise, beside the codes of a reading (:mod:`vision.findings`)."""

from __future__ import annotations

from enum import StrEnum


class ServiceCode(StrEnum):
    """Why nothing is verified just now, or why a part of a round cannot be judged."""

    # Nothing is verified
    NOT_RECORDED = "not_recorded"
    SELF_TEST_FAILED = "self_test_failed"
    CLOCK_SET_BACK = "clock_set_back"
    CLOCK_SET_FORWARD = "clock_set_forward"
    CLOCK_BEHIND_RECORD = "clock_behind_record"
    CLOCK_NOT_SYNCHRONISED = "clock_not_synchronised"
    CLOCK_STATE_UNKNOWN = "clock_state_unknown"
    DRIFTED = "drifted"
    MARKER_MOVED = "marker_moved"
    DRIFT_UNKNOWN = "drift_unknown"
    MEASURED_BY_MARKERS = "measured_by_markers"
    MEASURED_BY_LAYOUT = "measured_by_layout"
    NOT_WATCHED = "not_watched"
    FROZEN = "frozen"
    # The set of tiles
    NO_SET_ENROLLED = "no_set_enrolled"
    SET_NOT_ENROLLED_YET = "set_not_enrolled_yet"
    SET_NOT_CONTRADICTED = "set_not_contradicted"
    SET_ENROLLED = "set_enrolled"
    DISPLAY_WHOLE = "display_whole"
    OWN_SET_WHOLE = "own_set_whole"
    DISPLAY_FAULTY = "display_faulty"
    DISPLAY_OF_ANOTHER_SET = "display_of_another_set"
    NO_DISPLAY_SEEN = "no_display_seen"
    ANOTHER_SET_IN_PLAY = "another_set_in_play"
    SET_ANSWERED_FOR = "set_answered_for"
    NO_ENROLMENT_FILE = "no_enrolment_file"
    FILE_NOT_WRITTEN = "file_not_written"
    # How a check is
    SOURCE_OPENING = "source_opening"
    SOURCE_WELL = "source_well"
    READING_WELL = "reading_well"
    READING_FAULT = "reading_fault"
    NO_PICTURE = "no_picture"
    CLOCK_WELL = "clock_well"
    SELF_TEST_WELL = "self_test_well"
    CAMERA_WELL = "camera_well"
    CAMERA_NOT_INSPECTED = "camera_not_inspected"
    CAMERA_RECORDED = "camera_recorded"
    CHANNEL_STATE = "channel_state"
    # A round
    INTERRUPTED = "interrupted"
    # A hand
    TILES_NOT_CERTAIN = "tiles_not_certain"
    CANNOT_BE_JUDGED = "cannot_be_judged"
    # A throw
    DIE_NOT_READ = "die_not_read"
    CUT_DIE_UNKNOWN = "cut_die_unknown"
    DICE_OUT_OF_SIGHT = "dice_out_of_sight"
    SHAKE_AGAIN = "shake_again"
    NOT_A_THROW = "not_a_throw"
    COUNTED_TWO_WAYS = "counted_two_ways"
    # Entries of a record written before sentences had codes
    AS_RECORDED = "as_recorded"


class RecordCode(StrEnum):
    """How the record is: why it cannot be written or read, and in what way it was changed."""

    WELL = "record_well"
    NOT_OPEN = "record_not_open"
    CLOSED = "record_closed"
    DISK_FULL = "record_disk_full"
    DISK_FULL_OF_PICTURES = "record_disk_full_of_pictures"
    NO_ROOM = "record_no_room"
    """All room given to pictures is taken, and none of them has been exported."""
    FILE_LIMIT = "record_file_limit"
    READ_ONLY = "record_read_only"
    DISK_ERROR = "record_disk_error"
    DAMAGED = "record_damaged"
    """The database's file must be looked through before it is trusted again."""
    LOCKED = "record_locked"
    UNREACHABLE = "record_unreachable"
    REFUSED = "record_refused"
    OTHER_WRITER = "record_other_writer"
    CHANGED = "record_changed"
    # The file of its key
    KEY_MISSING = "key_missing"
    KEY_OF_ANOTHER_RECORD = "key_of_another_record"
    KEY_UNREADABLE = "key_unreadable"
    PUBLIC_KEY_UNREADABLE = "public_key_unreadable"
    KEY_EXPOSED = "key_exposed"
    KEY_OF_ANOTHER_KIND = "key_of_another_kind"
    # An entry that is not as it was appended
    NOT_AN_ENTRY = "not_an_entry"
    FIRST_ENTRY_MISSING = "first_entry_missing"
    ENTRY_OUT_OF_PLACE = "entry_out_of_place"
    ENTRY_NOT_AS_APPENDED = "entry_not_as_appended"
    BODY_NOT_AS_APPENDED = "body_not_as_appended"
    NOT_LINKED = "not_linked"
    HASH_WRONG = "hash_wrong"
    END_NOT_SIGNED = "end_not_signed"
    NOT_SIGNED = "not_signed"
    SIGNED_WITH_ANOTHER_KEY = "signed_with_another_key"
    PICTURE_MISSING = "picture_missing"
    PICTURE_UNREADABLE = "picture_unreadable"
    PICTURE_CHANGED = "picture_changed"
    NOT_A_PICTURE_NAME = "not_a_picture_name"
