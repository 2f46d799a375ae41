"""From pixels to the tiles, dice and markers on the table."""
