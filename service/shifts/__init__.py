"""Shifts: their times, figures, events and hand-over."""
