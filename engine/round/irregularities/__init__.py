"""Rules for what goes wrong: which remedy, by whom, and what follows."""
