"""Rounds, alarms and figures, made of the entries of all logs: they can be dropped and made anew at any time."""
