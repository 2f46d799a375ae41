"""Bytes of one picture, looked at and decoded with suspicion."""
