import math
from dataclasses import replace

import numpy as np
import pytest

from engine.game.tiles import Tile
from vision.dice.die_pips import DiePipReading
from vision.findings import Code, Finding
from vision.tiles.pips import PipReading
from vision.tiles.set_decoding import Named
from vision.verification import (
    LEAST_KIN_BACK_SCORE,
    BackEvidence,
    DieEvidence,
    TileEvidence,
    is_die,
    is_tile,
    likeliest,
    shows_face,
    weighed,
)

SIX_FIVE, SIX_FOUR = Tile.parse("6-5"), Tile.parse("6-4")
FACES = tuple(Tile)
NAMED = Named(SIX_FIVE, math.log(0.9995), SIX_FOUR, margin=8.0, contradicted=False)
PIPS = PipReading(SIX_FIVE, margin=0.12, red=0, white=11, match=0.85, clear=True)
TILE = TileEvidence(score=0.95, named=NAMED, alone=0.9995, pips=PIPS, faults=())
DIE = DieEvidence(
    0.95,
    5,
    0.999,
    0.99,
    known=0.995,
    cocked=0.01,
    placed=True,
    unsettled=0.002,
    pips=DiePipReading(5, 0.1, 0.7, clear=True),
    faults=(),
)


def test_a_tile_on_which_all_agree_has_no_doubts() -> None:
    assert TILE.doubts() == ()


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        pytest.param(replace(TILE, score=0.3, alone=0.98), Code.NOT_A_TILE, id="faint detection"),
        pytest.param(replace(TILE, faults=(Finding(Code.BLURRED),)), Code.BLURRED, id="a fault of the picture"),
        pytest.param(replace(TILE, named=replace(NAMED, face=None)), Code.FACE_UNKNOWN, id="no face"),
        pytest.param(replace(TILE, alone=0.75), Code.LOW_CONFIDENCE, id="low confidence"),
        pytest.param(replace(TILE, named=replace(NAMED, margin=1.0)), Code.LOW_CONFIDENCE, id="close rival"),
        pytest.param(
            replace(TILE, named=replace(NAMED, contradicted=True)), Code.MORE_THAN_THE_SET, id="contradiction"
        ),
        pytest.param(replace(TILE, pips=replace(PIPS, face=SIX_FOUR)), Code.PIPS_SHOW_ANOTHER_FACE, id="other pips"),
        pytest.param(
            replace(TILE, pips=replace(PIPS, clear=False, doubt=Code.PIP_GLARE, margin=0.02)),
            Code.PIP_GLARE,
            id="doubtful pips",
        ),
        pytest.param(
            replace(TILE, pips=replace(PIPS, margin=0.001)), Code.PIPS_FIT_ANOTHER_FACE, id="pips between two faces"
        ),
    ],
)
def test_each_condition_alone_keeps_a_tile_from_being_verified(evidence: TileEvidence, code: Code) -> None:
    assert [doubt.code for doubt in evidence.doubts()] == [code]


def test_a_doubtful_pip_needs_two_sure_readers() -> None:
    unclear = replace(PIPS, clear=False, doubt=Code.PIP_MISSING, margin=0.05)
    sure = replace(TILE, alone=0.995, pips=unclear)
    assert sure.doubts() == ()
    assert replace(sure, alone=0.98).doubts() == (Finding(Code.PIP_MISSING),)
    assert replace(sure, pips=replace(unclear, margin=0.02)).doubts() == (Finding(Code.PIP_MISSING),)
    assert replace(sure, pips=replace(unclear, face=None)).doubts() == (Finding(Code.PIP_MISSING),)


def test_clear_pips_make_up_for_one_weak_reader_not_for_two() -> None:
    assert replace(TILE, score=0.31).doubts() == ()
    assert replace(TILE, alone=0.85).doubts() == ()
    assert len(replace(TILE, score=0.31, alone=0.85).doubts()) == 1
    assert len(replace(TILE, alone=0.85, pips=replace(PIPS, margin=0.02)).doubts()) == 1


def test_clear_pips_decide_where_the_classifier_wavers() -> None:
    chances = np.full((2, 22), 0.001, np.float32)
    chances[:, FACES.index(SIX_FOUR)], chances[:, FACES.index(SIX_FIVE)] = 0.7, 0.28
    joint = weighed(chances, [PIPS, replace(PIPS, clear=False)])
    assert [FACES[int(row.argmax())] for row in joint[:, :21]] == [SIX_FIVE, SIX_FIVE]
    assert joint[0].max() > 0.9 > joint[1].max()
    assert joint.sum(1) == pytest.approx([1, 1])


def test_doubtful_pips_count_where_they_fit_one_face_by_far() -> None:
    chances = np.full((2, 22), 0.001, np.float32)
    chances[:, -1], chances[:, FACES.index(SIX_FIVE)] = 0.6, 0.12
    by_far = replace(PIPS, clear=False, margin=0.06)
    named, unnamed = weighed(chances, [by_far, replace(by_far, margin=0.02)]).argmax(1)
    assert (named, unnamed) == (FACES.index(SIX_FIVE), 21)


