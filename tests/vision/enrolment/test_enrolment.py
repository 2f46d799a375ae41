"""A table's own tiles: likeness, judgement, learning from a display, the file. All on drawn crops, no network."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from engine.game.tiles import FULL_SET, Tile
from tests.vision import drawn
from tests.vision.enrolment.test_display_check import faces
from vision.enrolment.enrolment import Enrolment, OwnBacks, OwnLimits, OwnTile, judged
from vision.enrolment.enrolment_file import EnrolmentError, load_enrolment, save_enrolment
from vision.enrolment.likeness import Likeness, Reference, likeness
from vision.findings import Code, Finding
from vision.tiles.faces import Maker, pips_of
from vision.tiles.set_decoding import Named
from vision.verification import BackEvidence, TileEvidence

FELT = (60.0, 110.0, 20.0)
BACK = (40, 40, 120)
PHOTO = Maker(style="photo")


def crop(face: Tile, seed: int, **more: object) -> NDArray[np.uint8]:
    return drawn.tile(pips_of(str(face), PHOTO), rng=np.random.default_rng(seed), **more)  # type: ignore[arg-type]


def spread(picture: NDArray[np.uint8], by: float) -> NDArray[np.uint8]:
    """The same with everything on it larger by a factor, like the wider pips of another maker."""
    matrix = cv2.getRotationMatrix2D((23.5, 47.5), 0, 1 + by)
    return np.asarray(cv2.warpAffine(picture, matrix, (48, 96), borderMode=cv2.BORDER_REPLICATE), np.uint8)


def plain(colour: tuple[float, float, float], seed: int = 0) -> NDArray[np.uint8]:
    noise = np.random.default_rng(seed).normal(0, 2, (96, 48, 3))
    return np.clip(np.array(colour) + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def own() -> Enrolment:
    tiles = tuple(OwnTile.of(face, crop(face, number)) for number, face in enumerate(faces()))
    backs = OwnBacks(np.stack([plain(BACK, 1), plain(BACK, 2)]), (), tuple(map(float, BACK)))  # type: ignore[arg-type]
    return Enrolment(tiles, FELT, 0.3, "singly", 3, None, backs, OwnLimits(0.0055, 0.05))


@pytest.mark.parametrize("face", Tile, ids=str)
def test_a_tile_is_its_own_turned_moved_dimmed_and_hazed(face: Tile, own: Enrolment) -> None:
    seen = crop(face, 99, turned=True).astype(np.float32)
    hazed = np.clip(np.roll(seen, (2, -1), (0, 1)) * 0.6 + 40, 0, 255).astype(np.uint8)
    assert judged(own.likeness(hazed, face)) == "own"


@pytest.mark.parametrize("face", [Tile.TEEN, Tile.ELEVEN, Tile.NINE_54, Tile.HIGH_8, Tile.LOW_4], ids=str)
def test_another_makers_tile_is_recognised(face: Tile, own: Enrolment) -> None:
    wider = own.likeness(spread(crop(face, 99), 0.04), face)
    assert wider.stretch == pytest.approx(-0.04, abs=0.01) or wider.stretch == pytest.approx(0.04, abs=0.01)
    assert judged(wider) != "own"
    if face is not Tile.HIGH_8:  # all red: in red less green it looks alike on any body
        assert judged(own.likeness(crop(face, 99, colours=drawn.IVORY), face)) == "foreign"


@pytest.mark.parametrize("face", [Tile.TEEN, Tile.ELEVEN, Tile.HIGH_10], ids=str)
def test_a_tile_with_a_pip_gone_is_not_quite_its_own(face: Tile, own: Enrolment) -> None:
    whole = own.likeness(crop(face, 99), face)
    assert own.likeness(crop(face, 99, missing=[0]), face).match < whole.match - 0.02


def test_no_face_passes_for_another(own: Enrolment) -> None:
    for face in Tile:
        seen = crop(face, 99)
        assert max(own.likeness(seen, other).match for other in list(Tile)[::4] if other is not face) < 0.95


def test_a_reference_matches_itself_either_way_round() -> None:
    one = crop(Tile.SEVEN_52, 1)
    for seen in (one, one[::-1, ::-1].copy()):
        found = likeness(seen, [Reference.of(one)])
        assert found.match > 0.999
        assert abs(found.stretch) < 1e-3


@pytest.mark.parametrize("light", [(1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (0.8, 1.0, 1.25)])
def test_backs_are_distinguished_from_felt_in_any_light(light: tuple[float, float, float], own: Enrolment) -> None:
    def lit(colour: tuple[float, float, float]) -> tuple[float, float, float]:
        blue, green, red = (each * gain for each, gain in zip(colour, light, strict=True))
        return blue, green, red

    assert own.own_back(plain(lit((40, 40, 120))), lit(FELT))
    assert not own.own_back(plain(lit(FELT)), lit(FELT))
    assert not own.own_back(plain(lit((150, 40, 20))), lit(FELT))


def test_what_is_not_enrolled_is_not_held_against_anything(own: Enrolment) -> None:
    assert replace(own, backs=None).own_back(plain(FELT), FELT)


def test_what_is_unlike_is_doubted_and_what_is_foreign_reported() -> None:
    pips = drawn.read_tile(crop(Tile.TEEN, 5))
    named = Named(Tile.TEEN, -0.001, Tile.DAY, 9.0, contradicted=False)
    sure = TileEvidence(0.9, named, 0.999, pips, ())
    assert (sure.doubts(), sure.foreign) == ((), False)
    assert replace(sure, own="own").doubts() == ()
    assert replace(sure, own="unlike").doubts() == (Finding.of(Code.NOT_OWN_TILE, face="6-6"),)
    assert not replace(sure, own="unlike").foreign
    assert replace(sure, own="foreign").foreign
    assert not replace(sure, own="foreign", faults=(Finding(Code.OUTSIDE_PICTURE),)).foreign
    back = BackEvidence(
        0.9, 0.0, alone=False, unknown=0.99, grey=60, light=200, pips=drawn.read_tile(plain(BACK)), faults=()
    )
    assert back.doubts() == ()
    assert replace(back, own=False).doubts() == (Finding(Code.BACK_NOT_OWN),)


@pytest.mark.parametrize(
    ("seen", "limits"),
    [
        pytest.param([], OwnLimits(), id="one picture"),
        pytest.param([Likeness(0.99, -0.0005, 0.002)], OwnLimits(0.004, 0.025), id="good light"),
        pytest.param([Likeness(0.99, 0.0, 0.0), Likeness(0.98, -0.0015, 0.01)], OwnLimits(0.0045, 0.03), id="middling"),
        pytest.param([Likeness(0.9, 0.01, 0.1)], OwnLimits(), id="noise"),
    ],
)
def test_limits_follow_what_pictures_of_one_tile_differ_by(seen: list[Likeness], limits: OwnLimits) -> None:
    found = OwnLimits.of(seen)
    assert (found.stretch, found.gain) == pytest.approx((limits.stretch, limits.gain))
    assert judged(Likeness(0.95, 0.005, 0.05), limits) == ("own" if limits == OwnLimits() else "unlike")


def test_an_enrolment_reads_back_and_the_one_it_replaces_is_kept(tmp_path: Path, own: Enrolment) -> None:
    path = tmp_path / "own.json"
    written = save_enrolment(path, own)
    found = load_enrolment(path)
    assert found.seal == written.seal
    assert found.version == f"sha256:{json.loads(path.read_text())['sha256']}"
    assert [tile.face for tile in found.tiles] == [tile.face for tile in own.tiles]
    assert all(np.array_equal(a.crop, b.crop) for a, b in zip(found.tiles, own.tiles, strict=True))
    assert (found.felt, found.sharpness) == (own.felt, own.sharpness)
    assert found.limits == own.limits != OwnLimits()
    assert found.backs is not None
    assert (len(found.backs.crops), found.backs.colour, found.backs.references) == (2, BACK, ())
    save_enrolment(path, replace(own, sharpness=0.4))
    (kept,) = (tmp_path / "history").iterdir()
    assert json.loads(kept.read_text())["sharpness"] == 0.3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data | {"sharpness": 0.9}, "changed by hand"),
        (lambda data: data | {"format": "houseway-calibration"}, "expected 'houseway-enrolment'"),
        (lambda data: data | {"version": 2}, "reads version 1"),
    ],
)
def test_a_file_that_is_not_as_written_is_refused(
    tmp_path: Path, own: Enrolment, change: Callable[[dict[str, object]], dict[str, object]], message: str
) -> None:
    path = tmp_path / "own.json"
    save_enrolment(path, own)
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(EnrolmentError, match=message):
        load_enrolment(path)


def test_pictures_that_are_gone_or_others_are_refused(tmp_path: Path, own: Enrolment) -> None:
    path = tmp_path / "own.json"
    save_enrolment(path, own)
    (sheet,) = tmp_path.glob("*.png")
    data = sheet.read_bytes()
    sheet.write_bytes(data[:-20])
    with pytest.raises(EnrolmentError, match="not the pictures that were enrolled"):
        load_enrolment(path)
    sheet.unlink()
    with pytest.raises(EnrolmentError, match="cannot be read"):
        load_enrolment(path)
    with pytest.raises(EnrolmentError, match="no such enrolment"):
        load_enrolment(tmp_path / "other.json")
    assert len(FULL_SET) == len(own.tiles)
