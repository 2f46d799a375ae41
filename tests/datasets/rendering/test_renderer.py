"""The renderer and its labels: what is drawn is what the label says."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.generate import save
from datasets.labels.label_files import read_labels
from datasets.labels.labels import READABLE_CONTRAST, DieLabel, OtherLabel, TileLabel
from datasets.rendering.dice import die_corners
from datasets.rendering.projected import project
from datasets.rendering.renderer import render
from datasets.rendering.textures import FACES_OF_A_DIE, die_face, die_pips
from datasets.rendering.tiles import tile_frame
from datasets.scenes.sampling import SET_FACES, die, die_style, prop, upon
from datasets.scenes.scene import TILE_HEIGHT_MM, TILE_LENGTH_MM, TILE_WIDTH_MM, Capture, DieObject, Scene, TileObject
from datasets.scenes.whole_table import table
from datasets.scenes.windows import window
from engine.game.tiles import FULL_SET, Tile


def tiles_of(scene: Scene, *tiles: TileObject) -> Scene:
    return replace(scene, tiles=tiles, dice=(), props=(), capture=Capture(), light_slope=(0.0, 0.0), seed=0)


def photo_scene() -> Scene:
    """A window of black tiles with large pips, seen from straight above."""
    for seed in range(200):
        scene = window(np.random.default_rng(seed), 384)
        tile_set = scene.tile_set
        foot = scene.camera.position_mm
        black = max(tile_set.body) < 0.02 and tile_set.maker.style == "photo"
        if scene.tiles and scene.ground == "felt" and black and np.hypot(*foot[:2]) < 300:
            return scene
    raise AssertionError("no such window among the first 200")


def test_the_same_seed_draws_the_same_picture_and_labels() -> None:
    first, second = (render(window(rng, 128), rng) for rng in (np.random.default_rng(3), np.random.default_rng(3)))
    assert np.array_equal(first.image, second.image)
    assert first.objects == second.objects
    other = np.random.default_rng(4)
    assert not np.array_equal(first.image, render(window(other, 128), other).image)


def test_no_window_holds_a_face_more_often_than_the_set_does() -> None:
    assert Counter(SET_FACES) == Counter(str(tile) for tile in FULL_SET)
    for seed in range(60):
        count = Counter(tile.face for tile in window(np.random.default_rng(seed), 384).tiles)
        assert all(n <= Tile.parse(face).copies for face, n in count.items())


def test_labels_read_back(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    scene = window(rng, 384)
    drawn = render(scene, rng)
    save(tmp_path, "one", scene, drawn, (11,))
    labels = read_labels(tmp_path / "one.json")
    assert labels.size == (384, 384)
    assert [tile.face for tile in labels.tiles] == [o.face for o in drawn.objects if isinstance(o, TileLabel)]
    assert len(labels.dice) == len(scene.dice)
    picture = cv2.imread(str(tmp_path / "one.jpg"))
    assert picture is not None
    assert picture.shape == (384, 384, 3)


def test_a_lone_tile_is_wholly_visible_and_a_covered_one_is_not() -> None:
    scene = photo_scene()
    under = TileObject("6-5", face_up=True, x_mm=0, y_mm=0, angle=0.3)
    over = TileObject("2-1", face_up=True, x_mm=0, y_mm=0, angle=0.3, z_mm=9.5)
    beside = TileObject("5-5", face_up=True, x_mm=0, y_mm=60, angle=0.3)
    drawn = render(tiles_of(scene, under, over, beside), np.random.default_rng(0))
    shares = [o.visible for o in drawn.objects if isinstance(o, TileLabel)]
    assert shares[0] < 0.15
    assert shares[1:] == pytest.approx([1.0, 1.0], abs=0.02)


def test_dark_red_pips_differ_in_colour_and_hardly_in_grey() -> None:
    """Red pips as bright as a grey body in a grey picture: a person reads them, so they count as readable."""
    scene = photo_scene()
    as_bright = replace(scene.tile_set, body=(0.05, 0.05, 0.05), pip_red=(0.02, 0.018, 0.2), cone=0.0, pip_gloss=0.0)
    tile = TileObject("1-1", face_up=True, x_mm=0, y_mm=0, angle=0.3)
    white = TileObject("2-2", face_up=True, x_mm=0, y_mm=60, angle=0.3)
    drawn = render(replace(tiles_of(scene, tile, white), tile_set=as_bright), np.random.default_rng(0))
    red, plain = (o for o in drawn.objects if isinstance(o, TileLabel))
    assert red.pip_contrast_min is not None
    assert red.pip_colour_contrast_min is not None
    assert red.pip_contrast_min < READABLE_CONTRAST < red.pip_colour_contrast_min
    assert red.readable
    assert plain.pip_colour_contrast_min == pytest.approx(plain.pip_contrast_min, rel=0.15)


@pytest.mark.parametrize("face", ["6-6", "1-1", "6-4", "5-3", "2-1", "3-2"])
def test_red_and_plain_pips_are_where_the_layout_says(face: str) -> None:
    """Counts the blobs of a drawn face, upright, by colour: no knowledge of the layout is used."""
    scene = photo_scene()
    tile = TileObject(face, face_up=True, x_mm=0, y_mm=0, angle=0.0)
    camera = scene.camera
    k = camera.k.copy()
    k[:2] *= 5
    w, h = 640, 320
    k[:2, 2] += np.array([w / 2, h / 2]) - (k @ (camera.r @ [0, 0, 9.5] + camera.t) / (camera.t[2]))[:2]
    scene = replace(tiles_of(scene, tile), camera=replace(camera, k=k, size=(w, h)))
    drawn = render(scene, np.random.default_rng(0))
    corners = np.array(next(o.polygon for o in drawn.objects if isinstance(o, TileLabel)), np.float32)
    matrix = cv2.getPerspectiveTransform(corners, np.array([[0, 100], [0, 0], [250, 0], [250, 100]], np.float32))
    flat = cv2.warpPerspective(drawn.image, matrix, (250, 100)).astype(int)[6:-6, 6:-6]
    red = (flat[..., 2] > 60) & (flat[..., 2] > flat[..., 1] * 2)
    plain = flat[..., 1] > 110

    def blobs(mask: NDArray[np.bool_]) -> int:
        count, _, stats, _ = cv2.connectedComponentsWithStats(
            cv2.erode(mask.astype(np.uint8), np.ones((5, 5), np.uint8))
        )
        return sum(stats[i, cv2.CC_STAT_AREA] > 60 for i in range(1, count))

    a, b = (int(half) for half in face.split("-"))
    reds = 6 if face == "6-6" else sum(half for half in (a, b) if half in (1, 4))
    assert (blobs(red), blobs(plain)) == (reds, a + b - reds)


def test_opposite_faces_add_to_seven_and_the_upper_one_is_named() -> None:
    by_normal = {normal: value for value, _, normal, _, _ in FACES_OF_A_DIE}
    assert all(value + by_normal[(-x, -y, -z)] == 7 for (x, y, z), value in by_normal.items())
    rng = np.random.default_rng(5)
    for _ in range(60):
        one: DieObject = die(rng, die_style(rng), 0, 0)
        heights = {v: float(die_corners(one, n, c, r).mean(0)[2]) for v, _, n, c, r in FACES_OF_A_DIE}
        assert max(heights, key=heights.__getitem__) == one.value


def test_dice_of_other_makers_can_be_read() -> None:
    """Their pips show, lie on the face and do not touch, and the rows of a six may be close together."""
    rng = np.random.default_rng(11)
    closer = 0
    for _ in range(300):
        style = die_style(rng, photo=True, varied=True)
        assert np.linalg.norm(np.sqrt(style.pip) - np.sqrt(style.colour)) > 0.15
        for value in range(1, 7):
            diameter, _, places = die_pips(value, style, turn=False)
            assert np.abs(places).max() + diameter / 2 <= 0.5
            assert all(np.hypot(a - c, b - d) > diameter * 0.6 for (a, b), (c, d) in combinations(places, 2))
        closer += style.six_across < 1
        face, pips = die_face(6, style, 60, turn=False)
        assert face[pips > 0.9].mean(0) != pytest.approx(face[pips < 0.1].mean(0), abs=0.01)
    assert 100 < closer < 250


def test_cocked_dice_lean_and_rest_on_the_table() -> None:
    rng = np.random.default_rng(6)
    for cocked in (False, True):
        one = die(rng, die_style(rng), 0, 0, cocked=cocked)
        corners = np.concatenate([die_corners(one, n, c, r) for _, _, n, c, r in FACES_OF_A_DIE])
        assert float(corners[:, 2].min()) == pytest.approx(0, abs=1e-6)
        assert (one.tilt_deg > 10) == cocked


def test_a_die_polygon_is_clockwise_and_inside_its_body() -> None:
    found = 0
    for seed in range(30):
        rng = np.random.default_rng(seed)
        for label in render(window(rng, 256), rng, supersample=1.0).objects:
            if isinstance(label, DieLabel) and label.body is not None:
                polygon = np.array(label.polygon, np.float32)
                assert cv2.contourArea(polygon, oriented=True) > 0
                x0, y0, x1, y1 = label.body
                assert (polygon >= np.array([x0, y0]) - 0.1).all()
                assert (polygon <= np.array([x1, y1]) + 0.1).all()
                found += 1
    assert found > 20


def test_whole_table_has_camera_layout_and_hands() -> None:
    rng = np.random.default_rng(2)
    scene = table(rng, "round", (1152, 648))
    drawn = render(scene, rng, supersample=1.0)
    assert drawn.image.shape == (648, 1152, 3)
    house = [o for o in drawn.objects if isinstance(o, TileLabel) and o.place == "house"]
    assert Counter(o.hand for o in house) == {"low": 2, "high": 2}
    for label in house:
        assert label.center_mm is not None
        centre = project(scene.camera, np.array([[*label.center_mm, 9.5]]))[0]
        assert np.mean(label.polygon, axis=0) == pytest.approx(centre, abs=0.5)
    display = table(np.random.default_rng(3), "display", (1152, 648))
    assert Counter(tile.face for tile in display.tiles) == Counter(SET_FACES)


def test_a_tile_half_upon_another_lies_on_it_and_covers_a_part() -> None:
    u, v = (axis.ravel() for axis in np.meshgrid(np.linspace(-0.5, 0.5, 41), np.linspace(-0.5, 0.5, 21)))
    beneath = np.column_stack([u * TILE_LENGTH_MM, v * TILE_WIDTH_MM, np.full(len(u), -TILE_HEIGHT_MM / 2)])
    aslant = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        below = TileObject("5-4", face_up=True, x_mm=120.0, y_mm=-40.0, angle=float(rng.uniform(0, 7)))
        above = upon(rng, below, "6-3")
        axes, centre = tile_frame(above)
        underside = beneath @ axes.T + centre
        ours, middle = tile_frame(below)
        along, across, _ = ((underside - middle) @ ours).T
        over = (np.abs(along) <= TILE_LENGTH_MM / 2) & (np.abs(across) <= TILE_WIDTH_MM / 2)
        assert 0.03 < over.mean() < 0.98, seed
        assert underside[over, 2].min() > TILE_HEIGHT_MM - 1.5, seed
        aslant += any(above.lean)
        # What leans comes down to the felt beside the lower tile, all else lies flat.
        assert underside[:, 2].min() == pytest.approx(0 if any(above.lean) else TILE_HEIGHT_MM, abs=0.3), seed
    assert 10 < aslant < 80


def test_hands_in_heaps_are_half_hidden_at_their_places() -> None:
    rng = np.random.default_rng(5)
    scene = table(rng, "heaps", (1152, 648))
    heaped = [
        label for label in render(scene, rng).objects if isinstance(label, TileLabel) and label.place != "discard"
    ]
    assert {label.hand for label in heaped} == {None}
    upper = [label.visible for label in heaped if label.z_mm]
    lower = [label.visible for label in heaped if not label.z_mm]
    assert len(upper) == len(lower) >= 6
    assert np.median(upper) > 0.99
    assert np.median(lower) < 0.9


@pytest.mark.parametrize("kind", ["domino", "mahjong", "card"])
def test_what_looks_like_a_tile_is_drawn_and_is_none(kind: str) -> None:
    scene = tiles_of(photo_scene())
    bare = render(scene, np.random.default_rng(1))
    drawn = render(replace(scene, props=(prop(np.random.default_rng(2), kind, 0.0, 0.0),)), np.random.default_rng(1))
    assert [each.kind for each in drawn.objects if isinstance(each, OtherLabel)] == [kind]
    assert not any(isinstance(each, TileLabel | DieLabel) for each in drawn.objects)
    differs = np.abs(drawn.image.astype(int) - bare.image).max(2) > 16
    assert differs.mean() > 0.001
    # More than a plain slab: something is painted on it.
    assert drawn.image[differs].std() > 8
