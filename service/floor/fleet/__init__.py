"""The fleet: what each table runs on, and releases given out to rings of tables."""
