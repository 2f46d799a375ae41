"""Tiles, two-tile hands, their ranking, and settings of four tiles."""
