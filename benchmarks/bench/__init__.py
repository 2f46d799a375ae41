"""Speed compared with another commit: ``make bench`` (docs/speed.md)."""
