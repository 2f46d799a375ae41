"""A round as it was seen: what a camera can know of it, checked against the rulebook, and made into a round's log.

A camera sees tiles, dice and markers; who sits where, what was wagered and what was said it does not see. Nothing is
concluded from what is not known: where several ways of banking or of numbering the boxes are possible, only what is
wrong under every one of them is told.
"""

from engine.observed.departures import Departure, DepartureKind
from engine.observed.observed_round import ObservedRound
from engine.observed.possible import Possible, possible

__all__ = ["Departure", "DepartureKind", "ObservedRound", "Possible", "possible"]
