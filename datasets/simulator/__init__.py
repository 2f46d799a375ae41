"""Rounds of Pai Gow at a table that does not exist: played by the rulebook, filmed, and known to the last tile."""
