"""Commands for who builds and measures."""
