"""Light through a transparent die, against what optics says of simple cases."""

import numpy as np
import pytest
from numpy.typing import NDArray

from datasets.rendering.glass import Glass, Wall, seen_through

SIZE = 101
AXES = ((0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0))
TOP, BOTTOM = 0, 1


def _walls(bottom: NDArray[np.float32]) -> list[Wall]:
    """A die whose only pips are the bottom's: columns along x, rows along y, as on its top."""
    bare = np.zeros((SIZE, SIZE), np.float32)
    walls = []
    for number, normal in enumerate(AXES):
        column = (1, 0, 0) if normal[0] == 0 else (0, 1, 0)
        row = np.cross(normal, column) if number > BOTTOM else (0, 1, 0)
        pips = bottom if number == BOTTOM else bare
        walls.append(Wall(np.array(normal, float), np.array(column, float), np.array(row, float), pips))
    return walls


def _glass(**changes: object) -> Glass:
    clear = {
        "index": 1.5,
        "stain": np.ones(3),
        "beyond": np.tile(np.linspace(0.1, 0.6, 6)[:, None], 3),
        "paint": np.full(3, 9.0),
        "haze": np.zeros(3),
        "mirrored": 0.0,
    }
    return Glass(**{**clear, **changes})  # type: ignore[arg-type]


def _pip(x: float) -> NDArray[np.float32]:
    """A pip a tenth of a side wide whose middle lies x sides from the middle along the columns."""
    at = (np.arange(SIZE) + 0.5) / SIZE - 0.5
    return (np.hypot(at[None] - x, at[:, None]) < 0.05).astype(np.float32)


def _found(light: NDArray[np.float32]) -> float:
    """Where along the columns the paint is seen, in sides from the middle."""
    columns = np.nonzero(light[..., 0] > 1)[1]
    return float(columns.mean() + 0.5) / SIZE - 0.5


def test_a_far_pip_seen_from_above_lies_straight_beneath() -> None:
    light = seen_through(_walls(_pip(0.2)), TOP, np.array([0.0, 0, -1]), _glass())
    assert _found(light) == pytest.approx(0.2, abs=0.01)


def test_a_far_pip_is_raised_as_snells_law_says() -> None:
    slant = np.radians(30)
    light = seen_through(_walls(_pip(0.0)), TOP, np.array([np.sin(slant), 0, -np.cos(slant)]), _glass())
    assert _found(light) == pytest.approx(-np.tan(np.arcsin(np.sin(slant) / 1.5)), abs=0.015)


def test_a_wall_mirrors_the_pip_before_it() -> None:
    """Slanting rays that enter near a wall meet it first, and see the bottom's pip in it."""
    slant = np.radians(40)
    moved = np.tan(np.arcsin(np.sin(slant) / 1.5))  # along the bottom
    light = seen_through(_walls(_pip(0.4)), TOP, np.array([np.sin(slant), 0, -np.cos(slant)]), _glass())
    columns = np.unique(np.nonzero(light[..., 0] > 1)[1]) / SIZE - 0.5
    assert columns.min() == pytest.approx(0.35 - moved, abs=0.02)
    assert columns.max() == pytest.approx(1 - 0.35 - moved, abs=0.02)


def test_the_ground_is_stained_by_the_way_through_the_body() -> None:
    stain = np.array([0.1, 0.2, 0.8])
    light = seen_through(_walls(np.zeros((SIZE, SIZE), np.float32)), TOP, np.array([0.0, 0, -1]), _glass(stain=stain))
    assert light[50, 50] == pytest.approx(0.96 * 0.2 * stain)  # 4 % are mirrored off the face
