"""House Ways as callers of the service may name them."""
