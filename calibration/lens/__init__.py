"""Lens calibration: the printed board, its views, and the distortion solved from them."""
