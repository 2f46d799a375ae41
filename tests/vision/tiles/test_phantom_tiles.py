"""Two equal tiles side by side show a third between them; where it is taken for one, it is not believed."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.vision import drawn
from vision.crops import tile_crops
from vision.tiles.faces import FACE_NAMES, Maker, pips_of
from vision.tiles.phantom_tiles import PAIRED_FACES, phantom_tiles
from vision.tiles.pips import PipReading, read_tiles

COLUMN_FACES = sorted(map(str, PAIRED_FACES))
COLOURS = {"bright": drawn.BLACK, "dark red": drawn.DARK_RED, "ivory": drawn.IVORY}
MAKERS = {"large pips": Maker(), "small pips": Maker(style="small")}
WIDTH, LENGTH = 32, 80


def picture(faces: list[str], maker: Maker, colours: dict[str, tuple[int, int, int]]) -> NDArray[np.uint8]:
    """Tiles side by side on felt, the first with its upper left corner at (60, 40); a pixel is one of a crop."""
    felt = np.full((160, 60 + WIDTH * len(faces) + 60, 3), colours["felt"], np.uint8)
    for column, face in enumerate(faces):
        crop = drawn.tile(pips_of(face, maker), colours, rng=np.random.default_rng(column))
        felt[40 : 40 + LENGTH, 60 + WIDTH * column : 60 + WIDTH * (column + 1)] = crop[8:-8, 8:-8]
    return felt


def outlines(*columns: float) -> NDArray[np.float32]:
    """Outlines of tiles at distances from the first, in widths."""
    corners = np.array([(59.5, 39.5), (WIDTH + 59.5, 39.5), (WIDTH + 59.5, LENGTH + 39.5), (59.5, LENGTH + 39.5)])
    right = np.array([(WIDTH * column, 0.0) for column in columns])
    return np.asarray(corners + right[:, None], np.float32)


def doubted(image: NDArray[np.uint8], quads: NDArray[np.float32]) -> tuple[set[int], list[PipReading]]:
    """Which tiles may be halves of two others, and what is read of each."""
    read = read_tiles(tile_crops(image, quads))
    return phantom_tiles(image, quads, np.ones(len(quads), np.bool_), read), read


@pytest.mark.parametrize("colours", COLOURS.values(), ids=COLOURS)
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("face", ["4-4", "2-2"])
def test_a_tile_between_two_equal_ones_is_a_phantom(
    face: str, maker: Maker, colours: dict[str, tuple[int, int, int]]
) -> None:
    image = picture([face, face], maker, colours)
    found, (between,) = doubted(image, outlines(0.5))
    assert str(between.face) == face, "the test shows what it should"
    assert found == {0}


@pytest.mark.parametrize("colours", COLOURS.values(), ids=COLOURS)
@pytest.mark.parametrize("maker", MAKERS.values(), ids=MAKERS)
@pytest.mark.parametrize("face", FACE_NAMES)
def test_tiles_alone_or_side_by_side_are_no_phantoms(
    face: str, maker: Maker, colours: dict[str, tuple[int, int, int]]
) -> None:
    assert doubted(picture([face], maker, colours), outlines(0))[0] == set()
    assert doubted(picture([face, face], maker, colours), outlines(0, 1))[0] == set()


def test_faces_with_a_middle_pip_are_no_phantoms() -> None:
    for face in FACE_NAMES:
        middles = [pip for pip in pips_of(face, Maker()) if abs(pip.v - 0.5) < 0.1]
        assert (face in COLUMN_FACES) == (not middles)


def test_a_tile_face_down_is_no_phantom() -> None:
    image, quads = picture(["4-4", "4-4"], Maker(), drawn.BLACK), outlines(0.5)
    assert phantom_tiles(image, quads, np.zeros(1, np.bool_), read_tiles(tile_crops(image, quads))) == set()
