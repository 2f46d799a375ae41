"""Checkpoints: what the table has signed, as a note to be kept elsewhere, and holding a record against such notes."""
