"""Documents, and what makes them into a site."""
