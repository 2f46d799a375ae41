"""Opening hands: their order, single tiles that come up, requests, and the moment of the round."""

from dataclasses import replace

import pytest

from calibration.table.places import Place
from engine.books.registry import rulebook
from engine.game.box_order import FROM_RIGHT, BoxOrder
from engine.house_way.rules import Moment
from tests.vision.tracking.laid_tables import BOX2, HOUSE, LAID, MIDDLES, Table, backs, discards, hand, tile
from vision.findings import Code, Finding
from vision.hand_grouping import Conventions
from vision.reading import TileReading
from vision.tracking import Seen
from vision.tracking.observed.procedure import Procedure, finding_of
from vision.tracking.phases import Phase

FROM_LEFT = BoxOrder(box1_at_dealers_right=False)


def _set(place: str) -> list[TileReading]:
    """A closed hand that its player has set."""
    return [replace(each, face=None, face_up=False) for each in hand(place, BOX2)]


def _departures(seen: Seen, order: BoxOrder | None) -> list[Finding]:
    """What Crown's rulebook says of a round that the House banks."""
    observed = Procedure(rulebook("crown-6.1"), order).observed(seen.observed)
    return [] if observed is None else list(map(finding_of, observed.departures))


def test_the_order_of_opening_and_the_moment() -> None:
    table = Table()
    closed = [*backs("box2"), *backs("box3", turn=0.0)]
    table.see(closed, 5)
    seen = table.see([*hand("house", HOUSE), *closed], 5)
    assert (seen.moment, seen.asked) == (Moment.NO_HAND_EXPOSED, frozenset({Place.parse("box3")}))
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2), *backs("box3", turn=0.0)], 5)
    assert seen.moment is Moment.FIRST_HAND_EXPOSED
    assert [str(each.place) for each in seen.hands] == ["house", "box2"]
    seen = table.see(discards(8), 4)
    assert seen.moment is Moment.BANK_PUT_AWAY
    assert [(step.phase, str(step.place)) for step in seen.steps if str(step.place) == "house"] == [
        (Phase.HOUSE_EXPOSED, "house"),
        (Phase.HOUSE_SET, "house"),
        (Phase.PUT_AWAY, "house"),
    ]


def test_the_moment_is_unknown_while_nothing_can_be_seen() -> None:
    table = Table()
    lying = [*hand("house", HOUSE), *backs("box2")]
    assert table.see(lying, 5).moment is Moment.NO_HAND_EXPOSED
    assert table.see(lying, 1, wrong="blurred").moment is Moment.NO_HAND_EXPOSED
    assert table.see([], 5, wrong="covered").moment is Moment.BANK_NOT_PUT_AWAY
    assert table.see([], 5, wrong="covered").moment is None
    lying = [*hand("house", HOUSE), *hand("box2", BOX2)]
    moments = [table.see(lying).moment for _ in range(8)]
    assert moments[0] is Moment.BANK_NOT_PUT_AWAY
    assert moments[-1] is Moment.FIRST_HAND_EXPOSED
    assert Moment.NO_HAND_EXPOSED not in moments


def test_while_a_sleeve_hides_a_hand_the_bank_is_known_to_lie() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *backs("box2")], 5)
    assert table.see(hand("house", HOUSE), 7).moment is Moment.NO_HAND_EXPOSED
    # 1.6 s after its tiles were seen last, not after they counted as out of sight.
    assert table.see(hand("house", HOUSE)).moment is Moment.BANK_NOT_PUT_AWAY
    assert table.see([*hand("house", HOUSE), *backs("box2")], 3).moment is Moment.NO_HAND_EXPOSED


def test_a_set_hand_half_under_a_sleeve_is_no_request() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    closed = [tile(None, "box2", x + dx, y + dy, turn) for dx, dy, turn in LAID]
    assert table.see(closed, 5).asked == frozenset()
    table.see(closed[2:], 8)
    assert table.see(closed, 5).asked == frozenset()


def test_a_requested_hand_stays_requested_once_it_is_set() -> None:
    """star-2024 12.7: a player turns the tiles across, for the dealer to set them."""
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    turned = [tile(None, "box2", x + 13, y + off, 0.0) for off in (-13.0, 13.0)]
    assert table.see(turned, 5).asked == {Place.parse("box2")}
    closed = [tile(None, "box2", x + dx, y + dy, turn) for dx, dy, turn in LAID]
    assert table.see(closed, 8).asked == {Place.parse("box2")}


