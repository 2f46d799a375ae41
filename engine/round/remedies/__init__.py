"""When something goes wrong in a round: what the book has for it now, what that needs, and what follows of it."""
