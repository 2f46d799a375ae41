"""What the rulebook says of what was seen: House Way, dice, remedies, settlement, tournaments."""
