"""Settling a round to the cent: wagers, outcomes, payouts and the postings of every chip."""
