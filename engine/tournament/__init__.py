"""Tournaments: the Terms and Conditions as a checked document, and the chips, rounds and places of the players."""
