"""The house's own markers over time: what they say counts once they have lain still in several pictures.

A marker that a hand moves, covers or takes says nothing from that picture on; what it said before is not taken for what
it says now.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from engine.vocabulary.facts import Bank
from vision.markers.marker_kinds import MarkerKind
from vision.markers.marker_table import chung_of, out_of_play
from vision.tracking.confirmation_terms import Terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from calibration.table.places import Place
    from vision.reading import MarkerReading

_SAME_MM: Final = 8.0
"""Distance up to which a marker lies where it lay: one that is pushed goes further."""
_HELD_BY: Final = {MarkerKind.CHUNG_HOUSE: Bank.HOUSE, MarkerKind.CHUNG_CO_BANK: Bank.CO_BANK}


@dataclass(frozen=True, slots=True)
class MarkersSeen:
    """What the markers say now.

    Attributes:
        banker: the box of the bank's chung; None where that is not known.
        held: which way the bank is held, where the chung says so; None where that is not known.
        out_of_play: boxes at which an off button lies; of the others nothing is concluded.
        adjusted: value of the plus/minus button that is laid out; None where that is not known.
    """

    banker: Place | None = None
    held: Bank | None = None
    out_of_play: tuple[Place, ...] = ()
    adjusted: int | None = None


@dataclass(frozen=True, slots=True)
class _Lying:
    """A marker that lies still, since when and in how many pictures that count."""

    marker: MarkerReading
    since_s: float
    last_s: float
    pictures: int = 1

    def settled(self, terms: Terms) -> bool:
        return self.pictures >= terms.agreeing and self.last_s - self.since_s >= terms.still_s


@dataclass(slots=True)
class MarkerWatch:
    """Follows the markers of one table."""

    terms: Terms = field(default_factory=Terms)
    _lying: tuple[_Lying, ...] = ()

    def update(self, markers: Sequence[MarkerReading] | None, t_s: float, *, trusted: bool) -> MarkersSeen | None:
        """Take the next picture's markers; None where nobody looks for any.

        Args:
            markers: as read.
            t_s: when the picture was taken, seconds.
            trusted: whether the picture may be relied on; if not, all begins anew.
        """
        if markers is None:
            self._lying = ()
            return None
        if not trusted:
            self._lying = ()
            return MarkersSeen()
        self._lying = tuple(self._next(each, t_s) for each in markers if each.status == "verified")
        settled = {id(each.marker) for each in self._lying if each.settled(self.terms)}
        return _said(markers, settled)

    def _next(self, marker: MarkerReading, t_s: float) -> _Lying:
        before = next((each for each in self._lying if _same(each.marker, marker)), None)
        if before is None:
            return _Lying(marker, t_s, t_s)
        if t_s - before.last_s < self.terms.apart_s:
            return _Lying(marker, before.since_s, before.last_s, before.pictures)
        return _Lying(marker, before.since_s, t_s, before.pictures + 1)


def _said(markers: Sequence[MarkerReading], settled: Iterable[int]) -> MarkersSeen:
    """What the markers of a picture say, those that lie still counting."""
    sure = [each for each in markers if id(each) in settled]
    # A second chung, sure or not, leaves open which one counts.
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
