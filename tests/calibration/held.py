"""Pictures of the board held before a known camera."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.lens.board import BOARDS, BoardView, find_board
from tests.calibration.views import LENS, SIZE, View, board_pose, board_scenery


@dataclass(frozen=True, eq=False)
class Board3:
    """Pictures of the A3 board through a known lens, and what was found in them."""

    pictures: tuple[NDArray[np.uint8], ...]
    views: tuple[BoardView, ...]


@cache
def held_board() -> Board3:
    """Sixteen views all over the picture, leaning every way."""
    rng = np.random.default_rng(1)
    camera, scenery = View(LENS, SIZE), board_scenery(BOARDS["a3"])
    spots = [(x, y) for y in (-0.3, 0.0, 0.3) for x in (-0.6, -0.2, 0.2, 0.6)] + [(0.0, 0.0)] * 4
    leans = [(0.5, 0.0), (0.0, 0.5), (-0.5, 0.0), (0.0, -0.5), (0.0, 0.0)]
    pictures, views = [], []
    for number, spot in enumerate(spots):
        pose = board_pose(spot, 480 + 60 * rng.random(), *leans[number % 5], rng.normal(0, 0.2))
        clean = camera.render(scenery, pose)
        picture = np.clip(clean + rng.normal(0, 2, clean.shape), 0, 255).astype(np.uint8)
        view = find_board(picture, BOARDS["a3"], f"view{number:02d}.png")
        assert isinstance(view, BoardView), view
        pictures.append(picture)
        views.append(view)
    return Board3(tuple(pictures), tuple(views))
