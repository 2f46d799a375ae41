"""The hub: collects the entries of remote tables into one store, where they can be verified as at the tables."""
