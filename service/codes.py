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
    SOURCE_FAULT = "source_fault"
    READING_WELL = "reading_well"
    READING_FAULT = "reading_fault"
    NO_PICTURE = "no_picture"
    RECORD_STATE = "record_state"
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
