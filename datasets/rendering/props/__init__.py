"""Everything on the table that is drawn and never read."""
