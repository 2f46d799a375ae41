"""Releases: models and settings that a casino's own people sign, and that tables fetch, check, try and keep or undo."""
