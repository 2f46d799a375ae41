"""Observations of a round, recorded and checked against the table's rulebook."""
