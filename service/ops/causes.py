"""What keeps hands and dice from being verified, as a few stable words to count by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from vision.findings import Code

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from enum import StrEnum

_CODES: Final[Mapping[str, Collection[StrEnum]]] = {
    "detector": (Code.NOT_A_TILE, Code.NOT_A_DIE, Code.DIE_OUTLINE_UNSETTLED),
    "classifier": (
        Code.FACE_UNKNOWN,
        Code.LOW_CONFIDENCE,
        Code.BACK_LOOKS_LIKE_FACE,
        Code.VALUE_UNKNOWN,
        Code.VALUE_LOW_CONFIDENCE,
    ),
    "second_reader": (
        Code.PIPS_SHOW_ANOTHER_FACE,
        Code.PIPS_FIT_ANOTHER_FACE,
        Code.PIPS_INDISTINCT,
        Code.PIP_MISSING,
        Code.PIP_MAY_BE_TWO,
        Code.PIP_TOO_MANY,
        Code.PIP_COLOURS_UNKNOWN,
        Code.PIP_COLOURS_MISPLACED,
        Code.PIPS_FIT_NO_FACE,
        Code.PIPS_FIT_ROUGHLY,
        Code.PIPS_DIFFER_IN_STRONG_COLOURS,
        Code.BACK_OF_OTHER_COLOUR,
        Code.BACK_WITH_PIPS,
        Code.PIPS_SHOW_ANOTHER_VALUE,
        Code.PIPS_FIT_ANOTHER_VALUE,
        Code.DIE_PIPS_INDISTINCT,
        Code.DIE_PIP_MISSING,
        Code.DIE_PIP_TOO_MANY,
        Code.DIE_PIPS_FIT_NO_VALUE,
    ),
    "set": (Code.MORE_THAN_THE_SET, Code.MORE_THAN_THE_SET_IN_ROUND, Code.OTHER_NAMING_LIKELY),
    "tiles": (
        Code.NOT_OWN_TILE,
        Code.BACK_NOT_OWN,
        Code.FOREIGN_TILE,
        ServiceCode.SET_NOT_ENROLLED_YET,
        ServiceCode.DISPLAY_OF_ANOTHER_SET,
        ServiceCode.ANOTHER_SET_IN_PLAY,
    ),
    "glare": (Code.PIP_GLARE, Code.BACK_AMONG_OPEN_TILES, Code.BACK_TOO_BRIGHT, Code.GLARE),
    "crossed": (Code.SAME_AS_ANOTHER, Code.HALVES_OF_TWO, Code.CROSSED),
    "size": (Code.WRONG_SIZE,),
    "outside": (Code.OUTSIDE_PICTURE,),
    "leaning": (
        Code.DIE_LEANS,
        Code.DIE_SEEMS_TO_LEAN,
        Code.DIE_MAY_LEAN,
        Code.DIE_WITHOUT_CALIBRATION,
        Code.DIE_LEANS_OVER_TIME,
        Code.DIE_LEANS_SOMETIMES,
        Code.DIE_STACKED,
    ),
    "no_calibration": (Code.NO_CALIBRATION, Code.TOLD_APART_BY_RANK),
    "lay": (Code.PAIRS_RANK_ALIKE,),
    "time": (
        Code.TWO_FACES,
        Code.TWO_VALUES,
        Code.TOO_FEW_PICTURES,
        Code.PICTURES_DISAGREE,
        Code.SAME_DICE_TWO_VALUES,
        Code.NOT_AT_REST,
        Code.OTHER_TILES_BEFORE,
        Code.HIDDEN_SINCE,
        Code.MOVED_SINCE,
    ),
    "health": (Code.KNOCKED, Code.CAMERA_MOVED),
    "picture": (Code.TOO_DARK, Code.TOO_BRIGHT, Code.BLURRED),
    "covered": (Code.COVERED, Code.OBSTRUCTED),
    "light": (Code.DIM, Code.BRIGHT),
    "focus": (Code.DEFOCUSED,),
    "frozen": (ServiceCode.FROZEN,),
    "camera": (
        ServiceCode.DRIFTED,
        ServiceCode.MARKER_MOVED,
        ServiceCode.PICTURE_TURNED,
        ServiceCode.PICTURE_CLOCKWISE,
        ServiceCode.PICTURE_COUNTER_CLOCKWISE,
        ServiceCode.PICTURE_MIRRORED,
        ServiceCode.PICTURE_FLIPPED,
        ServiceCode.DRIFT_UNKNOWN,
        ServiceCode.NOT_WATCHED,
    ),
    "not_recorded": (ServiceCode.NOT_RECORDED, ServiceCode.NOT_AS_RECORDED),
    "self_test": (ServiceCode.SELF_TEST_FAILED,),
    "clock": (
        ServiceCode.CLOCK_SET_BACK,
        ServiceCode.CLOCK_SET_FORWARD,
        ServiceCode.CLOCK_BEHIND_RECORD,
        ServiceCode.CLOCK_NOT_SYNCHRONISED,
        ServiceCode.CLOCK_STATE_UNKNOWN,
    ),
}
_CAUSES: Final[Mapping[str, str]] = {code: cause for cause, codes in _CODES.items() for code in codes}


def cause_of(code: str) -> str:
    """The word for a code; ``other`` for one that has none.

    >>> cause_of(Code.LOW_CONFIDENCE)
    'classifier'
    """
    return _CAUSES.get(code, "other")
