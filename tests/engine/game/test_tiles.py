"""Tiles, their written form and the set."""

from collections import Counter

import pytest

from engine.errors import TileError
from engine.game.tiles import FULL_SET, Kind, Tile, readings_of


def test_the_set_holds_32_tiles_of_21_faces_and_two_of_every_rank() -> None:
    """crown-6.1 2.3; nz-1998 3.3(a), 3.3(a)(i); star-2024 3.1; star-classic 3.1; uk-poster point 1."""
    assert (len(FULL_SET), len(set(FULL_SET)), len(Tile)) == (32, 21, 21)
    assert set(Counter(tile.kind for tile in FULL_SET).values()) == {2}
    assert len(Kind) == 16


def test_faces_come_in_rank_order() -> None:
    """crown-6.1 3.4, Appendix 1: Individual; nz-1998 4.3, Appendix 3; uk-poster Ranking chart."""
    kinds = [tile.kind for tile in Tile]
    assert kinds == sorted(kinds)
    assert [tile.index for tile in Tile] == list(range(21))


def test_the_whole_set_bears_227_pips() -> None:
    assert sum(tile.points for tile in FULL_SET) == 227


@pytest.mark.parametrize(
    ("names", "deals"),
    [
        ("teen day 9 8", ["6-6 1-1 6-3 4-4", "6-6 1-1 6-3 6-2"]),
        ("Teen H10 low-8 eleven", ["6-6 5-5 6-2 6-5"]),
        ("nine nine gee gee-jun", ["6-3 5-4 4-2 2-1"]),
        ("5-6 66 l4 5", ["6-5 6-6 2-2 4-1"]),
        ("4 6 7 10", [f"{a} {b} {c} {d}" for a in ("3-1", "2-2") for b in ("3-3", "5-1") for c in ("6-1", "5-2")
                      for d in ("5-5", "6-4")]),
    ],
)  # fmt: skip
def test_tiles_are_read_by_name(names: str, deals: list[str]) -> None:
    assert [" ".join(map(str, tiles)) for tiles in readings_of(names.split())] == deals


@pytest.mark.parametrize("name", ["ten day", "h9", "3", "twelve", "", "7-1"])
def test_a_word_that_names_no_tile_is_refused(name: str) -> None:
    with pytest.raises(TileError):
        readings_of([name])


@pytest.mark.parametrize("tile", Tile, ids=str)
def test_the_written_form_reads_back(tile: Tile) -> None:
    larger, smaller = tile.halves
    assert larger >= smaller
    for text in (str(tile), f"{smaller}-{larger}", f"{larger}{smaller}", f" {smaller}{larger} "):
        assert Tile.parse(text) is tile


@pytest.mark.parametrize(
    ("text", "part"),
    [
        pytest.param("7-1", "each half bears 1 to 6 pips, not 7", id="seven-pips"),
        pytest.param("0-6", "each half bears 1 to 6 pips, not 0", id="blank-half"),
        pytest.param("6", "write the pips of its two halves", id="one-half"),
        pytest.param("", "write the pips of its two halves", id="empty"),
        pytest.param("teen", "write the pips of its two halves", id="a-name"),
        pytest.param("6-5-4", "write the pips of its two halves", id="three-halves"),
        pytest.param("٦-٥", "write the pips of its two halves", id="other-digits"),  # noqa: RUF001 - on purpose
    ],
)
def test_a_bad_name_is_refused_in_plain_words(text: str, part: str) -> None:
    with pytest.raises(TileError, match=part):
        Tile.parse(text)
