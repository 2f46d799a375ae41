"""Commands for who knows the game: House Ways, edges, dice, cuts, settlement."""
