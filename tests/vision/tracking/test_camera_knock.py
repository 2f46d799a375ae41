"""A knocked camera: what shows it, what only looks like it, and what settles it."""

from calibration.table.places import Place
from tests.vision.tracking.laid_tables import BOX2, HOUSE, Table, discards, hand, status, tile
from vision.findings import Code, Finding
from vision.reading import TileReading


def _laid_out(off: float = 0.0) -> list[TileReading]:
    return [*hand("house", HOUSE, off=off), *hand("box2", BOX2, off=off)]


def test_a_knocked_camera_verifies_nothing_and_says_why() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    seen = table.see([*_laid_out(8.0), *hand("box3", "6-2 5-4 3-3 2-2", off=8.0)], 12)
    assert table.watch.knocked
    assert [finding.code for finding in seen.findings] == ["camera_moved"]
    assert (status(seen), status(seen, "box2"), status(seen, "box3")) == ("verified", "verified", "uncertain")
    assert seen.hand(Place.parse("box3")).now.doubts == (Finding(Code.KNOCKED),)  # type: ignore[union-attr]


def test_a_knock_the_layout_contradicts_is_not_reported() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    seen = table.see(_laid_out(8.0), 2)
    assert table.watch.knocked
    assert not seen.findings
    table.watch.confirm_in_place()
    assert not table.see(_laid_out(8.0), 12).findings


def test_a_pile_pushed_aside_is_no_knocked_camera() -> None:
    table = Table()
    table.see(discards(10), 5)
    seen = table.see(discards(10, 4.0), 5)
    assert not table.watch.knocked
    assert "camera_moved" not in [finding.code for finding in seen.findings]


def test_a_row_of_stacks_pushed_together_is_no_knocked_camera() -> None:
    table = Table()
    table.see([tile(None, None, 28.0 * n, 0.0, 90.0) for n in range(8)], 5)
    seen = table.see([tile(None, None, 27.0 * n, 0.0, 90.0) for n in range(8)], 5)
    assert not table.watch.knocked
    assert not seen.findings


def test_unmoved_discards_tell_pushed_tiles_from_a_knock() -> None:
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


def test_only_the_layout_shows_a_camera_put_back_unseen() -> None:
    table = Table()
    table.see(_laid_out(), 5)
    table.see(_laid_out(8.0), 5)
    table.see(discards(8), 12)
    table.see(hand("house", BOX2), 12)
    assert table.watch.knocked
    table.watch.confirm_in_place()
    seen = table.see(hand("house", BOX2), 5)
    assert (table.watch.knocked, status(seen)) == (False, "verified")
