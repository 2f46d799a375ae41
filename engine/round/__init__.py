"""A round of play as a log of events, from displaying and checking the tiles to putting them away.

`RoundLog` is one round, `Session` a table's consecutive rounds; `events` are the kinds of event. An event that the
rulebook forbids at that moment is refused with the rule, and the log does not change.
"""

from __future__ import annotations

from engine.errors import Refusal
from engine.round.log import RoundLog
from engine.round.session import Session
from engine.round.state.house_table import Before, Setup, Table, Tenure
from engine.round.state.round_state import State

__all__ = ["Before", "Refusal", "RoundLog", "Session", "Setup", "State", "Table", "Tenure"]
