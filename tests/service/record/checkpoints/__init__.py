"""Checkpoints, epochs and what is remembered elsewhere."""
