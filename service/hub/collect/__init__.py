"""Collecting: each table is asked for what is new in its record, which is held against what is known and then taken."""
