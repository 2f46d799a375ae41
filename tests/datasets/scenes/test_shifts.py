"""Each shift moves one thing of a table, and nothing but that."""

from dataclasses import fields

import numpy as np
import pytest

from datasets.scenes.shifts import SHIFTS
from datasets.scenes.whole_table import table


@pytest.mark.parametrize("name", SHIFTS)
def test_each_shift_moves_one_thing(name: str) -> None:
    scene = table(np.random.default_rng(1), "round")
    shifted = SHIFTS[name](scene, np.random.default_rng(2))
    moved = {field.name for field in fields(scene) if getattr(scene, field.name) is not getattr(shifted, field.name)}
    assert len(moved - {"print_colour"}) == (name != "as trained")
