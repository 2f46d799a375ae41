"""Rounds that a person decides: the moment that matters, the question of each doubt, and the queue of what waits."""
