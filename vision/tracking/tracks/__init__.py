"""Tiles and dice followed from picture to picture, and what several pictures of one agree on."""
