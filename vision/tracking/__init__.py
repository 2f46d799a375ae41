"""The table over time: consecutive readings become tracks, hands, throws and phases of a round.

Pure: nothing here reads a clock, starts a thread or accesses pixels; every step gets the reading and its time.
"""

from vision.tracking.confirmation_terms import Terms
from vision.tracking.lays.hand_history import HandHistory, Lay
from vision.tracking.table_watch import Seen, TableWatch
from vision.tracking.tracks.tile_tracks import Track

__all__ = ["HandHistory", "Lay", "Seen", "TableWatch", "Terms", "Track"]