def back(
    score: float, unknown: float, grey: float, pips: PipReading, faults: tuple[Finding, ...], light: float = 220.0
) -> BackEvidence:
    return BackEvidence(
        score, colour_off=1.0, alone=False, unknown=unknown, grey=grey, light=light, pips=pips, faults=faults
    )


def test_a_faint_back_needs_surer_backs_of_its_colour() -> None:
    faint = back(LEAST_KIN_BACK_SCORE, 0.99, 60.0, replace(PIPS, face=None, clear=False), ())
    assert faint.doubts() == ()
    assert replace(faint, colour_off=12.0).doubts() == (Finding(Code.NOT_A_TILE),)
    assert replace(faint, colour_off=math.nan).doubts() == (Finding(Code.NOT_A_TILE),)
    assert replace(faint, placed=False).doubts() == (Finding(Code.NOT_A_TILE),)


def test_a_pale_plain_tile_may_be_a_face_lost_in_glare() -> None:
    blank = replace(PIPS, face=None, clear=False)
    pale = back(0.7, 0.99, 160.0, blank, ())
    assert pale.doubts() == ()
    assert replace(pale, colour_off=30.0).doubts()[0].code is Code.BACK_OF_OTHER_COLOUR
    assert replace(pale, alone=True).doubts()[0].code is Code.BACK_TOO_BRIGHT
    assert replace(pale, alone=True, score=0.8).doubts() == ()


@pytest.mark.parametrize(("light", "doubted"), [(200.0, False), (60.0, True)])
def test_a_bright_back_in_a_dark_picture_may_be_glare(light: float, *, doubted: bool) -> None:
    veiled = back(0.9, 0.99, 110.0, replace(PIPS, face=None, clear=False), (), light)
    assert (Finding(Code.BACK_TOO_BRIGHT) in veiled.doubts()) == doubted


def test_a_back_is_doubted_where_pips_show() -> None:
    blank = replace(PIPS, face=None, clear=False, doubt=Code.PIPS_FIT_NO_FACE)
    assert back(0.9, 0.99, 60.0, blank, ()).doubts() == ()
    pips = Finding.of(Code.BACK_WITH_PIPS, face="6-5")
    assert back(0.9, 0.99, 60.0, PIPS, ()).doubts()[0] == pips
    rough = replace(PIPS, clear=False, margin=0.2)
    assert back(0.9, 0.99, 60.0, rough, ()).doubts()[0] == pips
    assert back(0.9, 0.99, 60.0, replace(rough, margin=0.05), ()).doubts() == ()
    greyed = replace(rough, margin=0.09)
    assert back(0.9, 0.99, 60.0, greyed, ()).doubts() == ()
    assert pips in back(0.6, 0.99, 60.0, greyed, ()).doubts()
    assert back(0.9, 0.99, 252.0, blank, ()).doubts()[0].code is Code.BACK_TOO_BRIGHT
    assert back(0.9, 0.1, 60.0, blank, ()).doubts()[0].code is Code.BACK_LOOKS_LIKE_FACE
    assert len(back(0.3, 0.99, 60.0, blank, (Finding(Code.BLURRED),)).doubts()) == 2


@pytest.mark.parametrize(
    ("score", "face_up", "unknown", "odd", "real"),
    [
        pytest.param(0.35, True, 0.1, False, True, id="a faint tile whose face is known"),
        pytest.param(0.35, True, 0.1, True, True, id="and stands on its side"),
        pytest.param(0.35, True, 0.95, False, False, id="faint and unknown: a letter, a chip"),
        pytest.param(0.9, True, 0.95, False, True, id="surely a tile, wiped out by glare"),
        pytest.param(0.6, True, 0.95, True, False, id="unknown and of another size: a sleeve"),
        pytest.param(0.35, False, 0.99, False, False, id="a faint back: a fold, a shadow"),
        pytest.param(0.7, False, 0.99, False, True, id="a back"),
        pytest.param(0.7, False, 0.99, True, False, id="a back of another size: a chip tray's compartment"),
    ],
)
def test_what_counts_as_a_tile_at_all(
    score: float,
    face_up: bool,  # noqa: FBT001 - cases
    unknown: float,
    odd: bool,  # noqa: FBT001
    real: bool,  # noqa: FBT001
) -> None:
    row = np.array([score], np.float32), np.array([face_up]), np.array([unknown], np.float32), np.array([odd])
    result = is_tile(*row)
    assert result.tolist() == [real]


def test_a_face_that_the_classifier_knows_is_no_back() -> None:
    taken, unknown = np.array([True, False, False]), np.array([0.99, 0.02, 0.7], np.float32)
    assert shows_face(taken, unknown).tolist() == [True, True, False]


def test_what_counts_as_a_die_at_all() -> None:
    score = np.array([0.35, 0.35, 0.9, 0.5, 0.9, 0.9], np.float32)
    unknown = np.array([0.1, 0.95, 0.95, 0.01, 0.01, 0.5], np.float32)
    astray = np.array([False, False, False, True, True, True])
    assert is_die(score, unknown, astray).tolist() == [True, False, True, False, True, False]


