"""Programs to copy for who integrates a table."""
