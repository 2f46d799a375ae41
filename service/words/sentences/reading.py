"""The sentences of what a reading, a display of the set or the table over time may raise, in English."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.words.wording import sentence
from vision.findings import Code

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import StrEnum

READING: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    Code.NOT_A_TILE: (sentence("this may not be a tile"),),
    Code.FACE_UNKNOWN: (sentence("the face cannot be read"),),
    Code.MORE_THAN_THE_SET: (sentence("the set does not have so many %(face)s"),),
    Code.LOW_CONFIDENCE: (sentence("not sure enough: %(face)s at %(percent)s%%, next %(next)s"),),
    Code.PIPS_SHOW_ANOTHER_FACE: (sentence("the pips measured in the picture look like %(face)s"),),
    Code.PIPS_FIT_ANOTHER_FACE: (sentence("the pips measured in the picture match another face nearly as well"),),
    Code.NOT_OWN_TILE: (sentence("it does not look like this table's own %(face)s"),),
    Code.PIPS_INDISTINCT: (sentence("the pips hardly differ from the tile"),),
    Code.PIP_MISSING: (sentence("a pip of the face is missing or too faint"),),
    Code.PIP_MAY_BE_TWO: (sentence("one red pip may be two faint ones"),),
    Code.PIP_TOO_MANY: (sentence("there is a pip too many for the face"),),
    Code.PIP_COLOURS_UNKNOWN: (sentence("the colours of the pips are not clear"),),
    Code.PIP_COLOURS_MISPLACED: (sentence("red and plain pips are not placed as on the face"),),
    Code.PIP_GLARE: (sentence("glare may hide a pip"),),
    Code.PIPS_FIT_NO_FACE: (sentence("the pips match no face"),),
    Code.PIPS_FIT_ROUGHLY: (sentence("the pips match the face only roughly"),),
    Code.PIPS_DIFFER_IN_STRONG_COLOURS: (sentence("with stronger colours it would be another face"),),
    Code.BACK_AMONG_OPEN_TILES: (sentence("looks like a back among open tiles: glare may hide its face"),),
    Code.BACK_NOT_OWN: (sentence("it does not look like the backs of this table's own tiles"),),
    Code.BACK_OF_OTHER_COLOUR: (sentence("looks like a back, but has another colour than the others"),),
    Code.BACK_TOO_BRIGHT: (sentence("too bright to see whether it shows a face"),),
    Code.BACK_LOOKS_LIKE_FACE: (sentence("looks like a back, but the classifier sees a face"),),
    Code.BACK_WITH_PIPS: (sentence("looks like a back, but has pips like those of %(face)s"),),
    Code.NO_SCALE: (sentence("without a calibration any dark rectangle may look like a tile face down"),),
    Code.SAME_AS_ANOTHER: (sentence("it overlaps another tile so much that both may be one"),),
    Code.WRONG_SIZE: (sentence("its size does not match a tile lying flat"),),
    Code.OUTSIDE_PICTURE: (sentence("part of it is outside the picture"),),
    Code.MAY_BE_PRINT: (sentence("it shows no edge and no shadow: it may be printed on the table"),),
    Code.LIKE_EMPTY_TABLE: (sentence("the empty table looks nearly the same there: it may be printed on the table"),),
    Code.HALVES_OF_TWO: (sentence("its pips may belong to two tiles beside it"),),
    Code.CROSSED: (sentence("another tile lies across it"),),
    Code.NOT_A_DIE: (sentence("this may not be a die"),),
    Code.DIE_LEANS: (sentence("the die leans: the cup must be shaken again"),),
    Code.DIE_SEEMS_TO_LEAN: (sentence("the die seems to lean"),),
    Code.DIE_MAY_LEAN: (sentence("the die may lean"),),
    Code.DIE_WITHOUT_CALIBRATION: (sentence("without a calibration a leaning die looks like a flat one"),),
    Code.DIE_OUTLINE_UNSETTLED: (sentence("its outline could not be fitted to the die"),),
    Code.DIE_TOO_SMALL: (sentence("it is much smaller than the other dice"),),
    Code.VALUE_UNKNOWN: (sentence("the value cannot be read"),),
    Code.VALUE_LOW_CONFIDENCE: (sentence("not sure enough: %(value)s at %(percent)s%%"),),
    Code.PIPS_SHOW_ANOTHER_VALUE: (sentence("the pips measured in the picture look like a %(value)s"),),
    Code.PIPS_FIT_ANOTHER_VALUE: (sentence("the pips measured in the picture match another value nearly as well"),),
    Code.DIE_PIPS_INDISTINCT: (sentence("the pips hardly differ from the die"),),
    Code.DIE_PIP_MISSING: (sentence("a pip of the value is missing or too faint"),),
    Code.DIE_PIP_TOO_MANY: (sentence("there is a pip too many for the value"),),
    Code.DIE_PIPS_FIT_NO_VALUE: (sentence("the pips match no value"),),
    Code.MARKER_PRINT_FADED: (
        sentence("its print is washed out by glare (it matches the enrolled marker by %(likeness)s%%)"),
    ),
    Code.MARKER_FITS_ROUGHLY: (sentence("it matches the enrolled marker by only %(likeness)s%%"),),
    Code.MARKER_PRINT_DIFFERS: (sentence("part of its print differs from the enrolled marker: is it another word?"),),
    Code.MARKER_PRINT_NOT_LEGIBLE: (sentence("its print is too blurred, or too small in the picture, to be read"),),
    Code.MARKER_PARTLY_HIDDEN: (sentence("part of its outline is hidden"),),
    Code.MARKER_MAY_BE_ANOTHER: (sentence("it looks nearly as much like another enrolled marker"),),
    Code.NO_CALIBRATION: (sentence("without a calibration it is not known whether the four tiles are at one place"),),
    Code.PAIRS_RANK_ALIKE: (
        sentence("both pairs have the same rank: the pair upright in the picture was taken as the low hand"),
    ),
    Code.TOLD_APART_BY_RANK: (
        sentence("low and high hand were decided by rank: without a calibration the dealer's side is not known"),
    ),
    Code.TWO_FACES: (sentence("different pictures were verified as different faces"),),
    Code.TWO_VALUES: (sentence("different pictures were verified as different values"),),
    Code.TOO_FEW_PICTURES: (sentence("never read clearly enough (%(needed)s matching pictures needed)"),),
    Code.PICTURES_DISAGREE: (sentence("pictures disagree"),),
    Code.MORE_THAN_THE_SET_IN_ROUND: (
        sentence("with the other tiles of this round there would be more of this face than the set has"),
    ),
    Code.OTHER_NAMING_LIKELY: (sentence("another reading of all the tiles is nearly as likely"),),
    Code.DIE_LEANS_OVER_TIME: (sentence("it leans"),),
    Code.DIE_LEANS_SOMETIMES: (sentence("it leans in some pictures"),),
    Code.DIE_STACKED: (sentence("it lies on another die or against it"),),
    Code.SAME_DICE_TWO_VALUES: (sentence("the same dice were verified as different values"),),
    Code.NOT_AT_REST: (sentence("it has not been still for long enough"),),
    Code.KNOCKED: (sentence("the camera or the table was knocked"),),
    Code.OTHER_TILES_BEFORE: (sentence("earlier in this round other tiles were here"),),
    Code.HIDDEN_SINCE: (sentence("it was hidden for a while and could not be verified again"),),
    Code.MOVED_SINCE: (sentence("its tiles were moved, and could not all be read again"),),
    Code.NOTHING_FOUND: (sentence("neither tiles nor dice were found in the picture"),),
    Code.TOO_DARK: (sentence("the picture is too dark to be read safely: add light or exposure"),),
    Code.TOO_BRIGHT: (sentence("much of the picture is overexposed: reduce the light or the exposure"),),
    Code.BLURRED: (sentence("the tiles are blurred: check focus, vibration and shutter time"),),
    Code.DUPLICATE_FACE: (
        sentence("%(count)s tiles look like %(face)s, but the set has %(held)s of that face: check these tiles"),
        sentence("more tiles look like %(face)s in this round than the set has"),
    ),
    Code.FOREIGN_TILE: (
        sentence("%(where)s: both are %(both)s, but do not look alike: one is foreign, damaged or dirty"),
        sentence("%(where)s: does not look like this table's own %(face)s: foreign, damaged or dirty"),
        sentence("%(where)s: its body has another colour than its neighbours': foreign or dirty"),
        sentence(
            "%(place)s: a tile shows %(face)s, but does not look like this table's own %(face)s: it may be foreign, "
            "damaged or dirty; check the set"
        ),
        sentence(
            "a tile shows %(face)s, but does not look like this table's own %(face)s: it may be foreign, damaged or "
            "dirty; check the set"
        ),
    ),
    Code.PRINTED_ON_TABLE: (
        sentence(
            "%(place)s: what looks like a tile or a die is also in the picture of the empty table: it is printed on "
            "the table and does not count"
        ),
        sentence(
            "what looks like a tile or a die is also in the picture of the empty table: it is printed on the table "
            "and does not count"
        ),
    ),
    Code.LEFT_ON_TABLE: (
        sentence(
            "%(place)s: a %(face)s was there before the deal: it is printed on the table or was forgotten, and does "
            "not count"
        ),
        sentence(
            "%(place)s: a tile face down was there before the deal: it is printed on the table or was forgotten, "
            "and does not count"
        ),
    ),
    Code.COVERED: (
        sentence(
            "The camera cannot see the table (%(hidden)s%% of the picture does not show it, brightness "
            "%(brightness)s%%): check whether the camera is covered or turned away, or the lamp is off"
        ),
    ),
    Code.OBSTRUCTED: (
        sentence(
            "%(hidden)s%% of the picture does not show the table (%(limit)s%% allowed): remove what is in front of "
            "the camera, and check that the camera was not turned"
        ),
    ),
    Code.DIM: (
        sentence(
            "The picture has %(brightness)s%% of its brightness when calibrated (limit: %(limit)s%%): check the "
            "lamps and the exposure"
        ),
    ),
    Code.BRIGHT: (
        sentence(
            "The picture has %(brightness)s%% of its brightness when calibrated (limit: %(limit)s%%): check the "
            "lamps and the exposure"
        ),
    ),
    Code.GLARE: (
        sentence(
            "%(share)s%% of the picture is overexposed by new glare (%(limit)s%% allowed): find the light that "
            "causes it, and shade or turn it"
        ),
    ),
    Code.DEFOCUSED: (
        sentence(
            "The picture has %(sharpness)s%% of its sharpness when calibrated (limit: %(limit)s%%): clean the lens, "
            "set the focus again and lock it"
        ),
        sentence("the tiles are %(tiles)s%% as sharp as when they were enrolled: check focus, lens and vibration"),
    ),
    Code.UNCLEAR_LAY: (sentence("%(place)s: the tiles are not laid as two upright and two across"),),
    Code.LOOSE_TILES: (sentence("%(count)s tiles do not form a hand (two upright, two across)"),),
    Code.NO_HANDS: (sentence("no four tiles are laid as a hand (two upright, two across)"),),
    Code.FACE_DOWN_HAND: (sentence("%(place)s: %(tiles)s face down"),),
    Code.EXTRA_TILE: (
        sentence("%(place)s: %(count)s tiles instead of four"),
        sentence("row %(row)s, tile %(tile)s: %(face)s is one too many"),
    ),
    Code.OVERLAPPING_TILES: (sentence("%(place)s: tiles overlap or lean, so the hand cannot be read"),),
    Code.INCOMPLETE_HAND: (sentence("%(place)s: only %(tiles)s visible instead of four"),),
    Code.FACE_DOWN_TILE: (
        sentence("%(place)s: %(tiles)s face down in an open hand"),
        sentence("%(where)s: the tile lies face down"),
    ),
    Code.UNREAD_TILE: (
        sentence("%(place)s: %(tiles)s cannot be read, so the hand is not complete"),
        sentence("%(where)s: cannot be read; %(belongs)s belongs here: damaged, dirty or foreign"),
    ),
    Code.LAID_OTHER_WAY: (
        sentence(
            "%(place)s: the hand laid as low ranks above the hand laid as high; the higher one counts as the high hand"
        ),
    ),
    Code.IMPOSSIBLE_HAND: (sentence("%(place)s: two tiles look the same, but the set has only one such tile"),),
    Code.CAMERA_MOVED: (sentence("all tiles seem to have moved at once: the camera or the table was knocked"),),
    Code.COCKED_DIE: (sentence("a die seems to lean: look at the cup"),),
    Code.TILE_EXPOSED: (
        sentence("%(place)s: a tile (%(face)s) was exposed, then turned face down again"),
        sentence("%(place)s: a tile was exposed, then turned face down again"),
    ),
    Code.DEALT_BY_LEANING_DICE: (sentence("the tiles were dealt after a throw with a leaning die"),),
    Code.WRONG_FIRST_BOX: (sentence("the first tiles went to %(seen)s; by the dice they belong to %(due)s"),),
    Code.DELIVERED_OUT_OF_ORDER: (sentence("the tiles were dealt out of turn, in this order: %(seen)s"),),
    Code.CUT_AGAINST_DIE: (sentence("the stacks were not cut as the cut die shows"),),
    Code.TILES_MISCOUNTED: (sentence("%(place)s: more or fewer tiles were dealt than to the other boxes"),),
    Code.LOST_HAND_LEFT: (sentence("%(place)s: the losing hand was not put away before the next hand was opened"),),
    Code.BANK_AWAY_EARLY: (sentence("the bank's tiles were put away before the hand of %(waiting)s was opened"),),
    Code.EXPOSED_BEFORE_BANK: (sentence("%(place)s: the hand was opened before the bank's hand"),),
    Code.EXPOSED_OUT_OF_TURN: (sentence("%(place)s: the hand was opened before the hand of %(waiting)s"),),
    Code.ORDER_UNSEEN: (
        sentence("%(places)s: opened while the camera could not see the table; the order is not known"),
    ),
    Code.SEEN_AGAIN: (sentence("%(place)s: the hand seemed to be put away, but is there again"),),
    Code.TILES_CHANGED: (sentence("%(place)s: the tiles are not the same as earlier in this round"),),
    Code.HAND_RESET: (sentence("%(place)s: two tiles of the open hand, set by the dealer, changed places"),),
    Code.HAND_CHANGED: (sentence("%(place)s: two tiles of the open hand changed places"),),
    Code.AT_PLACE: (
        sentence("place %(number)s (row %(row)s, tile %(tile)s)"),
        sentence("place %(number)s"),
    ),
    Code.MISSING_TILE: (sentence("%(where)s: %(belongs)s is missing"),),
    Code.DUPLICATE_TILE: (
        sentence("%(where)s: %(seen)s tiles are %(face)s, the set has %(copies)s; %(belongs)s belongs here"),
        sentence("%(where)s: %(seen)s tiles are %(face)s, the set has %(copies)s"),
    ),
    Code.SWAPPED_TILES: (sentence("%(where)s: %(face)s and %(other)s are swapped"),),
    Code.MISPLACED_TILE: (sentence("%(where)s: %(face)s lies here; %(belongs)s belongs here"),),
    Code.NOT_IN_RANK_ORDER: (
        sentence("only %(right)s of 32 tiles lie in the order of rank: lay all of them out, face up"),
    ),
    Code.NO_DISPLAY: (sentence("no picture shows the tiles laid out: lay all 32 face up in the order of rank"),),
    Code.SAME_PICTURE_TWICE: (sentence("two pictures are identical: the camera is frozen, or a file is there twice"),),
    Code.SET_NOT_WHOLE: (sentence("the set has faults, so nothing was learnt from it"),),
    Code.PICTURES_UNLIKE: (
        sentence("pictures of one tile match each other by only %(match)s: add light, and set the focus"),
    ),
}
