"""What is seen of a round, kept as observations and held against the table's rulebook."""
