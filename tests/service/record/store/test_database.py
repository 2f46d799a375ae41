"""The database: how it is opened and written to."""

import gc
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from pg8000.dbapi import InterfaceError
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import ProgrammingError

from service.record.projections.projector import VERSION
from service.record.store.database import (
    MIGRATIONS,
    NEWEST_SCHEMA,
    TABLES,
    DatabaseError,
    open_database,
    sqlite_url,
    unavailable,
    upgrade,
    writing,
)
from service.record.store.postgresql import PostgresConnection


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_database(sqlite_url(tmp_path / "t.db"))
    yield made
    made.dispose()


def test_sqlite_keeps_what_it_was_told_through_a_power_cut(engine: Engine) -> None:
    with engine.connect() as connection:
        told = [connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("journal_mode", "synchronous")]
    assert told == ["wal", 2]


def test_a_block_that_raises_writes_nothing(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE t (n INTEGER)"))

    def fail() -> None:
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO t VALUES (1)"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM t")).scalar_one() == 0


def test_upgrading_twice_changes_nothing(engine: Engine) -> None:
    upgrade(engine)
    upgrade(engine)


@pytest.mark.parametrize("url", ["", "table.db", "oddbase://here"])
def test_what_is_no_database_is_refused(url: str) -> None:
    with pytest.raises(DatabaseError):
        open_database(url)


SCHEMA = Path(__file__).parents[4] / "tests" / "golden" / "schema.sql"


def test_a_changed_schema_has_a_new_name(tmp_path: Path) -> None:
    """A database of before would open, and fail at the first query of what it lacks.

    Raise ``revision`` of the migration, NEWEST_SCHEMA, and VERSION of the projector if other rows are derived; then
    write the file again: ``python -m tests.service.record.store.test_database``.
    """
    assert written_schema(tmp_path / "t.db") == SCHEMA.read_text()


def written_schema(path: Path) -> str:
    made = open_database(sqlite_url(path))
    upgrade(made)
    with made.connect() as connection:
        parts = connection.scalars(text("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name")).all()
    made.dispose()
    return "\n".join([f"-- {NEWEST_SCHEMA}, projections {VERSION}", *(f"{part};" for part in parts), ""])


def test_the_newest_schema_is_that_of_the_last_migration() -> None:
    """It is compared at each start without the migrations themselves; a newer one would never be made."""
    migrations = Config()
    migrations.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(migrations).get_heads() == [NEWEST_SCHEMA]


def test_the_tables_that_are_checked_are_those_that_the_migrations_create(engine: Engine) -> None:
    upgrade(engine)
    with engine.connect() as connection:
        assert {"alembic_version", *TABLES} == {*inspect(connection).get_table_names()} - {"t"}


def test_of_an_error_of_postgresql_only_its_message_is_shown() -> None:
    fields = {"S": "ERROR", "C": "42P01", "M": 'relation "claims" does not exist', "F": "parse_relation.c"}
    error = unavailable(ProgrammingError("SELECT 1", {}, Exception(fields)))
    assert str(error) == 'the record\'s database refuses: relation "claims" does not exist'


def test_a_server_that_goes_away_at_once_leaves_no_socket_open(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()

        def go_away() -> None:
            server.accept()[0].close()

        gone = threading.Thread(target=go_away)
        gone.start()
        with pytest.raises((OSError, InterfaceError)):
            PostgresConnection("somebody", unix_sock=str(path), timeout=5)
        gone.join()
        gc.collect()  # a socket that is still open would be told now, and fail the test


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        SCHEMA.write_text(written_schema(Path(folder) / "t.db"))
