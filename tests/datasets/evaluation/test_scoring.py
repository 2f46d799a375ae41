from dataclasses import dataclass, field, replace
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table.places import HOUSE
from datasets.evaluation.rates import Proportion
from datasets.evaluation.scoring import RATES, Score, score_picture
from datasets.labels.labels import DieLabel, PictureLabels, TileLabel
from engine.game.tiles import Tile
from vision.reading import DieReading, HandReading, Reading, TileReading

Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


def quad(x: float, y: float, width: float = 25, height: float = 60) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def tile(name: str | None, x: float, **changes: Any) -> TileLabel:  # noqa: ANN401 - any field
    face = None if name is None else Tile.parse(name)
    return replace(TileLabel(face=face, face_up=name is not None, polygon=quad(x, 0)), **changes)


def die(value: int | None, x: float, **changes: Any) -> DieLabel:  # noqa: ANN401 - any field
    return replace(DieLabel(value=value, polygon=quad(x, 200, 20, 20)), **changes)


def seen_tile(label: TileLabel, **changes: Any) -> TileReading:  # noqa: ANN401 - any field
    outline = label.polygon
    assert len(outline) == 4
    reading = TileReading(label.face, label.face_up, outline, 0.99, None, "verified")
    return replace(reading, **changes)


def seen_die(label: DieLabel, **changes: Any) -> DieReading:  # noqa: ANN401 - any field
    outline = label.polygon
    assert len(outline) == 4
    reading = DieReading(label.value, label.role, "red", label.cocked, outline, 0.99, "verified")
    return replace(reading, **changes)


@dataclass
class Picture:
    """What lies there and what was read, in any combination."""

    tiles: list[TileLabel] = field(default_factory=list)
    dice: list[DieLabel] = field(default_factory=list)
    seen_tiles: list[TileReading] = field(default_factory=list)
    seen_dice: list[DieReading] = field(default_factory=list)
    hands: list[HandReading] = field(default_factory=list)
    scope: Literal["everything", "tiles", "dice"] = "everything"
    calibrated: bool = True

    @property
    def score(self) -> Score:
        labels = PictureLabels(
            image="a.jpg", size=(640, 480), kind="round", objects=(*self.tiles, *self.dice), scope=self.scope
        )
        reading = Reading(
            image="a.jpg",
            size=(640, 480),
            calibrated=self.calibrated,
            single_frame=True,
            tiles=tuple(self.seen_tiles),
            dice=tuple(self.seen_dice),
            hands=tuple(self.hands),
            findings=(),
            versions={},
            elapsed_ms={"total": 12.0},
        )
        return score_picture(reading, labels)


def counts(score: Score, *names: str) -> list[tuple[int, int]]:
    return [(score.rate(name).count, score.rate(name).of) for name in names]


HAND = [
    tile("6-1", 0, place="house", hand="low"),
    tile("5-3", 40, place="house", hand="low"),
    tile("6-6", 80, place="house", hand="high"),
    tile("6-3", 120, place="house", hand="high"),
]
SEEN_HAND = HandReading(
    HOUSE, (Tile.parse("5-3"), Tile.parse("6-1")), (Tile.parse("6-6"), Tile.parse("6-3")), "verified"
)


def test_a_perfect_reading_has_no_errors() -> None:
    dice = [die(3, 0, role="box"), die(5, 40, role="cut"), die(2, 80, cocked=True)]
    down = tile(None, 300)
    picture = Picture(
        tiles=[*HAND, down],
        dice=dice,
        seen_tiles=[seen_tile(each) for each in (*HAND, down)],
        seen_dice=[seen_die(dice[0]), seen_die(dice[1]), seen_die(dice[2], status="uncertain")],
        hands=[SEEN_HAND],
    )
    score = picture.score
    assert score.mistakes == ()
    assert counts(score, "tiles_found", "faces_right", "tiles_right") == [(4, 4)] * 3
    assert counts(score, "face_down_right", "tiles_true") == [(1, 1), (5, 5)]
    assert counts(score, "dice_right", "roles_right", "cocked_found", "dice_true") == [(2, 2), (2, 2), (1, 1), (3, 3)]
    assert counts(score, "hands_whole", "coverage_hands", "coverage_tiles") == [(1, 1), (1, 1), (4, 4)]
    assert counts(score, "silent_tiles", "silent_dice", "silent_hands", "silent") == [(0, 5), (0, 2), (0, 1), (0, 8)]


