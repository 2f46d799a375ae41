"""Access control: accounts of people, keys of machines, sessions of the page, roles and rate limits."""
