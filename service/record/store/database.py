"""The database itself: how it is opened, written to and brought to the newest schema.

SQLite is the default: write-ahead log, and a commit returns only once it is on disk (``synchronous=FULL``). Any other
database that SQLAlchemy speaks to is named by its URL; PostgreSQL is tested.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from alembic import command
from alembic.config import Config as Migrations
from sqlalchemy import create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

MIGRATIONS: Final = Path(__file__).parent / "migrations"
BUSY_TIMEOUT_MS: Final = 5_000


class DatabaseError(ValueError):
    """The database cannot be used as named; the message says why."""


def sqlite_url(path: Path) -> str:
    """The URL of a SQLite file.

    >>> sqlite_url(Path("/var/lib/houseway/table.db"))
    'sqlite+pysqlite:////var/lib/houseway/table.db'
    """
    return f"sqlite+pysqlite:///{path}"


def open_database(url: str) -> Engine:
    """Open a database by its SQLAlchemy URL; nothing is read or written yet.

    Raises:
        DatabaseError: not a URL, or of a kind of database there is no driver for.
    """
    try:
        parsed = make_url(url)
        engine = create_engine(parsed)
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError, ValueError):
        # What the libraries say of it may have a part of the password in it.
        raise DatabaseError(
            "record.url is not the URL of a database that can be used: "
            "postgresql+pg8000://USER:PASSWORD@HOST/NAME is needed"
        ) from None
    if parsed.get_backend_name() == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes: all of it is on disk when the block ends, or none of it if the block raises."""
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        yield connection


def upgrade(engine: Engine) -> None:
    """Bring the database to the newest schema; one that has it already is left alone."""
    migrations = Migrations()
    migrations.set_main_option("script_location", str(MIGRATIONS))
    with writing(engine) as connection:
        migrations.attributes["connection"] = connection
        command.upgrade(migrations, "head")


def _prepare_sqlite(raw: Any, _: object) -> None:  # noqa: ANN401  the driver's own connection
    # The driver would begin transactions by itself, at moments of its own; "begin" below does it.
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
