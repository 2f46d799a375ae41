"""How well a table read, in figures."""

from __future__ import annotations

from typing import Final, Self

from calibration.files.json_file import FileModel

FEWEST_PICTURES: Final = 200
"""The mean time of fewer pictures tells nothing."""


class Figures(FileModel):
    """How a table read.

    Attributes:
        hands: of closed rounds.
        verified: of them, as read.
        rounds: closed ones with a hand.
        whole: of them, those with every hand verified.
        doubted: of them, those that were left to a person.
        pictures: with tiles in them.
        read_s: the time that those took together, seconds.
    """

    hands: int = 0
    verified: int = 0
    rounds: int = 0
    whole: int = 0
    doubted: int = 0
    pictures: int = 0
    read_s: float = 0.0

    def timed(self, pictures: int, read_s: float) -> Self:
        """The same with the time that pictures took."""
        return self.model_copy(update={"pictures": pictures, "read_s": read_s})

    @property
    def picture_ms(self) -> float | None:
        """Mean time of a picture with tiles in it, milliseconds; None if there were too few."""
        return 1e3 * self.read_s / self.pictures if self.pictures >= FEWEST_PICTURES else None
