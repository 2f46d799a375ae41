"""What a fault of the disk or the database means: a code for programs, words for the person who has to mend it."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from service.record.store.entries import FaultCode, RecordUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULTS: Final = (SQLAlchemyError, OSError)
"""What disk and database raise."""

MESSAGES: Final = {
    FaultCode.DISK_FULL: "the disk is full: make room, or export the record and let exported pictures go",
    FaultCode.FILE_LIMIT: "a file of the record may not grow further (limit of this process or disk): raise the limit",
    FaultCode.READ_ONLY: "the record may not be written to (read-only disk or permissions): make it writable for this "
    "service",
    FaultCode.DISK_ERROR: "the disk fails to read or write the record: see that it is not full, and that it is sound",
    FaultCode.DAMAGED: "the record's database is damaged: stop the service, keep the damaged file for the auditor, "
    "and put back a copy that `houseway record verify` proves",
    FaultCode.LOCKED: "another program keeps the record's database locked: end it",
    FaultCode.UNREACHABLE: "the record's database does not answer: see that it runs and can be reached",
    FaultCode.REFUSED: "the record's database refuses",
}
_DETAILED: Final = {FaultCode.UNREACHABLE: "{} ({})", FaultCode.REFUSED: "{}: {}"}
"""Faults that mean little without the database's own first line."""

_BY_ERRNO: Final = {
    errno.ENOSPC: FaultCode.DISK_FULL,
    errno.EDQUOT: FaultCode.DISK_FULL,
    errno.EFBIG: FaultCode.FILE_LIMIT,
    errno.EROFS: FaultCode.READ_ONLY,
    errno.EACCES: FaultCode.READ_ONLY,
    errno.EPERM: FaultCode.READ_ONLY,
}
# SQLite's extended codes (SQLITE_IOERR_READ) and PostgreSQL's classes of SQLSTATE begin alike.
_BY_DATABASE_CODE: Final = {
    "SQLITE_FULL": FaultCode.DISK_FULL,
    "SQLITE_READONLY": FaultCode.READ_ONLY,
    "SQLITE_CANTOPEN": FaultCode.READ_ONLY,
    "SQLITE_CORRUPT": FaultCode.DAMAGED,
    "SQLITE_NOTADB": FaultCode.DAMAGED,
    "SQLITE_BUSY": FaultCode.LOCKED,
    "SQLITE_LOCKED": FaultCode.LOCKED,
    "SQLITE_IOERR": FaultCode.DISK_ERROR,
    "53100": FaultCode.DISK_FULL,
    "25006": FaultCode.READ_ONLY,
    "42501": FaultCode.READ_ONLY,
    "XX00": FaultCode.DAMAGED,
    "55P03": FaultCode.LOCKED,
}


def unavailable(error: BaseException) -> RecordUnavailableError:
    """What a fault of disk or database means.

    >>> unavailable(OSError(errno.ENOSPC, "No space left on device")).code
    <FaultCode.DISK_FULL: 'disk_full'>
    """
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    code = _code_of(cause, asked_database=isinstance(error, (DBAPIError, OSError)))
    message = MESSAGES[code]
    if code in _DETAILED:
        detail = next(iter(str(cause).splitlines()), type(cause).__name__)
        message = _DETAILED[code].format(message, detail)
    return RecordUnavailableError(message, code)


@contextmanager
def faults_as_unavailable() -> Iterator[None]:
    """Raise what disk and database raise as RecordUnavailableError."""
    try:
        yield
    except FAULTS as error:
        raise unavailable(error) from error


def _code_of(cause: BaseException, *, asked_database: bool) -> FaultCode:
    if isinstance(cause, OSError) and cause.errno in _BY_ERRNO:
        return _BY_ERRNO[cause.errno]
    code = str(getattr(cause, "sqlite_errorname", "")) or _sqlstate(cause)
    known = next((found for start, found in _BY_DATABASE_CODE.items() if code.startswith(start)), None)
    if known is not None:
        return known
    return FaultCode.UNREACHABLE if asked_database and not code else FaultCode.REFUSED


def _sqlstate(cause: BaseException) -> str:
    """PostgreSQL's code, as pg8000 hands it on."""
    fields = cause.args[0] if cause.args else None
    return str(fields.get("C", "")) if isinstance(fields, dict) else ""
