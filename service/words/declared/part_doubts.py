"""Doubts about one tile, die, marker or hand, which is then not verified."""

from __future__ import annotations

from typing import Final

from service.words.declared.declaration import OTHER_WAY, doubt
from service.words.wording import sentence
from vision.findings import Code

PART_DOUBTS: Final = (
    # One face-up tile
    doubt(Code.NOT_A_TILE, sentence("this may not be a tile"), about="tile", cause="detector"),
    doubt(Code.FACE_UNKNOWN, sentence("the face cannot be read"), about="tile", cause="classifier"),
    doubt(Code.MORE_THAN_THE_SET, sentence("there are more %(face)s tiles than in the set"), about="tile", cause="set"),
    doubt(
        Code.LOW_CONFIDENCE,
        sentence("not sure enough: %(face)s at %(percent)s%%, next %(next)s"),
        about="tile",
        cause="classifier",
        offers="next",
    ),
    doubt(
        Code.PIPS_SHOW_ANOTHER_FACE,
        sentence("the pips measured in the picture look like %(face)s"),
        about="tile",
        cause="second_reader",
        offers="face",
    ),
    doubt(
        Code.PIPS_FIT_ANOTHER_FACE,
        sentence("the pips measured in the picture match another face nearly as well"),
        about="tile",
        cause="second_reader",
    ),
    doubt(
        Code.NOT_OWN_TILE,
        sentence("it does not look like this table's own %(face)s"),
        about="tile",
        cause="tiles",
        group="table",
    ),
    doubt(Code.PIPS_INDISTINCT, sentence("the pips hardly differ from the tile"), about="tile", cause="second_reader"),
    doubt(Code.PIP_MISSING, sentence("a pip of the face is missing or too faint"), about="tile", cause="second_reader"),
    doubt(Code.PIP_MAY_BE_TWO, sentence("one red pip may be two faint ones"), about="tile", cause="second_reader"),
    doubt(Code.PIP_TOO_MANY, sentence("there is a pip too many for the face"), about="tile", cause="second_reader"),
    doubt(
        Code.PIP_COLOURS_UNKNOWN, sentence("the colours of the pips are not clear"), about="tile", cause="second_reader"
    ),
    doubt(
        Code.PIP_COLOURS_MISPLACED,
        sentence("red and plain pips are not placed as on the face"),
        about="tile",
        cause="second_reader",
    ),
    doubt(Code.PIP_GLARE, sentence("glare may hide a pip"), about="tile", cause="glare"),
    doubt(Code.PIPS_FIT_NO_FACE, sentence("the pips match no face"), about="tile", cause="second_reader"),
    doubt(Code.PIPS_FIT_ROUGHLY, sentence("the pips match the face only roughly"), about="tile", cause="second_reader"),
    doubt(
        Code.PIPS_DIFFER_IN_STRONG_COLOURS,
        sentence("with stronger colours it would be another face"),
        about="tile",
        cause="second_reader",
    ),
    # One face-down tile
    doubt(
        Code.BACK_AMONG_OPEN_TILES,
        sentence("looks like a back among open tiles: glare may hide its face"),
        about="tile",
        cause="glare",
    ),
    doubt(
        Code.BACK_NOT_OWN,
        sentence("it does not look like the backs of this table's own tiles"),
        about="tile",
        cause="tiles",
        group="table",
    ),
    doubt(
        Code.BACK_OF_OTHER_COLOUR,
        sentence("looks like a back, but has another colour than the others"),
        about="tile",
        cause="second_reader",
    ),
    doubt(Code.BACK_TOO_BRIGHT, sentence("too bright to see whether it shows a face"), about="tile", cause="glare"),
    doubt(
        Code.BACK_LOOKS_LIKE_FACE,
        sentence("looks like a back, but the classifier sees a face"),
        about="tile",
        cause="classifier",
    ),
    doubt(
        Code.BACK_WITH_PIPS,
        sentence("looks like a back, but has pips like those of %(face)s"),
        about="tile",
        cause="second_reader",
    ),
    doubt(
        Code.NO_SCALE,
        sentence("without a calibration any dark rectangle may look like a tile face down"),
        about="tile",
        cause="other",
    ),
    # Geometry of one tile
    doubt(
        Code.SAME_AS_ANOTHER,
        sentence("it overlaps another tile so much that both may be one"),
        about="tile",
        cause="crossed",
        group="hidden",
    ),
    doubt(Code.WRONG_SIZE, sentence("its size does not match a tile lying flat"), about="tile", cause="size"),
    doubt(
        Code.OUTSIDE_PICTURE,
        sentence("part of it is outside the picture"),
        about="tile",
        cause="outside",
        group="hidden",
    ),
    doubt(Code.HALVES_OF_TWO, sentence("its pips may belong to two tiles beside it"), about="tile", cause="crossed"),
    doubt(Code.CROSSED, sentence("another tile lies across it"), about="tile", cause="crossed", group="hidden"),
    doubt(
        Code.MAY_BE_PRINT,
        sentence("it shows no edge and no shadow: it may be printed on the table"),
        about="tile",
        cause="other",
    ),
    doubt(
        Code.LIKE_EMPTY_TABLE,
        sentence("the empty table looks nearly the same there: it may be printed on the table"),
        about="tile",
        cause="other",
    ),
    # One die
    doubt(Code.NOT_A_DIE, sentence("this may not be a die"), about="die", cause="detector"),
    doubt(Code.DIE_LEANS, sentence("the die is cocked: the cup must be shaken again"), about="die", cause="leaning"),
    doubt(Code.DIE_SEEMS_TO_LEAN, sentence("the die seems to be cocked"), about="die", cause="leaning"),
    doubt(Code.DIE_MAY_LEAN, sentence("the die may be cocked"), about="die", cause="leaning"),
    doubt(
        Code.DIE_WITHOUT_CALIBRATION,
        sentence("without a calibration a cocked die looks like a flat one"),
        about="die",
        cause="leaning",
    ),
    doubt(
        Code.DIE_OUTLINE_UNSETTLED,
        sentence("its outline could not be fitted to the die"),
        about="die",
        cause="detector",
    ),
    doubt(Code.DIE_TOO_SMALL, sentence("it is much smaller than the other dice"), about="die", cause="other"),
    doubt(Code.VALUE_UNKNOWN, sentence("the value cannot be read"), about="die", cause="classifier"),
    doubt(
        Code.VALUE_LOW_CONFIDENCE,
        sentence("not sure enough: %(value)s at %(percent)s%%"),
        about="die",
        cause="classifier",
        offers="value",
    ),
    doubt(
        Code.PIPS_SHOW_ANOTHER_VALUE,
        sentence("the pips measured in the picture look like a %(value)s"),
        about="die",
        cause="second_reader",
        offers="value",
    ),
    doubt(
        Code.PIPS_FIT_ANOTHER_VALUE,
        sentence("the pips measured in the picture match another value nearly as well"),
        about="die",
        cause="second_reader",
    ),
    doubt(
        Code.DIE_PIPS_INDISTINCT, sentence("the pips hardly differ from the die"), about="die", cause="second_reader"
    ),
    doubt(
        Code.DIE_PIP_MISSING, sentence("a pip of the value is missing or too faint"), about="die", cause="second_reader"
    ),
    doubt(Code.DIE_PIP_TOO_MANY, sentence("there is a pip too many for the value"), about="die", cause="second_reader"),
    doubt(Code.DIE_PIPS_FIT_NO_VALUE, sentence("the pips match no value"), about="die", cause="second_reader"),
    doubt(
        Code.NOT_OWN_DIE,
        sentence("it does not look like one of the house's dice: foreign, or the dice were changed and not enrolled"),
        about="die",
        cause="other",
    ),
    doubt(
        Code.LIKE_OWN_DIE_WITH_ANOTHER_VALUE,
        sentence("it looks like one of the house's dice with the value %(value)s"),
        about="die",
        cause="second_reader",
    ),
    # One marker: chung, off button, plus/minus button
    doubt(
        Code.MARKER_PRINT_FADED,
        sentence("its print is washed out by glare (it matches the enrolled marker by %(likeness)s%%)"),
        about="marker",
        cause="other",
    ),
    doubt(
        Code.MARKER_FITS_ROUGHLY,
        sentence("it matches the enrolled marker by only %(likeness)s%%"),
        about="marker",
        cause="other",
    ),
    doubt(
        Code.MARKER_PRINT_DIFFERS,
        sentence("part of its print differs from the enrolled marker: is it another word?"),
        about="marker",
        cause="other",
    ),
    doubt(
        Code.MARKER_PRINT_NOT_LEGIBLE,
        sentence("its print is too blurred, or too small in the picture, to be read"),
        about="marker",
        cause="other",
    ),
    doubt(Code.MARKER_PARTLY_HIDDEN, sentence("part of its outline is hidden"), about="marker", cause="other"),
    doubt(
        Code.MARKER_MAY_BE_ANOTHER,
        sentence("it looks nearly as much like another enrolled marker"),
        about="marker",
        cause="other",
    ),
    # One hand
    doubt(
        Code.NO_CALIBRATION,
        sentence("without a calibration it is not known whether the four tiles are at one place"),
        about="hand",
        cause="no_calibration",
        group="table",
    ),
    doubt(
        Code.PAIRS_RANK_ALIKE,
        sentence("both pairs have the same rank: the pair upright in the picture was taken as the low hand"),
        about="hand",
        cause="lay",
        offers=OTHER_WAY,
    ),
    doubt(
        Code.DECIDED_BY_RANK,
        sentence("low and high hand were decided by rank: without a calibration the dealer's side is not known"),
        about="hand",
        cause="no_calibration",
        group="table",
        offers=OTHER_WAY,
    ),
    # Over time: one tile or die
    doubt(Code.TWO_FACES, sentence("different pictures were verified as different faces"), about="tile", cause="time"),
    doubt(Code.TWO_VALUES, sentence("different pictures were verified as different values"), about="die", cause="time"),
    doubt(
        Code.TOO_FEW_PICTURES,
        sentence("never read clearly enough (%(needed)s matching pictures needed)"),
        about="part",
        cause="time",
    ),
    doubt(Code.PICTURES_DISAGREE, sentence("pictures disagree"), about="part", cause="time"),
    doubt(
        Code.MORE_THAN_THE_SET_IN_ROUND,
        sentence("with the other tiles of this round there would be more of this face than the set has"),
        about="tile",
        cause="set",
    ),
    doubt(
        Code.OTHER_NAMING_LIKELY,
        sentence("another reading of all the tiles is nearly as likely"),
        about="tile",
        cause="set",
    ),
    doubt(Code.DIE_LEANS_SOMETIMES, sentence("it is cocked in some pictures"), about="die", cause="leaning"),
    doubt(Code.DIE_STACKED, sentence("it lies on another die or against it"), about="die", cause="leaning"),
    doubt(
        Code.SAME_DICE_TWO_VALUES,
        sentence("the same dice were verified as different values"),
        about="throw",
        cause="time",
    ),
    # Over time: one hand
    doubt(Code.NOT_AT_REST, sentence("it has not been still for long enough"), about="hand", cause="time"),
    doubt(Code.KNOCKED, sentence("the camera or the table was knocked"), about="camera", cause="health", group="table"),
    doubt(
        Code.OTHER_TILES_BEFORE,
        sentence("earlier in this round other tiles were here"),
        about="hand",
        cause="time",
        group="hidden",
    ),
    doubt(
        Code.HIDDEN_SINCE,
        sentence("it was hidden for a while and could not be verified again"),
        about="hand",
        cause="time",
        group="hidden",
    ),
    doubt(
        Code.MOVED_SINCE,
        sentence("its tiles were moved, and could not all be read again"),
        about="hand",
        cause="time",
        group="hidden",
    ),
)
