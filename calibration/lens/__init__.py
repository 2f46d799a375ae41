"""The lens: the printed board, its views, and the distortion solved from them."""
