"""What a House Way file of a casino's own is called; apart, so that settings are read without loading the books."""

from __future__ import annotations

from typing import Final

SUFFIXES: Final = (".toml", ".py")


def is_file(rulebook: str) -> bool:
    """Whether this is the path of a House Way file, a TOML or a Python one, and not an id."""
    return rulebook.endswith(SUFFIXES)
