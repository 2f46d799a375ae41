"""Where a round stands, at which table, and what it took over."""
