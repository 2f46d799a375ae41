"""Alarms: a fold over the record, kept beside it, with what the record cannot take told from the live state."""