@pytest.mark.parametrize(
    ("pictures", "off_mm", "asked", "unsure"),
    [
        pytest.param(1, 0.0, False, True, id="in a single picture"),
        pytest.param(5, 0.0, True, False, id="for long"),
        pytest.param(1, 45.0, False, False, id="elsewhere"),
    ],
)
def test_a_request_seen_too_briefly_may_have_been_one(
    pictures: int, off_mm: float, *, asked: bool, unsure: bool
) -> None:
    """star-2024 12.7; told once the hand is open, for then it would be judged."""
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 5)
    table.see([tile(None, "box2", x + 13 + off_mm, y + off, 0.0) for off in (-13.0, 13.0)], pictures)
    seen = table.see([tile(None, "box2", x + dx, y + dy, turn) for dx, dy, turn in LAID], 6)
    assert not seen.findings
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 6)
    assert (seen.asked == {Place.parse("box2")}) is asked
    assert seen.findings == unsure * (Finding.of(Code.REQUEST_UNSURE, places=("box2",)),)


def test_something_across_beside_dealt_tiles_sets_no_hand() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    table.see([*backs("box2"), tile(None, "box2", x + 4, y - 44, 2.0)], 6)
    turned = [tile(None, "box2", x + 13, y + off, 0.0) for off in (-13.0, 13.0)]
    assert table.see(turned, 9).asked == {Place.parse("box2")}


@pytest.mark.parametrize(
    "apart",
    [
        pytest.param((31.0, -15.0), id="pushed about by a player who sets his hand"),
        pytest.param((0.0, 20.5), id="two upright ones taken for two across"),
    ],
)
def test_tiles_across_but_not_side_by_side_are_no_request(apart: tuple[float, float]) -> None:
    """Those turned together still lie as they were dealt."""
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    across = [tile(None, "box2", x + sign * apart[0], y + sign * apart[1], 0.0) for sign in (-1, 1)]
    assert table.see(across, 9).asked == frozenset()


def test_tiles_across_elsewhere_than_dealt_are_no_request() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    assert table.see([tile(None, "box2", x + 45, y + off, 0.0) for off in (-13.0, 13.0)], 5).asked == frozenset()


@pytest.mark.parametrize(
    ("tiles", "code"),
    [
        ([*hand("box2", BOX2), *backs("house")], "exposed_before_bank"),
        ([*hand("house", HOUSE), *hand("box3", BOX2), *_set("box2")], "exposed_out_of_turn"),
    ],
)
def test_hands_opened_out_of_order_are_found(tiles: list[TileReading], code: str) -> None:
    table = Table()
    assert code in {finding.code for finding in _departures(table.see(tiles, 9), FROM_RIGHT)}


BEFORE_BANK = [
    pytest.param(1.0, [backs("house"), hand("house", HOUSE)[:2], hand("house", HOUSE)], True, id="then turned at once"),
    pytest.param(0.2, [*[[]] * 4, *[backs("house")] * 4, hand("house", HOUSE)], True, id="under an arm at first"),
    pytest.param(0.2, [*[[]] * 4, hand("house", HOUSE)], False, id="under an arm until it was open"),
]


@pytest.mark.parametrize(("step_s", "bank", "found"), BEFORE_BANK)
def test_a_bank_seen_closed_beside_an_open_hand_was_opened_later(
    step_s: float, bank: list[list[TileReading]], *, found: bool
) -> None:
    """crown-6.1 10.2.7: also if not in the picture that shows the hand to be open."""
    table = Table(step_s=step_s)
    table.see([*backs("box2"), *backs("house")], 5)
    if not bank[0]:
        table.see(backs("box2"), 8)
    for tiles in bank:
        table.see([*hand("box2", BOX2), *tiles])
    seen = table.see([*hand("box2", BOX2), *hand("house", HOUSE)], 5)
    assert ("exposed_before_bank" in {each.code for each in _departures(seen, FROM_RIGHT)}) is found


@pytest.mark.parametrize(
    ("order", "opened", "closed", "waiting"),
    [
        pytest.param(FROM_RIGHT, "box3", "box2", ["box2"], id="from the right, 3 before 2"),
        pytest.param(FROM_RIGHT, "box2", "box3", [], id="from the right, 2 before 3"),
        pytest.param(FROM_LEFT, "box3", "box2", [], id="from the left, 3 before 2"),
        pytest.param(FROM_LEFT, "box2", "box3", ["box3"], id="from the left, 2 before 3"),
        pytest.param(None, "box3", "box2", [], id="numbered nobody knows how"),
    ],
)
def test_whose_turn_it_is_follows_the_table(
    order: BoxOrder | None, opened: str, closed: str, waiting: list[str]
) -> None:
    table = Table(conventions=Conventions(order=order))
    table.see([*hand("house", HOUSE), *_set("box2"), *_set("box3")], 6)
    seen = table.see([*hand("house", HOUSE), *hand(opened, BOX2), *_set(closed)], 6)
    findings = _departures(seen, order)
    assert findings == [Finding.of(Code.EXPOSED_OUT_OF_TURN, place=opened, waiting=(other,)) for other in waiting]


