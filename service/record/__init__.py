"""The record: a signed, ordered log of observations and decisions."""
