import math
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.table.places import Place
from engine.game.tiles import Tile
from vision.capture.images import Image
from vision.draw.overlay import draw_reading
from vision.draw.primitives import AMBER, CARD, GREEN, RED, STRIP, ideal_face, put_face, text_width, wrap
from vision.draw.tile_card import HandCaption
from vision.reading import DieReading, HandReading, Reading, TileReading

FELT = (60, 110, 30)
SIZE = (900, 600)


def felt(size: tuple[int, int] = SIZE) -> Image:
    return np.full((size[1], size[0], 3), FELT, np.uint8)


def upright(face: str | None, x: float, y: float, **changes: Any) -> TileReading:  # noqa: ANN401 - any field
    outline = ((x, y), (x + 24, y), (x + 24, y + 60), (x, y + 60))
    tile = None if face is None else Tile.parse(face)
    return replace(TileReading(tile, face is not None, outline, 0.99, None, "verified"), **changes)


def lying(face: str, x: float, y: float) -> TileReading:
    outline = ((x + 60, y), (x + 60, y + 24), (x, y + 24), (x, y))
    return TileReading(Tile.parse(face), True, outline, 0.99, None, "verified")  # noqa: FBT003


HAND_TILES = (upright("6-1", 300, 300), upright("5-3", 326, 300), lying("6-6", 360, 305), lying("6-3", 360, 331))
HAND = HandReading(
    Place.parse("hand1"), (Tile.parse("6-1"), Tile.parse("5-3")), (Tile.parse("6-6"), Tile.parse("6-3")), "verified"
)
DIE = DieReading(4, "cut", "red", False, ((700, 400), (720, 400), (720, 420), (700, 420)), 0.9, "verified")  # noqa: FBT003


def reading(**changes: Any) -> Reading:  # noqa: ANN401 - any field
    empty = Reading("a.jpg", SIZE, False, True, (), (), (), (), {}, {})  # noqa: FBT003
    return replace(empty, **changes)


def pixels_of(image: Image, colour: tuple[int, int, int]) -> int:
    return int((np.abs(image.astype(int) - colour).max(axis=2) <= 3).sum())


def picture_part(drawn: Image, before: Image) -> Image:
    return drawn[drawn.shape[0] - before.shape[0] :]


def test_an_empty_reading_leaves_the_picture_as_it_is() -> None:
    before = felt()
    drawn = draw_reading(before, reading())
    assert np.array_equal(picture_part(drawn, before), before)
    assert drawn.shape[0] > before.shape[0]
    assert drawn.shape[1] == before.shape[1]
    assert pixels_of(drawn[: drawn.shape[0] - before.shape[0]], STRIP) > 0.5 * SIZE[0] * 30


def test_the_picture_handed_in_is_not_changed() -> None:
    before = felt()
    draw_reading(before, reading(tiles=HAND_TILES, hands=(HAND,), dice=(DIE,)))
    assert np.array_equal(before, felt())


@pytest.mark.parametrize(("status", "colour", "other"), [("verified", GREEN, AMBER), ("uncertain", AMBER, GREEN)])
def test_the_colour_says_what_is_certain(status: str, colour: Any, other: Any) -> None:  # noqa: ANN401
    found = reading(tiles=(upright("6-5", 400, 300, status=status, runner_up=Tile.parse("6-4")),))
    drawn = picture_part(draw_reading(felt(), found), felt())
    assert pixels_of(drawn, colour) > 100
    assert pixels_of(drawn, other) == 0


def test_no_card_covers_a_tile_or_a_die_where_there_is_room() -> None:
    before = felt()
    found = reading(tiles=(*HAND_TILES, upright("2-1", 80, 80)), dice=(DIE,), hands=(HAND,))
    drawn = picture_part(draw_reading(before, found), before)
    for outline in [tile.polygon for tile in found.tiles] + [die.polygon for die in found.dice]:
        x, y = np.array(outline).mean(axis=0)
        inside = drawn[round(y) - 6 : round(y) + 7, round(x) - 6 : round(x) + 7]
        assert (inside == FELT).all()


