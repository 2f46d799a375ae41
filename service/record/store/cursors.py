"""Cursors: the place of an entry and the beginning of its hash.

One of another record, or of one whose end was cut off, is refused and never silently read on from.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final, TypeAlias

from service.record.store.chain import NO_HASH

Cursor: TypeAlias = tuple[int, str]
"""The number of an entry, and the first 16 digits of its hash."""

START: Final[Cursor] = (0, NO_HASH[:16])
_CURSOR: Final = re.compile(r"1\.([0-9]{1,18})\.([0-9a-f]{16})")


class CursorError(ValueError):
    """This is no cursor."""


class ForeignCursorError(CursorError):
    """This cursor is of another record, or of entries that are no longer there."""


class RestoredError(ForeignCursorError):
    """The record was restored from a copy, or lost its end, and no longer holds the cursor's entry.

    Attributes:
        epoch: in which it goes on.
        go_on: the cursor to continue from; entries up to it are in both records.
    """

    def __init__(self, message: str, epoch: str, go_on: str) -> None:
        super().__init__(message)
        self.epoch = epoch
        self.go_on = go_on


def cursor_of(seq: int, entry_hash: str) -> str:
    """The cursor behind an entry.

    >>> read_cursor(cursor_of(7, "ab" * 32))
    (7, 'abababababababab')
    """
    return base64.urlsafe_b64encode(f"1.{seq}.{entry_hash[:16]}".encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Cursor:
    """The number and the hash in a cursor; CursorError if the text is not a cursor."""
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        text = ""
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise CursorError("This is not a cursor: send 'next' of an earlier answer, or no cursor to begin at the start.")
    return int(found[1]), found[2]
