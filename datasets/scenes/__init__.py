"""Random numbers to described scenes: tables, windows of them, and cut-out photographs."""
