"""Map disk and database errors to a code for programs and a sentence for the person who repairs them."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.record.store.entries import RecordUnavailableError
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULTS: Final = (SQLAlchemyError, OSError, UnicodeDecodeError)
"""Errors of disk and database; the last for invalid text in the database file."""

_EXPLAINED: Final = frozenset({RecordCode.UNREACHABLE, RecordCode.REFUSED, RecordCode.DISK_ERROR})
"""Faults that mean little without the first line of what was raised."""
_OF_DATA: Final = ("22", "23", "P0", "SQLITE_CONSTRAINT", "SQLITE_MISMATCH", "SQLITE_TOOBIG")
"""Classes of SQLSTATE, and codes of SQLite, of data that cannot be written."""
_OF_FILES: Final = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)
"""What only files raise, and no connection to a database."""

_NO_TEXT: Final = "Could not decode to UTF-8"
"""What SQLite's driver says of such text in a column, without a code."""

_BY_ERRNO: Final = {
    errno.ENOSPC: RecordCode.DISK_FULL,
    errno.EDQUOT: RecordCode.DISK_FULL,
    errno.EFBIG: RecordCode.FILE_LIMIT,
    errno.EROFS: RecordCode.READ_ONLY,
    errno.EACCES: RecordCode.READ_ONLY,
    errno.EPERM: RecordCode.READ_ONLY,
}
# Matched by prefix: SQLite's extended codes (SQLITE_IOERR_READ) and PostgreSQL's SQLSTATE classes.
_BY_DATABASE_CODE: Final = {
    "DATABASE_GONE": RecordCode.DATABASE_GONE,
    "SQLITE_FULL": RecordCode.DISK_FULL,
    "SQLITE_READONLY": RecordCode.READ_ONLY,
    "SQLITE_CANTOPEN": RecordCode.READ_ONLY,
    "SQLITE_CORRUPT": RecordCode.DAMAGED,
    "SQLITE_NOTADB": RecordCode.DAMAGED,
    "SQLITE_BUSY": RecordCode.LOCKED,
    "SQLITE_LOCKED": RecordCode.LOCKED,
    "SQLITE_IOERR": RecordCode.DISK_ERROR,
    "53100": RecordCode.DISK_FULL,
    "25006": RecordCode.READ_ONLY,
    "42501": RecordCode.READ_ONLY,
    "XX00": RecordCode.DAMAGED,
    "55P03": RecordCode.LOCKED,
    # The server gave up what took too long, or is stopping
    "57": RecordCode.UNREACHABLE,
}


def unavailable(error: BaseException) -> RecordUnavailableError:
    """What a fault of disk or database means.

    >>> unavailable(OSError(errno.ENOSPC, "No space left on device")).code
    <RecordCode.DISK_FULL: 'record_disk_full'>
    """
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = _code_of(cause, asked_database=isinstance(error, (DBAPIError, OSError)))
    if code not in _EXPLAINED:
        return RecordUnavailableError.of(code)
    return RecordUnavailableError.of(code, why=next(iter(str(cause).splitlines()), type(cause).__name__))


def is_of_data(error: BaseException) -> bool:
    """Whether the data that was to be written is to blame for an error, and not the database."""
    if not isinstance(error, DBAPIError):
        return isinstance(error, OverflowError)  # the driver could not even hand it to the database
    code = str(getattr(error.orig, "sqlite_errorname", "")) or sqlstate(error.orig)
    return not error.connection_invalidated and code.startswith(_OF_DATA)


@contextmanager
def faults_as_unavailable() -> Iterator[None]:
    """Raise what disk and database raise as RecordUnavailableError."""
    try:
        yield
    except FAULTS as error:
        raise unavailable(error) from error


def _code_of(cause: BaseException, *, asked_database: bool) -> RecordCode:
    if isinstance(cause, UnicodeDecodeError) or str(cause).startswith(_NO_TEXT):
        return RecordCode.DAMAGED
    if isinstance(cause, OSError) and cause.errno in _BY_ERRNO:
        return _BY_ERRNO[cause.errno]
    code = str(getattr(cause, "sqlite_errorname", "")) or sqlstate(cause)
    if isinstance(cause, _OF_FILES):
        return RecordCode.DISK_ERROR
    known = next((found for start, found in _BY_DATABASE_CODE.items() if code.startswith(start)), None)
    if known is not None:
        return known
    return RecordCode.UNREACHABLE if asked_database and not code else RecordCode.REFUSED


def sqlstate(cause: BaseException | None) -> str:
    """PostgreSQL's code, as pg8000 hands it on."""
    fields = cause.args[0] if cause is not None and cause.args else None
    return str(fields.get("C", "")) if isinstance(fields, dict) else ""
