"""The house's own markers over time: they count once they have been still in several pictures.

A marker that is moved, covered or removed counts no longer from that picture on; its earlier meaning is not carried
over.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Bank
from vision.markers.marker_kinds import MarkerKind
from vision.markers.marker_places import chung_of, out_of_play
from vision.tracking.confirmation_terms import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from calibration.table.places import Place
    from vision.reading import MarkerReading

_SAME_MM: Final = 8.0
"""Distance up to which a marker counts as unmoved: a pushed one moves further."""
_HELD_BY: Final = {MarkerKind.CHUNG_HOUSE: Bank.HOUSE, MarkerKind.CHUNG_CO_BANK: Bank.CO_BANK}


@dataclass(frozen=True, slots=True)
class MarkersSeen:
    """Current meaning of the markers.

    Attributes:
        banker: the box of the bank's chung; None if unknown.
        held: the banking method, if the chung states it; None if unknown.
        out_of_play: boxes with an off button; nothing is concluded about the others.
        adjusted: value of the plus/minus button in use; None if unknown.
    """

    banker: Place | None = None
    held: Bank | None = None
    out_of_play: tuple[Place, ...] = ()
    adjusted: int | None = None


@dataclass(frozen=True, slots=True)
class _Lying:
    """A still marker, since when and in how many counting pictures."""

    marker: MarkerReading
    since_s: float
    last_s: float
    pictures: int = 1

    def settled(self, terms: Terms) -> bool:
        return self.pictures >= terms.agreeing and self.last_s - self.since_s >= terms.still_s


@dataclass(slots=True)
class MarkerWatch:
    """Tracks the markers of one table."""

    terms: Terms = field(default_factory=Terms)
    _lying: tuple[_Lying, ...] = ()

    def update(self, markers: Sequence[MarkerReading] | None, t_s: float, *, trusted: bool) -> MarkersSeen | None:
        """Process the next picture's markers; None if none are enrolled.

        Args:
            markers: their readings.
            t_s: when the picture was taken, seconds.
            trusted: whether the picture is reliable; if not, everything starts over.
        """
        if markers is None:
            self._lying = ()
            return None
        if not trusted:
            self._lying = ()
            return MarkersSeen()
        self._lying = tuple(self._next(each, t_s) for each in markers if each.status == "verified")
        settled = {id(each.marker) for each in self._lying if each.settled(self.terms)}
        return _meaning_of(markers, settled)

    def _next(self, marker: MarkerReading, t_s: float) -> _Lying:
        before = next((each for each in self._lying if _same(each.marker, marker)), None)
        if before is None:
            return _Lying(marker, t_s, t_s)
        if t_s - before.last_s < self.terms.apart_s:
            return _Lying(marker, before.since_s, before.last_s, before.pictures)
        return _Lying(marker, before.since_s, t_s, before.pictures + 1)


def _meaning_of(markers: Sequence[MarkerReading], settled: Iterable[int]) -> MarkersSeen:
    """Meaning of the markers of a picture, counting those that are still."""
    sure = [each for each in markers if id(each) in settled]
    # A second chung, certain or not, makes the position ambiguous.
    chung = chung_of(markers)
    if chung is not None and id(chung) not in settled:
        chung = None
    buttons = [each for each in markers if each.kind is MarkerKind.PLUS_MINUS]
    adjusted = buttons[0].value if len(buttons) == 1 and id(buttons[0]) in settled else None
    return MarkersSeen(
        banker=None if chung is None else chung.place,
        held=None if chung is None else _HELD_BY.get(chung.kind),
        out_of_play=out_of_play(sure),
        adjusted=adjusted,
    )


def _same(one: MarkerReading, other: MarkerReading) -> bool:
    kind = one.kind == other.kind and one.value == other.value and one.place == other.place
    return kind and math.dist(one.center_mm, other.center_mm) <= _SAME_MM
