"""What follows from the rules: edges, differences between House Ways, side bets, checks of a House Way."""
