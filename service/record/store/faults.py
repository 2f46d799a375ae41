"""What a fault of the disk or the database means, in words for the person who has to mend it."""

from __future__ import annotations

import errno
from typing import Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

FAULTS: Final = (SQLAlchemyError, OSError)
"""What disk and database raise."""

_FULL = "the disk is full: make room, or export the record and let exported pictures go"
_READ_ONLY = "the record may not be written to (read-only disk or permissions): make it writable for this service"
_DAMAGED = (
    "the record's database is damaged: stop the service, keep the damaged file for the auditor, "
    "and put back a copy that `houseway record verify` proves"
)
_IN_USE = "another program keeps the record's database locked: end it"
_LOST = "the record's database does not answer: see that it runs and can be reached"

_BY_ERRNO: Final = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: "a file of the record may not grow further (limit of this process or disk): raise the limit",
    errno.EROFS: _READ_ONLY,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
}
_BY_SQLITE: Final = (
    ("SQLITE_FULL", _FULL),
    ("SQLITE_READONLY", _READ_ONLY),
    ("SQLITE_CANTOPEN", _READ_ONLY),
    ("SQLITE_CORRUPT", _DAMAGED),
    ("SQLITE_NOTADB", _DAMAGED),
    ("SQLITE_BUSY", _IN_USE),
    ("SQLITE_LOCKED", _IN_USE),
)
_BY_SQLSTATE: Final = (
    ("53100", _FULL),
    ("25006", _READ_ONLY),
    ("42501", _READ_ONLY),
    ("XX00", _DAMAGED),
    ("55P03", _IN_USE),
)


def in_words(error: BaseException) -> str:
    """What happened and what to do.

    >>> in_words(OSError(errno.ENOSPC, "No space left on device"))
    'the disk is full: make room, or export the record and let exported pictures go'
    """
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if isinstance(cause, OSError) and cause.errno in _BY_ERRNO:
        return _BY_ERRNO[cause.errno]
    sqlite = str(getattr(cause, "sqlite_errorname", ""))
    for start, words in _BY_SQLITE:
        if sqlite.startswith(start):
            return words
    state = _sqlstate(cause)
    for start, words in _BY_SQLSTATE:
        if state.startswith(start):
            return words
    if sqlite.startswith("SQLITE_IOERR"):
        return "the disk fails to read or write the record: see that it is not full, and that it is sound"
    if not sqlite and not state and isinstance(error, (DBAPIError, OSError)):
        return f"{_LOST} ({str(cause).splitlines()[0] if str(cause) else type(cause).__name__})"
    return f"the record's database refuses: {str(cause).splitlines()[0]}"


def is_damage(words: str) -> bool:
    """Whether these words tell of a damaged database, which must be looked through before it is trusted again."""
    return words == _DAMAGED


def _sqlstate(cause: BaseException) -> str:
    told = cause.args[0] if cause.args else None
    return str(told.get("C", "")) if isinstance(told, dict) else ""
