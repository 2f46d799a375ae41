"""A table's own dice: which is the cut die, what is a stranger, whose face is it; the file. On drawn crops only."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision import drawn
from tests.vision.test_verification import DIE
from vision.arrays import Colour
from vision.dice.die_look import DieLook
from vision.enrolment.dice_file import DiceError, load_dice, save_dice
from vision.enrolment.own_dice import MOST_THROWS, OwnDice, OwnDie, OwnThrow
from vision.findings import Code

FELT: Colour = (60.0, 110.0, 20.0)
RED, WINE, WHITE, BLUE = (40, 30, 170), (70, 40, 150), (225, 230, 230), (160, 60, 30)
PALE, DARK = (230, 232, 230), (20, 20, 20)


def die(value: int, body: tuple[int, int, int], seed: int, *, side_mm: float = 18.0, lit: float = 1.0) -> DieLook:
    rng = np.random.default_rng(seed)
    pip = DARK if body == WHITE else PALE
    crop = drawn.die(value, body, pip, rng=rng)
    crop[60:76, 24:56] = np.clip(np.array(body) * 0.7 + rng.normal(0, 4, (16, 32, 3)), 0, 255)
    blue, green, red = (each * lit for each in FELT)
    dimmed = np.clip(crop.astype(np.float32) * lit, 0, 255).astype(np.uint8)
    size = side_mm * float(np.exp(rng.normal(0, 0.01)))
    return DieLook(dimmed, np.array([0.05, 0.4], np.float32), size, (blue, green, red), value)


def throw(
    seed: int, box: tuple[int, int, int], cut: tuple[int, int, int], *, cut_mm: float = 18.0, lit: float = 1.0
) -> tuple[OwnThrow, int]:
    """A throw of any values, and where its cut die lies."""
    rng = np.random.default_rng(seed)
    at = int(rng.integers(4))
    dice = [
        die(
            int(rng.integers(1, 7)),
            cut if n == at else box,
            10 * seed + n,
            side_mm=cut_mm if n == at else 18.0,
            lit=lit,
        )
        for n in range(4)
    ]
    return OwnThrow(tuple(dice)), at


def learnt(count: int, box: tuple[int, int, int], cut: tuple[int, int, int], *, cut_mm: float = 18.0) -> OwnDice:
    return OwnDice(tuple(throw(seed, box, cut, cut_mm=cut_mm)[0] for seed in range(count)))


@pytest.mark.parametrize("lit", [0.7, 1.0, 1.3])
@pytest.mark.parametrize(
    ("box", "cut", "cut_mm"),
    [
        pytest.param(RED, WHITE, 18.0, id="two colours"),
        pytest.param(RED, WINE, 15.0, id="a shade and a size"),
    ],
)
def test_the_cut_die_is_known_by_its_looks_in_any_light(
    box: tuple[int, int, int], cut: tuple[int, int, int], cut_mm: float, lit: float
) -> None:
    own = learnt(6, box, cut, cut_mm=cut_mm)
    assert own.cuts == tuple(throw(seed, box, cut)[1] for seed in range(6))
    for seed in range(20, 30):
        seen, at = throw(seed, box, cut, cut_mm=cut_mm, lit=lit)
        assert [each.role for each in own.compared(seen.dice)] == ["cut" if n == at else "box" for n in range(4)]
        assert {each.verdict for each in own.compared(seen.dice)} == {"own"}


def test_a_single_throw_is_enough_for_dice_of_two_colours() -> None:
    seen, at = throw(7, RED, WHITE)
    assert learnt(1, RED, WHITE).compared(seen.dice)[at].role == "cut"


@pytest.mark.parametrize("count", [1, 2, 3, 6, 12])
def test_four_alike_have_no_roles(count: int) -> None:
    own = learnt(count, RED, RED)
    assert own.cuts is None
    assert [each.role for each in own.compared(throw(30, RED, RED)[0].dice)] == [None] * 4


def test_a_person_marks_the_cut_die_where_it_is_hardly_distinguished() -> None:
    throws = [throw(seed, RED, RED, cut_mm=15.5) for seed in range(3)]
    assert OwnDice(tuple(each for each, _ in throws)).cuts is None
    first, at = throws[0]
    marked = OwnDice((replace(first, cut=at), *(each for each, _ in throws[1:])))
    assert marked.cuts == tuple(at for _, at in throws)


def test_a_mark_on_one_of_four_alike_gives_no_roles() -> None:
    throws = [throw(seed, RED, RED)[0] for seed in range(6)]
    assert OwnDice((replace(throws[0], cut=1), *throws[1:])).cuts is None


def test_hidden_dice_leave_the_others_their_roles() -> None:
    own = learnt(6, RED, WHITE)
    seen, at = throw(40, RED, WHITE)
    assert [each.role for each in own.compared(seen.dice[:at] + seen.dice[at + 1 :])] == ["box"] * 3
    assert [each.role for each in own.compared(seen.dice[at : at + 1])] == ["cut"]
    assert own.compared(()) == []


@pytest.mark.parametrize(
    "strange",
    [
        pytest.param(die(3, BLUE, 1), id="colour"),
        pytest.param(die(5, WHITE, 2, side_mm=23.0), id="larger"),
        pytest.param(die(2, RED, 3, side_mm=12.5), id="smaller"),
    ],
)
def test_a_strange_die_is_told_and_has_no_role(strange: DieLook) -> None:
    own = learnt(6, RED, WHITE)
    seen, at = throw(41, RED, WHITE)
    other = (at + 1) % 4
    dice = [strange if n == other else each for n, each in enumerate(seen.dice)]
    found = own.compared(dice)
    assert (found[other].verdict, found[other].role) == ("foreign", None)
    assert found[at].role == "cut"
    evidence = replace(DIE, own=found[other])
    assert [doubt.code for doubt in evidence.doubts()] == [Code.NOT_OWN_DIE]
    assert evidence.likeness == "foreign"


@pytest.mark.parametrize("count", [3, 6])
def test_a_throw_with_a_strange_die_is_named(count: int) -> None:
    own = learnt(count, RED, WHITE)
    assert own.strange_throw is None
    thrown = own.throws[1]
    strange = (replace(thrown.dice[0], side_mm=1.4 * thrown.dice[0].side_mm), *thrown.dice[1:])
    assert OwnDice((own.throws[0], OwnThrow(strange), *own.throws[2:])).strange_throw == 1


def test_a_lamps_reflection_on_the_face_makes_no_stranger_and_no_other_role() -> None:
    own = learnt(6, RED, WHITE)
    seen, at = throw(42, RED, WHITE)
    hazed = seen.dice[(at + 1) % 4]
    crop = hazed.crop.copy()
    crop[20:60, 20:60] = np.clip(crop[20:60, 20:60].astype(int) + 110, 0, 255)
    dice = [replace(each, crop=crop) if each is hazed else each for each in seen.dice]
    found = own.compared(dice)[(at + 1) % 4]
    assert found.verdict != "foreign"
    assert found.role in ("box", None)


@pytest.mark.parametrize("turns", range(4))
@pytest.mark.parametrize("columns", [slice(None), slice(None, None, -1)], ids=["as thrown", "mirrored"])
def test_each_value_has_its_usual_face_in_all_positions(turns: int, columns: slice) -> None:
    own = OwnDice(
        tuple(
            OwnThrow((*(die(1 + (n + k) % 6, RED, 4 * n + k) for k in range(3)), die(1 + n, WHITE, n)))
            for n in range(6)
        )
    )
    for value in range(1, 7):
        seen = die(value, RED, 50)
        crop = np.ascontiguousarray(np.rot90(seen.crop, turns)[:, columns])
        (found,) = own.compared([replace(seen, crop=crop, foot=np.full(2, np.nan, np.float32))])
        assert max(found.faces, key=lambda each: found.faces[each]) == value
        assert found.contradicts(value) is None
        other = 1 + value % 6
        assert found.contradicts(other) == value


def test_a_value_is_doubted_only_by_a_face_that_is_known() -> None:
    known = OwnDie("box", "own", {4: 0.3, 5: 0.9})
    assert known.contradicts(4) == 5
    assert known.contradicts(6) is None
    assert OwnDie("box", "own", {4: 0.85, 5: 0.9}).contradicts(4) is None
    evidence = replace(DIE, value=4, pips=replace(DIE.pips, value=4), own=known)
    assert Code.LIKE_OWN_DIE_WITH_ANOTHER_VALUE in {doubt.code for doubt in evidence.doubts()}


def test_throws_are_added_until_every_value_is_known() -> None:
    own = learnt(1, RED, WHITE)
    for seed in range(1, 60):
        own = own.with_throw(throw(seed, RED, WHITE)[0])
    assert len(own.throws) == MOST_THROWS
    assert own.cuts is not None
    assert own.with_throw(throw(61, RED, WHITE)[0]) is own
    assert own.with_throw(OwnThrow(own.throws[0].dice[:3])) is own


def test_dice_read_back_as_written(tmp_path: Path) -> None:
    path = tmp_path / "dice.json"
    throws = [throw(seed, RED, WHITE)[0] for seed in range(3)]
    own = OwnDice((replace(throws[0], cut=throw(0, RED, WHITE)[1]), *throws[1:]), "0" * 64)
    written = save_dice(path, own)
    found = load_dice(path)
    assert found.seal == written.seal
    assert found.version == f"sha256:{json.loads(path.read_text())['sha256']}"
    assert (found.cuts, found.calibration) == (own.cuts, own.calibration)
    for one, other in zip(found.throws, own.throws, strict=True):
        assert one.cut == other.cut
        for read, wrote in zip(one.dice, other.dice, strict=True):
            assert np.array_equal(read.crop, wrote.crop)
            assert (read.value, read.side_mm, read.felt) == (wrote.value, wrote.side_mm, wrote.felt)
    (sheet,) = tmp_path.glob("*.png")
    cv2.imwrite(str(sheet), np.zeros((80, 320, 3), np.uint8))
    with pytest.raises(DiceError, match="not the pictures that were enrolled"):
        load_dice(path)
    with pytest.raises(DiceError, match="no such dice"):
        load_dice(tmp_path / "none.json")
