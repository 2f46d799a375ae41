"""House Ways of a casino's own: a TOML or Python file dropped here is found by the id that it declares."""