def test_a_verdict_is_written_in_its_tone() -> None:
    found = reading(tiles=HAND_TILES, hands=(HAND,))
    without = draw_reading(felt(), found)
    wrong = draw_reading(felt(), found, {"hand1": HandCaption("House Way: wrong", "bad")})
    assert pixels_of(without, RED) == 0
    assert pixels_of(wrong, RED) > 30
    assert pixels_of(without, GREEN) > 30
    assert pixels_of(wrong, GREEN) < pixels_of(without, GREEN) / 4, "a wrong hand is not framed in green"


def test_findings_make_the_strip_taller_and_stand_in_amber() -> None:
    long = "6-3 is read twice but the set holds it once: " + "look at every hand again " * 8
    calm, alarmed = (draw_reading(felt(), reading(), notes=each) for each in ((), (long,)))
    assert alarmed.shape[0] > calm.shape[0] + 10
    assert pixels_of(alarmed, AMBER) > 30
    assert pixels_of(calm, AMBER) == 0


@pytest.mark.parametrize("size", [(32, 32), (250, 573), (2304, 1296), (6000, 200)])
def test_pictures_of_any_size_are_drawn_on(size: tuple[int, int]) -> None:
    width, height = size
    outline = ((-5.0, -5.0), (width + 5.0, -5.0), (width + 5.0, height + 5.0), (-5.0, height + 5.0))
    tiles = (upright("6-5", width / 2, height / 2), upright("2-2", -200, -200), upright(None, 1, 1))
    odd = replace(tiles[0], polygon=outline, face=None, status="uncertain")
    drawn = draw_reading(felt(size), reading(tiles=(*tiles, odd), dice=(replace(DIE, value=None, cocked=True),)))
    assert drawn.shape[1] == width
    assert drawn.dtype == np.uint8


@pytest.mark.parametrize("turned", [False, True])
def test_the_ideal_face_stands_the_way_the_tile_lies(*, turned: bool) -> None:
    """The outline may start at either end; the card shows the larger count where the picture has it."""
    before = felt()
    put_face(before, Tile.parse("6-1"), (412, 330), 60, math.pi if turned else 0.0)
    tile = upright("6-1", 400, 300)
    starts = [tile.polygon, (*tile.polygon[2:], *tile.polygon[:2])]
    one, other = (draw_reading(before, reading(tiles=(replace(tile, polygon=each),))) for each in starts)
    assert int((np.abs(one.astype(int) - other) > 40).sum()) == 0


def test_a_hand_whose_tiles_were_not_found_is_no_fault() -> None:
    assert draw_reading(felt(), reading(hands=(HAND,), tiles=HAND_TILES[:3])).shape[1] == SIZE[0]


@pytest.mark.parametrize("face", list(Tile))
def test_an_ideal_face_has_its_pips(face: Tile) -> None:
    sprite = ideal_face(face)
    pips = (sprite.max(axis=2) > 150).astype(np.uint8)
    assert cv2.connectedComponents(pips)[0] - 1 == sum(face.halves)


def test_text_is_broken_between_words() -> None:
    lines = wrap("one two three four five six seven", 14, 80)
    assert len(lines) > 1
    assert " ".join(lines) == "one two three four five six seven"
    assert all(text_width(line, 14) <= 80 for line in lines)
    assert wrap("", 14, 80) == ()
    assert wrap("incomprehensibilities", 14, 10) == ("incomprehensibilities",)


def test_a_card_is_seen() -> None:
    drawn = draw_reading(felt(), reading(tiles=(upright("6-5", 400, 300),)))
    dark = np.abs(drawn.astype(int) - np.array(CARD)).max(axis=2) < 12
    assert dark.sum() > 300
