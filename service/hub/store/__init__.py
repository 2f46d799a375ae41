"""Everything that was collected: entries of all tables in one database, with one writer and many readers."""
