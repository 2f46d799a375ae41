"""Findings about sources of pictures and about calibration."""

from __future__ import annotations

from functools import partial
from typing import Final

from calibration.codes import CalibrationCode
from service.words.declared.declaration import doubt, note
from service.words.wording import sentence
from vision.capture.faults import CaptureCode

_source: Final = partial(doubt, about="source", cause="camera", group="table")
_calibration: Final = partial(note, about="calibration")

CAMERA_FINDINGS: Final = (
    # Invalid sources
    _source(
        CaptureCode.NO_SUCH_SOURCE,
        sentence(
            "%(name)s: there is no such file or folder. Give a picture, a folder of pictures, a video, a camera's "
            "number or its file, rtsp://..., snapshot:http://... or picamera2."
        ),
    ),
    _source(CaptureCode.NO_PICTURES_IN_FOLDER, sentence("%(folder)s: contains no pictures (%(suffixes)s)")),
    note(
        CaptureCode.FILES_PASSED_OVER, sentence("%(folder)s: %(count)s files were not read (%(why)s)"), about="source"
    ),
    _source(CaptureCode.NOT_A_VIDEO, sentence("%(name)s: is not a picture or video that Houseway can read.")),
    _source(CaptureCode.NO_FRAME_IN_VIDEO, sentence("%(name)s: contains no frame that can be decoded.")),
    _source(CaptureCode.NO_CAMERA_NUMBER, sentence("%(name)s: expected picamera2 or picamera2:NUMBER")),
    _source(CaptureCode.NOT_SIMULATED, "%(why)s"),
    _source(CaptureCode.FILE_UNREADABLE, sentence("%(fault)s")),
    # A camera that does not open, or not as configured
    _source(
        CaptureCode.NOT_OPENING,
        sentence("%(name)s: does not open. Check its cable, power and address, and that no other program uses it."),
    ),
    _source(
        CaptureCode.SETTING_NOT_TAKEN,
        sentence(
            "%(name)s: does not accept %(property)s = %(value)s (%(key)s). See what it supports with "
            "v4l2-ctl --device %(device)s --list-ctrls --list-formats-ext, or remove %(key)s."
        ),
    ),
    _source(
        CaptureCode.PICAMERA2_MISSING,
        sentence(
            "%(name)s: picamera2 is not installed. It runs on a Raspberry Pi: sudo apt install python3-picamera2, and "
            "make the virtual environment with --system-site-packages."
        ),
    ),
    _source(
        CaptureCode.RIBBON_CAMERA_NOT_OPENING,
        sentence(
            "%(name)s: does not open (%(why)s). Check the ribbon cable, and that no other program uses the camera."
        ),
    ),
    _source(CaptureCode.SETTINGS_REFUSED, sentence("%(name)s: the camera refuses these settings (%(why)s).")),
    _source(
        CaptureCode.EXPOSURE_TOO_LONG,
        sentence(
            "%(name)s: an exposure of %(exposure_us)s us takes longer than a picture, %(longest_us)s us. "
            "Shorten the exposure, or set fewer pictures a second (fps)."
        ),
    ),
    _source(
        CaptureCode.OTHER_SIZE_GIVEN,
        sentence(
            "%(name)s: delivers pictures of %(given)s (%(format)s), not %(asked)s. Set a size that it "
            "supports: rpicam-hello --list-cameras."
        ),
    ),
    _source(
        CaptureCode.CONTROL_MISSING, sentence("%(name)s: this camera has no %(control)s. Remove it from its settings.")
    ),
    _source(
        CaptureCode.CONTROL_OUT_OF_RANGE,
        sentence("%(name)s: %(control)s must be from %(least)s to %(most)s, not %(value)s."),
    ),
    # A camera that delivers nothing
    _source(CaptureCode.SILENT, sentence("%(name)s: no picture for %(seconds)s s.")),
    _source(
        CaptureCode.SILENT_OR_HUNG_UP, sentence("%(name)s: no picture for %(seconds)s s, or the connection was closed.")
    ),
    _source(CaptureCode.SOURCE_ENDED, sentence("%(name)s: no more pictures arrive. Opening it again.")),
    _source(CaptureCode.NO_MEMORY, sentence("%(name)s: not enough memory for a picture of %(bytes)s bytes.")),
    _source(CaptureCode.UNFORESEEN, sentence("%(name)s: unexpected error: %(why)s. Trying again.")),
    _source(
        CaptureCode.SNAPSHOT_REFUSED,
        sentence("%(name)s: answered %(status)s instead of a picture. Check its address, user and password."),
    ),
    _source(
        CaptureCode.SNAPSHOT_UNUSABLE,
        sentence("%(name)s: its answer cannot be used (%(why)s). Check that its address returns a JPEG picture."),
    ),
    # The capture process
    _source(CaptureCode.PROCESS_NOT_STARTING, sentence("%(name)s: its process does not start: %(why)s.")),
    _source(
        CaptureCode.PROCESS_NOT_WATCHED, sentence("%(name)s: its process cannot be monitored: %(why)s. Trying again.")
    ),
    _source(
        CaptureCode.PROCESS_SLOW_TO_OPEN,
        sentence(
            "%(name)s: did not open within %(seconds)s s, so its process was stopped. Check its cable, power and "
            "address."
        ),
    ),
    _source(
        CaptureCode.PROCESS_SILENT,
        sentence(
            "%(name)s: no picture for %(seconds)s s, so its process was stopped. Check its cable, power and address."
        ),
    ),
    _source(CaptureCode.PROCESS_KILLED, sentence("%(name)s: its process was ended by %(signal)s. Starting it again.")),
    _source(
        CaptureCode.PROCESS_ENDED, sentence("%(name)s: its process ended with code %(status)s. Starting it again.")
    ),
    # An incomplete picture
    _source(
        CaptureCode.PICTURE_DAMAGED,
        sentence(
            "%(name)s: a picture did not arrive complete (%(why)s). Check the cable or the network, and the disk."
        ),
    ),
    _source(
        CaptureCode.STREAM_DAMAGED,
        sentence(
            "%(name)s: parts of the video were lost on the network, so pictures are damaged. Check the network to "
            "the camera, or lower its bit rate."
        ),
    ),
    # A picture that is blank or frozen
    _source(
        CaptureCode.PICTURE_BLACK,
        sentence("%(name)s: the picture is black. Check the lens cover, the light and the exposure."),
    ),
    _source(
        CaptureCode.PICTURE_PLAIN,
        sentence("%(name)s: the picture is one plain colour. Check the lens and the camera's cable."),
    ),
    _source(
        CaptureCode.PICTURE_FROZEN,
        sentence("%(name)s: the picture is frozen: no pixel has changed for %(seconds)s s. Opening the camera again."),
    ),
    _source(CaptureCode.PICTURE_STILL_FROZEN, sentence("%(name)s: the picture is still frozen.")),
    # Why a picture does not show whether the camera has moved
    _calibration(CalibrationCode.NO_REFERENCE, sentence("there is no picture of the empty table")),
    _calibration(
        CalibrationCode.FEW_SPOTS,
        sentence("%(seen)s of %(known)s spots of the layout are visible, %(needed)s are needed"),
    ),
    _calibration(
        CalibrationCode.SPOTS_DISAGREE, sentence("only %(agreed)s of %(seen)s spots of the layout moved the same way")
    ),
    _calibration(
        CalibrationCode.FEW_MARKERS_CALIBRATED,
        sentence("the calibration has %(inside)s markers inside the picture, %(needed)s are needed"),
    ),
    _calibration(
        CalibrationCode.FEW_MARKERS_SEEN, sentence("%(seen)s of %(known)s markers are visible, %(needed)s are needed")
    ),
    # Faults of a layout
    _calibration(CalibrationCode.NO_HOUSE, sentence("there is no House place: without it no House hand is read")),
    _calibration(
        CalibrationCode.BOXES_WITH_GAPS,
        sentence("boxes must be numbered from 1 without a gap; here they are %(boxes)s"),
        sentence("boxes must be numbered from 1 without a gap; here there are none"),
    ),
    _calibration(
        CalibrationCode.DEALER_BEHIND_BOXES,
        sentence("the House place is not nearer to the dealer than the boxes: are x and y swapped?"),
    ),
    _calibration(
        CalibrationCode.NUMBERS_OUT_OF_TURN,
        sentence("the box numbers are not in order: from the dealer's right to the left they are %(boxes)s"),
    ),
    _calibration(
        CalibrationCode.BOX1_NOT_AT_RIGHT,
        sentence("the layout says that box 1 is at the dealer's right, but its place is at the dealer's left"),
    ),
    _calibration(
        CalibrationCode.BOX1_NOT_AT_LEFT,
        sentence("the layout says that box 1 is at the dealer's left, but its place is at the dealer's right"),
    ),
    _calibration(
        CalibrationCode.DEALER_NOT_AT_BOTTOM,
        sentence(
            "the calibration says that the dealer is at the bottom of the picture, but its camera has the dealer at "
            "the top",
        ),
    ),
    _calibration(
        CalibrationCode.DEALER_NOT_AT_TOP,
        sentence(
            "the calibration says that the dealer is at the top of the picture, but its camera has the dealer at "
            "the bottom",
        ),
    ),
    _calibration(
        CalibrationCode.ZONE_TOO_SMALL,
        sentence("%(place)s is %(width)s x %(depth)s mm, but one tile is %(least)s mm long"),
    ),
    _calibration(
        CalibrationCode.ZONE_OFF_TABLE, sentence("the middle of %(place)s, at %(x)s, %(y)s, is off the table")
    ),
    _calibration(
        CalibrationCode.ZONES_OVERLAP,
        sentence("%(place)s and %(other_place)s overlap by %(deep)s mm: a hand there could belong to either"),
    ),
    # Why points yield no pose
    _calibration(CalibrationCode.UNEQUAL_POINTS, sentence("%(picture)s points in the picture, %(table)s on the table")),
    _calibration(
        CalibrationCode.FEW_POINTS, sentence("%(points)s points are not enough: at least %(needed)s are needed")
    ),
    _calibration(CalibrationCode.POINT_NOT_FINITE, sentence("a point is not a finite number")),
    _calibration(
        CalibrationCode.POINTS_IN_LINE,
        sentence("the points lie within %(narrow)s mm of one line, %(needed)s mm are needed"),
    ),
    _calibration(CalibrationCode.POINT_UNSEEN_BY_LENS, sentence("point %(point)s is outside what the lens can see")),
    _calibration(CalibrationCode.POINTS_FIT_NO_POSE, sentence("no camera position matches the points (%(why)s)")),
    _calibration(CalibrationCode.NO_CAMERA_ABOVE, sentence("no camera above the table matches the points")),
    _calibration(CalibrationCode.TWO_POSES_FIT, sentence("two camera positions match the points equally well")),
    _calibration(
        CalibrationCode.POINTS_DISAGREE,
        sentence("the points do not agree: off by up to %(off)s mm, %(allowed)s mm are allowed"),
    ),
    _calibration(CalibrationCode.CAMERA_TOO_LOW, sentence("the camera would hang %(height)s mm over the felt")),
    _calibration(CalibrationCode.CAMERA_LEANS, sentence("the camera would lean by %(degrees)s degrees")),
    # Why markers yield no pose
    _calibration(CalibrationCode.MARKER_TWICE, sentence("marker %(marker)s has two places")),
    _calibration(
        CalibrationCode.FEW_MARKERS_SEEN_OF_GIVEN,
        sentence(
            "only %(seen)s of the %(given)s markers entered are visible, at least 4 are needed; not seen: %(unseen)s"
        ),
        sentence("only %(seen)s of the %(given)s markers entered are visible, at least 4 are needed"),
    ),
    _calibration(CalibrationCode.MARKERS_UNSEEN_TOO, sentence("%(reason)s; not seen: %(unseen)s")),
    _calibration(
        CalibrationCode.MARKER_SIZE_WRONG,
        sentence("marker %(marker)s seems to have sides of %(side)s mm, but was printed with %(printed)s mm"),
    ),
    # Why views yield no lens
    _calibration(
        CalibrationCode.BOARD_NOT_SEEN,
        sentence("%(name)s: only %(corners)s corners of the board are seen"),
        sentence("%(name)s: the board is not seen"),
    ),
    _calibration(CalibrationCode.BOARD_IN_LINE, sentence("%(name)s: the visible corners of the board lie on one line")),
    _calibration(CalibrationCode.PICTURES_OF_SIZES, sentence("the pictures differ in size (%(sizes)s)")),
    _calibration(
        CalibrationCode.LENS_NOT_COVERED,
        sentence(
            "the views do not cover the lens: %(views)s views, %(sideways)s leaning to the side, "
            "%(forward)s forward or back, none in the %(missing)s part"
        ),
        sentence(
            "the views do not cover the lens: %(views)s views, %(sideways)s leaning to the side, "
            "%(forward)s forward or back"
        ),
    ),
    _calibration(CalibrationCode.VIEWS_FIT_NO_LENS, sentence("no lens matches the views (%(why)s)")),
    _calibration(
        CalibrationCode.LENS_ERROR,
        sentence("the error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    _calibration(
        CalibrationCode.LENS_HOLD_OUT_ERROR,
        sentence("the hold-out error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    _calibration(
        CalibrationCode.LENS_IMPOSSIBLE,
        sentence("the calculated lens is impossible (focal lengths %(fx)s and %(fy)s px, middle %(cx)s, %(cy)s)"),
    ),
    _calibration(
        CalibrationCode.LENS_WITHOUT_CORNERS, sentence("the calculated lens does not reach the corners of the picture")
    ),
    # Next steps
    _calibration(CalibrationCode.GIVE_BOTH, sentence("Give every point both places: in the picture and on the table")),
    _calibration(CalibrationCode.ADD_POINTS, sentence("Add points far apart: near all four corners of the table")),
    _calibration(CalibrationCode.GIVE_POINT_AGAIN, sentence("Enter this point again")),
    _calibration(CalibrationCode.USE_ALL_CORNERS, sentence("Use points near all four corners of the table")),
    _calibration(
        CalibrationCode.GIVE_AGAIN_OR_OTHER_LENS,
        sentence("Enter the point again, or use the calibrated lens of this camera"),
    ),
    _calibration(CalibrationCode.CHECK_ORDER, sentence("Check their order and places")),
    _calibration(
        CalibrationCode.CHECK_AXES,
        sentence(
            "Check that x runs to the dealer's right and y toward the players, and that no two points are exchanged"
        ),
    ),
    _calibration(CalibrationCode.USE_POINTS_FURTHER_APART, sentence("Use points further apart, at all four corners")),
    _calibration(
        CalibrationCode.MEASURE_POINT_AGAIN,
        sentence(
            "Without point %(point)s the others agree; it is off by about %(off)s mm: measure it or enter it again"
        ),
    ),
    _calibration(
        CalibrationCode.MEASURE_ALL_AGAIN,
        sentence(
            "It is not known which point is wrong, and there may be more than one: measure and enter all points again",
        ),
    ),
    _calibration(
        CalibrationCode.ADD_POINT_TO_TELL,
        sentence("With four points it is not known which one is wrong: add a fifth, or measure all of them again"),
    ),
    _calibration(CalibrationCode.CHECK_MILLIMETRES, sentence("Check that places are in millimetres")),
    _calibration(CalibrationCode.CHECK_PLACES, sentence("Check the places, or hang the camera over the table")),
    _calibration(CalibrationCode.GIVE_MARKER_ONE_PLACE, sentence("Give each marker one place")),
    _calibration(
        CalibrationCode.SHOW_MARKERS,
        sentence("Check that they lie flat inside the picture, uncovered and without glare"),
    ),
    _calibration(CalibrationCode.POINTS_ARE_MARKERS, sentence("%(advice)s (point %(order)s)")),
    _calibration(
        CalibrationCode.CHECK_MARKER,
        sentence("Check the height given for it, that places are in millimetres, and the scale it was printed in"),
    ),
    _calibration(
        CalibrationCode.HOLD_BOARD_WELL,
        sentence("Hold the whole board in the picture: flat, still, without glare, and not too small"),
    ),
    _calibration(CalibrationCode.HOLD_BOARD_WHOLE, sentence("Hold the whole board in the picture")),
    _calibration(CalibrationCode.USE_ONE_MODE, sentence("Take all of them with one camera in one mode")),
    _calibration(CalibrationCode.TAKE_VIEWS_AGAIN, sentence("Take them again, the board flat and still")),
    _calibration(
        CalibrationCode.TAKE_WORST_VIEW_AGAIN,
        sentence("Remove that view, or take the views again: board flat and still, focus locked, no glare"),
    ),
    _calibration(
        CalibrationCode.TAKE_LEANING_VIEWS,
        sentence("Take more views that lean, by 20 to 40 degrees and each to another side"),
    ),
    _calibration(
        CalibrationCode.TAKE_CORNER_VIEWS,
        sentence("Take more views with the board right in the corners of the picture"),
    ),
    _calibration(CalibrationCode.HOLD_BOARD_IN, sentence("Hold the board in the %(part)s part of the picture")),
    _calibration(
        CalibrationCode.TIP_SIDEWAYS,
        sentence("Tip the board by 20 to 40 degrees so that its left or right edge comes toward the camera"),
    ),
    _calibration(
        CalibrationCode.TIP_FORWARD,
        sentence("Tip the board by 20 to 40 degrees so that its upper or lower edge comes toward the camera"),
    ),
    _calibration(CalibrationCode.TAKE_MORE_VIEWS, sentence("Take %(more)s more views, each at another place and lean")),
    _calibration(CalibrationCode.VIEWS_ENOUGH, sentence("Enough views: the lens can be calculated")),
)
