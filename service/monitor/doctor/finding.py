"""What the doctor says of one thing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["ok", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        name: what it is, a stable word.
        level: ``fail`` if the table cannot or must not be verified so, ``warn`` if it will not stay well.
        message: how it is.
        remedy: what to do; empty if it is well.
    """

    name: str
    level: Level
    message: str
    remedy: str = ""


def well(name: str, message: str) -> Finding:
    """A thing that is well."""
    return Finding(name, "ok", message)


def warn(name: str, message: str, remedy: str) -> Finding:
    """A thing to be seen to."""
    return Finding(name, "warn", message, remedy)


def fail(name: str, message: str, remedy: str) -> Finding:
    """A thing that must be put right."""
    return Finding(name, "fail", message, remedy)
