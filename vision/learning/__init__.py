"""Crops of a table's own tiles with known faces, and a tile classifier whose last layer is refined from them."""
