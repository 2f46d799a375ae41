"""An observed round: what a camera can see of it, checked against the rulebook and converted to a round's log.

A camera sees tiles, dice and markers, but not who sits where, what was wagered or what was said. Unknown facts are
never assumed: if several banking methods or box numberings are possible, only departures under every one of them are
reported.
"""

from engine.observed.departures import Departure, DepartureKind
from engine.observed.observed_round import ObservedRound
from engine.observed.possible import Possible, possible

__all__ = ["Departure", "DepartureKind", "ObservedRound", "Possible", "possible"]
