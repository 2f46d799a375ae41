"""The database itself: how it is opened, written to and brought to the newest schema.

SQLite is the default: write-ahead log, and a commit returns only once it is on disk (``synchronous=FULL``). Any other
database that SQLAlchemy speaks to is named by its URL; PostgreSQL is tested. No call to one waits for ever: a server
that is connected and silent counts as not reachable after :data:`DEADLINE_S`.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import column, create_engine, event, inspect, select, table
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import QueuePool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

MIGRATIONS: Final = Path(__file__).parent / "migrations"
NEWEST_SCHEMA: Final = "record1"
"""The last of the migrations."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of one kind of store, as migrations make them.

    Attributes:
        versions: folder of the migrations.
        newest: the last of them.
        table: where a database says how far it has come.
    """

    versions: Path
    newest: str
    table: str


RECORD_SCHEMA: Final = Schema(MIGRATIONS / "versions", NEWEST_SCHEMA, "alembic_version")
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

    sqlite_errorname = "DATABASE_GONE"


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


def upgrade(engine: Engine, schema: Schema = RECORD_SCHEMA) -> None:
    """Migrate the database to the newest schema, if needed."""
    if _schema_of(engine, schema.table) == [schema.newest]:
        return
    if engine.dialect.name == "postgresql":
        patient = open_database(engine.url.render_as_string(hide_password=False), deadline_s=_MIGRATION_S)
        try:
            _upgrade(patient, schema)
        finally:
            patient.dispose()
    else:
        _upgrade(engine, schema)


def _schema_of(engine: Engine, version: str) -> list[str]:
    """The migrations that a database stands at; none if it is empty."""
    with engine.connect() as connection:
        if not inspect(connection).has_table(version):
            return []
        return list(connection.scalars(select(column("version_num")).select_from(table(version))))


def _upgrade(engine: Engine, schema: Schema) -> None:
    # Not at import: a record that has the newest schema already is opened sooner without.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    migrations = Config()
    migrations.set_main_option("script_location", str(MIGRATIONS))
    migrations.set_main_option("version_locations", str(schema.versions))
    migrations.set_main_option("path_separator", "newline")
    with writing(engine) as connection:
        migrations.attributes["connection"] = connection
        migrations.attributes["version_table"] = schema.table
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
