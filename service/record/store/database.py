"""The database: how it is opened, read and written, brought to the newest schema, and what its errors mean.

SQLite is the default: write-ahead log, and a commit returns only once it is on disk (``synchronous=FULL``). Any other
database that SQLAlchemy speaks to is named by its URL; PostgreSQL is tested. No call to one waits for ever: a server
that is connected and silent counts as not reachable after :data:`DEADLINE_S`.
"""

from __future__ import annotations

import errno
import logging
import sqlite3
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Engine, column, create_engine, event, inspect, select, table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from service.record.store.entries import RecordUnavailableError, RecordVersionError
from service.words.codes import RecordCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from sqlalchemy import Connection, Insert, TableClause
    from sqlalchemy.pool import ConnectionPoolEntry

MIGRATIONS: Final = Path(__file__).parent / "migrations"
NEWEST_SCHEMA: Final = "record2"
"""The last of the migrations."""
_VERSIONS: Final = table("alembic_version", column("version_num"))
TABLES: Final = frozenset(
    (
        *("logs", "refused_entries", "log_cosignatures", "projections", "followed", "rounds", "claims", "alarms"),
        *("record_entries", "record_pictures", "record_replies", "record_lease", "record_cosignatures"),
        *("accounts", "api_keys", "page_sessions", "second_factors", "recovery_codes", "deliveries", "dead_letters"),
    )
)
"""What the migrations create."""

BUSY_TIMEOUT_MS: Final = 5_000
DEADLINE_S: Final = 5.0
"""The longest that a call to a database elsewhere may take, connecting included."""
_MIGRATION_S: Final = 3600.0
"""The same while the schema is brought up to date, which may touch every row."""


class DatabaseError(ValueError):
    """The database cannot be used as named; the message says why."""


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file.

    >>> sqlite_url(Path("/var/lib/houseway/table.db"))
    'sqlite+pysqlite:////var/lib/houseway/table.db'
    """
    return f"sqlite+pysqlite:///{path}"


class DatabaseGoneError(sqlite3.OperationalError):
    """The file of a database that was there is there no more; SQLite would make an empty one in its place."""

    sqlite_errorname = "DATABASE_MISSING"


def open_database(url: str, *, deadline_s: float | None = None) -> Engine:
    """Open a database by its SQLAlchemy URL; nothing is read or written yet.

    Calls to a remote database time out after ``deadline_s`` seconds, :data:`DEADLINE_S` by default.

    Raises:
        DatabaseError: not a URL, or of a kind of database there is no driver for.
    """
    deadline_s = DEADLINE_S if deadline_s is None else deadline_s
    try:
        parsed = make_url(url)
        options: dict[str, Any] = {}
        if parsed.get_backend_name() == "postgresql":
            options = {"pool_timeout": deadline_s, "connect_args": {"timeout": deadline_s, "tcp_keepalive": True}}
        engine = create_engine(parsed, poolclass=_Pool, **options)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
        # What the libraries say of it may have a part of the password in it.
        raise DatabaseError(
            "record.url is not the URL of a database that can be used: "
            "postgresql+pg8000://USER:PASSWORD@HOST/NAME is needed"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif parsed.get_backend_name() == "postgresql":
        event.listen(engine, "do_connect", _connect_to_postgresql)
        event.listen(engine, "connect", _patience(deadline_s))
    return engine


class _Pool(QueuePool):
    """Forgets no connection: one that a thread gives back once the pool was disposed of is closed."""

    _disposed = False

    def dispose(self) -> None:
        self._disposed = True
        super().dispose()

    def _do_return_conn(self, record: ConnectionPoolEntry) -> None:
        super()._do_return_conn(record)
        if self._disposed:
            super().dispose()


# SQLAlchemy logs under the pool's class every connection that is given up, as each attempt at a lease does.
logging.getLogger(f"{__name__}.{_Pool.__name__}").setLevel(logging.WARNING)


def close_database(engine: Engine) -> None:
    """Close all connections. Who still asks gets an answer, over a connection that is closed with it."""
    engine.dispose()
    engine.pool.dispose()  # the new one, which will keep none


def _connect_to_postgresql(_dialect: object, _record: object, args: list[Any], options: dict[str, Any]) -> object:
    from service.record.store.postgresql import PostgresConnection  # noqa: PLC0415  few tables have one

    return PostgresConnection(*args, **options)


def never_new(engine: Engine) -> None:
    """Let no later connection recreate a SQLite file: a missing file is a fault."""
    if engine.dialect.name == "sqlite" and not event.contains(engine, "do_connect", _refuse_new):
        event.listen(engine, "do_connect", _refuse_new)


def _refuse_new(_dialect: object, _record: object, args: list[Any], _options: object) -> None:
    if not Path(args[0]).exists():
        raise DatabaseGoneError(args[0])


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that reads, and sees one moment of the database throughout."""
    with engine.connect() as connection:
        if connection.dialect.name == "postgresql":
            # An ordinary statement: if the server was restarted, its failure is reported like any other.
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: all of it is on disk when the block ends, or none of it if the block raises."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def upgrade(engine: Engine) -> None:
    """Create the tables of the record if the database has none; RecordVersionError as :func:`check_version`."""
    if check_version(engine):
        return
    if engine.dialect.name == "postgresql":
        patient = open_database(engine.url.render_as_string(hide_password=False), deadline_s=_MIGRATION_S)
        try:
            _upgrade(patient)
        finally:
            patient.dispose()
    else:
        _upgrade(engine)


