"""All sentences for people, in each language."""
