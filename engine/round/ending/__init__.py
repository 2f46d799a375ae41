"""Rules of the end of a round: settlement, tiles put away."""
