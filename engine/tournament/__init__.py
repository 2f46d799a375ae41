"""Tournaments: checked Terms and Conditions, and the players' chips, rounds and places."""
