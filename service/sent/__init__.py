"""Pictures that clients send to be read, separate from the table's own."""
