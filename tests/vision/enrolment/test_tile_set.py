"""Votes of tiles on their set: own tiles never add up, an exchanged hand does, one doubtful tile does not."""

from dataclasses import replace

import numpy as np
import pytest

from engine.game.tiles import Tile
from tests.vision.tracking.laid_tables import hand
from vision.enrolment.tile_set import CHANCES, LOOKS, TileSetWatch
from vision.reading import TileReading, Verdict
from vision.tracking.tracks.tile_tracks import Spot, Track

HANDS = ("6-3 5-3 6-6 6-1", "1-1 4-3 4-4 5-5", "3-3 3-2 2-1 4-2")


def lying(number: int, tile: TileReading, verdict: Verdict | None) -> Track:
    spot = Spot(0.0, 0.0, 0.0, replace(tile, own=verdict))
    return Track(number, 1, spot, spot, 0.0, 1.0, pictures=5)


def shown(faces: str, verdicts: list[Verdict | None], first: int = 1) -> list[Track]:
    return [
        lying(first + n, tile, verdict)
        for n, (tile, verdict) in enumerate(zip(hand("house", faces), verdicts, strict=True))
    ]


def test_the_chances_are_of_all_that_can_be() -> None:
    assert [sum(pair[n] for pair in CHANCES.values()) for n in (0, 1)] == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("verdicts", "exchanged"),
    [
        pytest.param(["own"] * 4, False, id="own"),
        pytest.param(["unlike"] * 4, True, id="a hand of another set"),
        pytest.param(["foreign", "foreign", "own", "own"], False, id="two foreign"),
        pytest.param(["own", "foreign", "foreign", "foreign"], True, id="three foreign"),
        pytest.param(["unlike", "own", "own", "own"], False, id="one dirty tile"),
        pytest.param([None] * 4, False, id="nothing to go by"),
    ],
)
def test_a_hand_is_judged_once_it_has_been_seen_often_enough(
    verdicts: list[Verdict | None], *, exchanged: bool
) -> None:
    watch = TileSetWatch()
    for _ in range(LOOKS - 1):
        watch.see(shown(HANDS[0], verdicts))
        assert not watch.exchanged
    for _ in range(50):
        watch.see(shown(HANDS[0], verdicts))
        assert watch.exchanged is exchanged
    watch.restart()
    assert (watch.total, watch.unlike) == (0.0, ())


def test_the_middle_look_counts() -> None:
    watch = TileSetWatch()
    for verdict in ("own", "unlike", "own"):
        watch.see(shown(HANDS[0], [verdict] * 4))
    assert watch.total == 0


def test_tiles_of_an_exchanged_set_are_named() -> None:
    watch = TileSetWatch()
    for _ in range(LOOKS):
        watch.see(shown(HANDS[1], ["unlike"] * 4))
    assert set(watch.unlike) == {Tile.parse(face) for face in HANDS[1].split()}


def test_own_tiles_hardly_ever_add_up() -> None:
    rng = np.random.default_rng(1)
    verdicts: list[Verdict] = list(CHANCES)
    alarms = 0
    for table in range(40):
        watch = TileSetWatch()
        for number, verdict in enumerate(rng.choice(len(verdicts), 300, p=[each[1] for each in CHANCES.values()])):
            tile = hand("house", HANDS[table % 3])[number % 4]
            for _ in range(LOOKS):
                watch.see([lying(number, tile, verdicts[verdict])])
        alarms += watch.exchanged
    assert alarms == 0
