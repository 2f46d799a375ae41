"""Rules of the deal: shuffle, cut, dice, delivery."""