def check_version(engine: Engine) -> bool:
    """Return whether the database has the tables of this version; False if it has none.

    RecordVersionError if another version created its tables, or some are missing.
    """
    with engine.connect() as connection:
        named = set(inspect(connection).get_table_names())
        found = list(connection.scalars(select(_VERSIONS.c.version_num))) if _VERSIONS.name in named else []
    database = engine.url.render_as_string()  # without its password
    if found not in ([], [NEWEST_SCHEMA]):
        raise RecordVersionError.of(
            RecordCode.OTHER_VERSION, database=database, found=", ".join(found), needed=NEWEST_SCHEMA
        )
    if not found and not named & TABLES:
        return False
    if missing := (TABLES - named) | (set() if found else {_VERSIONS.name}):
        raise RecordVersionError.of(RecordCode.TABLES_MISSING, database=database, missing=", ".join(sorted(missing)))
    return True


def _upgrade(engine: Engine) -> None:
    # Not at import: a record that has the newest schema already is opened sooner without.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    migrations = Config()
    migrations.set_main_option("script_location", str(MIGRATIONS))
    with writing(engine) as connection:
        migrations.attributes["connection"] = connection
        command.upgrade(migrations, "head")


def _patience(deadline_s: float) -> Callable[[Any, object], None]:
    """Has a PostgreSQL server itself give up in time, so that it does not go on with what nobody waits for."""

    def prepare(raw: Any, _: object) -> None:  # noqa: ANN401  the driver's own connection
        milliseconds = round(deadline_s * 900)
        cursor = raw.cursor()
        for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            cursor.execute(f"SET {name} = {milliseconds}")
        cursor.close()
        raw.commit()

    return prepare


def _prepare_sqlite(raw: Any, _: object) -> None:  # noqa: ANN401  the driver's own connection
    # The driver would start transactions automatically; the "begin" event below does it instead.
    raw.isolation_level = None
    try:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", f"busy_timeout={BUSY_TIMEOUT_MS}"):
            raw.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        raw.close()  # of a connection that was never ready the pool knows nothing
        raise


def _begin_sqlite(connection: Connection) -> None:
    # A reader that turns writer half-way is refused by SQLite if another wrote meanwhile: writers say so at once.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


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
    "DATABASE_MISSING": RecordCode.DATABASE_MISSING,
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
    fields = _fields_of(cause)
    why = str(fields.get("M", "")) or str(cause)
    return RecordUnavailableError.of(code, why=next(iter(why.splitlines()), type(cause).__name__))


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
    return str(_fields_of(cause).get("C", ""))


def _fields_of(cause: BaseException | None) -> Mapping[str, object]:
    """The fields of a PostgreSQL server's error by letter: C for its code, M for its message; empty for any other."""
    fields = cause.args[0] if cause is not None and cause.args else None
    return fields if isinstance(fields, dict) else {}


def insert_or_update(connection: Connection, into: TableClause) -> postgresql.Insert | sqlite.Insert:
    """An insert that can say what happens ``on_conflict``, as the database of a connection takes it."""
    return postgresql.insert(into) if connection.dialect.name == "postgresql" else sqlite.insert(into)


def put_rows(connection: Connection, put: Insert, rows: Sequence[Mapping[str, Any]]) -> None:
    """Execute an insert for rows that all have the same columns, if there are any."""
    if rows:
        # With RETURNING, SQLAlchemy makes one statement of many rows; else PostgreSQL's driver asks for each of them.
        connection.execute(put.returning(next(iter(put.table.c))), rows)


def fresh_database() -> Engine:
    """A database of its own with all tables and nothing in them; the caller disposes of it.

    It lies in memory, and beyond a few megabytes in a file without a name.
    """
    raw, image = (sqlite3.connect(name, check_same_thread=False) for name in ("", ":memory:"))
    image.deserialize(_image())
    image.backup(raw)
    image.close()
    return _engine(raw)


@cache
def _image() -> bytes:
    raw = sqlite3.connect(":memory:", check_same_thread=False)
    made = _engine(raw)
    try:
        upgrade(made)
        return raw.serialize()
    finally:
        made.dispose()


def _engine(raw: sqlite3.Connection) -> Engine:
    return create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool)
