"""What a fit that failed looks like: its own type, so that it can never be taken for a fit."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class NotSolved:
    """A fit that was not made, or is not good enough to be used: why, and what to do next. It is false."""

    reason: str
    advice: str

    def __bool__(self) -> Literal[False]:
        """Never true."""
        return False

    def __str__(self) -> str:
        """Reason and advice in one line."""
        return f"{self.reason}. {self.advice}."
