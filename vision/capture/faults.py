"""Fault codes of sources."""

from __future__ import annotations

from enum import StrEnum


class CaptureCode(StrEnum):
    """Faults of sources; ``name`` is the source, ``why`` the reason given by driver or system."""

    # Invalid sources
    NO_SUCH_SOURCE = "no_such_source"
    NO_PICTURES_IN_FOLDER = "no_pictures_in_folder"
    FILES_PASSED_OVER = "files_passed_over"
    NOT_A_VIDEO = "not_a_video"
    NO_FRAME_IN_VIDEO = "no_frame_in_video"
    NO_CAMERA_NUMBER = "no_camera_number"
    NOT_SIMULATED = "not_simulated"
    FILE_UNREADABLE = "file_unreadable"
    # A camera that does not open, or not as configured
    NOT_OPENING = "not_opening"
    SETTING_NOT_TAKEN = "setting_not_taken"
    PICAMERA2_MISSING = "picamera2_missing"
    RIBBON_CAMERA_NOT_OPENING = "ribbon_camera_not_opening"
    SETTINGS_REFUSED = "settings_refused"
    EXPOSURE_TOO_LONG = "exposure_too_long"
    OTHER_SIZE_GIVEN = "other_size_given"
    CONTROL_MISSING = "control_missing"
    CONTROL_OUT_OF_RANGE = "control_out_of_range"
    # A camera that delivers nothing
    SILENT = "silent"
    SILENT_OR_HUNG_UP = "silent_or_hung_up"
    SOURCE_ENDED = "source_ended"
    NO_MEMORY = "no_memory"
    UNFORESEEN = "unforeseen"
    SNAPSHOT_REFUSED = "snapshot_refused"
    SNAPSHOT_UNUSABLE = "snapshot_unusable"
    # The capture process
    PROCESS_NOT_STARTING = "process_not_starting"
    PROCESS_NOT_WATCHED = "process_not_watched"
    PROCESS_SLOW_TO_OPEN = "process_slow_to_open"
    PROCESS_SILENT = "process_silent"
    PROCESS_KILLED = "process_killed"
    PROCESS_ENDED = "process_ended"
    # An incomplete picture
    PICTURE_DAMAGED = "picture_damaged"
    STREAM_DAMAGED = "stream_damaged"
    # A picture that is blank or frozen
    PICTURE_BLACK = "picture_black"
    PICTURE_PLAIN = "picture_plain"
    PICTURE_FROZEN = "picture_frozen"
    PICTURE_STILL_FROZEN = "picture_still_frozen"
