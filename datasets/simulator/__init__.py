"""Simulated rounds of Pai Gow: played by the rulebook, filmed, with full ground truth."""
