"""The record: what was seen and decided, signed, and given out in order."""
