"""The sentences of calibration, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from calibration.codes import CalibrationCode
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

CALIBRATION: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    # Why a picture does not show whether the camera has moved
    CalibrationCode.NO_REFERENCE: (sentence("there is no picture of the empty table"),),
    CalibrationCode.FEW_SPOTS: (
        sentence("%(seen)s of %(known)s spots of the layout are visible, %(needed)s are needed"),
    ),
    CalibrationCode.SPOTS_DISAGREE: (sentence("only %(agreed)s of %(seen)s spots of the layout moved the same way"),),
    CalibrationCode.FEW_MARKERS_CALIBRATED: (
        sentence("the calibration has %(inside)s markers inside the picture, %(needed)s are needed"),
    ),
    CalibrationCode.FEW_MARKERS_SEEN: (sentence("%(seen)s of %(known)s markers are visible, %(needed)s are needed"),),
    # What is wrong with a layout
    CalibrationCode.NO_HOUSE: (sentence("there is no House place: without it no House hand is read"),),
    CalibrationCode.BOXES_WITH_GAPS: (
        sentence("boxes must be numbered from 1 without a gap; here they are %(boxes)s"),
        sentence("boxes must be numbered from 1 without a gap; here there are none"),
    ),
    CalibrationCode.DEALER_BEHIND_BOXES: (
        sentence("the House place is not nearer to the dealer than the boxes: are x and y swapped?"),
    ),
    CalibrationCode.NUMBERS_OUT_OF_TURN: (
        sentence("the box numbers are not in order: from the dealer's right to the left they are %(boxes)s"),
    ),
    CalibrationCode.BOX1_NOT_AT_RIGHT: (
        sentence("the layout says that box 1 is at the dealer's right, but its place is at the dealer's left"),
    ),
    CalibrationCode.BOX1_NOT_AT_LEFT: (
        sentence("the layout says that box 1 is at the dealer's left, but its place is at the dealer's right"),
    ),
    CalibrationCode.DEALER_NOT_AT_BOTTOM: (
        sentence(
            "the calibration says that the dealer is at the bottom of the picture, but its camera has the dealer at "
            "the top",
        ),
    ),
    CalibrationCode.DEALER_NOT_AT_TOP: (
        sentence(
            "the calibration says that the dealer is at the top of the picture, but its camera has the dealer at "
            "the bottom",
        ),
    ),
    CalibrationCode.ZONE_TOO_SMALL: (
        sentence("%(place)s is %(width)s x %(depth)s mm, but one tile is %(least)s mm long"),
    ),
    CalibrationCode.ZONE_OFF_TABLE: (sentence("the middle of %(place)s, at %(x)s, %(y)s, is off the table"),),
    CalibrationCode.ZONES_OVERLAP: (
        sentence("%(place)s and %(other_place)s overlap by %(deep)s mm: a hand there could belong to either"),
    ),
    # Why no pose is solved from points
    CalibrationCode.UNEQUAL_POINTS: (sentence("%(picture)s points in the picture, %(table)s on the table"),),
    CalibrationCode.FEW_POINTS: (sentence("%(points)s points are not enough: at least %(needed)s are needed"),),
    CalibrationCode.POINT_NOT_FINITE: (sentence("a point is not a finite number"),),
    CalibrationCode.POINTS_IN_LINE: (
        sentence("the points lie within %(narrow)s mm of one line, %(needed)s mm are needed"),
    ),
    CalibrationCode.POINT_UNSEEN_BY_LENS: (sentence("point %(point)s is outside what the lens can see"),),
    CalibrationCode.POINTS_FIT_NO_POSE: (sentence("no camera position matches the points (%(why)s)"),),
    CalibrationCode.NO_CAMERA_ABOVE: (sentence("no camera above the table matches the points"),),
    CalibrationCode.TWO_POSES_FIT: (sentence("two camera positions match the points equally well"),),
    CalibrationCode.POINTS_DISAGREE: (
        sentence("the points do not agree: off by up to %(off)s mm, %(allowed)s mm are allowed"),
    ),
    CalibrationCode.CAMERA_TOO_LOW: (sentence("the camera would hang %(height)s mm over the felt"),),
    CalibrationCode.CAMERA_LEANS: (sentence("the camera would lean by %(degrees)s degrees"),),
    # Why none is solved from markers
    CalibrationCode.MARKER_TWICE: (sentence("marker %(marker)s has two places"),),
    CalibrationCode.FEW_MARKERS_SEEN_OF_GIVEN: (
        sentence(
            "only %(seen)s of the %(given)s markers entered are visible, at least 4 are needed; not seen: %(unseen)s"
        ),
        sentence("only %(seen)s of the %(given)s markers entered are visible, at least 4 are needed"),
    ),
    CalibrationCode.MARKERS_UNSEEN_TOO: (sentence("%(reason)s; not seen: %(unseen)s"),),
    CalibrationCode.MARKER_SIZE_WRONG: (
        sentence("marker %(marker)s seems to have sides of %(side)s mm, but was printed with %(printed)s mm"),
    ),
    # Why no lens is solved
    CalibrationCode.BOARD_NOT_SEEN: (
        sentence("%(name)s: only %(corners)s corners of the board are seen"),
        sentence("%(name)s: the board is not seen"),
    ),
    CalibrationCode.BOARD_IN_LINE: (sentence("%(name)s: the visible corners of the board lie on one line"),),
    CalibrationCode.PICTURES_OF_SIZES: (sentence("the pictures differ in size (%(sizes)s)"),),
    CalibrationCode.LENS_NOT_COVERED: (
        sentence(
            "the views do not cover the lens: %(views)s views, %(sideways)s leaning to the side, "
            "%(forward)s forward or back, none in the %(missing)s part"
        ),
        sentence(
            "the views do not cover the lens: %(views)s views, %(sideways)s leaning to the side, "
            "%(forward)s forward or back"
        ),
    ),
    CalibrationCode.VIEWS_FIT_NO_LENS: (sentence("no lens matches the views (%(why)s)"),),
    CalibrationCode.LENS_ERROR: (
        sentence("the error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    CalibrationCode.LENS_HOLD_OUT_ERROR: (
        sentence("the hold-out error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    CalibrationCode.LENS_IMPOSSIBLE: (
        sentence("the calculated lens is impossible (focal lengths %(fx)s and %(fy)s px, middle %(cx)s, %(cy)s)"),
    ),
    CalibrationCode.LENS_WITHOUT_CORNERS: (sentence("the calculated lens does not reach the corners of the picture"),),
    # What to do next
    CalibrationCode.GIVE_BOTH: (sentence("Give every point both places: in the picture and on the table"),),
    CalibrationCode.ADD_POINTS: (sentence("Add points far apart: near all four corners of the table"),),
    CalibrationCode.GIVE_POINT_AGAIN: (sentence("Enter this point again"),),
    CalibrationCode.USE_ALL_CORNERS: (sentence("Use points near all four corners of the table"),),
    CalibrationCode.GIVE_AGAIN_OR_OTHER_LENS: (
        sentence("Enter the point again, or use the calibrated lens of this camera"),
    ),
    CalibrationCode.CHECK_ORDER: (sentence("Check their order and places"),),
    CalibrationCode.CHECK_AXES: (
        sentence(
            "Check that x runs to the dealer's right and y toward the players, and that no two points are exchanged"
        ),
    ),
    CalibrationCode.USE_POINTS_FURTHER_APART: (sentence("Use points further apart, at all four corners"),),
    CalibrationCode.MEASURE_POINT_AGAIN: (
        sentence(
            "Without point %(point)s the others agree; it is off by about %(off)s mm: measure it or enter it again"
        ),
    ),
    CalibrationCode.MEASURE_ALL_AGAIN: (
        sentence(
            "It is not known which point is wrong, and there may be more than one: measure and enter all points again",
        ),
    ),
    CalibrationCode.ADD_POINT_TO_TELL: (
        sentence("With four points it is not known which one is wrong: add a fifth, or measure all of them again"),
    ),
    CalibrationCode.CHECK_MILLIMETRES: (sentence("Check that places are in millimetres"),),
    CalibrationCode.CHECK_PLACES: (sentence("Check the places, or hang the camera over the table"),),
    CalibrationCode.GIVE_MARKER_ONE_PLACE: (sentence("Give each marker one place"),),
    CalibrationCode.SHOW_MARKERS: (
        sentence("Check that they lie flat inside the picture, uncovered and without glare"),
    ),
    CalibrationCode.POINTS_ARE_MARKERS: (sentence("%(advice)s (point %(order)s)"),),
    CalibrationCode.CHECK_MARKER: (
        sentence("Check the height given for it, that places are in millimetres, and the scale it was printed in"),
    ),
    CalibrationCode.HOLD_BOARD_WELL: (
        sentence("Hold the whole board in the picture: flat, still, without glare, and not too small"),
    ),
    CalibrationCode.HOLD_BOARD_WHOLE: (sentence("Hold the whole board in the picture"),),
    CalibrationCode.USE_ONE_MODE: (sentence("Take all of them with one camera in one mode"),),
    CalibrationCode.TAKE_VIEWS_AGAIN: (sentence("Take them again, the board flat and still"),),
    CalibrationCode.TAKE_WORST_VIEW_AGAIN: (
        sentence("Remove that view, or take the views again: board flat and still, focus locked, no glare"),
    ),
    CalibrationCode.TAKE_LEANING_VIEWS: (
        sentence("Take more views that lean, by 20 to 40 degrees and each to another side"),
    ),
    CalibrationCode.TAKE_CORNER_VIEWS: (
        sentence("Take more views with the board right in the corners of the picture"),
    ),
    CalibrationCode.HOLD_BOARD_IN: (sentence("Hold the board in the %(part)s part of the picture"),),
    CalibrationCode.TIP_SIDEWAYS: (
        sentence("Tip the board by 20 to 40 degrees so that its left or right edge comes toward the camera"),
    ),
    CalibrationCode.TIP_FORWARD: (
        sentence("Tip the board by 20 to 40 degrees so that its upper or lower edge comes toward the camera"),
    ),
    CalibrationCode.TAKE_MORE_VIEWS: (sentence("Take %(more)s more views, each at another place and lean"),),
    CalibrationCode.VIEWS_ENOUGH: (sentence("Enough views: the lens can be calculated"),),
}