@pytest.mark.parametrize(
    ("chances", "pips", "value"),
    [
        pytest.param({6: 0.9, 3: 0.1}, (3, True), 3, id="clear pips outweigh a doubtful classifier"),
        pytest.param({6: 0.999, 3: 0.001}, (3, True), 6, id="but not a sure one"),
        pytest.param({6: 0.9, 3: 0.1}, (3, False), 6, id="nor do doubtful pips"),
        pytest.param({7: 0.99, 1: 0.01}, (None, False), None, id="nothing recognised"),
    ],
)
def test_the_value_of_a_die_is_weighed_by_both_readers(
    chances: dict[int, float], pips: tuple[int | None, bool], value: int | None
) -> None:
    row = np.zeros(7, np.float32)
    for class_, chance in chances.items():
        row[class_ - 1] = chance
    result, confidence = likeliest(row, DiePipReading(pips[0], 0.1, 0.7, clear=pips[1]))
    assert result == value
    assert 0.5 < confidence <= 1


def test_a_die_on_which_all_agree_has_no_doubts() -> None:
    assert DIE.doubts() == ()


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        pytest.param(replace(DIE, score=0.25), Code.NOT_A_DIE, id="faint detection"),
        pytest.param(replace(DIE, cocked=0.98), Code.DIE_LEANS, id="leaning"),
        pytest.param(replace(DIE, cocked=0.4), Code.DIE_MAY_LEAN, id="perhaps leaning"),
        pytest.param(replace(DIE, placed=False), Code.DIE_WITHOUT_CALIBRATION, id="no calibration"),
        pytest.param(replace(DIE, unsettled=0.05), Code.DIE_OUTLINE_UNSETTLED, id="outline that would still move"),
        pytest.param(replace(DIE, value=None), Code.VALUE_UNKNOWN, id="no value"),
        pytest.param(replace(DIE, alone=0.5), Code.VALUE_LOW_CONFIDENCE, id="low confidence"),
        pytest.param(replace(DIE, pips=replace(DIE.pips, value=4)), Code.PIPS_SHOW_ANOTHER_VALUE, id="other pips"),
        pytest.param(
            replace(DIE, pips=replace(DIE.pips, clear=False, doubt=Code.DIE_PIP_MISSING)),
            Code.DIE_PIP_MISSING,
            id="doubtful pips",
        ),
        pytest.param(
            replace(DIE, pips=replace(DIE.pips, margin=0.02)), Code.PIPS_FIT_ANOTHER_VALUE, id="pips of two values"
        ),
    ],
)
def test_each_condition_alone_keeps_a_die_from_being_verified(evidence: DieEvidence, code: Code) -> None:
    assert [doubt.code for doubt in evidence.doubts()] == [code]


def test_only_what_is_surely_a_die_is_surely_leaning() -> None:
    leaning = replace(DIE, cocked=0.98)
    assert leaning.surely_leans
    # The side of a transparent die; a lamp mirrored in the cup's dome, as white and as large as a die.
    none = DiePipReading(None, 0.0, 0.3, clear=False)
    for other in (replace(leaning, alone=0.4), replace(leaning, pips=none)):
        assert not other.surely_leans
        assert other.leans
        assert Finding(Code.DIE_SEEMS_TO_LEAN) in other.doubts()
    nothing = replace(leaning, value=None, alone=0.0, known=0.4, pips=none)
    assert not nothing.leans
    assert Finding(Code.DIE_MAY_LEAN) in nothing.doubts()
    two_values = replace(DIE, cocked=0.7, alone=0.45)
    assert not two_values.leans
    assert replace(two_values, cocked=0.92).leans
    assert replace(two_values, pips=none).leans
    two_faces_counted = DiePipReading(6, 0.1, 0.7, clear=True)
    assert replace(leaning, cocked=0.995, pips=two_faces_counted).surely_leans


def test_a_die_seems_to_lean_before_it_surely_does() -> None:
    """The picture says so, nobody is alarmed; by its looks alone, without knowing where it would stand, neither."""
    seems = replace(DIE, cocked=0.7)
    assert seems.leans
    assert not seems.surely_leans
    assert seems.doubts() == (Finding(Code.DIE_SEEMS_TO_LEAN),)
    by_looks = replace(seems, placed=False)
    assert not by_looks.leans
    assert by_looks.doubts() == (Finding(Code.DIE_WITHOUT_CALIBRATION),)
    assert not replace(by_looks, cocked=0.95).leans
    assert replace(by_looks, cocked=0.98).leans


def test_a_faint_back_among_open_tiles_may_be_one_of_them() -> None:
    blank = replace(PIPS, face=None, clear=False)
    lying = back(0.79, 0.99, 60.0, blank, ())
    assert lying.doubts() == ()
    assert replace(lying, among_open=True).doubts() == (Finding(Code.BACK_AMONG_OPEN_TILES),)
    assert replace(lying, among_open=True, score=0.8).doubts() == ()
