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
    CalibrationCode.FEW_SPOTS: (sentence("%(seen)s of %(known)s spots of the layout are seen, %(needed)s are needed"),),
    CalibrationCode.SPOTS_DISAGREE: (sentence("only %(agreed)s of %(seen)s spots of the layout moved alike"),),
    CalibrationCode.FEW_MARKERS_CALIBRATED: (
        sentence("the calibration has %(inside)s markers inside the picture, %(needed)s are needed"),
    ),
    CalibrationCode.FEW_MARKERS_SEEN: (sentence("%(seen)s of %(known)s markers are seen, %(needed)s are needed"),),
    # What is wrong with a layout
    CalibrationCode.NO_HOUSE: (sentence("there is no house: without it no House hand is ever read"),),
    CalibrationCode.BOXES_WITH_GAPS: (
        sentence("boxes are numbered from 1 without a gap, here they are %(boxes)s"),
        sentence("boxes are numbered from 1 without a gap, here they are none"),
    ),
    CalibrationCode.DEALER_BEHIND_BOXES: (
        sentence("the house does not lie nearer to the dealer than the boxes: are x and y turned round?"),
    ),
    CalibrationCode.NUMBERS_OUT_OF_TURN: (
        sentence(
            "the numbers of the boxes do not go round in one direction: from the dealer's right to his left %(boxes)s"
        ),
    ),
    CalibrationCode.BOX1_NOT_AT_RIGHT: (
        sentence("the layout says that box 1 is at the dealer's right, and its place is at his left"),
    ),
    CalibrationCode.BOX1_NOT_AT_LEFT: (
        sentence("the layout says that box 1 is at the dealer's left, and its place is at his right"),
    ),
    CalibrationCode.DEALER_NOT_AT_BOTTOM: (
        sentence("the calibration says that the dealer is at the bottom of the picture, its camera has him at the top"),
    ),
    CalibrationCode.DEALER_NOT_AT_TOP: (
        sentence("the calibration says that the dealer is at the top of the picture, its camera has him at the bottom"),
    ),
    CalibrationCode.ZONE_TOO_SMALL: (
        sentence("%(place)s is %(width)s x %(depth)s mm, a tile alone is %(least)s mm long"),
    ),
    CalibrationCode.ZONE_OFF_TABLE: (sentence("%(place)s has its middle at %(x)s, %(y)s: off the table"),),
    CalibrationCode.ZONES_OVERLAP: (
        sentence("%(place)s and %(other_place)s overlap by %(deep)s mm: a hand there could be either's"),
    ),
    # Why no pose is solved from points
    CalibrationCode.UNEQUAL_POINTS: (sentence("%(picture)s points in the picture, %(table)s on the table"),),
    CalibrationCode.FEW_POINTS: (sentence("%(points)s points are too few, at least %(needed)s are needed"),),
    CalibrationCode.POINT_NOT_FINITE: (sentence("a point is not a finite number"),),
    CalibrationCode.POINTS_IN_LINE: (
        sentence("the points lie within %(narrow)s mm of one line, %(needed)s mm are needed"),
    ),
    CalibrationCode.POINT_UNSEEN_BY_LENS: (sentence("the lens sees nothing at point %(point)s"),),
    CalibrationCode.POINTS_FIT_NO_POSE: (sentence("the points fit no pose (%(why)s)"),),
    CalibrationCode.NO_CAMERA_ABOVE: (sentence("the points fit no camera above the table"),),
    CalibrationCode.TWO_POSES_FIT: (sentence("two different poses fit the points alike"),),
    CalibrationCode.POINTS_DISAGREE: (
        sentence("the points do not fit together: off by up to %(off)s mm, %(allowed)s mm are allowed"),
    ),
    CalibrationCode.CAMERA_TOO_LOW: (sentence("the camera would hang %(height)s mm over the felt"),),
    CalibrationCode.CAMERA_LEANS: (sentence("the camera would lean by %(degrees)s degrees"),),
    # Why none is solved from markers
    CalibrationCode.MARKER_TWICE: (sentence("marker %(marker)s is given two places"),),
    CalibrationCode.FEW_MARKERS_SEEN_OF_GIVEN: (
        sentence("%(seen)s of the %(given)s markers given are seen, at least 4 are needed; not seen: %(unseen)s"),
        sentence("%(seen)s of the %(given)s markers given are seen, at least 4 are needed"),
    ),
    CalibrationCode.MARKERS_UNSEEN_TOO: (sentence("%(reason)s; not seen: %(unseen)s"),),
    CalibrationCode.MARKER_SIZE_WRONG: (
        sentence("marker %(marker)s would have sides of %(side)s mm, it was printed with %(printed)s mm"),
    ),
    # Why no lens is solved
    CalibrationCode.BOARD_NOT_SEEN: (
        sentence("%(name)s: only %(corners)s corners of the board are seen"),
        sentence("%(name)s: the board is not seen"),
    ),
    CalibrationCode.BOARD_IN_LINE: (sentence("%(name)s: the corners seen of the board lie on one line"),),
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
    CalibrationCode.VIEWS_FIT_NO_LENS: (sentence("the views fit no lens (%(why)s)"),),
    CalibrationCode.LENS_ERROR: (
        sentence("the error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    CalibrationCode.LENS_HOLD_OUT_ERROR: (
        sentence("the hold-out error is %(error)s px, above %(limit)s px; worst is %(worst)s (%(worst_px)s px)"),
    ),
    CalibrationCode.LENS_IMPOSSIBLE: (
        sentence("the lens found is impossible (focal lengths %(fx)s and %(fy)s px, middle %(cx)s, %(cy)s)"),
    ),
    CalibrationCode.LENS_WITHOUT_CORNERS: (sentence("the lens found does not reach the corners of the picture"),),
    # What to do next
    CalibrationCode.GIVE_BOTH: (sentence("Give each of them both"),),
    CalibrationCode.ADD_POINTS: (sentence("Add points far apart: near all four corners of the table"),),
    CalibrationCode.GIVE_POINT_AGAIN: (sentence("Give it again"),),
    CalibrationCode.USE_ALL_CORNERS: (sentence("Use points near all four corners of the table"),),
    CalibrationCode.GIVE_AGAIN_OR_OTHER_LENS: (sentence("Give it again, or use the lens of this camera"),),
    CalibrationCode.CHECK_ORDER: (sentence("Check their order and places"),),
    CalibrationCode.CHECK_AXES: (
        sentence(
            "Check that x runs to the dealer's right and y toward the players, and that no two points are exchanged"
        ),
    ),
    CalibrationCode.USE_POINTS_FURTHER_APART: (sentence("Use points further apart, at all four corners"),),
    CalibrationCode.MEASURE_POINT_AGAIN: (
        sentence("Without point %(point)s the others agree; it is off by about %(off)s mm: measure or give it again"),
    ),
    CalibrationCode.MEASURE_ALL_AGAIN: (
        sentence("It cannot be told which point is wrong, more than one may be: measure and give all of them again"),
    ),
    CalibrationCode.ADD_POINT_TO_TELL: (
        sentence("With four points it cannot be told which is wrong: add a fifth, or measure all of them again"),
    ),
    CalibrationCode.CHECK_MILLIMETRES: (sentence("Check that places are in millimetres"),),
    CalibrationCode.CHECK_PLACES: (sentence("Check the places, or hang it over the table"),),
    CalibrationCode.GIVE_MARKER_ONE_PLACE: (sentence("Give each marker one place"),),
    CalibrationCode.SHOW_MARKERS: (sentence("See that they lie flat, whole, without glare, and inside the picture"),),
    CalibrationCode.POINTS_ARE_MARKERS: (sentence("%(advice)s (point %(order)s)"),),
    CalibrationCode.CHECK_MARKER: (
        sentence("Check the height given for it, that places are in millimetres, and the scale it was printed in"),
    ),
    CalibrationCode.HOLD_BOARD_WELL: (
        sentence("Hold all of it in the picture, flat, still, without glare, and not too small"),
    ),
    CalibrationCode.HOLD_BOARD_WHOLE: (sentence("Hold all of it in the picture"),),
    CalibrationCode.USE_ONE_MODE: (sentence("Take all of them with one camera in one mode"),),
    CalibrationCode.TAKE_VIEWS_AGAIN: (sentence("Take them again, the board flat and still"),),
    CalibrationCode.TAKE_WORST_VIEW_AGAIN: (
        sentence("Take that view out or take the views again: board flat and still, focus locked, no glare"),
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
    CalibrationCode.VIEWS_ENOUGH: (sentence("Enough: the lens can be solved"),),
}
