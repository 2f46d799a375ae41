"""Tracking tiles and dice from picture to picture, and consensus over several pictures."""
