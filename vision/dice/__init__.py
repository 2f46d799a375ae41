"""What dice show, what they are for, and whether they lean."""
