"""The game of Pai Gow itself; standard library only."""
