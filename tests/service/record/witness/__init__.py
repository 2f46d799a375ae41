"""The witness, and asking it."""
