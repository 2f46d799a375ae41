"""Debouncing: something counts once pictures in a row have shown it for long enough."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Streak:
    """The latest pictures in a row that show something.

    Attributes:
        pictures: how many they are; 0 if the latest does not show it.
        since_s: when the first of them was taken.
    """

    pictures: int = 0
    since_s: float = 0.0

    def update(self, t_s: float, *, observed: bool) -> None:
        """Take the next picture."""
        if not observed:
            self.pictures = 0
            return
        if not self.pictures:
            self.since_s = t_s
        self.pictures += 1

    def lasts(self, t_s: float, seconds: float) -> bool:
        """Whether it has been shown for so long."""
        return self.pictures > 0 and t_s - self.since_s >= seconds
