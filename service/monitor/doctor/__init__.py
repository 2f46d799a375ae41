"""What must be well before a table is trusted: each thing looked at, said in words, with what to do."""
