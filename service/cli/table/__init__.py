"""Commands for who runs a table."""
