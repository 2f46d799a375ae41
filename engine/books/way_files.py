"""File names of a casino's own House Way; a separate module so that settings load without the books."""

from __future__ import annotations

from typing import Final

SUFFIXES: Final = (".toml", ".py")


def is_file(rulebook: str) -> bool:
    """Whether this is the path of a House Way file (TOML or Python) rather than an id."""
    return rulebook.endswith(SUFFIXES)
