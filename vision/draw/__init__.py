"""A reading drawn on its picture."""
