"""Sequences of a live round by hand, one module a book: thirty lawful but unusual ones, and twenty mistakes.

Each is a plain sentence, the rules that it was written from, and what a camera sees of it in the words of `notation`.
"""
