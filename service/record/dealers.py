"""The dealer at a table, as reported: an entry of the record, in force until the next one."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from pydantic import AfterValidator, StringConstraints

from service.record.idempotency import answered_before, digest, reply_to
from service.record.store.entries import Draft
from service.words.wording import plain_name

if TYPE_CHECKING:
    from service.record.store.record import Record

LONGEST_NAME: Final = 40
DealerName: TypeAlias = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME),
    AfterValidator(plain_name),
]
"""A name or a staff number."""


@dataclass(frozen=True, slots=True)
class Dealer:
    """Who deals, and on whose word; both None where nobody said anything.

    Attributes:
        name: None while nobody is named.
        by: who said so.
    """

    name: str | None = None
    by: str | None = None


@dataclass(slots=True)
class Dealers:
    """The dealers of one table."""

    record: Record
    table: str
    _told: Dealer | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def known(self) -> Dealer:
        """Who deals, without asking the record; nobody where it could not be read yet."""
        return self._told or Dealer()

    def in_force(self) -> Dealer:
        """Who deals; RecordUnavailableError if it was never read, and cannot be read now."""
        with self._lock:
            return self._in_force()

    def name(self, name: str | None, by: str, key: str | None = None) -> Dealer:
        """Record who deals from now on; None: nobody is named. What is so already is not recorded again.

        With an Idempotency-Key the same sender gets the same answer for ever, and it is recorded once.
        KeyReusedError, RecordUnavailableError.
        """
        scope, request = f"dealer of {self.table} by {by}", digest(name)
        with self._lock:
            if (answer := answered_before(self.record, scope, key, request)) is not None:
                return Dealer(**json.loads(answer))
            before, told = self._in_force(), Dealer(name, by)
            if before.name == name and key is None:
                return before
            body = {"dealer": name, "by": by}
            reply = reply_to(scope, key, request, json.dumps({"name": name, "by": by}))
            self.record.append(Draft("dealer", body, table=self.table), reply=reply)
            self._told = told
            return told

    def _in_force(self) -> Dealer:
        if self._told is None:
            last = next(iter(self.record.last(("dealer",), table=self.table)), None)
            self._told = Dealer() if last is None else Dealer(last.data["dealer"], last.data["by"])
        return self._told
