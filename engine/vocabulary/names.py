"""Validation of people's names from outside: readable, without invisible characters."""

from __future__ import annotations

from unicodedata import category

HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Unicode categories of invisible characters: control codes, direction and joining marks, line and paragraph breaks."""


def hidden_in(text: str) -> str | None:
    """The first invisible character; None otherwise."""
    return next((each for each in text if category(each) in HIDDEN), None)


def is_name(name: object) -> bool:
    """Whether it is valid as a person's name."""
    return isinstance(name, str) and bool(name.strip()) and hidden_in(name) is None
