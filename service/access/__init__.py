"""Who may do what: accounts of persons, keys of machines, sessions of the page, and how often each may ask."""
