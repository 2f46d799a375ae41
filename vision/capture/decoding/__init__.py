"""Untrusted picture data: identified and decoded."""
