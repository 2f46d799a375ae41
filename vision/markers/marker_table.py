"""Joint interpretation of a table's markers: the bank's box, and boxes out of play."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vision.markers.marker_kinds import CHUNGS, MarkerKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibration.table.places import Place
    from vision.reading import MarkerReading


def chung_of(markers: Iterable[MarkerReading]) -> MarkerReading | None:
    """The one chung that is verified at a box; None otherwise, also if another one is possible."""
    chungs = [each for each in markers if each.kind in CHUNGS]
    if len(chungs) != 1 or chungs[0].status != "verified" or chungs[0].place is None:
        return None
    return chungs[0]


def banker_place(markers: Iterable[MarkerReading]) -> Place | None:
    """The box of the bank's chung; None if unknown.

    At the first box the chung may also mean that the House banks; the place is the same, but the owner of the tiles is
    not implied.
    """
    chung = chung_of(markers)
    return None if chung is None else chung.place


def out_of_play(markers: Iterable[MarkerReading]) -> tuple[Place, ...]:
    """The boxes with a verified off button, by number."""
    off = (each for each in markers if each.kind is MarkerKind.OFF_BUTTON and each.status == "verified")
    return tuple(sorted({each.place for each in off if each.place is not None}))
