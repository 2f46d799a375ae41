"""The dealers' shifts: when each is, its figures, what happened in it, and how it is handed over."""
