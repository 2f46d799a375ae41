"""Sentences for people, in each language, from one place."""
