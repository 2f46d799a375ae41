"""Measuring silent errors: verified hands and throws drawn at random, asked of a person who sees no reading first."""
