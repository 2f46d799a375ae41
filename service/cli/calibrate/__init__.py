"""Commands for who calibrates a camera over a table."""
