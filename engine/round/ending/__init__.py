"""Amounts of a round, and the rules of its end."""
