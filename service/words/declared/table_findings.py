"""Findings about a picture, the lay of the tiles, a round, or a display of the set."""

from __future__ import annotations

from functools import partial
from typing import Final

from service.words.declared.declaration import OTHER_WAY, doubt, note
from service.words.wording import sentence
from vision.findings import Code

_display: Final = partial(note, about="set")
_dice: Final = partial(note, about="set")
_hand: Final = partial(note, about="hand")
_round: Final = partial(note, about="round")

TABLE_FINDINGS: Final = (
    # A picture
    note(Code.NOTHING_FOUND, sentence("neither tiles nor dice were found in the picture"), about="picture"),
    doubt(
        Code.TOO_DARK,
        sentence("the picture is too dark to be read safely: add light or exposure"),
        about="picture",
        cause="picture",
        group="table",
    ),
    doubt(
        Code.TOO_BRIGHT,
        sentence("much of the picture is overexposed: reduce the light or the exposure"),
        about="picture",
        cause="picture",
        group="table",
    ),
    doubt(
        Code.BLURRED,
        sentence("the tiles are blurred: check focus, vibration and shutter time"),
        about="picture",
        cause="picture",
        group="table",
    ),
    _display(
        Code.DUPLICATE_FACE,
        sentence("%(count)s tiles look like %(face)s, but the set has %(held)s of that face: check these tiles"),
        sentence("more tiles look like %(face)s in this round than the set has"),
    ),
    note(
        Code.FOREIGN_TILE,
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
        about="set",
        cause="tiles",
        group="table",
    ),
    note(
        Code.FOREIGN_DIE,
        sentence("a die does not look like one of the house's: check the dice; after a change of dice, enrol them"),
        about="die",
        cause="other",
        group="table",
    ),
    note(
        Code.PRINTED_ON_TABLE,
        sentence(
            "%(place)s: what looks like a tile or a die is also in the picture of the empty table: it is printed on "
            "the table and does not count"
        ),
        sentence(
            "what looks like a tile or a die is also in the picture of the empty table: it is printed on the table "
            "and does not count"
        ),
        about="table",
    ),
    note(
        Code.LEFT_ON_TABLE,
        sentence(
            "%(place)s: a %(face)s was there before the deal: it is printed on the table or was forgotten, and does "
            "not count"
        ),
        sentence(
            "%(place)s: a tile face down was there before the deal: it is printed on the table or was forgotten, "
            "and does not count"
        ),
        about="table",
    ),
    # A picture compared with that of the empty table
    doubt(
        Code.COVERED,
        sentence(
            "The camera cannot see the table (%(hidden)s%% of the picture does not show it, brightness "
            "%(brightness)s%%): check whether the camera is covered or turned away, or the lamp is off"
        ),
        about="picture",
        cause="covered",
        group="table",
    ),
    doubt(
        Code.OBSTRUCTED,
        sentence(
            "%(hidden)s%% of the picture does not show the table (%(limit)s%% allowed): remove what is in front of "
            "the camera, and check that the camera was not turned"
        ),
        about="picture",
        cause="covered",
        group="table",
    ),
    doubt(
        Code.DIM,
        sentence(
            "The picture has %(brightness)s%% of its brightness when calibrated (limit: %(limit)s%%): check the "
            "lamps and the exposure"
        ),
        about="picture",
        cause="light",
        group="table",
    ),
    doubt(
        Code.BRIGHT,
        sentence(
            "The picture has %(brightness)s%% of its brightness when calibrated (limit: %(limit)s%%): check the "
            "lamps and the exposure"
        ),
        about="picture",
        cause="light",
        group="table",
    ),
    doubt(
        Code.GLARE,
        sentence(
            "%(share)s%% of the picture is overexposed by new glare (%(limit)s%% allowed): find the light that "
            "causes it, and shade or turn it"
        ),
        about="picture",
        cause="glare",
    ),
    doubt(
        Code.DEFOCUSED,
        sentence(
            "The picture has %(sharpness)s%% of its sharpness when calibrated (limit: %(limit)s%%): clean the lens, "
            "set the focus again and lock it"
        ),
        sentence("the tiles are %(tiles)s%% as sharp as when they were enrolled: check focus, lens and vibration"),
        about="picture",
        cause="focus",
        group="table",
    ),
    # How tiles lie at a place
    _hand(Code.UNCLEAR_LAY, sentence("%(place)s: the tiles are not laid as two upright and two across")),
    note(Code.LOOSE_TILES, sentence("%(count)s tiles do not form a hand (two upright, two across)"), about="picture"),
    note(Code.NO_HANDS, sentence("no four tiles are laid as a hand (two upright, two across)"), about="picture"),
    _hand(Code.FACE_DOWN_HAND, sentence("%(place)s: %(tiles)s face down")),
    _hand(
        Code.EXTRA_TILE,
        sentence("%(place)s: %(count)s tiles instead of four"),
        sentence("row %(row)s, tile %(tile)s: %(face)s is one too many"),
    ),
    _hand(Code.OVERLAPPING_TILES, sentence("%(place)s: tiles overlap or lean, so the hand cannot be read")),
    _hand(Code.INCOMPLETE_HAND, sentence("%(place)s: only %(tiles)s visible instead of four")),
    _hand(
        Code.FACE_DOWN_TILE,
        sentence("%(place)s: %(tiles)s face down in an open hand"),
        sentence("%(where)s: the tile lies face down"),
    ),
    _hand(
        Code.UNREAD_TILE,
        sentence("%(place)s: %(tiles)s cannot be read, so the hand is not complete"),
        sentence("%(where)s: cannot be read; %(belongs)s belongs here: damaged, dirty or foreign"),
    ),
    note(
        Code.LAID_OTHER_WAY,
        sentence(
            "%(place)s: the hand laid as low ranks above the hand laid as high; the higher one counts as the high hand"
        ),
        about="hand",
        offers=OTHER_WAY,
    ),
    _hand(Code.IMPOSSIBLE_HAND, sentence("%(place)s: two tiles look the same, but the set has only one such tile")),
    # A round
    note(
        Code.CAMERA_MOVED,
        sentence("all tiles seem to have moved at once: the camera or the table was knocked"),
        about="camera",
        cause="health",
        group="table",
    ),
    note(Code.COCKED_DIE, sentence("a die seems to be cocked: check the cup"), about="die"),
    _hand(
        Code.TILE_EXPOSED,
        sentence("%(place)s: a tile (%(face)s) was exposed, then turned face down again"),
        sentence("%(place)s: a tile was exposed, then turned face down again"),
    ),
    note(Code.DEALT_BY_LEANING_DICE, sentence("the tiles were dealt after a throw with a cocked die"), about="throw"),
    note(
        Code.WRONG_FIRST_BOX,
        sentence("the first tiles went to %(seen)s; by the dice they belong to %(due)s"),
        about="throw",
        styles={"seen": "or", "due": "or"},
    ),
    note(
        Code.DELIVERED_OUT_OF_ORDER,
        sentence("the tiles were dealt out of turn, in this order: %(seen)s"),
        about="round",
        styles={"seen": "list"},
    ),
    note(Code.CUT_AGAINST_DIE, sentence("the stacks were not cut as the cut die shows"), about="throw"),
    _round(Code.TILES_MISCOUNTED, sentence("%(place)s: more or fewer tiles were dealt than to the other boxes")),
    _round(
        Code.LOST_HAND_LEFT, sentence("%(place)s: the losing hand was not put away before the next hand was opened")
    ),
    _round(Code.STAND_OFF_LEFT, sentence("%(place)s: the stand-off was not put away before the next hand was opened")),
    _round(
        Code.WON_HAND_TAKEN,
        sentence("%(place)s: the winning hand was put away before the hand of %(waiting)s was opened"),
    ),
    _round(Code.BANK_AWAY_EARLY, sentence("the bank's tiles were put away before the hand of %(waiting)s was opened")),
    _round(
        Code.LEFT_AS_DEALT,
        sentence("%(place)s: when the bank's hand was opened, the tiles lay as dealt, neither set nor taken back"),
    ),
    note(
        Code.UNUSED_TILES_OPEN,
        sentence("a tile out of play lay face up before any hand was opened"),
        about="round",
    ),
    note(
        Code.DEALT_BEFORE_DICE,
        sentence("tiles were dealt while the dice still lay as thrown in the round before"),
        about="round",
    ),
    note(
        Code.DICE_NOT_SHAKEN_AGAIN,
        sentence("after the delivery the dice were left as thrown, not shaken again"),
        about="round",
    ),
    note(
        Code.CHUNG_ELSEWHERE,
        sentence("the House banks, but the chung lies at %(place)s; it belongs at %(due)s"),
        about="round",
        styles={"due": "or"},
    ),
    note(
        Code.BUTTON_UNDER_HOUSE_BANK,
        sentence("the House banks, but a plus/minus button is in use"),
        about="round",
    ),
    _round(Code.EXPOSED_BEFORE_BANK, sentence("%(place)s: the hand was opened before the bank's hand")),
    _round(Code.EXPOSED_OUT_OF_TURN, sentence("%(place)s: the hand was opened before the hand of %(waiting)s")),
    _round(
        Code.ORDER_UNSEEN,
        sentence("%(places)s: opened while the camera could not see the table; the order is not known"),
    ),
    _round(
        Code.REQUEST_UNSURE,
        sentence("%(places)s: the dealer may have been asked to set the hand; it is not judged"),
    ),
    note(
        Code.ROUND_NOT_SEEN,
        sentence(
            "Round not seen: tiles were dealt, but the camera did not see the table, or pictures were too far apart; "
            "nothing of that round was counted with the next"
        ),
        about="round",
        cause="covered",
        group="hidden",
    ),
    note(
        Code.ROUND_END_NOT_SEEN,
        sentence(
            "the rest of this round was not seen: the camera did not see the table, or pictures were too far apart; "
            "hands may be missing"
        ),
        about="round",
        cause="covered",
        group="hidden",
    ),
    _hand(Code.SEEN_AGAIN, sentence("%(place)s: the hand seemed to be put away, but is there again")),
    _hand(Code.TILES_CHANGED, sentence("%(place)s: the tiles are not the same as earlier in this round")),
    _hand(Code.HAND_RESET, sentence("%(place)s: two tiles of the open hand, set by the dealer, changed places")),
    _hand(Code.HAND_CHANGED, sentence("%(place)s: two tiles of the open hand changed places")),
    # A display of the whole set
    _display(Code.AT_PLACE, sentence("place %(number)s (row %(row)s, tile %(tile)s)"), sentence("place %(number)s")),
    _display(Code.MISSING_TILE, sentence("%(where)s: %(belongs)s is missing")),
    _display(
        Code.DUPLICATE_TILE,
        sentence("%(where)s: %(seen)s tiles are %(face)s, the set has %(copies)s; %(belongs)s belongs here"),
        sentence("%(where)s: %(seen)s tiles are %(face)s, the set has %(copies)s"),
    ),
    _display(Code.SWAPPED_TILES, sentence("%(where)s: %(face)s and %(other)s are swapped")),
    _display(Code.MISPLACED_TILE, sentence("%(where)s: %(face)s lies here; %(belongs)s belongs here")),
    _display(
        Code.NOT_IN_RANK_ORDER,
        sentence("only %(right)s of 32 tiles lie in the order of rank: lay all of them out, face up"),
    ),
    # Why a set is not enrolled
    _display(Code.NO_DISPLAY, sentence("no picture shows the tiles laid out: lay all 32 face up in the order of rank")),
    _display(
        Code.SAME_PICTURE_TWICE, sentence("two pictures are identical: the camera is frozen, or a file is there twice")
    ),
    _display(Code.SET_NOT_WHOLE, sentence("the set has faults, so nothing was learnt from it")),
    _display(
        Code.PICTURES_UNLIKE,
        sentence("pictures of one tile match each other by only %(match)s: add light, and set the focus"),
    ),
    # Why dice are not enrolled
    _dice(
        Code.NO_THROW,
        sentence(
            "no picture shows the dice: throw all of them, lift the cup, and take your hands away; none may be cocked"
        ),
    ),
    _dice(
        Code.CUT_DIE_NOT_THERE,
        sentence("%(dice)s dice of the first throw show %(value)s: the cut die must be the only one with its value"),
    ),
    _dice(
        Code.STRANGE_DIE_THROWN,
        sentence(
            "throw %(throw)s of %(throws)s has a die unlike those of the other throws: throw only the house's dice"
        ),
    ),
)
