"""The words that all rulebooks share: bank, dice, cuts, irregularities, the course of play, and how a rule is cited."""
