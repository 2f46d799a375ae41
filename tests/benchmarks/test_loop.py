"""The film of the whole loop."""

from itertools import islice

import numpy as np

from benchmarks.bench.loop import FilmInMemory


def test_a_film_runs_to_and_fro_until_it_is_closed() -> None:
    film = FilmInMemory([np.full((1, 1, 3), shade, np.uint8) for shade in range(4)])
    taken = list(islice(film, 9))
    assert [int(frame.image[0, 0, 0]) for frame in taken] == [0, 1, 2, 3, 2, 1, 0, 1, 2]
    assert [frame.sequence for frame in taken] == list(range(9))
    film.close()
    assert not list(film)
