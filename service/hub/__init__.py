"""The floor service: all tables of a casino, collected entry by entry into one database, provable as at the tables."""
