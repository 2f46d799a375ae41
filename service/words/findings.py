"""The sentences of doubts and findings, all in one place: in English, and by the catalogues in other languages."""

from __future__ import annotations

from gettext import NullTranslations
from typing import TYPE_CHECKING, Final

from service.codes import ServiceCode
from service.words.wording import Joined, PlaceName, Words, sentence
from vision.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from enum import StrEnum

    from service.rounds.round import RoundFinding
    from vision.findings import Param


_AS_GIVEN: Final = ("%(why)s",)
"""Words that come from elsewhere: a rulebook, the operating system, an entry of the record."""
_SENTENCES: Final[Mapping[StrEnum, tuple[str, ...]]] = {
    Code.NOT_A_TILE: (sentence("what was found may not be a tile"),),
    Code.FACE_UNKNOWN: (sentence("the face cannot be told"),),
    Code.MORE_THAN_THE_SET: (sentence("the set does not hold %(face)s so often"),),
    Code.LOW_CONFIDENCE: (sentence("not sure enough: %(face)s at %(percent)s%%, next %(next)s"),),
    Code.PIPS_SHOW_ANOTHER_FACE: (sentence("the pips measured in the picture look like %(face)s"),),
    Code.PIPS_FIT_ANOTHER_FACE: (sentence("the pips measured in the picture fit another face nearly as well"),),
    Code.NOT_OWN_TILE: (sentence("it does not look like this table's own %(face)s"),),
    Code.PIPS_INDISTINCT: (sentence("pips and body can hardly be told apart"),),
    Code.PIP_MISSING: (sentence("a pip of the face is missing or too faint"),),
    Code.PIP_MAY_BE_TWO: (sentence("one red pip may as well be two faint ones"),),
    Code.PIP_TOO_MANY: (sentence("there is a pip too many for the face"),),
    Code.PIP_COLOURS_UNKNOWN: (sentence("the colours of the pips cannot be told apart"),),
    Code.PIP_COLOURS_MISPLACED: (sentence("red and plain pips do not lie as on the face"),),
    Code.PIP_GLARE: (sentence("glare may hide a pip"),),
    Code.PIPS_FIT_NO_FACE: (sentence("the pips fit no face"),),
    Code.PIPS_FIT_ROUGHLY: (sentence("the pips fit the face only roughly"),),
    Code.PIPS_DIFFER_IN_STRONG_COLOURS: (sentence("with its colours made strong it would be another face"),),
    Code.BACK_AMONG_OPEN_TILES: (sentence("taken for a back among open tiles: glare may hide its face"),),
    Code.BACK_NOT_OWN: (sentence("it does not look like the backs of this table's own tiles"),),
    Code.BACK_OF_OTHER_COLOUR: (sentence("taken for a back, but it is not of the colour of the others"),),
    Code.BACK_TOO_BRIGHT: (sentence("too bright to tell whether a face shows"),),
    Code.BACK_LOOKS_LIKE_FACE: (sentence("taken for a back, but it looks like a face to the classifier"),),
    Code.BACK_WITH_PIPS: (sentence("taken for a back, but there are pips like those of %(face)s"),),
    Code.NO_SCALE: (sentence("without the camera's scale any dark rectangle may pass for a tile face down"),),
    Code.SAME_AS_ANOTHER: (sentence("it lies so far across another tile that both may be one"),),
    Code.WRONG_SIZE: (sentence("its size is not that of a tile lying flat"),),
    Code.OUTSIDE_PICTURE: (sentence("a part of it lies outside the picture"),),
    Code.HALVES_OF_TWO: (sentence("its pips may be those of two tiles beside it"),),
    Code.CROSSED: (sentence("another tile lies across it"),),
    Code.NOT_A_DIE: (sentence("what was found may not be a die"),),
    Code.DIE_LEANS: (sentence("the die leans: the cup must be shaken again"),),
    Code.DIE_SEEMS_TO_LEAN: (sentence("the die seems to lean"),),
    Code.DIE_MAY_LEAN: (sentence("the die may lean"),),
    Code.DIE_WITHOUT_CALIBRATION: (
        sentence("without the camera's place a die that leans cannot be told from one that lies flat"),
    ),
    Code.DIE_OUTLINE_UNSETTLED: (sentence("its outline does not come to rest on the die"),),
    Code.DIE_TOO_SMALL: (sentence("it is far smaller than the other dice"),),
    Code.VALUE_UNKNOWN: (sentence("the value cannot be told"),),
    Code.VALUE_LOW_CONFIDENCE: (sentence("not sure enough: %(value)s at %(percent)s%%"),),
    Code.PIPS_SHOW_ANOTHER_VALUE: (sentence("the pips measured in the picture look like a %(value)s"),),
    Code.PIPS_FIT_ANOTHER_VALUE: (sentence("the pips measured in the picture fit another value nearly as well"),),
    Code.DIE_PIPS_INDISTINCT: (sentence("the pips can hardly be told from the die"),),
    Code.DIE_PIP_MISSING: (sentence("a pip of the value is missing or too faint"),),
    Code.DIE_PIP_TOO_MANY: (sentence("there is a pip too many for the value"),),
    Code.DIE_PIPS_FIT_NO_VALUE: (sentence("no pattern fits"),),
    Code.NO_CALIBRATION: (sentence("without a calibration it cannot be shown that the four tiles lie in one place"),),
    Code.PAIRS_RANK_ALIKE: (
        sentence("both pairs rank alike: the pair upright in the picture was taken as the low hand"),
    ),
    Code.TOLD_APART_BY_RANK: (
        sentence("low and high were told apart by rank, for without a calibration the dealer's side is not known"),
    ),
    Code.TWO_FACES: (sentence("pictures of it were verified as different faces"),),
    Code.TWO_VALUES: (sentence("pictures of it were verified as different values"),),
    Code.TOO_FEW_PICTURES: (sentence("it was verified in %(agreeing)s pictures, not in %(needed)s"),),
    Code.PICTURES_DISAGREE: (sentence("too many pictures of it were read otherwise"),),
    Code.MORE_THAN_THE_SET_IN_ROUND: (
        sentence("with the other tiles of this round there would be more of this face than the set holds"),
    ),
    Code.OTHER_NAMING_LIKELY: (sentence("another naming of all tiles is nearly as likely"),),
    Code.DIE_LEANS_OVER_TIME: (sentence("it leans"),),
    Code.DIE_LEANS_SOMETIMES: (sentence("in some pictures it leans"),),
    Code.DIE_STACKED: (sentence("it lies on another die or against it"),),
    Code.SAME_DICE_TWO_VALUES: (sentence("the same dice were verified as different values"),),
    Code.NOT_AT_REST: (sentence("it has not lain still for long enough"),),
    Code.KNOCKED: (sentence("the camera or the table was knocked"),),
    Code.OTHER_TILES_BEFORE: (sentence("other tiles lay here before in this round"),),
    Code.HIDDEN_SINCE: (sentence("it was hidden for a while and could not be verified again"),),
    Code.MOVED_SINCE: (sentence("its tiles were moved since, and could not be read whole again"),),
    Code.NOTHING_FOUND: (sentence("neither tiles nor dice were found in the picture"),),
    Code.TOO_DARK: (sentence("the picture is too dark to be sure of anything: more light or exposure"),),
    Code.TOO_BRIGHT: (sentence("much of the picture is burnt out: less light or exposure"),),
    Code.BLURRED: (sentence("the tiles are blurred: check focus, vibration and shutter time"),),
    Code.DUPLICATE_FACE: (
        sentence("%(count)s tiles look like %(face)s, but the set holds %(held)s of that face: check these tiles"),
        sentence("more tiles look like %(face)s in this round than the set holds"),
    ),
    Code.FOREIGN_TILE: (
        sentence(
            "%(place)s: a tile reads %(face)s, but it does not look like this table's own %(face)s: foreign, damaged "
            "or dirty; check the set"
        ),
        sentence(
            "a tile reads %(face)s, but it does not look like this table's own %(face)s: foreign, damaged or dirty; "
            "check the set"
        ),
    ),
    Code.COVERED: (
        sentence(
            "The camera sees nothing of the table (%(hidden)s%% of the picture does not show the table, brightness "
            "%(brightness)s%%): is it covered, turned away, or the lamp off?"
        ),
    ),
    Code.OBSTRUCTED: (
        sentence(
            "%(hidden)s%% of the picture does not show the table (%(limit)s%% allowed): clear what hangs or lies "
            "before the camera, and see whether it was turned"
        ),
    ),
    Code.DIM: (
        sentence(
            "The picture has %(brightness)s%% of its brightness (%(limit)s%% allowed): look at the lamps and the "
            "exposure"
        ),
    ),
    Code.BRIGHT: (
        sentence(
            "The picture has %(brightness)s%% of its brightness (%(limit)s%% allowed): look at the lamps and the "
            "exposure"
        ),
    ),
    Code.GLARE: (
        sentence(
            "%(share)s%% of the picture is newly blown out (%(limit)s%% allowed): find the light that is mirrored "
            "there and shade or turn it"
        ),
    ),
    Code.DEFOCUSED: (
        sentence(
            "The picture has %(sharpness)s%% of its sharpness (%(limit)s%% allowed): clean the lens, set the focus "
            "again and lock it"
        ),
        sentence("the tiles are %(tiles)s%% as sharp as when they were enrolled: check focus, lens and vibration"),
    ),
    Code.UNCLEAR_LAY: (sentence("%(place)s: the tiles do not lie as two vertical (low) and two horizontal (high)"),),
    Code.LOOSE_TILES: (sentence("%(count)s tiles lie in no group of two and two across"),),
    Code.NO_HANDS: (sentence("no four tiles lie as two and two across, so no hand was put together"),),
    Code.FACE_DOWN_HAND: (sentence("%(place)s: %(tiles)s face down"),),
    Code.EXTRA_TILE: (sentence("%(place)s: %(count)s tiles lie where four belong"),),
    Code.OVERLAPPING_TILES: (sentence("%(place)s: tiles lie across each other or lean, so the lay cannot be read"),),
    Code.INCOMPLETE_HAND: (sentence("%(place)s: only %(tiles)s to be seen where four belong"),),
    Code.FACE_DOWN_TILE: (sentence("%(place)s: %(tiles)s face down in a hand that is otherwise open"),),
    Code.UNREAD_TILE: (sentence("%(place)s: %(tiles)s cannot be told, so the hand is not complete"),),
    Code.LAID_OTHER_WAY: (
        sentence(
            "%(place)s: the hand laid as low ranks above the one laid as high; the higher one plays as the high hand"
        ),
    ),
    Code.IMPOSSIBLE_HAND: (sentence("%(place)s: two tiles of one hand look like the same single tile of the set"),),
    Code.CAMERA_MOVED: (sentence("all tiles seem to have moved at once: the camera or the table was knocked"),),
    Code.COCKED_DIE: (sentence("a die seems to lean: look at the cup"),),
    Code.TILE_EXPOSED: (
        sentence("%(place)s: a tile (%(face)s) came up and was turned down again"),
        sentence("%(place)s: a tile came up and was turned down again"),
    ),
    Code.EXPOSED_BEFORE_BANK: (sentence("%(place)s: the hand was opened before the bank's"),),
    Code.EXPOSED_OUT_OF_TURN: (sentence("%(place)s: the hand was opened before that of %(waiting)s"),),
    Code.ORDER_UNSEEN: (sentence("%(places)s: opened while the camera saw nothing, in which order is not known"),),
    Code.SEEN_AGAIN: (sentence("%(place)s: the hand seemed to be put away and lies there again"),),
    Code.TILES_CHANGED: (sentence("%(place)s: other tiles lie here than before in this round"),),
    Code.HAND_RESET: (sentence("%(place)s: two tiles of the open hand, set by the dealer, changed places"),),
    Code.HAND_CHANGED: (sentence("%(place)s: two tiles of the open hand changed places"),),
    ServiceCode.NOT_RECORDED: (sentence("not recorded: %(why)s"),),
    ServiceCode.SELF_TEST_FAILED: (sentence("the self-test failed: %(why)s"),),
    ServiceCode.CLOCK_SET_BACK: (
        sentence(
            "the clock was put back by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_SET_FORWARD: (
        sentence(
            "the clock was put forward by %(seconds)s s; nothing is verified until it has run evenly for %(settle_s)s s"
        ),
    ),
    ServiceCode.CLOCK_BEHIND_RECORD: (
        sentence("the clock says %(now)s UTC, which is before the last entry of the record: set the clock"),
    ),
    ServiceCode.CLOCK_NOT_SYNCHRONISED: (
        sentence(
            "no time server sets the clock: see `timedatectl` (systemd-timesyncd or chrony, and the network); where "
            "there is no time server, clock.need_sync = false lets results be verified without one"
        ),
    ),
    ServiceCode.CLOCK_STATE_UNKNOWN: (
        sentence(
            "whether a time server sets the clock cannot be told: see `timedatectl` (systemd-timesyncd or chrony, and "
            "the network); where there is no time server, clock.need_sync = false lets results be verified without one"
        ),
    ),
    ServiceCode.DRIFTED: _AS_GIVEN,
    ServiceCode.MARKER_MOVED: _AS_GIVEN,
    ServiceCode.DRIFT_UNKNOWN: (sentence("Whether the camera has moved cannot be told: %(why)s"),),
    ServiceCode.NOT_WATCHED: (
        sentence(
            "Whether the camera has moved cannot be told: its calibration has neither markers nor a picture of the "
            "empty table; calibrate the table again"
        ),
    ),
    ServiceCode.FROZEN: (sentence("The camera gives the same picture again and again: restart it"),),
    ServiceCode.TILE_SET: _AS_GIVEN,
    ServiceCode.SOURCE_OPENING: (sentence("opening the source"),),
    ServiceCode.SOURCE_WELL: (sentence("pictures arrive"),),
    ServiceCode.SOURCE_FAULT: _AS_GIVEN,
    ServiceCode.READING_WELL: (sentence("pictures are read"),),
    ServiceCode.READING_FAULT: (sentence("a fault while reading (%(why)s); trying again"),),
    ServiceCode.NO_PICTURE: (sentence("no picture for %(seconds)s s"),),
    ServiceCode.RECORD_STATE: _AS_GIVEN,
    ServiceCode.CLOCK_WELL: (sentence("the clock runs evenly"),),
    ServiceCode.SELF_TEST_WELL: _AS_GIVEN,
    ServiceCode.CAMERA_WELL: (sentence("the camera stands as calibrated; the picture is sharp, lit and clear"),),
    ServiceCode.CAMERA_NOT_INSPECTED: (sentence("no picture was inspected yet"),),
    ServiceCode.CAMERA_RECORDED: (sentence("recorded pictures: whether their camera had moved is not known"),),
    ServiceCode.TILES_STATE: _AS_GIVEN,
    ServiceCode.CHANNEL_STATE: _AS_GIVEN,
    ServiceCode.INTERRUPTED: (sentence("The service was stopped in this round; its end was not seen."),),
    ServiceCode.TILES_NOT_CERTAIN: (sentence("the tiles of this hand are not all certain"),),
    ServiceCode.CANNOT_BE_JUDGED: _AS_GIVEN,
    ServiceCode.DIE_NOT_READ: (sentence("a die cannot be read"),),
    ServiceCode.CUT_DIE_UNKNOWN: (sentence("which die is the cut die cannot be told by the colours; enrol the dice"),),
    ServiceCode.DICE_OUT_OF_SIGHT: (sentence("not all dice are in sight"),),
    ServiceCode.SHAKE_AGAIN: _AS_GIVEN,
    ServiceCode.NOT_A_THROW: _AS_GIVEN,
    ServiceCode.COUNTED_TWO_WAYS: ("%(why)s (%(rule)s)",),
    ServiceCode.AS_RECORDED: _AS_GIVEN,
}
"""By code, its sentence; of several the first whose parameters are all there."""

CODES: Final[Mapping[str, StrEnum]] = {str(code): code for code in _SENTENCES}
"""Every code by how it is written."""


def words_of(finding: Finding) -> Words:
    """A finding as a sentence, in English until it is said in another language."""
    fields: dict[str, object] = {name: _field(name, value) for name, value in finding.params}
    if "count" in fields:
        fields["tiles"] = _counted(finding)
    if "held" in fields:
        fields["held"] = Words(sentence("one tile") if fields["held"] == 1 else sentence("two tiles"), {})
    for text in _SENTENCES[finding.code]:
        try:
            _ = text % fields
        except KeyError:
            continue
        said = Words(text, fields)
        return Words("%(about)s: %(what)s", {"about": finding.about, "what": said}) if finding.about else said
    raise KeyError(f"{finding} lacks a parameter of its sentence")


def said_in(
    catalogue: NullTranslations, code: str, params: Mapping[str, Param] | None, about: str = "", *, recorded: str
) -> str:
    """A finding that was written down, in the language of a catalogue.

    Args:
        catalogue: of the language; one without texts gives the sentence as it was recorded.
        code: of the finding.
        params: its parameters; None in entries of a record written before there were any.
        about: what of a larger thing it is about.
        recorded: the English sentence in the record, for codes that this version does not know.
    """
    if params is None or code not in CODES or type(catalogue) is NullTranslations:
        return recorded
    return words_of(Finding.of(CODES[code], **params).regarding(about)).said_in(catalogue)


def message_of(found: RoundFinding) -> str:
    """A finding of a round in English, with rule and remedy."""
    rule = f" ({found.rule})" if found.rule else ""
    remedy = f". {found.remedy}" if found.remedy else ""
    return f"{words_of(found.finding)}{rule}{remedy}"


def english(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Findings as English sentences."""
    return tuple(str(words_of(finding)) for finding in findings)


def _counted(finding: Finding) -> Words:
    count = dict(finding.params)["count"]
    return Words(sentence("1 tile") if count == 1 else sentence("%(count)s tiles"), {"count": count})


def _field(name: str, value: Param) -> object:
    if isinstance(value, tuple):
        return Joined([PlaceName(each) for each in value])
    return PlaceName(str(value)) if name == "place" else value
