import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from calibration.table.places import Place
from engine.game.tiles import Tile
from engine.vocabulary.play import Lie
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions, hands_at_places, hands_by_nearness
from vision.reading import Polygon, TileReading

LENGTH_MM, WIDTH_MM = 63.5, 25.4


def tile(face: str | None, x_mm: float, y_mm: float, angle_deg: float, place: str | None = "house") -> TileReading:
    """A verified tile in the table frame; ``None`` lies face down. The picture shows the table from above, y down."""
    return TileReading(
        face=None if face is None else Tile.parse(face),
        face_up=face is not None,
        polygon=polygon(x_mm, -y_mm, -angle_deg),
        confidence=0.999,
        runner_up=None,
        status="verified",
        center_mm=(x_mm, y_mm),
        angle_deg=angle_deg % 180,
        place=None if place is None else Place.parse(place),
    )


def polygon(x: float, y: float, angle_deg: float) -> Polygon:
    angle = math.radians(angle_deg)
    along = (math.cos(angle) * LENGTH_MM / 2, math.sin(angle) * LENGTH_MM / 2)
    across = (-math.sin(angle) * WIDTH_MM / 2, math.cos(angle) * WIDTH_MM / 2)
    corners = [(1, 1), (1, -1), (-1, -1), (-1, 1)]
    one, two, three, four = (
        (x + a * along[0] + b * across[0], y + a * along[1] + b * across[1]) for a, b in reversed(corners)
    )
    return one, two, three, four


def lay(
    low: str, high: str, *, x_mm: float = 0, y_mm: float = -230, turn_deg: float = 0, place: str | None = "house"
) -> list[TileReading]:
    """Two tiles upright on the left and two across on the right, as a dealer lays a hand."""
    turn = math.radians(turn_deg)
    spots = [(-45, 0, 90), (-15, 0, 90), (35, 14, 0), (35, -14, 0)]
    return [
        tile(
            face,
            x_mm + dx * math.cos(turn) - dy * math.sin(turn),
            y_mm + dx * math.sin(turn) + dy * math.cos(turn),
            angle + turn_deg,
            place,
        )
        for face, (dx, dy, angle) in zip([*low.split(), *high.split()], spots, strict=True)
    ]


def at_places(
    tiles: Sequence[TileReading], faulty: Sequence[int] = (), turn_deg: float = 0, low_hand: Lie = Lie.VERTICAL
) -> tuple[list[str], list[str]]:
    hands, findings = hands_at_places(tiles, faulty, Conventions(lambda _: turn_deg, low_hand=low_hand), LENGTH_MM)
    texts = [
        f"{hand.place}: {' '.join(map(str, hand.low))} / {' '.join(map(str, hand.high))} {hand.status}"
        for hand in hands
    ]
    return texts, [finding.code for finding in findings]


def test_the_vertical_pair_is_the_low_hand() -> None:
    """crown-6.1 10.2.8: the dealer sets the low hand upright and the high hand across."""
    assert at_places(lay("6-1 5-3", "6-6 6-3")) == (["house: 6-1 5-3 / 6-6 6-3 verified"], [])


def test_the_horizontal_pair_is_low_where_the_table_has_it_so() -> None:
    """Ruling 39: some jurisdictions lay the high hand upright."""
    upright_high = lay("6-6 6-3", "6-1 5-3")
    assert at_places(upright_high, low_hand=Lie.HORIZONTAL) == (["house: 6-1 5-3 / 6-6 6-3 verified"], [])
    assert at_places(lay("6-1 5-3", "6-6 6-3"), low_hand=Lie.HORIZONTAL)[1] == ["laid_other_way"]
    assert at_places(upright_high)[1] == ["laid_other_way"]


def test_a_turned_box_is_judged_by_its_own_direction() -> None:
    tiles = lay("6-1 5-3", "6-6 6-3", turn_deg=38, place="box1")
    assert at_places(tiles, turn_deg=38)[0] == ["box1: 6-1 5-3 / 6-6 6-3 verified"]
    assert at_places(tiles, turn_deg=0) == ([], ["unclear_lay"])


def test_hands_come_in_the_order_of_their_places() -> None:
    tiles = [
        *lay("2-2 5-1", "5-5 6-5", place="box2"),
        *lay("6-1 5-3", "6-6 6-3", place="house"),
        *lay("4-4 1-1", "6-4 6-4", place="box1"),
    ]
    assert [text.split(":")[0] for text in at_places(tiles)[0]] == ["house", "box1", "box2"]


def test_a_low_hand_laid_as_high_stays_with_a_finding() -> None:
    assert at_places(lay("6-6 6-3", "6-1 5-3")) == (["house: 6-6 6-3 / 6-1 5-3 verified"], ["laid_other_way"])


