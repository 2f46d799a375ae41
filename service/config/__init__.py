"""A table's settings: read once, checked, described."""