@pytest.mark.parametrize("status", ["verified", "uncertain"])
@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"face": Tile.parse("6-4")}, "misread"),
        ({"face": None}, "not named"),
        ({"face": None, "face_up": False}, "misread"),
    ],
)
def test_a_misread_tile_is_an_error_and_silent_if_verified(change: dict[str, Any], fault: str, status: str) -> None:
    label = tile("6-5", 0)
    score = Picture(tiles=[label], seen_tiles=[seen_tile(label, status=status, **change)]).score
    (mistake,) = score.mistakes
    assert (mistake.fault, mistake.there, mistake.silent) == (fault, "6-5", status == "verified")
    assert counts(score, "tiles_found", "faces_right", "tiles_right") == [(1, 1), (0, 1), (0, 1)]
    assert counts(score, "silent") == [(1, 1) if status == "verified" else (0, 0)]


def test_a_missed_tile_is_not_silent() -> None:
    score = Picture(tiles=[tile("6-5", 0)]).score
    (mistake,) = score.mistakes
    assert (mistake.fault, mistake.read, mistake.silent) == ("missed", "nothing", False)
    assert counts(score, "tiles_found", "faces_right", "coverage_tiles") == [(0, 1), (0, 0), (0, 1)]


def test_a_verified_tile_where_nothing_lies_is_silent() -> None:
    ghost = seen_tile(tile("6-5", 0))
    score = Picture(seen_tiles=[ghost, replace(ghost, status="uncertain")]).score
    assert counts(score, "silent_tiles", "tiles_true") == [(1, 1), (0, 2)]
    assert [mistake.silent for mistake in score.mistakes] == [True, False]


def test_two_readings_of_one_tile_are_one_too_many() -> None:
    label = tile("6-5", 0)
    score = Picture(tiles=[label], seen_tiles=[seen_tile(label), seen_tile(label)]).score
    assert counts(score, "silent_tiles", "tiles_true", "tiles_found") == [(1, 2), (1, 2), (1, 1)]


def test_a_face_down_tile_with_a_name_is_silent() -> None:
    label = tile(None, 0, hidden_face=Tile.parse("6-5"))
    score = Picture(tiles=[label], seen_tiles=[seen_tile(label, face=Tile.parse("6-5"), face_up=True)]).score
    assert counts(score, "face_down_found", "face_down_right", "silent_tiles") == [(1, 1), (0, 1), (1, 1)]


@pytest.mark.parametrize("hidden", [{"visible": 0.6}, {"pip_contrast_min": 3.0}])
def test_an_unreadable_tile_may_be_missed_but_not_wrong(hidden: dict[str, Any]) -> None:
    label = tile("6-5", 0, **hidden)
    assert counts(Picture(tiles=[label]).score, "tiles_found", "coverage_tiles") == [(0, 0), (0, 0)]
    assert Picture(tiles=[label]).score.mistakes == ()
    unsure = Picture(tiles=[label], seen_tiles=[seen_tile(label, face=None, status="uncertain")]).score
    assert unsure.mistakes == ()
    assert counts(unsure, "tiles_true") == [(1, 1)]
    wrong = Picture(tiles=[label], seen_tiles=[seen_tile(label, face=Tile.parse("6-4"))]).score
    assert counts(wrong, "silent_tiles") == [(1, 1)]


@pytest.mark.parametrize("order", [1, -1])
def test_in_a_stack_the_tile_on_top_is_matched_first(order: int) -> None:
    top, bottom = tile("6-5", 2), tile(None, 0, visible=0.0)
    labels = [top, bottom][::order]
    score = Picture(tiles=labels, seen_tiles=[seen_tile(top, polygon=quad(0.4, 0))]).score
    assert score.mistakes == ()
    assert counts(score, "tiles_right", "face_down_found") == [(1, 1), (0, 0)]


@pytest.mark.parametrize(("shift", "found"), [(8.0, 1), (8.6, 0)])
def test_half_an_overlap_is_a_match(shift: float, found: int) -> None:
    """Shifted by d of width w, two equal tiles overlap by (w - d) / (w + d): a half at d = w / 3."""
    label = tile("6-5", 0)
    score = Picture(tiles=[label], seen_tiles=[seen_tile(label, polygon=quad(shift, 0))]).score
    assert counts(score, "tiles_found") == [(found, 1)]


