"""Rounds, alarms and figures, derived from the entries of all logs; they can be derived again at any time."""
