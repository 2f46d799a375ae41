"""Pictures that somebody sends to be read, apart from the table's own."""
