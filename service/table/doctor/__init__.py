"""The doctor: checks everything that a table depends on, and says what to do about each fault."""
