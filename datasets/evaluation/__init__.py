"""How well pictures and rounds are read, against what is true of them."""
