"""Irregularities in a round: the book's remedies at this moment, their requirements and their effects."""
