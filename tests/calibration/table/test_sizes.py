"""The corners of rectangles lying at any angle."""

import numpy as np
import pytest

from calibration.table.sizes import rectangle_corners


def test_corners_start_at_the_far_end_on_the_left() -> None:
    lying, standing = rectangle_corners([(10.0, 20.0), (0.0, 0.0)], np.radians([0.0, 90.0]), (60.0, 20.0))
    assert lying == pytest.approx(np.array([(40, 30), (40, 10), (-20, 10), (-20, 30)]))
    assert standing == pytest.approx(np.array([(-10, 30), (10, 30), (10, -30), (-10, -30)]))


def test_no_rectangles_have_no_corners() -> None:
    assert rectangle_corners([], [], (60.0, 20.0)).shape == (0, 4, 2)
