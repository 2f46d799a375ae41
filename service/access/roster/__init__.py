"""Who of a floor may sign in at a table, also while the line is cut: what the floor gives, and what a table takes."""
