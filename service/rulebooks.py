"""House Ways as the service's callers may name them."""
