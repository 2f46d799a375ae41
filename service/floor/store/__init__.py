"""Everything that was collected: entries of all tables in one PostgreSQL database, with one writer and many readers."""
