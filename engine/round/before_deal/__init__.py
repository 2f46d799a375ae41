"""Rules before the deal: opening, the bank, wagers and who decides on a box."""
