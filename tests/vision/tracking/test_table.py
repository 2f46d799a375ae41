"""A table watched over time: what makes a hand count, what puts it in doubt, and what is never claimed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game.tiles import Tile
from engine.house_way.rules import Moment
from service.words.sentences import CODES
from vision.findings import Code, Finding
from vision.reading import DieReading, Polygon, Reading, TileReading
from vision.tracking import Seen, TableWatch, Terms
from vision.tracking.lays import MOVED_SINCE
from vision.tracking.phases import Phase

LAID = ((-52.0, 0.0, 90.0), (-26.0, 0.0, 90.0), (25.0, 13.0, 0.0), (25.0, -13.0, 0.0))
MIDDLES = {"house": (0.0, -240.0), "box2": (600.0, 260.0), "box3": (300.0, 260.0), "discard": (-600.0, -280.0)}
HOUSE = "6-3 5-3 6-6 6-1"
BOX2 = "1-1 4-3 4-4 5-5"
NOWHERE: Polygon = ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0))
STEP_S = 0.2


def tile(face: str | None, place: str, x: float, y: float, turn: float, *, sure: bool = True) -> TileReading:
    return TileReading(
        face=None if face is None else Tile.parse(face),
        face_up=face is not None,
        polygon=NOWHERE,
        confidence=0.999 if sure else 0.6,
        runner_up=None,
        status="verified" if sure else "uncertain",
        doubts=() if sure else (Finding(Code.NOT_A_TILE),),
        center_mm=(x, y),
        angle_deg=turn,
        place=place,
    )


def hand(place: str, faces: str, *, sure: bool = True, off: float = 0.0) -> list[TileReading]:
    x, y = MIDDLES[place]
    return [
        tile(face, place, x + dx + off, y + dy, turn, sure=sure)
        for face, (dx, dy, turn) in zip(faces.split(), LAID, strict=True)
    ]


def discards(count: int, off: float = 0.0) -> list[TileReading]:
    x, y = MIDDLES["discard"]
    return [tile(None, "discard", x + 26.0 * n + off, y, 90.0) for n in range(count)]


def backs(place: str, turn: float = 90.0) -> list[TileReading]:
    x, y = MIDDLES[place]
    across = turn == 0.0
    return [tile(None, place, x + (0 if across else 26.0 * n), y + (26.0 * n if across else 0), turn) for n in range(2)]


def reading(tiles: list[TileReading], dice: list[DieReading] | None = None, wrong: str | None = None) -> Reading:
    findings = () if wrong is None else (Finding(CODES[wrong]),)
    return Reading("", (2304, 1296), True, True, tuple(tiles), tuple(dice or ()), (), findings, {}, {})  # noqa: FBT003


class Table:
    """A watch, and a clock that each picture moves on."""

    def __init__(self, terms: Terms | None = None) -> None:
        self.watch = TableWatch(terms=terms or Terms())
        self.t_s = 0.0

    def see(
        self,
        tiles: list[TileReading],
        times: int = 1,
        dice: list[DieReading] | None = None,
        wrong: str | None = None,
    ) -> Seen:
        for _ in range(times):
            self.t_s += STEP_S
            noise = 1e-7 * (round(self.t_s / STEP_S) % 1000)
            seen = self.watch.see(
                reading(
                    [replace(each, confidence=each.confidence - noise) for each in tiles],
                    [replace(each, confidence=each.confidence - noise) for each in dice or ()],
                    wrong,
                ),
                self.t_s,
            )
        return seen


def status(seen: Seen, place: str = "house") -> str | None:
    known = seen.hand(place)
    return None if known is None or known.now is None else known.now.status


def test_a_hand_counts_after_three_pictures_that_lie_still() -> None:
    table = Table()
    assert [status(table.see(hand("house", HOUSE))) for _ in range(4)] == [None, None, "verified", "verified"]


def test_a_hung_camera_shows_nothing() -> None:
    watch, still = TableWatch(), reading(hand("house", HOUSE))
    assert all(not watch.see(still, STEP_S * n).hands for n in range(1, 40))


def test_pictures_close_in_time_count_as_one() -> None:
    watch = TableWatch()
    pictures = [reading([replace(t, confidence=0.99 - n * 1e-6) for t in hand("house", HOUSE)]) for n in range(24)]
    seen = [watch.see(each, 0.02 * n) for n, each in enumerate(pictures, 1)]
    assert {status(each) for each in seen[:17]} == {None}
    assert status(seen[-1]) == "verified"


def test_doubt_is_told_and_resolved() -> None:
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
    known = seen.hand("house")
    assert known is not None
    assert (status(seen), known.present, known.away) == ("verified", False, False)
    assert table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5).hand("house").present  # type: ignore[union-attr]


@given(hidden=st.integers(5, 25), swap=st.sampled_from([(0, 2), (1, 3), (0, 3)]), sure=st.booleans())
@settings(max_examples=30, deadline=None)
def test_what_was_exchanged_under_cover_is_never_verified_unchanged(
    hidden: int, swap: tuple[int, int], *, sure: bool
) -> None:
    table, faces = Table(), HOUSE.split()
    table.see(hand("house", HOUSE), 5)
    before = table.watch.seen.hand("house")
    table.see(hand("box2", BOX2), hidden)
    one, other = swap
    faces[one], faces[other] = faces[other], faces[one]
    now = [*hand("house", " ".join(faces), sure=sure), *hand("box2", BOX2)]
    for _ in range(14):
        known = table.see(now).hand("house")
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
            known = seen.hand(place)
            if known is not None and known.now is not None:
                assert list(map(str, (*sorted(known.now.low, key=str), *sorted(known.now.high, key=str)))) == [
                    *sorted(faces.split()[:2]),
                    *sorted(faces.split()[2:]),
                ]
    assert status(seen, "house") == status(seen, "box2") == "verified"


@given(shift=st.floats(6.0, 18.0))
@settings(max_examples=15, deadline=None)
def test_a_moved_tile_must_be_seen_anew(shift: float) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    before = {track.number: track.lay for track in table.watch.tracks}
    table.see(hand("house", HOUSE, off=shift))
    assert all(track.lay > before.get(track.number, 0) for track in table.watch.tracks)
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


def test_a_hand_moved_and_never_whole_again_is_doubted_until_it_is() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    x, y = MIDDLES["house"]
    in_a_row = [tile(face, "house", x + 27.0 * n - 40, y, 90.0) for n, face in enumerate(HOUSE.split())]
    assert status(table.see(in_a_row, 3)) == "verified"
    doubted = table.see(in_a_row, 6)
    known = doubted.hand("house")
    assert known is not None
    assert known.now is not None
    assert (known.now.status, known.now.doubts) == ("uncertain", (MOVED_SINCE,))
    assert status(table.see(hand("house", HOUSE), 5)) == "verified"


def test_a_hand_laid_otherwise_and_put_away_before_it_could_be_told_is_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see(hand("house", HOUSE)[:1], 4)
    swapped = hand("house", "6-3 6-6 5-3 6-1")
    unsure = [swapped[0], *(replace(each, status="uncertain") for each in swapped[1:])]
    assert status(table.see(unsure, 4)) == "verified"
    seen = (table.see(discards(4)).hand("house") for _ in range(6))
    known = next(each for each in seen if each is not None and each.away)
    assert known.now is not None
    assert (known.now.status, known.now.doubts) == ("uncertain", (MOVED_SINCE,))


def test_tiles_of_a_players_hand_that_seem_to_change_places_are_told_though_never_sure() -> None:
    table = Table()
    table.see(hand("box2", BOX2), 5)
    table.see(hand("box2", BOX2)[:1], 4)
    doubtful = hand("box2", "1-1 4-4 4-3 5-5")
    table.see([doubtful[0], *(replace(each, status="uncertain") for each in doubtful[1:])], 4)
    codes = {finding.code for _ in range(6) for finding in table.see(discards(4)).findings}
    assert "hand_changed" in codes


def test_tiles_that_change_places_are_told_though_another_was_misread_before() -> None:
    table = Table()
    doubtful = [tile("5-4", "box2", *each.center_mm, each.angle_deg, sure=False) for each in hand("box2", BOX2)[:1]]  # type: ignore[misc,arg-type]
    table.see([*doubtful, *hand("box2", BOX2)[1:]], 12)
    table.see(hand("box2", BOX2)[1:2], 5)
    seen = table.see(hand("box2", "4-4 4-3 1-1 5-5"), 6)
    assert status(seen, "box2") == "verified"
    assert "hand_changed" in {finding.code for finding in seen.findings}


@pytest.mark.parametrize("blurred", [0, 1, 2])
def test_a_tile_exchanged_while_out_of_sight_for_a_moment_is_read_anew(blurred: int) -> None:
    """Also where it is seen under the fingers that lay it before it can be read."""
    table = Table()
    laid, swapped = hand("house", HOUSE), hand("house", "6-6 5-3 6-3 6-1")
    table.see(laid, 5)
    table.see([laid[1], laid[3]])
    for _ in range(blurred):
        table.see([replace(each, status="uncertain", confidence=0.5) for each in swapped])
    seen = table.see(swapped, 4)
    known = seen.hand("house")
    assert known is not None
    assert [lay.hand.status for lay in known.lays] == ["verified", "verified"]
    assert known.lays[-1].pairs == (["5-3", "6-6"], ["6-1", "6-3"])


def test_a_creeping_tile_is_moved_in_the_end() -> None:
    table = Table()
    for step in range(12):
        table.see(hand("house", HOUSE, off=float(step)))
    assert any(track.lay > 1 for track in table.watch.tracks)


def test_a_face_of_a_retrieved_hand_cannot_come_again() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    table.see([*hand("house", HOUSE), *discards(4)], 5)
    seen = table.see([*hand("house", HOUSE), *discards(4), *hand("box3", "4-3 2-1 3-3 3-2")], 12)
    assert "duplicate_face" in {finding.code for finding in seen.findings}
    assert status(seen, "box3") == status(seen, "box2") == "uncertain"
    assert status(seen, "house") == "verified"


@pytest.mark.parametrize(("sure", "told"), [(True, True), (False, False)])
def test_the_sure_tiles_of_a_doubtful_hand_cannot_come_again_either(*, sure: bool, told: bool) -> None:
    table = Table()
    house, (first, second, *others) = hand("house", HOUSE), hand("box2", "6-5 4-3 3-3 3-2")
    doubtful = [replace(each, status="uncertain", confidence=0.6) for each in (first, second)]
    table.see([*house, doubtful[0], second if sure else doubtful[1], *others], 12)
    assert status(table.watch.seen, "box2") == "uncertain"
    table.see([*house, *discards(4)], 5)
    seen = table.see([*house, *discards(4), *hand("box3", "1-1 4-3 4-4 5-5")], 12)
    assert ("duplicate_face" in {finding.code for finding in seen.findings}) is told
    assert (status(seen, "box3") == "uncertain") is told


@pytest.mark.parametrize(("verified_once", "told"), [(True, True), (False, False)])
def test_a_doubtful_tile_that_was_verified_as_one_too_many_is_no_less_a_contradiction(
    *, verified_once: bool, told: bool
) -> None:
    """A 4-4 lies there for certain, another deceives the reader in all pictures but one, and a third one is laid."""
    table = Table()
    house = hand("house", "6-6 4-4 6-3 5-3")
    first, *others = hand("box3", "4-4 1-1 5-5 6-4")
    deceived = replace(first, face=Tile.parse("6-2"), runner_up=first.face, status="uncertain", confidence=0.6)
    table.see([*house, deceived, *others], 8)
    alone = table.see([*house, first if verified_once else deceived, *others])
    assert status(alone, "house") == "verified"
    # Until the third one comes its own pictures alone speak against it.
    (doubtful,) = (each.now for each in alone.hands if each.place == "box3")
    assert doubtful is not None
    assert not any(doubt.code is Code.MORE_THAN_THE_SET_IN_ROUND for doubt in doubtful.doubts)
    seen = table.see([*house, *hand("box2", "4-4 2-1 5-2 3-3"), deceived, *others], 8)
    assert ("duplicate_face" in {finding.code for finding in seen.findings}) is told
    assert status(seen, "box3") == "uncertain"
    assert (status(seen, "house") == "uncertain") is told
    assert (status(seen, "box2") == "verified") is not told


def test_other_tiles_at_the_same_place_are_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    seen = table.see(hand("house", "4-3 2-1 3-3 3-2", off=10.0), 12)
    assert status(seen) == "uncertain"
    assert "tiles_changed" in {finding.code for finding in seen.findings}


@pytest.mark.parametrize("wrong", ["drifted", "defocused", "dim"])
@pytest.mark.parametrize(
    "lying",
    [
        pytest.param(hand("house", HOUSE, sure=False, off=9.0), id="moved"),
        pytest.param(hand("house", "4-3 2-1 3-3 3-2", sure=False), id="misread"),
        pytest.param([*hand("house", HOUSE, sure=False), *hand("box2", HOUSE, sure=False)], id="contradicted"),
    ],
)
def test_what_was_verified_stays_so_while_pictures_are_not_fit(wrong: str, lying: list[TileReading]) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    for _ in range(30):
        seen = table.see(lying, wrong=wrong)
        assert status(seen) == "verified"
        assert status(seen, "box2") != "verified"
    # Well again: looked at anew, and still the same.
    assert {status(table.see(hand("house", HOUSE))) for _ in range(20)} == {"verified"}


def test_what_fingers_hid_while_a_hand_was_laid_does_not_delay_it() -> None:
    """A tile that could not be told was not seen then; one that was read as another was seen, and is doubted."""
    table = Table()
    unnamed = [replace(each, face=None, runner_up=None, status="uncertain") for each in hand("house", HOUSE)]
    assert status(table.see(unnamed, 4)) is None
    assert status(table.see(hand("house", HOUSE), 3)) == "verified"
    other = Table()
    other.see(hand("house", HOUSE.replace("6-3", "5-4"), sure=False), 4)
    assert status(other.see(hand("house", HOUSE), 3)) != "verified"


def test_pictures_that_are_not_fit_complete_no_hand() -> None:
    """However many of them come, and push what spoke against it out of what is kept."""
    table = Table()
    table.see(hand("house", HOUSE.replace("6-3", "5-4"), sure=False), 3)
    assert status(table.see(hand("house", HOUSE), 5)) != "verified"
    for _ in range(30):
        assert status(table.see(hand("house", HOUSE, sure=False), wrong="drifted")) != "verified"
    assert status(table.see(hand("house", HOUSE), 12)) == "verified"


def test_what_lies_otherwise_once_pictures_are_fit_again_is_doubted() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see(hand("house", HOUSE, sure=False), 15, wrong="defocused")
    assert status(table.see(hand("house", "4-3 2-1 3-3 3-2", off=10.0), 12)) == "uncertain"


def test_a_hand_first_seen_while_pictures_are_not_fit_is_told_in_doubt_until_they_are() -> None:
    table = Table()
    assert status(table.see(hand("house", HOUSE, sure=False), 12, wrong="dim")) == "uncertain"
    assert status(table.see(hand("house", HOUSE), 12)) == "verified"


def test_a_throw_that_was_verified_stays_so_while_pictures_are_not_fit() -> None:
    table = Table()
    thrown = [die(value, 40.0 * value) for value in (2, 3, 5)]
    before = table.see([], 5, thrown).throw
    assert before is not None
    assert before.verified
    other = [replace(die(6, 300.0 + 40.0 * n), status="uncertain") for n in range(3)]
    assert table.see([], 12, other, wrong="drifted").throw == before
    assert table.see([], 12, other).throw != before


@pytest.mark.parametrize(("wrong", "over"), [("covered", False), ("drifted", True)])
def test_a_round_ends_unless_nobody_can_see_it(wrong: str, *, over: bool) -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    ended = [table.see(discards(4), wrong=wrong).over for _ in range(60)]
    assert any(ended) is over


def test_the_order_of_opening_and_the_moment() -> None:
    table = Table()
    closed = [*backs("box2"), *backs("box3", turn=0.0)]
    table.see(closed, 5)
    seen = table.see([*hand("house", HOUSE), *closed], 5)
    assert (seen.moment, seen.asked) == (Moment.NO_HAND_EXPOSED, frozenset({"box3"}))
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2), *backs("box3", turn=0.0)], 5)
    assert seen.moment is Moment.FIRST_HAND_EXPOSED
    assert [each.place for each in seen.hands] == ["house", "box2"]
    seen = table.see(discards(8), 4)
    assert seen.moment is Moment.BANK_PUT_AWAY
    assert [(step.phase, step.place) for step in seen.steps if step.place == "house"] == [
        (Phase.HOUSE_EXPOSED, "house"),
        (Phase.HOUSE_SET, "house"),
        (Phase.PUT_AWAY, "house"),
    ]


def test_while_nothing_can_be_seen_nobody_knows_whether_a_hand_is_opened() -> None:
    table = Table()
    lying = [*hand("house", HOUSE), *backs("box2")]
    assert table.see(lying, 5).moment is Moment.NO_HAND_EXPOSED
    assert table.see(lying, 1, wrong="blurred").moment is Moment.NO_HAND_EXPOSED
    assert table.see([], 5, wrong="covered").moment is None
    lying = [*hand("house", HOUSE), *hand("box2", BOX2)]
    moments = [table.see(lying).moment for _ in range(8)]
    assert moments[0] is None
    assert moments[-1] is Moment.FIRST_HAND_EXPOSED
    assert Moment.NO_HAND_EXPOSED not in moments


def test_while_a_sleeve_hides_a_closed_hand_nobody_knows_whether_it_is_opened() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *backs("box2")], 5)
    assert table.see(hand("house", HOUSE), 7).moment is Moment.NO_HAND_EXPOSED
    # 1.6 s after its tiles were seen last, not after they counted as out of sight.
    assert table.see(hand("house", HOUSE)).moment is None
    assert table.see([*hand("house", HOUSE), *backs("box2")], 3).moment is Moment.NO_HAND_EXPOSED


def test_a_set_hand_of_which_a_sleeve_hid_a_part_is_not_taken_for_one_to_be_set() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    closed = [tile(None, "box2", x + dx, y + dy, turn) for dx, dy, turn in LAID]
    assert table.see(closed, 5).asked == frozenset()
    table.see(closed[2:], 8)
    assert table.see(closed, 5).asked == frozenset()


def test_a_hand_that_the_dealer_set_when_asked_stays_one_that_he_set() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    turned = [tile(None, "box2", x + 13, y + off, 0.0) for off in (-13.0, 13.0)]
    assert table.see(turned, 5).asked == {"box2"}
    closed = [tile(None, "box2", x + dx, y + dy, turn) for dx, dy, turn in LAID]
    assert table.see(closed, 8).asked == {"box2"}


def test_something_across_beside_the_dealt_tiles_makes_no_set_hand() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    table.see([*backs("box2"), tile(None, "box2", x + 4, y - 44, 2.0)], 6)
    turned = [tile(None, "box2", x + 13, y + off, 0.0) for off in (-13.0, 13.0)]
    assert table.see(turned, 9).asked == {"box2"}


@pytest.mark.parametrize(
    "apart",
    [
        pytest.param((31.0, -15.0), id="pushed about by a player who sets his hand"),
        pytest.param((0.0, 20.5), id="two upright ones taken for two across"),
    ],
)
def test_tiles_across_that_do_not_lie_side_by_side_ask_for_nothing(apart: tuple[float, float]) -> None:
    """Those turned together still lie as they were dealt."""
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    across = [tile(None, "box2", x + sign * apart[0], y + sign * apart[1], 0.0) for sign in (-1, 1)]
    assert table.see(across, 9).asked == frozenset()


def test_tiles_across_elsewhere_than_they_were_dealt_ask_for_nothing() -> None:
    table = Table()
    x, y = MIDDLES["box2"]
    table.see(backs("box2"), 3)
    assert table.see([tile(None, "box2", x + 45, y + off, 0.0) for off in (-13.0, 13.0)], 5).asked == frozenset()


@pytest.mark.parametrize(
    ("tiles", "code"),
    [
        ([*hand("box2", BOX2), *backs("house")], "exposed_before_bank"),
        ([*hand("house", HOUSE), *hand("box3", BOX2), *backs("box2")], "exposed_out_of_turn"),
    ],
)
def test_hands_opened_out_of_order_are_told(tiles: list[TileReading], code: str) -> None:
    table = Table()
    assert code in {finding.code for finding in table.see(tiles, 6).findings}


@pytest.mark.parametrize(
    ("before", "blind", "told"),
    [
        pytest.param([*backs("house"), *backs("box2")], 8, True, id="both closed before"),
        pytest.param([*backs("house"), *hand("box2", BOX2)], 8, False, id="one open before"),
        pytest.param([*backs("house"), *backs("box2")], 2, False, id="blurred for a moment only"),
    ],
)
def test_the_order_of_hands_opened_while_nothing_could_be_seen_is_not_known(
    before: list[TileReading], blind: int, *, told: bool
) -> None:
    table = Table()
    table.see(before, 6)
    table.see([], blind, wrong="blurred")
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 6)
    assert [finding for finding in seen.findings if finding.code == "order_unseen"] == told * [
        Finding.of(Code.ORDER_UNSEEN, places=("house", "box2"))
    ]


def test_the_order_is_known_where_the_others_are_opened_once_the_camera_sees_again() -> None:
    table = Table()
    table.see([*backs("house"), *backs("box2")], 6)
    table.see([], 8, wrong="blurred")
    table.see([*hand("house", HOUSE), *backs("box2")], 6)
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 6)
    assert [known.place for known in seen.hands] == ["house", "box2"]
    assert "order_unseen" not in {finding.code for finding in seen.findings}


@pytest.mark.parametrize(
    ("after", "told"),
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
def test_a_tile_of_a_closed_hand_that_comes_up_is_told_once_it_is_turned_down(after: list[str], *, told: bool) -> None:
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
    assert ("tile_exposed" in {finding.code for finding in seen.findings}) is told


def test_a_back_that_was_taken_for_a_face_never_named_is_no_tile_that_came_up() -> None:
    table = Table()
    closed = backs("box2")
    nameless = replace(closed[0], face_up=True, status="uncertain", doubts=(Finding(Code.FACE_UNKNOWN),))
    table.see([nameless, closed[1]], 20)
    assert not table.see(closed, 5).findings


def test_a_covered_lens_ends_no_round() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    assert not table.see([], 25).over
    assert table.see(discards(4), 6).over or table.watch.seen.hands == ()


def die(value: int, x: float, role: str = "box", *, cocked: bool = False) -> DieReading:
    outline: Polygon = ((x, 0.0), (x + 30, 0.0), (x + 30, 30.0), (x, 30.0))
    doubts = (Finding(Code.DIE_LEANS),) if cocked else ()
    colour = "red" if role == "box" else "white"
    return DieReading(
        value,
        "box" if role == "box" else "cut",
        colour,
        cocked,
        outline,
        0.99,
        "uncertain" if cocked else "verified",
        doubts,
        surely_cocked=cocked,
    )


THROWN = [die(3, 0), die(5, 60), die(1, 120), die(2, 180, "cut")]


class TestThrows:
    def test_dice_count_once_they_lie_still(self) -> None:
        table = Table()
        assert table.see([], 2).throw is None
        throw = table.see([], 3, THROWN).throw
        assert throw is not None
        assert throw.verified
        assert [each.value for each in throw.dice] == [3, 5, 1, 2]

    @pytest.mark.parametrize(
        ("pictures", "roles"),
        [
            pytest.param("????tttttttttttt", "box box box cut", id="not told while the cup was lifted"),
            pytest.param("t???????????????", None, id="told once"),
            pytest.param("t?t?t?t?t?t?t?t?", None, id="told in every other picture"),
            pytest.param("txtxtxtxtxtxtxtx", None, id="told in two ways"),
        ],
    )
    def test_what_dice_are_for_makes_no_value_doubtful(self, pictures: str, roles: str | None) -> None:
        table = Table()
        told = {"t": THROWN, "?": [replace(each, role=None) for each in THROWN]}
        told["x"] = [replace(each, role="box" if each.role == "cut" else "cut") for each in THROWN]
        for picture in pictures:
            throw = table.see([], 1, told[picture]).throw
        assert throw is not None
        assert throw.verified
        assert [each.value for each in throw.dice] == [3, 5, 1, 2]
        assert [each.role for each in throw.dice] == ([None] * 4 if roles is None else roles.split())

    def test_dice_that_nobody_touched_and_that_show_other_values_are_doubted(self) -> None:
        table = Table()
        first = table.see([], 5, THROWN).throw
        assert first is not None
        assert first.verified
        table.see([], 6)
        throw = table.see([], 8, [die(6, 0), *THROWN[1:]]).throw
        assert throw is not None
        assert not throw.verified

    def test_a_leaning_die_is_told_and_the_next_throw_counts(self) -> None:
        table = Table()
        throw = table.see([], 8, [*THROWN[:2], die(1, 120, cocked=True), THROWN[3]]).throw
        assert throw is not None
        assert not throw.verified
        assert "cocked_die" in {finding.code for finding in table.watch.seen.findings}
        table.see([], 6)
        again = table.see([], 4, [die(4, 10), die(4, 75), die(6, 140), die(2, 200, "cut")]).throw
        assert again is not None
        assert again.verified

    def test_stacked_dice_are_not_verified(self) -> None:
        throw = Table().see([], 8, [die(3, 0), die(5, 8), die(1, 120)]).throw
        assert throw is not None
        assert not throw.verified

    def test_dice_that_a_cup_hides_in_part_are_no_whole_throw(self) -> None:
        table = Table()
        table.see(backs("house"), 3, dice=THROWN[2:])
        seen = table.see(backs("house"), 8, dice=THROWN[2:])
        assert seen.throw is not None
        assert not seen.throw.verified
        seen = table.see(backs("house"), 8, dice=THROWN)
        assert seen.throw is not None
        assert seen.throw.verified
        assert len(seen.throw.dice) == 4

    def test_the_dice_of_the_round_before_are_no_throw(self) -> None:
        table = Table()
        table.see([], 4, THROWN)
        table.see(hand("house", HOUSE), 5, THROWN)
        assert table.see(discards(4), 6, THROWN).throw is None or table.watch.seen.over
        table.see(discards(4), 2, THROWN)
        table.see(discards(4), 8)
        one_misread = [die(4, 0), *THROWN[1:]]
        for dice in (THROWN, one_misread):
            assert table.see(discards(4), 8, dice).throw is None

    def test_dice_that_fall_where_those_of_the_round_before_lay_are_a_throw_if_they_show_otherwise(self) -> None:
        table = _after_a_round()
        throw = table.see(discards(4), 8, [die(6, 0), die(4, 60), die(1, 120, cocked=True), THROWN[3]]).throw
        assert throw is not None
        assert [(each.value, each.cocked) for each in throw.dice] == [(6, False), (4, False), (1, True), (2, False)]

    def test_a_leaning_die_and_another_value_show_that_dice_fell_where_others_lay(self) -> None:
        table = _after_a_round()
        leaning = die(1, 120, cocked=True)
        # Of a flat die the light may say now this, now that.
        assert table.see(discards(4), 8, [*THROWN[:2], leaning, THROWN[3]]).throw is None
        table.see(discards(4), 8)
        throw = table.see(discards(4), 8, [die(6, 0), THROWN[1], leaning, THROWN[3]]).throw
        assert throw is not None
        assert "cocked_die" in {finding.code for finding in table.watch.seen.findings}

    def test_a_die_that_may_lie_flat_keeps_a_throw_from_being_verified_and_alarms_nobody(self) -> None:
        table = Table()
        seems = replace(die(6, 0, cocked=True), surely_cocked=False)
        seen = table.see([], 10, [seems, *THROWN[1:]])
        assert seen.throw is not None
        assert [(each.cocked, each.status) for each in seen.throw.dice][:2] == [
            (False, "uncertain"),
            (False, "verified"),
        ]
        assert not seen.findings
        table = Table()
        table.see([], 1, [die(6, 0), *THROWN[1:]])
        seen = table.see([], 8, [die(6, 0, cocked=True), *THROWN[1:]])
        assert seen.throw is not None
        assert not seen.throw.verified
        assert not seen.findings
        seen = Table().see([], 10, [die(6, 0, cocked=True), *THROWN[1:]])
        assert [finding.code for finding in seen.findings] == ["cocked_die"]


def test_closed_tiles_on_a_clear_table_are_the_next_rounds() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    assert not table.see([], 6).over
    assert table.see([*backs("house"), *backs("box2")]).over
    seen = table.see([*hand("house", BOX2), *hand("box2", HOUSE)], 5)
    assert (status(seen), status(seen, "box2")) == ("verified", "verified")
    assert not seen.findings


def test_a_hand_that_is_open_again_was_only_covered() -> None:
    table = Table()
    table.see(hand("house", HOUSE), 5)
    table.see([], 6)
    assert not table.see(hand("house", HOUSE), 5).over
    assert not table.see([*hand("house", HOUSE), *backs("box2")], 5).over


@pytest.mark.parametrize(("off_mm", "codes"), [(0.0, []), (2.0, []), (8.0, ["seen_again"])])
def test_a_hand_is_laid_again_only_if_it_lies_elsewhere_than_before(off_mm: float, codes: list[str]) -> None:
    """Fingers over a hand pass for the backs of its tiles now and then."""
    table = Table()
    first, *others = hand("box2", BOX2, off=off_mm / 4)
    assert first.center_mm is not None
    laid = [replace(first, center_mm=(first.center_mm[0] - off_mm, first.center_mm[1])), *others]
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    seen = table.see([*hand("house", HOUSE), *backs("box2")[:2]], 4)
    box = seen.hand("box2")
    assert box is not None
    assert box.away
    assert Phase.PUT_AWAY in [step.phase for step in seen.steps]
    seen = table.see([*hand("house", HOUSE), *laid], 12)
    box = seen.hand("box2")
    assert box is not None
    assert not box.away
    assert [finding.code for finding in seen.findings] == codes
    assert (Phase.PUT_AWAY in [step.phase for step in seen.steps]) == bool(codes)


def test_a_hand_that_is_still_being_set_is_not_laid_again() -> None:
    """Its tiles are turned one by one and pushed together under fingers that pass for backs."""
    table = Table()
    apart = hand("box2", BOX2, off=12.0)
    table.see([*hand("house", HOUSE), *apart[:3]], 3)
    table.see([*hand("house", HOUSE), *backs("box2")[:2]], 4)
    seen = table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    assert status(seen, "box2") == "verified"
    assert not seen.findings


def test_tiles_of_another_hand_on_the_discards_do_not_take_a_covered_one_away() -> None:
    table = Table()
    still_there = hand("box3", "6-5 1-1 5-1 3-2")
    table.see([*hand("house", HOUSE), *hand("box2", BOX2), *still_there], 5)
    for tiles in (still_there, [*discards(4), *still_there]):
        seen = table.see(tiles, 5)
        assert seen.moment in (Moment.FIRST_HAND_EXPOSED, None)
    seen = table.see([*hand("house", HOUSE), *discards(4), *still_there], 5)
    known = [seen.hand(place) for place in ("house", "box2")]
    assert [each.away for each in known if each is not None] == [False, True]
    assert not seen.findings


def test_a_hand_lost_from_sight_with_closed_ones_is_covered_though_nothing_lies_open() -> None:
    """Half the table is covered, and the only hand still in sight is put away."""
    table = Table()
    covered, seen_on = [*hand("house", HOUSE), *backs("box3")], hand("box2", BOX2)
    table.see([*covered, *seen_on], 5)
    table.see(seen_on, 5)
    seen = table.see(discards(4), 10)
    assert not seen.over
    assert not seen.hand("house").away  # type: ignore[union-attr]
    seen = table.see([*covered, *discards(4)], 5)
    assert [hand.place for hand in seen.hands] == ["house", "box2"]
    assert status(seen) == "verified"


def test_closed_tiles_end_no_round_before_every_open_hand_is_away() -> None:
    table = Table()
    table.see([*hand("house", HOUSE), *hand("box2", BOX2)], 5)
    table.see([], 6)
    assert not table.see(backs("box2"), 2).over


def test_hands_that_one_picture_shows_open_were_opened_in_their_order() -> None:
    seen = Table().see([*hand("box2", BOX2), *hand("house", HOUSE)], 5)
    assert [each.place for each in seen.hands] == ["house", "box2"]
    assert not seen.findings


def _after_a_round() -> Table:
    """A table whose round is over, the dice put under the cup."""
    table = Table()
    table.see([], 4, THROWN)
    table.see(hand("house", HOUSE), 5, THROWN)
    table.see(discards(4), 8, THROWN)
    table.see(discards(4), 8)
    return table


def _laid_out(off: float = 0.0) -> list[TileReading]:
    return [*hand("house", HOUSE, off=off), *hand("box2", BOX2, off=off)]


def test_a_knocked_camera_verifies_nothing_and_says_why() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    seen = table.see([*_laid_out(8.0), *hand("box3", "6-2 5-4 3-3 2-2", off=8.0)], 12)
    assert table.watch.knocked
    assert [finding.code for finding in seen.findings] == ["camera_moved"]
    assert (status(seen), status(seen, "box2"), status(seen, "box3")) == ("verified", "verified", "uncertain")
    assert seen.hand("box3").now.doubts == (Finding(Code.KNOCKED),)  # type: ignore[union-attr]


def test_what_the_layout_contradicts_at_once_is_not_told_as_a_knock() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    seen = table.see(_laid_out(8.0), 2)
    assert table.watch.knocked
    assert not seen.findings
    table.watch.stands()
    assert not table.see(_laid_out(8.0), 12).findings


def test_a_pile_pushed_aside_is_no_knocked_camera() -> None:
    table = Table()
    table.see(discards(10), 5)
    seen = table.see(discards(10, 4.0), 5)
    assert not table.watch.knocked
    assert "camera_moved" not in [finding.code for finding in seen.findings]


def test_a_row_of_stacks_pushed_together_is_no_knocked_camera() -> None:
    table = Table()
    table.see([tile(None, "stacks", 28.0 * n, 0.0, 90.0) for n in range(8)], 5)
    seen = table.see([tile(None, "stacks", 27.0 * n, 0.0, 90.0) for n in range(8)], 5)
    assert not table.watch.knocked
    assert not seen.findings


def test_tiles_that_all_move_beside_discards_that_do_not_are_no_knocked_camera() -> None:
    table = Table()
    table.see([*_laid_out(), *discards(6)], 5)
    table.see([*_laid_out(4.0), *discards(6)], 1)
    assert not table.watch.knocked
    table = Table()
    table.see([*_laid_out(), *discards(6)], 5)
    table.see([*_laid_out(4.0), *discards(6, 4.0)], 1)
    assert table.watch.knocked


def test_a_camera_put_back_under_the_tiles_is_noticed_by_them() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    table.see(_laid_out(8.0), 5)
    assert status(table.see([*_laid_out(), *hand("box3", "6-2 5-4 3-3 2-2")], 6), "box3") == "verified"
    assert not table.watch.knocked


def test_a_camera_put_back_while_the_table_was_empty_is_told_by_the_layout() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    table.see(_laid_out(8.0), 5)
    table.see(discards(8), 12)
    table.see(hand("house", BOX2), 12)
    assert table.watch.knocked
    table.watch.stands()
    seen = table.see(hand("house", BOX2), 5)
    assert (table.watch.knocked, status(seen)) == (False, "verified")
