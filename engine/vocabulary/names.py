"""Names of people, as they come from outside: readable, and without characters that show nothing by themselves."""

from __future__ import annotations

from unicodedata import category

HIDDEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
"""Categories of what shows nothing: control codes, marks of direction and joining, line and paragraph breaks."""


def hidden_in(text: str) -> str | None:
    """The first character that shows nothing by itself; None where each does."""
    return next((each for each in text if category(each) in HIDDEN), None)


def is_name(name: object) -> bool:
    """Whether somebody can be called so."""
    return isinstance(name, str) and bool(name.strip()) and hidden_in(name) is None
