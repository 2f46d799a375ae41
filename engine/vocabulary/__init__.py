"""Concepts shared by all rulebooks: bank, dice, cuts, irregularities, the course of play, and citations."""
