"""Path-traced dice: they lie where the painted ones lie, on the ground that was painted, in the same light."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from datasets.generate import app
from datasets.rendering.canvas import Canvas
from datasets.rendering.dice import draw_die
from datasets.rendering.path_traced import level_camera, rounded_cube, trace
from datasets.rendering.projected import project
from datasets.rendering.renderer import px_per_mm
from datasets.scenes.sampling import die, die_style
from datasets.scenes.scene import Scene
from datasets.scenes.whole_table import table
from datasets.scenes.windows import dice_window, window_camera

SIZE = 96


@pytest.fixture
def scene() -> Scene:
    """One black die with pale pips on a plain ground, seen from nearly above."""
    rng = np.random.default_rng(4)
    style = replace(die_style(rng), opaque=True, colour=(0.02, 0.02, 0.02), pip=(0.8, 0.8, 0.8), red_one=0.0)
    made = dice_window(rng, SIZE)
    camera = level_camera(window_camera(rng, (SIZE, SIZE), 1.5, photo=False))
    return replace(made, camera=camera, props=(), dice=(die(rng, replace(style, red_four=False), 0.0, 0.0),))


@pytest.mark.parametrize("seed", range(20))
def test_a_level_camera_sees_nearly_the_same(seed: int) -> None:
    camera = dice_window(np.random.default_rng(seed), SIZE).camera
    level = level_camera(camera)
    assert np.abs(level.k - camera.k).max() <= 0.5
    assert np.allclose(level.k[:2, 2] % 1, 0.5)


@pytest.mark.parametrize("rounding", [0.05, 0.2, 0.5])
def test_a_rounded_cube_has_the_volume_and_the_normals_of_one(rounding: float) -> None:
    points, normals, faces = rounded_cube(rounding)
    a, b, c = (points[faces[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)
    flat = 2 - 2 * rounding
    expected = flat**3 + 6 * flat**2 * rounding + 3 * np.pi * flat * rounding**2 + 4 / 3 * np.pi * rounding**3
    assert volume == pytest.approx(expected, rel=0.02)
    assert np.abs(points).max() == pytest.approx(1)
    assert np.allclose(np.linalg.norm(normals, axis=1), 1)
    assert (np.einsum("ij,ij->i", normals, points) > 0).all()


def test_without_mitsuba_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("datasets.generate.find_spec", lambda _: None)
    out = tmp_path / "bank"
    result = CliRunner().invoke(app, ["bank", "--out", str(out), "--count", "1", "--traced", "0.5"])
    assert result.exit_code == 2
    assert "requirements-train.txt" in result.output
    assert not out.exists()


def test_tiles_are_not_traced() -> None:
    with pytest.raises(ValueError, match="only dice"):
        trace(table(np.random.default_rng(1), "round"), np.zeros((1, 1, 3), np.float32), np.random.default_rng(1))


def test_the_bare_ground_is_lit_as_it_was_painted(scene: Scene) -> None:
    pytest.importorskip("mitsuba", reason="path tracing needs the train extra")
    ground = np.full((SIZE, SIZE, 3), 0.2, np.float32)
    ground[:, SIZE // 2 :] = (0.1, 0.3, 0.2)
    ground[: SIZE // 2] *= 0.5
    light = trace(replace(scene, dice=()), ground, np.random.default_rng(1))
    inner = np.abs(light - ground)[4:-4, 4:-4]
    assert float(np.median(inner / ground[4:-4, 4:-4])) < 0.15


def test_a_traced_die_shows_its_pips_where_the_painted_one_does(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mitsuba", reason="path tracing needs the train extra")
    monkeypatch.setattr("datasets.rendering.dice.MIRRORS_LAMPS", 0.0)  # those of the two are not the same
    ground = np.full((SIZE, SIZE, 3), 0.1, np.float32)
    canvas = Canvas(scene.camera.size)
    canvas.light[:] = ground
    draw_die(canvas, scene.camera, scene, scene.dice[0], 0, px_per_mm(scene.camera, scene))
    light = trace(scene, ground, np.random.default_rng(1))
    x, y = project(scene.camera, np.array([[0.0, 0.0, scene.dice[0].style.side_mm]]))[0]
    half = 8
    part = np.s_[round(y) - half : round(y) + half, round(x) - half : round(x) + half]
    painted, traced = (cv2.GaussianBlur(each[part].mean(2), (0, 0), 1).ravel() for each in (canvas.light, light))
    assert np.corrcoef(painted, traced)[0, 1] > 0.8
