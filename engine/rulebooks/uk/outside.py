"""Rules of the poster that software has no part in, and why."""

from __future__ import annotations

from engine.rulebooks.contents import Outside

OUTSIDE = (
    Outside("Who answers for reading a hand; its value is that of points 6 to 12, whoever reads it.", "point 21"),
)
