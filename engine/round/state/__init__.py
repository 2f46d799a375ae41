"""State of a round, its table, and the state carried over from earlier rounds."""