def test_an_uncertain_tile_makes_the_hand_uncertain_and_says_why() -> None:
    tiles = lay("6-1 5-3", "6-6 6-3")
    tiles[2] = replace(tiles[2], status="uncertain", doubts=(Finding(Code.PIP_GLARE),))
    hands, _ = hands_at_places(tiles, (), Conventions(), LENGTH_MM)
    assert hands[0].status == "uncertain"
    assert hands[0].doubts == (Finding(Code.PIP_GLARE, about="6-6"),)


FOUR = lay("6-1 5-3", "6-6 6-3")


@pytest.mark.parametrize(
    ("tiles", "faulty", "code"),
    [
        pytest.param(FOUR[:3], [], "incomplete_hand", id="three tiles"),
        pytest.param([*FOUR, tile("2-2", 80, -230, 90)], [], "extra_tile", id="a fifth tile"),
        pytest.param([*FOUR[:3], tile(None, 35, -244, 0)], [], "face_down_tile", id="one face down"),
        pytest.param([tile(None, dx, -230, 90) for dx in (-45, -15, 15, 45)], [], "face_down_hand", id="all face down"),
        pytest.param([*FOUR[:3], replace(FOUR[3], face=None)], [], "unread_tile", id="one not readable"),
        pytest.param(FOUR, [3], "overlapping_tiles", id="one across another"),
        pytest.param([tile("6-6", dx, -230, 90) for dx in (-45, -15, 15, 45)], [], "unclear_lay", id="a row of four"),
        pytest.param([*FOUR[:3], tile("6-3", 35, -244, 45)], [], "unclear_lay", id="one aslant"),
        pytest.param([*FOUR[:3], tile("6-3", 125, -244, 0)], [], "unclear_lay", id="one far off"),
        pytest.param(lay("6-3 6-3", "6-6 5-1"), [], "impossible_hand", id="a military tile twice"),
    ],
)
def test_a_faulty_lay_is_a_finding_and_no_hand(tiles: list[TileReading], faulty: list[int], code: str) -> None:
    assert at_places(tiles, faulty) == ([], [code])


@pytest.mark.parametrize(
    ("tiles", "doubts", "read"),
    [
        pytest.param(FOUR, (Finding(Code.NOT_A_TILE),), True, id="a frame beside a whole hand"),
        pytest.param(FOUR, (), False, id="a back beside a whole hand"),
        pytest.param(FOUR[:3], (Finding(Code.NOT_A_TILE),), False, id="what may be the fourth tile"),
    ],
)
def test_a_hand_is_not_lost_to_what_may_be_no_tile(
    tiles: list[TileReading], doubts: tuple[Finding, ...], *, read: bool
) -> None:
    back = replace(tile(None, 80, -230, 90), doubts=doubts, status="uncertain")
    assert bool(at_places([*tiles, back])[0]) == read


def test_tiles_in_the_discard_and_outside_make_no_hands() -> None:
    tiles = [*lay("6-1 5-3", "6-6 6-3", place="discard"), *lay("2-2 5-1", "5-5 6-5", place=None)]
    assert at_places(tiles) == ([], [])


def test_no_tiles_make_no_hands_and_no_finding() -> None:
    assert at_places([]) == ([], [])
    assert hands_by_nearness([], []) == ([], [])


@pytest.mark.parametrize("turn_deg", [0, 20, 90, 137, 180])
def test_without_calibration_the_lower_rank_is_the_low_hand(turn_deg: float) -> None:
    tiles = lay("6-1 5-3", "6-6 6-3", turn_deg=turn_deg, place=None)
    hands, findings = hands_by_nearness(tiles, [])
    assert findings == []
    assert [hand.place for hand in hands] == [Place.parse("hand1")]
    assert set(map(str, hands[0].low)) == {"6-1", "5-3"}
    assert hands[0].status == "uncertain"
    assert Finding(Code.DECIDED_BY_RANK) in hands[0].doubts


def test_without_calibration_hands_are_numbered_in_reading_order() -> None:
    tiles = [
        *lay("2-2 5-1", "5-5 6-5", x_mm=300, y_mm=200),
        *lay("4-4 1-1", "6-4 6-4", x_mm=0, y_mm=-250),
        *lay("6-1 5-3", "6-6 6-3", x_mm=-300, y_mm=210),
    ]
    hands, _ = hands_by_nearness(tiles, [])
    assert [str(hand.low[0]) for hand in hands] == ["6-1", "2-2", "4-4"]


def test_without_calibration_a_row_is_no_hand() -> None:
    hands, findings = hands_by_nearness([tile("6-6", dx, 0, 90) for dx in (0, 30, 60, 90)], [])
    assert hands == []
    assert [finding.code for finding in findings] == ["no_hands"]


def test_without_calibration_crossed_tiles_are_no_hand() -> None:
    hands, findings = hands_by_nearness(lay("6-1 5-3", "6-6 6-3"), [0])
    assert hands == []
    assert "overlapping_tiles" in [finding.code for finding in findings]
