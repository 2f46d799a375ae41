"""The reading thread of one table, and what everybody may know of it."""
