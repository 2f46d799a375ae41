"""Where tiles and dice lie in a picture."""
