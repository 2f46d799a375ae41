"""Locating tiles and dice in a picture."""
