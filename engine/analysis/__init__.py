"""Analysis of the rules: house edge, differences between House Ways, side bets, checks of a House Way."""
