"""What the service remembers: one database, SQLite beside the table or PostgreSQL by URL, over the same code."""