def test_tiles_that_nobody_was_seen_to_set_have_no_turn_until_they_are_opened() -> None:
    """crown-6.1 10.3.1(c)(ii): they may be an empty box's."""
    table = Table()
    seen = table.see([*hand("house", HOUSE), *hand("box3", BOX2), *backs("box2")], 6)
    assert not _departures(seen, FROM_RIGHT)
    seen = table.see([*hand("house", HOUSE), *hand("box3", BOX2), *hand("box2", "6-5 6-4 5-1 4-1")], 6)
    assert [each.code for each in _departures(seen, FROM_RIGHT)] == [Code.EXPOSED_OUT_OF_TURN]


@pytest.mark.parametrize(("order", "turn"), [(FROM_RIGHT, ["box2", "box3"]), (FROM_LEFT, ["box3", "box2"])])
def test_hands_first_seen_open_together_come_in_turn(order: BoxOrder, turn: list[str]) -> None:
    table = Table(conventions=Conventions(order=order))
    table.see([*hand("house", HOUSE), *backs("box2"), *backs("box3")], 6)
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2), *hand("box3", "6-5 6-4 5-1 4-1")], 6)
    assert [str(each.place) for each in seen.hands] == ["house", *turn]
    assert _departures(seen, order) == []


@pytest.mark.parametrize(
    ("before", "blind", "found"),
    [
        pytest.param([*backs("house"), *backs("box2")], 8, True, id="both closed before"),
        pytest.param([*backs("house"), *hand("box2", BOX2)], 8, False, id="one open before"),
        pytest.param([*backs("house"), *backs("box2")], 2, False, id="blurred for a moment only"),
    ],
)
def test_the_order_of_hands_opened_unseen_is_not_known(before: list[TileReading], blind: int, *, found: bool) -> None:
    table = Table()
    table.see(before, 6)
    table.see([], blind, wrong="blurred")
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 6)
    assert [finding for finding in seen.findings if finding.code == "order_unseen"] == found * [
        Finding.of(Code.ORDER_UNSEEN, places=("house", "box2"))
    ]


def test_the_order_is_known_of_hands_opened_in_sight_again() -> None:
    table = Table()
    table.see([*backs("house"), *backs("box2")], 6)
    table.see([], 8, wrong="blurred")
    table.see([*hand("house", HOUSE), *backs("box2")], 6)
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 6)
    assert [str(known.place) for known in seen.hands] == ["house", "box2"]
    assert "order_unseen" not in {finding.code for finding in seen.findings}


@pytest.mark.parametrize(
    ("after", "found"),
    [
        pytest.param(["back"] * 3, True, id="turned down"),
        pytest.param(["back", "back", "face"], False, id="fingers that pass for a back"),
        pytest.param(["doubtful"] * 9, False, id="fingers over it"),
        pytest.param(["doubtful", "doubtful", "back"], True, id="fingers, then turned down"),
        pytest.param(["doubtful", "face"], False, id="fingers, then open"),
        pytest.param(["nothing"] * 12 + ["back"] * 3, True, id="out of sight, then turned down where it lay"),
        pytest.param([], False, id="still open"),
    ],
)
def test_a_tile_that_came_up_is_found_once_it_is_turned_down(after: list[str], *, found: bool) -> None:
    table = Table()
    closed = backs("box2")
    looks = {
        "back": closed,
        "doubtful": [replace(closed[0], status="uncertain"), closed[1]],
        "face": [tile("4-3", "box2", *MIDDLES["box2"], 90.0), closed[1]],
        "nothing": [],
    }
    table.see(closed, 5)
    for look in ["face"] * 4 + after:
        seen = table.see(looks[look])
    assert ("tile_exposed" in {finding.code for finding in seen.findings}) is found


def test_a_back_taken_for_a_nameless_face_is_no_shown_tile() -> None:
    table = Table()
    closed = backs("box2")
    nameless = replace(closed[0], face_up=True, status="uncertain", doubts=(Finding(Code.FACE_UNKNOWN),))
    table.see([nameless, closed[1]], 20)
    assert not table.see(closed, 5).findings


def test_hands_first_seen_open_together_keep_their_order() -> None:
    seen = Table().see([*hand("box2", BOX2), *hand("house", HOUSE)], 5)
    assert [str(each.place) for each in seen.hands] == ["house", "box2"]
    assert not seen.findings
