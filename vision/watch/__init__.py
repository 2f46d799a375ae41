"""What a table does over time: readings, one after the other, become tracks, hands, throws and rounds.

Pure: nothing here reads a clock, starts a thread or looks at a pixel; every step takes the reading and its time.
"""

from vision.watch.hands import Hand, Lay
from vision.watch.table import Seen, TableWatch
from vision.watch.terms import Terms
from vision.watch.tracks import Track

__all__ = ["Hand", "Lay", "Seen", "TableWatch", "Terms", "Track"]
