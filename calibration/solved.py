"""What a fit that failed looks like: its own type, so that it can never be taken for a fit."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class NotSolved:
    """A fit that was not made, or was made and is not good enough to be used. It is false where a fit is true.

    Attributes:
        reason: what was wrong, with the figure and the limit it missed.
        advice: what to do next.
    """

    reason: str
    advice: str

    def __bool__(self) -> Literal[False]:
        """Never true."""
        return False

    def __str__(self) -> str:
        """Reason and advice in one line."""
        return f"{self.reason}. {self.advice}."
