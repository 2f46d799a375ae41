"""What pages and programs are shown of a floor, as values."""