def test_each_detection_serves_one_tile() -> None:
    """Two close tiles and one detection between them: one is missed, though both overlap it."""
    labels = [tile("6-5", 0), tile("6-5", 6)]
    score = Picture(tiles=labels, seen_tiles=[seen_tile(labels[0], polygon=quad(3, 0))]).score
    assert counts(score, "tiles_found") == [(1, 2)]


@pytest.mark.parametrize(
    ("label", "reading", "wrong"),
    [
        (die(3, 0), {"value": 4}, True),
        (die(3, 0), {"value": None}, True),
        (die(3, 0), {"cocked": True}, True),
        (die(3, 0, cocked=True), {"cocked": False}, True),
        (die(3, 0, cocked=True), {"value": 5}, False),
        (die(3, 0, role="box"), {"role": "cut"}, True),
        (die(3, 0, role="box"), {"role": None}, False),
        (die(3, 0), {"role": "cut"}, False),
    ],
)
def test_which_verified_dice_are_wrong(label: DieLabel, reading: dict[str, Any], *, wrong: bool) -> None:
    score = Picture(dice=[label], seen_dice=[seen_die(label, **reading)]).score
    assert counts(score, "silent_dice") == [(int(wrong), 1)]
    assert [mistake.silent for mistake in score.mistakes] == [True] * wrong


def test_a_cocked_die_counts_by_its_lean_not_its_value() -> None:
    label = die(3, 0, cocked=True)
    assert counts(Picture(dice=[label]).score, "cocked_found", "dice_found") == [(0, 1), (0, 0)]
    flat = Picture(dice=[label], seen_dice=[seen_die(label, cocked=False, status="uncertain")]).score
    assert counts(flat, "cocked_found", "dice_right") == [(0, 1), (0, 0)]


def test_a_die_to_ignore_is_neither_right_nor_wrong() -> None:
    ignored = die(None, 0, ignore=True)
    assert Picture(dice=[ignored]).score.mistakes == ()
    score = Picture(dice=[ignored], seen_dice=[seen_die(ignored, value=4)]).score
    assert score.mistakes == ()
    assert counts(score, "dice_true", "dice_found", "silent_dice") == [(0, 0), (0, 0), (0, 0)]


@pytest.mark.parametrize(
    ("half", "offset", "found"),
    [(9.8, 0, True), (14, 0, True), (6, 6, True), (9.8, 14, False), (4, 0, False), (24, 0, False)],
)
def test_a_box_drawn_around_a_die_is_found_wherever_its_face_lies(half: float, offset: float, *, found: bool) -> None:
    label = die(3, 0)
    x, y = 10.0 + offset, 210.0
    diamond = ((x, y - half), (x + half, y), (x, y + half), (x - half, y))
    picture = Picture(dice=[label], seen_dice=[seen_die(label, polygon=diamond)])
    assert counts(picture.score, "dice_found") == [(int(found), 1)]


def test_a_turned_outline_needs_half_of_intersection_over_union() -> None:
    label = replace(die(3, 0), polygon=((10, 200), (20, 210), (10, 220), (0, 210)))
    box = ((0, 200), (20, 200), (20, 220), (0, 220))
    outside = ((-1, 199), (21, 199), (21, 221), (-1, 221))
    for seen, found in ((box, True), (outside, False)):
        picture = Picture(dice=[label], seen_dice=[seen_die(label, polygon=seen)])
        assert counts(picture.score, "dice_found") == [(int(found), 1)]


def test_what_was_not_labelled_is_not_scored() -> None:
    ghost_tile, ghost_die = seen_tile(tile("6-5", 0)), seen_die(die(3, 100))
    only_dice = Picture(seen_tiles=[ghost_tile], seen_dice=[ghost_die], scope="dice").score
    assert [mistake.kind for mistake in only_dice.mistakes] == ["die"]
    only_tiles = Picture(seen_tiles=[ghost_tile], seen_dice=[ghost_die], hands=[SEEN_HAND], scope="tiles").score
    assert [mistake.kind for mistake in only_tiles.mistakes] == ["tile"]


