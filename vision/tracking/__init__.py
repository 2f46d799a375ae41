"""What a table does over time: readings, one after the other, become tracks, hands, throws and phases of a round.

Pure: nothing here reads a clock, starts a thread or looks at a pixel; every step takes the reading and its time.
"""

from vision.tracking.lays.hand_history import HandHistory, Lay
from vision.tracking.table import Seen, TableWatch
from vision.tracking.terms import Terms
from vision.tracking.tracks.tile_tracks import Track

__all__ = ["HandHistory", "Lay", "Seen", "TableWatch", "Terms", "Track"]
