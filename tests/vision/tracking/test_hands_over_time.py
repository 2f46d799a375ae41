"""Hands over time: what makes a hand count, what puts it in doubt, and what is never claimed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.table.places import Place
from engine.game.tiles import Tile
from engine.observed.observations import HouseWayAsked
from tests.vision.tracking.laid_tables import (
    BOX2,
    HOUSE,
    MIDDLES,
    STEP_S,
    Table,
    backs,
    discards,
    hand,
    reading,
    status,
    tile,
)
from vision.findings import Code
from vision.hand_grouping import Conventions
from vision.tracking import TableWatch
from vision.tracking.lays.hand_history import MOVED_SINCE


def test_a_hand_counts_after_three_pictures_that_lie_still() -> None:
    table = Table()
    assert [status(table.see(hand("house", HOUSE))) for _ in range(4)] == [None, None, "verified", "verified"]


def test_what_is_wrong_with_lays_is_found_over_time() -> None:
    table = Table()
    closed, three = backs("box2"), hand("house", HOUSE)[:3]
    assert [str(each) for each in table.see([*closed, *three], 5).lay_findings] == [
        "incomplete_hand(place=house, count=3)",
        "face_down_hand(place=box2, count=2)",
    ]
    assert not table.see(hand("house", HOUSE), 9).lay_findings


def test_a_hung_camera_shows_nothing() -> None:
    watch, still = TableWatch(), reading(hand("house", HOUSE))
    assert all(not watch.see(still, STEP_S * n).hands for n in range(1, 40))


def test_pictures_close_in_time_count_as_one() -> None:
    watch = TableWatch()
    pictures = [reading([replace(t, confidence=0.99 - n * 1e-6) for t in hand("house", HOUSE)]) for n in range(24)]
    seen = [watch.see(each, 0.02 * n) for n, each in enumerate(pictures, 1)]
    assert {status(each) for each in seen[:17]} == {None}
    assert status(seen[-1]) == "verified"


def test_a_hand_at_rare_pictures_has_as_many_chances_to_be_verified() -> None:
    table = Table(step_s=1.0)
    unclear = hand("house", HOUSE, sure=False)
    assert {status(table.see(unclear)) for _ in range(3)} == {None}
    assert [status(table.see(hand("house", HOUSE))) for _ in range(3)] == [None, None, "verified"]
    other = Table(step_s=1.0)
    assert [status(other.see(unclear)) for _ in range(6)][-2:] == [None, "uncertain"]


def test_a_hand_that_is_put_away_before_it_is_clear_is_recorded_with_its_doubts() -> None:
    table = Table(step_s=1.0)
    table.see(hand("house", HOUSE), 4)
    table.see([*hand("house", HOUSE), *hand("box2", BOX2, sure=False)], 4)
    assert status(table.watch.seen, "box2") is None
    seen = table.see(hand("house", HOUSE), 2)
    assert status(seen, "box2") == "uncertain"


def test_a_doubt_is_resolved_by_later_pictures() -> None:
    table = Table()
    table.see(hand("house", HOUSE, sure=False), 20)
    assert status(table.watch.seen) == "uncertain"
    assert status(table.see(hand("house", HOUSE), 40)) == "verified"


def test_a_tile_verified_as_two_faces_is_not_verified() -> None:
    table = Table()
    other = hand("house", "5-4 5-3 6-6 6-1")
    for n in range(10):
        table.see(hand("house", HOUSE) if n % 2 else other)
    assert status(table.watch.seen) != "verified"


def test_a_sleeve_does_not_take_a_hand_away() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    seen = table.see(hand("box2", BOX2), 15)
    known = seen.hand(Place.parse("house"))
    assert known is not None
    assert (status(seen), known.present, known.away) == ("verified", False, False)
    assert table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5).hand(Place.parse("house")).present  # type: ignore[union-attr]


@given(hidden=st.integers(5, 25), swap=st.sampled_from([(0, 2), (1, 3), (0, 3)]), sure=st.booleans())
@settings(max_examples=30, deadline=None)
def test_an_exchange_under_cover_is_never_verified_unchanged(hidden: int, swap: tuple[int, int], *, sure: bool) -> None:
    table, faces = Table(), HOUSE.split()
    table.see(hand("house", HOUSE), 5)
    before = table.watch.seen.hand(Place.parse("house"))
    table.see(hand("box2", BOX2), hidden)
    one, other = swap
    faces[one], faces[other] = faces[other], faces[one]
    now = [*hand("house", " ".join(faces), sure=sure), *hand("box2", BOX2)]
    for _ in range(14):
        known = table.see(now).hand(Place.parse("house"))
        assert known is not None
        assert before is not None
        if known.present and known.now is not None and known.now.status == "verified":
            assert known.lays[-1].pairs != before.lays[-1].pairs
    assert status(table.watch.seen) == ("verified" if sure else "uncertain")


@given(
    order=st.permutations(range(8)), missed=st.lists(st.sets(st.integers(0, 7), max_size=2), min_size=10, max_size=10)
)
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_missed_tiles_change_what_is_known(order: list[int], missed: list[set[int]]) -> None:
    table = Table()
    tiles = [*hand("house", HOUSE), *hand("box2", BOX2)]
    for gone in (*missed, set(), set(), set()):
        seen = table.see([tiles[n] for n in order if n not in gone])
        for place, faces in (("house", HOUSE), ("box2", BOX2)):
            known = seen.hand(Place.parse(place))
            if known is not None and known.now is not None:
                assert list(map(str, (*sorted(known.now.low, key=str), *sorted(known.now.high, key=str)))) == [
                    *sorted(faces.split()[:2]),
                    *sorted(faces.split()[2:]),
                ]
    assert status(seen, "house") == status(seen, "box2") == "verified"


@given(shift=st.floats(6.0, 18.0))
@settings(max_examples=15, deadline=None)
def test_a_moved_tile_must_be_seen_again(shift: float) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    before = {track.number: track.rest for track in table.watch.tracks}
    table.see(hand("house", HOUSE, off=shift))
    assert all(track.rest > before.get(track.number, 0) for track in table.watch.tracks)
    assert all(len(track.samples) == 1 for track in table.watch.tracks if track.seen_s == table.t_s)


@pytest.mark.parametrize("swapped", ["6-6 5-3 6-3 6-1", "5-3 6-3 6-6 6-1", "6-3 5-3 4-4 6-1"])
def test_an_exchange_too_quick_to_be_seen_is_doubted_at_once(swapped: str) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 8)
    seen = [table.see(hand("house", swapped)) for _ in range(8)]
    assert {status(each) for each in seen} == {"uncertain"}


def test_a_tile_taken_for_two_in_one_picture_is_one() -> None:
    table = Table()
    laid = hand("house", HOUSE)
    table.see([*laid, *hand("house", "5-4 5-3 6-6 6-1", sure=False, off=0.5)[:1]])
    for off in (0.0, 0.5) * 2:
        seen = table.see(hand("house", HOUSE, off=off))
    assert status(seen) == "verified"


def test_a_rearranged_hand_is_doubted_until_it_is_whole_again() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    x, y = MIDDLES["house"]
    in_a_row = [tile(face, "house", x + 27.0 * n - 40, y, 90.0) for n, face in enumerate(HOUSE.split())]
    assert status(table.see(in_a_row, 3)) == "verified"
    doubted = table.see(in_a_row, 6)
    known = doubted.hand(Place.parse("house"))
    assert known is not None
    assert known.now is not None
    assert (known.now.status, known.now.doubts) == ("uncertain", (MOVED_SINCE,))
    assert status(table.see(hand("house", HOUSE), 5)) == "verified"


def test_a_hand_that_the_dealer_always_sets_is_set_again_not_changed() -> None:
    table = Table(conventions=Conventions(dealer_sets=frozenset({2})))
    closed = [replace(each, face=None, face_up=False) for each in hand("box2", BOX2)]
    seen = table.see(closed, 8)
    assert [each for _, each in seen.observed] == [HouseWayAsked(2)]
    table.see(hand("box2", BOX2), 5)
    table.see(hand("box2", BOX2)[:1], 5)
    seen = table.see(hand("box2", "1-1 4-4 4-3 5-5"), 5)
    assert {finding.code for finding in seen.findings} == {"hand_reset"}


def test_a_swap_in_a_players_hand_is_found_though_never_certain() -> None:
    table = Table()
    table.see(hand("box2", BOX2), 5)
    table.see(hand("box2", BOX2)[:1], 4)
    doubtful = hand("box2", "1-1 4-4 4-3 5-5")
    table.see([doubtful[0], *(replace(each, status="uncertain") for each in doubtful[1:])], 4)
    codes = {finding.code for _ in range(6) for finding in table.see(discards(4)).findings}
    assert "hand_changed" in codes


def test_a_swap_is_found_though_another_tile_was_misread() -> None:
    table = Table()
    doubtful = [tile("5-4", "box2", *each.center_mm, each.angle_deg, sure=False) for each in hand("box2", BOX2)[:1]]  # type: ignore[misc,arg-type]
    table.see([*doubtful, *hand("box2", BOX2)[1:]], 12)
    table.see(hand("box2", BOX2)[1:2], 5)
    seen = table.see(hand("box2", "4-4 4-3 1-1 5-5"), 6)
    assert status(seen, "box2") == "verified"
    assert "hand_changed" in {finding.code for finding in seen.findings}


@pytest.mark.parametrize("blurred", [0, 1, 2])
def test_a_tile_exchanged_out_of_sight_is_read_again(blurred: int) -> None:
    """Also where it is seen under the fingers that lay it before it can be read."""
    table = Table()
    laid, swapped = hand("house", HOUSE), hand("house", "6-6 5-3 6-3 6-1")
    table.see(laid, 5)
    table.see([laid[1], laid[3]])
    for _ in range(blurred):
        table.see([replace(each, status="uncertain", confidence=0.5) for each in swapped])
    seen = table.see(swapped, 4)
    known = seen.hand(Place.parse("house"))
    assert known is not None
    assert [lay.hand.status for lay in known.lays] == ["verified", "verified"]
    assert known.lays[-1].pairs == (["5-3", "6-6"], ["6-1", "6-3"])


def test_a_creeping_tile_is_moved_in_the_end() -> None:
    table = Table()
    for step in range(12):
        table.see(hand("house", HOUSE, off=float(step)))
    assert any(track.rest > 1 for track in table.watch.tracks)


def test_a_face_of_a_retrieved_hand_cannot_come_again() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    table.see([*hand("house", HOUSE), *discards(4)], 5)
    seen = table.see([*hand("house", HOUSE), *discards(4), *hand("box3", "4-3 2-1 3-3 3-2")], 12)
    assert "duplicate_face" in {finding.code for finding in seen.findings}
    assert status(seen, "box3") == status(seen, "box2") == "uncertain"
    assert status(seen, "house") == "verified"


@pytest.mark.parametrize(("sure", "found"), [(True, True), (False, False)])
def test_certain_tiles_of_a_doubtful_hand_cannot_come_again(*, sure: bool, found: bool) -> None:
    table = Table()
    house, (first, second, *others) = hand("house", HOUSE), hand("box2", "6-5 4-3 3-3 3-2")
    doubtful = [replace(each, status="uncertain", confidence=0.6) for each in (first, second)]
    table.see([*house, doubtful[0], second if sure else doubtful[1], *others], 12)
    assert status(table.watch.seen, "box2") == "uncertain"
    table.see([*house, *discards(4)], 5)
    seen = table.see([*house, *discards(4), *hand("box3", "1-1 4-3 4-4 5-5")], 12)
    assert ("duplicate_face" in {finding.code for finding in seen.findings}) is found
    assert (status(seen, "box3") == "uncertain") is found


@pytest.mark.parametrize(("verified_once", "found"), [(True, True), (False, False)])
def test_a_tile_verified_once_as_one_too_many_contradicts(*, verified_once: bool, found: bool) -> None:
    """A 4-4 lies there for certain, another deceives the reader in all pictures but one, and a third one is laid."""
    table = Table()
    house = hand("house", "6-6 4-4 6-3 5-3")
    first, *others = hand("box3", "4-4 1-1 5-5 6-4")
    deceived = replace(first, face=Tile.parse("6-2"), runner_up=first.face, status="uncertain", confidence=0.6)
    table.see([*house, deceived, *others], 8)
    alone = table.see([*house, first if verified_once else deceived, *others])
    assert status(alone, "house") == "verified"
    # Until the third one comes its own pictures alone speak against it.
    (doubtful,) = (each.now for each in alone.hands if str(each.place) == "box3")
    assert doubtful is not None
    assert not any(doubt.code is Code.MORE_THAN_THE_SET_IN_ROUND for doubt in doubtful.doubts)
    seen = table.see([*house, *hand("box2", "4-4 2-1 5-2 3-3"), deceived, *others], 8)
    assert ("duplicate_face" in {finding.code for finding in seen.findings}) is found
    assert status(seen, "box3") == "uncertain"
    assert (status(seen, "house") == "uncertain") is found
    assert (status(seen, "box2") == "verified") is not found


def test_other_tiles_at_the_same_place_are_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    seen = table.see(hand("house", "4-3 2-1 3-3 3-2", off=10.0), 12)
    assert status(seen) == "uncertain"
    assert "tiles_changed" in {finding.code for finding in seen.findings}


def test_what_was_not_read_again_is_no_further_witness() -> None:
    table = Table()
    for _ in range(2):
        table.see(hand("house", HOUSE))
    stale = [replace(each, fresh=False) for each in hand("house", HOUSE)]
    assert {status(table.see(stale)) for _ in range(5)} == {None}
    assert status(table.see(hand("house", HOUSE))) == "verified"


def test_what_was_not_read_again_does_not_settle_what_was_out_of_sight() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 6)
    table.see([], 1)
    stale = [replace(each, fresh=False) for each in hand("house", HOUSE)]
    table.see(stale, 5)
    assert all(track.returned for track in table.watch.tracks)
    table.see(hand("house", HOUSE))
    assert not any(track.returned for track in table.watch.tracks)
