"""Renderings that several tests of calibration and health share, each made once."""

import pytest

from tests.calibration.held import Board3, held_board
from tests.calibration.watched import Watched, watched_table


@pytest.fixture(scope="session")
def held() -> Board3:
    """Sixteen views of the board all over the picture, leaning every way."""
    return held_board()


@pytest.fixture(scope="session")
def watched() -> Watched:
    """A table with four markers, calibrated from one picture."""
    return watched_table()
