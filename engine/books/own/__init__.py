"""House Ways of a casino's own: a file dropped here is found by the id that it declares."""
