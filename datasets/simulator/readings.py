"""A session without pictures: readings with a reader's errors and doubts.

For scoring what comes after reading (tracks, hands, rounds) on thousands of rounds. The errors are of the kinds that
readers of pictures make: tiles missed or misplaced while they move or are half hidden, faces misnamed with low
confidence, and now and then one misnamed with high confidence as long as it lies there, because it is the light on that
tile and not chance that deceives.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from datasets.simulator.film import START
from datasets.simulator.reader_errors import ErrorRates
from datasets.simulator.simulated_reader import SimulatedReader
from datasets.simulator.table_calibration import calibration_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from datasets.simulator.script import Script
    from vision.reading import Reading


@dataclass(frozen=True, slots=True)
class TimedReading:
    """A reading and when it was made.

    Attributes:
        sequence: counts the readings from 0.
        t_s: when, in the session's own time.
        captured_at: when, as the source's pictures say.
        reading: what was read.
        deceived_by: numbers of the tiles that are taken for another face as long as they lie.
    """

    sequence: int
    t_s: float
    captured_at: datetime
    reading: Reading
    deceived_by: frozenset[int] = frozenset()


class ReadingSource:
    """A session's readings.

    Args:
        made: the session.
        rate: readings a second.
        faults: how the reader errs.
        seed: of its errors.
        sparse: spans of time in which only every fifth reading is made, for what is scored elsewhere.
    """

    def __init__(
        self,
        made: Script,
        rate: float = 5.0,
        faults: ErrorRates | None = None,
        seed: int = 0,
        sparse: tuple[tuple[float, float], ...] = (),
    ) -> None:
        self.script = made
        self.rate = rate
        self.faults = faults or ErrorRates()
        self.calibration = calibration_of(made)
        self._seed = seed
        self._sparse = sparse

    def read(self, t: float) -> Reading:
        """The reading of one moment, whatever was read before it."""
        rng = np.random.default_rng((self.script.seed, 32, self._seed, int(t * 1e6)))
        return SimulatedReader(self.script, self.faults, rng).read(self.script.at(t), f"{t:.3f}")

    def __iter__(self) -> Iterator[TimedReading]:
        """The readings in order of time; each iteration makes the same errors."""
        rng = np.random.default_rng((self.script.seed, 31, self._seed))
        reader = SimulatedReader(self.script, self.faults, rng)
        for sequence in range(int(self.script.end_s * self.rate) + 1):
            t = sequence / self.rate
            if sequence % 5 and any(start <= t < end for start, end in self._sparse):
                continue
            name = f"simulator-{self.script.seed}#{sequence}"
            now = self.script.at(t)
            captured_at = START + timedelta(seconds=t)
            yield TimedReading(sequence, t, captured_at, reader.read(now, name), reader.deceived_by(now))
