"""The benchmark of the whole loop: its film, and how it names what the reading thread does."""

from __future__ import annotations

from itertools import islice
from types import SimpleNamespace

import numpy as np

from benchmarks.service_loop import FilmInMemory, stage_of


def test_a_film_runs_to_and_fro_until_it_is_closed() -> None:
    film = FilmInMemory([np.full((1, 1, 3), shade, np.uint8) for shade in range(4)])
    taken = list(islice(film, 9))
    assert [int(frame.image[0, 0, 0]) for frame in taken] == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    assert [frame.sequence for frame in taken] == list(range(9))
    film.close()
    assert not list(film)


def _stack(*calls: str) -> SimpleNamespace | None:
    """The innermost frame of functions that call each other, the outermost first, each as ``FILE FUNCTION``."""
    frame = None
    for file, function in (call.split() for call in calls):
        frame = SimpleNamespace(f_code=SimpleNamespace(co_filename=file, co_name=function), f_back=frame)
    return frame


def test_a_stage_is_what_the_reading_of_a_picture_calls() -> None:
    ours = "service/table/frame_reader.py"
    assert stage_of(_stack("worker.py run", f"{ours} read", "vision/reader.py read", "numpy.py sum")) == "reader.read"
    assert stage_of(_stack("worker.py run", f"{ours} read", f"{ours} _show", "drawing.py draw")) == "drawing.draw"
    assert stage_of(_stack("worker.py run", f"{ours} read")) == "frame_reader.read"
    assert stage_of(_stack("worker.py run", "source.py next")) == "around"
