"""A casino's own House Ways: a TOML or Python file dropped here is found by its declared id."""
