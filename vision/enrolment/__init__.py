"""Enrolment of a table's own tiles: the display check, learning from it, and comparison of later tiles."""
