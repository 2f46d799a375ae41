"""A whole floor on one computer, to look at: PostgreSQL, simulated tables and the floor as processes of one program."""
