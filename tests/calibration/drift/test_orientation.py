"""A picture that is turned or mirrored against its calibration is named as such, by markers and by the layout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from calibration.drift.drift import drift
from calibration.drift.landmarks import landmarks
from calibration.drift.orientation import Orientation, orientation
from tests.calibration.watched import shot

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tests.calibration.watched import Watched

CHANGES: dict[Orientation | None, Callable[[NDArray[np.uint8]], NDArray[np.uint8]]] = {
    None: lambda image: image,
    Orientation.TURNED: lambda image: image[::-1, ::-1],
    Orientation.MIRRORED: lambda image: image[:, ::-1],
    Orientation.FLIPPED: lambda image: image[::-1],
}


def named(watched: Watched, image: NDArray[np.uint8], *, by: str) -> Orientation | None:
    marks = landmarks(watched.empty, watched.calibration.surface()) if by == "layout" else None
    calibration = watched.calibration if by == "markers" else replace(watched.calibration, markers=())
    image = np.ascontiguousarray(image)
    return orientation(calibration, image, marks, drift(calibration, image, marks))


@pytest.mark.parametrize("by", ["markers", "layout"])
@pytest.mark.parametrize("how", CHANGES, ids=str)
def test_how_a_picture_is_turned_is_named(watched: Watched, how: Orientation | None, by: str) -> None:
    assert named(watched, CHANGES[how](shot(watched.clean, seed=7)), by=by) is how


@pytest.mark.parametrize("by", ["markers", "layout"])
def test_a_camera_hung_up_again_the_other_way_round_is_turned(watched: Watched, by: str) -> None:
    elsewhere = shot(watched.seen_from(x=17.0), seed=7)
    assert named(watched, elsewhere[::-1, ::-1], by=by) is Orientation.TURNED


@pytest.mark.parametrize("by", ["markers", "layout"])
@pytest.mark.parametrize("level", [8, 128])
def test_a_picture_that_shows_nothing_is_not_named(watched: Watched, by: str, level: int) -> None:
    assert named(watched, np.full_like(watched.empty, level), by=by) is None


@pytest.mark.parametrize("by", ["markers", "layout"])
def test_a_nudged_camera_is_neither_turned_nor_mirrored(watched: Watched, by: str) -> None:
    assert named(watched, shot(watched.seen_from(x=17.0), seed=7), by=by) is None
