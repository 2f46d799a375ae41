"""Crops of a table's own tiles with known faces, and refinement of the tile classifier's last layer from them."""
