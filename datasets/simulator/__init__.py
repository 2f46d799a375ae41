"""Rounds of Pai Gow at a table that does not exist: played by the rulebook, filmed, and known to the last tile.

``script`` plays rounds and writes them down as a time line, ``render`` draws any moment of it, ``film`` hands the
pictures out one after the other, ``readings`` leaves the pictures out and simulates the reader.
docs/simulator.md describes the truth.
"""
