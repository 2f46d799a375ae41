"""Set-up of a table in the page: its camera, lens, places and tiles, until a hand is verified."""