@pytest.mark.parametrize(
    ("change", "calibrated", "whole", "silent"),
    [
        ({}, True, 1, 0),
        ({"place": "box1"}, True, 0, 1),
        ({"place": "hand1"}, False, 1, 0),
        ({"low": SEEN_HAND.high, "high": SEEN_HAND.low}, True, 0, 1),
        ({"low": (Tile.parse("5-3"), Tile.parse("5-2"))}, True, 0, 1),
        ({"low": (Tile.parse("5-3"), Tile.parse("5-2"))}, False, 0, 1),
        ({"low": (Tile.parse("5-3"), Tile.parse("5-2")), "status": "uncertain"}, True, 0, 0),
    ],
)
def test_hands(change: dict[str, Any], whole: int, silent: int, *, calibrated: bool) -> None:
    score = Picture(tiles=HAND, hands=[replace(SEEN_HAND, **change)], calibrated=calibrated).score
    assert counts(score, "hands_whole") == [(whole, 1)]
    assert score.rate("silent_hands").count == silent
    assert any(mistake.kind == "hand" for mistake in score.mistakes) is not whole


def test_a_missing_hand_is_listed() -> None:
    score = Picture(tiles=HAND).score
    assert counts(score, "hands_whole", "coverage_hands") == [(0, 1), (0, 1)]
    assert [mistake.fault for mistake in score.mistakes if mistake.kind == "hand"] == ["not whole"]


def test_a_hand_with_an_unreadable_tile_must_not_be_wrong() -> None:
    glare = [*HAND[:3], replace(HAND[3], pip_contrast_min=2.0)]
    assert counts(Picture(tiles=glare).score, "hands_whole") == [(0, 0)]
    right = Picture(tiles=glare, hands=[SEEN_HAND]).score
    assert counts(right, "hands_whole", "silent_hands") == [(0, 0), (0, 1)]
    down = [*HAND[:3], replace(HAND[3], face=None, face_up=False)]
    assert counts(Picture(tiles=down, hands=[SEEN_HAND]).score, "silent_hands") == [(1, 1)]


def test_scores_add_up() -> None:
    label = tile("6-5", 0)
    good = Picture(tiles=[label], seen_tiles=[seen_tile(label)]).score
    total = Score.total([good, Picture(tiles=[label]).score])
    assert (total.pictures, len(total.mistakes)) == (2, 1)
    assert counts(total, "tiles_found", "silent") == [(1, 2), (0, 1)]
    assert total.elapsed_ms == {"total": (12.0, 12.0)}
    assert Score.total([]).rate("silent") == Proportion(0, 0)
    assert set(total.rates) <= set(RATES)


@pytest.mark.parametrize(
    ("rate", "low", "high"),
    [
        (Proportion(81, 263), 0.2553, 0.3662),
        (Proportion(0, 20), 0.0, 0.1611),
        (Proportion(20, 20), 0.8389, 1.0),
        (Proportion(0, 0), 0.0, 1.0),
    ],
)
def test_intervals_are_wilsons(rate: Proportion, low: float, high: float) -> None:
    """81 of 263 is the example of Newcombe, Statistics in Medicine 17 (1998), table I."""
    assert rate.interval() == pytest.approx((low, high), abs=5e-5)


def test_the_upper_bound_is_clopper_and_pearsons() -> None:
    assert Proportion(0, 100).upper_bound() == pytest.approx(1 - 0.05 ** (1 / 100))
    assert Proportion(0, 299_572).upper_bound() == pytest.approx(1e-5, rel=1e-4)
    assert Proportion(1, 100).upper_bound() == pytest.approx(0.0465594, rel=1e-4)
    assert Proportion(0, 0).upper_bound() == 1.0
    assert Proportion(3, 3).upper_bound() == 1.0


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(list(Tile)), st.sampled_from([0, 30, 60, 90])), max_size=6, unique_by=lambda t: t[1]
    )
)
def test_reading_the_truth_scores_without_error(laid: list[tuple[Tile, int]]) -> None:
    labels = [tile(str(face), x) for face, x in laid]
    score = Picture(tiles=labels, seen_tiles=[seen_tile(label) for label in reversed(labels)]).score
    assert score.mistakes == ()
    assert score.rate("tiles_right") == Proportion(len(labels), len(labels))
