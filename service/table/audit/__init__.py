"""Measures silent errors: a person reads randomly drawn verified hands and throws without seeing the reading."""
