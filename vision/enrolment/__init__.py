"""A table's own tiles: the display check, what is learnt from it, and how later tiles compare."""
