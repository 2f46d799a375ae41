"""The codes of doubts and findings: what a reading, a display of the set or the table over time may raise.

A doubt is a finding about one tile, die or hand that keeps it from being verified.
"""

from __future__ import annotations

from enum import StrEnum

from calibration.finding import CodedError, Finding, Param

__all__ = ["Code", "CodedError", "Finding", "Param"]


class Code(StrEnum):
    """What a reading, a display of the set or the table over time may raise."""

    # One tile that shows its face
    NOT_A_TILE = "not_a_tile"
    FACE_UNKNOWN = "face_unknown"
    MORE_THAN_THE_SET = "more_than_the_set"
    LOW_CONFIDENCE = "low_confidence"
    PIPS_SHOW_ANOTHER_FACE = "pips_show_another_face"
    PIPS_FIT_ANOTHER_FACE = "pips_fit_another_face"
    NOT_OWN_TILE = "not_own_tile"
    PIPS_INDISTINCT = "pips_indistinct"
    PIP_MISSING = "pip_missing"
    PIP_MAY_BE_TWO = "pip_may_be_two"
    PIP_TOO_MANY = "pip_too_many"
    PIP_COLOURS_UNKNOWN = "pip_colours_unknown"
    PIP_COLOURS_MISPLACED = "pip_colours_misplaced"
    PIP_GLARE = "pip_glare"
    PIPS_FIT_NO_FACE = "pips_fit_no_face"
    PIPS_FIT_ROUGHLY = "pips_fit_roughly"
    PIPS_DIFFER_IN_STRONG_COLOURS = "pips_differ_in_strong_colours"
    # One tile that lies face down
    BACK_AMONG_OPEN_TILES = "back_among_open_tiles"
    BACK_NOT_OWN = "back_not_own"
    BACK_OF_OTHER_COLOUR = "back_of_other_colour"
    BACK_TOO_BRIGHT = "back_too_bright"
    BACK_LOOKS_LIKE_FACE = "back_looks_like_face"
    BACK_WITH_PIPS = "back_with_pips"
    NO_SCALE = "no_scale"
    # Geometry of one tile
    SAME_AS_ANOTHER = "same_as_another"
    WRONG_SIZE = "wrong_size"
    OUTSIDE_PICTURE = "outside_picture"
    HALVES_OF_TWO = "halves_of_two"
    CROSSED = "crossed"
    MAY_BE_PRINT = "may_be_print"
    # One die
    NOT_A_DIE = "not_a_die"
    DIE_LEANS = "die_leans"
    DIE_SEEMS_TO_LEAN = "die_seems_to_lean"
    DIE_MAY_LEAN = "die_may_lean"
    DIE_WITHOUT_CALIBRATION = "die_without_calibration"
    DIE_OUTLINE_UNSETTLED = "die_outline_unsettled"
    DIE_TOO_SMALL = "die_too_small"
    VALUE_UNKNOWN = "value_unknown"
    VALUE_LOW_CONFIDENCE = "value_low_confidence"
    PIPS_SHOW_ANOTHER_VALUE = "pips_show_another_value"
    PIPS_FIT_ANOTHER_VALUE = "pips_fit_another_value"
    DIE_PIPS_INDISTINCT = "die_pips_indistinct"
    DIE_PIP_MISSING = "die_pip_missing"
    DIE_PIP_TOO_MANY = "die_pip_too_many"
    DIE_PIPS_FIT_NO_VALUE = "die_pips_fit_no_value"
    # One marker: chung, off button, plus/minus button
    MARKER_PRINT_FADED = "marker_print_faded"
    MARKER_FITS_ROUGHLY = "marker_fits_roughly"
    MARKER_PARTLY_HIDDEN = "marker_partly_hidden"
    MARKER_MAY_BE_ANOTHER = "marker_may_be_another"
    # One hand
    NO_CALIBRATION = "no_calibration"
    PAIRS_RANK_ALIKE = "pairs_rank_alike"
    TOLD_APART_BY_RANK = "told_apart_by_rank"
    # Over time: one tile or die
    TWO_FACES = "two_faces"
    TWO_VALUES = "two_values"
    TOO_FEW_PICTURES = "too_few_pictures"
    PICTURES_DISAGREE = "pictures_disagree"
    MORE_THAN_THE_SET_IN_ROUND = "more_than_the_set_in_round"
    OTHER_NAMING_LIKELY = "other_naming_likely"
    DIE_LEANS_OVER_TIME = "die_leans_over_time"
    DIE_LEANS_SOMETIMES = "die_leans_sometimes"
    DIE_STACKED = "die_stacked"
    SAME_DICE_TWO_VALUES = "same_dice_two_values"
    # Over time: one hand
    NOT_AT_REST = "not_at_rest"
    KNOCKED = "knocked"
    OTHER_TILES_BEFORE = "other_tiles_before"
    HIDDEN_SINCE = "hidden_since"
    MOVED_SINCE = "moved_since"
    # A picture
    NOTHING_FOUND = "nothing_found"
    TOO_DARK = "too_dark"
    TOO_BRIGHT = "too_bright"
    BLURRED = "blurred"
    DUPLICATE_FACE = "duplicate_face"
    FOREIGN_TILE = "foreign_tile"
    # A picture against that of the empty table
    COVERED = "covered"
    OBSTRUCTED = "obstructed"
    DIM = "dim"
    BRIGHT = "bright"
    GLARE = "glare"
    DEFOCUSED = "defocused"
    # How tiles lie at a place
    UNCLEAR_LAY = "unclear_lay"
    LOOSE_TILES = "loose_tiles"
    NO_HANDS = "no_hands"
    FACE_DOWN_HAND = "face_down_hand"
    EXTRA_TILE = "extra_tile"
    OVERLAPPING_TILES = "overlapping_tiles"
    INCOMPLETE_HAND = "incomplete_hand"
    FACE_DOWN_TILE = "face_down_tile"
    UNREAD_TILE = "unread_tile"
    LAID_OTHER_WAY = "laid_other_way"
    IMPOSSIBLE_HAND = "impossible_hand"
    # A round
    CAMERA_MOVED = "camera_moved"
    COCKED_DIE = "cocked_die"
    TILE_EXPOSED = "tile_exposed"
    DEALT_BY_LEANING_DICE = "dealt_by_leaning_dice"
    WRONG_FIRST_BOX = "wrong_first_box"
    DELIVERED_OUT_OF_ORDER = "delivered_out_of_order"
    CUT_AGAINST_DIE = "cut_against_die"
    TILES_MISCOUNTED = "tiles_miscounted"
    LOST_HAND_LEFT = "lost_hand_left"
    BANK_AWAY_EARLY = "bank_away_early"
    EXPOSED_BEFORE_BANK = "exposed_before_bank"
    EXPOSED_OUT_OF_TURN = "exposed_out_of_turn"
    ORDER_UNSEEN = "order_unseen"
    SEEN_AGAIN = "seen_again"
    TILES_CHANGED = "tiles_changed"
    HAND_RESET = "hand_reset"
    HAND_CHANGED = "hand_changed"
    # A display of the whole set
    AT_PLACE = "at_place"
    MISSING_TILE = "missing_tile"
    DUPLICATE_TILE = "duplicate_tile"
    SWAPPED_TILES = "swapped_tiles"
    MISPLACED_TILE = "misplaced_tile"
    NOT_IN_RANK_ORDER = "not_in_rank_order"
    # Why a set is not enrolled
    NO_DISPLAY = "no_display"
    SAME_PICTURE_TWICE = "same_picture_twice"
    SET_NOT_WHOLE = "set_not_whole"
    PICTURES_UNLIKE = "pictures_unlike"
