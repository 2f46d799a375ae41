"""The migrations of a floor's store, in their order."""
