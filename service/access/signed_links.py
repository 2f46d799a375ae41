"""Links that open one thing without signing in, until they expire."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from service.access.second_factors import SealError
from service.record.store.entries import timestamp

if TYPE_CHECKING:
    from service.access.second_factors import Sealer

LONGEST: Final = 1000
"""Characters of a token at most."""
PICTURE: Final = "picture"
"""What a link to one picture of evidence says first."""
_BINDING: Final = "signed link"
_TO_URL: Final = str.maketrans("+/", "-_")
_FROM_URL: Final = str.maketrans("-_", "+/")


@dataclass(frozen=True, slots=True)
class Opened:
    """What a link opens, and until when, UTC."""

    what: tuple[str, ...]
    until: datetime


@dataclass(frozen=True, slots=True)
class SignedLinks:
    """Makes and opens the tokens of links; nobody can make one without the key of the sealer."""

    sealer: Sealer

    def make(self, until: datetime, *what: str) -> str:
        """Return a token for a query parameter, valid until a moment, UTC; SealError if there is no key."""
        return self.sealer.seal(json.dumps([timestamp(until), *what]), _BINDING).translate(_TO_URL)

    def open(self, token: str) -> Opened | None:
        """Return what a token opens; None if it has expired or was not made here."""
        try:
            until, *what = json.loads(self.sealer.open(token.translate(_FROM_URL), _BINDING))
        except (SealError, ValueError):
            return None
        return None if until <= timestamp() else Opened(tuple(what), datetime.fromisoformat(until))
