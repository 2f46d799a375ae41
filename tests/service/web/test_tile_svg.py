"""Tile pictures of the page."""

from collections.abc import Callable
from xml.etree import ElementTree as ET

import pytest

from engine.game.tiles import Tile
from service.web.tile_svg import tile_svg, tile_symbols, tile_use


@pytest.mark.parametrize("tile", list(Tile), ids=str)
@pytest.mark.parametrize("lying", [False, True], ids=["upright", "lying"])
def test_every_face_has_its_pips_and_its_name(tile: Tile, lying: bool) -> None:  # noqa: FBT001
    drawn = ET.fromstring(tile_svg(str(tile), lying=lying))  # noqa: S314  our own drawing
    assert drawn.get("aria-label") == str(tile)
    assert len(list(drawn.iter("circle"))) == sum(tile.halves)
    _, _, width, height = map(float, (drawn.get("viewBox") or "").split())
    assert (width > height) == lying


def test_ones_and_fours_are_red() -> None:
    def red(face: str) -> int:
        return tile_svg(face).count("pip red")

    assert [red("4-1"), red("6-5"), red("6-6"), red("6-4")] == [5, 0, 6, 4]


@pytest.mark.parametrize("draw", [tile_svg, tile_use])
def test_there_is_no_other_face(draw: Callable[[str], str]) -> None:
    with pytest.raises(KeyError):
        draw("7-7")


@pytest.mark.parametrize("lying", [False, True], ids=["upright", "lying"])
def test_a_tile_in_use_is_the_tile_drawn(lying: bool) -> None:  # noqa: FBT001
    symbols = ET.fromstring(tile_symbols())  # noqa: S314  our own drawing
    faces = {each.get("id"): each for each in symbols.iter("g")}
    assert set(faces) == {f"tile-{tile}" for tile in Tile}
    for tile in Tile:
        used = str(tile_use(str(tile), lying=lying))
        face = faces[f"tile-{tile}"]
        inside = "".join(ET.tostring(part, encoding="unicode") for part in face).replace(" />", "/>")
        assert used.replace(f'<use href="#tile-{tile}"/>', inside) == tile_svg(str(tile), lying=lying)
