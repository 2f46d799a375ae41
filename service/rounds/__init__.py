"""Rounds: tracked, written down, and decided by persons."""
