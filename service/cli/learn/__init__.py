"""Commands of learning at a table."""
