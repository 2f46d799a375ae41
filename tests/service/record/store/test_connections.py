"""No connection to a database stays open once its owner is done, or could never use it."""

import gc
import sqlite3
from contextlib import suppress
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from service.record.store.database import open_database, sqlite_url
from service.record.store.database_reader import DatabaseReader
from tests.service.stand_ins import FakeReader, app_of, config


def _connections(path: Path) -> list[sqlite3.Connection]:
    """The open connections of this process to a file."""
    return [each for each in gc.get_objects() if isinstance(each, sqlite3.Connection) and str(path) in _files_of(each)]


def _files_of(connection: sqlite3.Connection) -> list[str]:
    with suppress(sqlite3.Error):  # closed
        return [row[2] for row in connection.execute("PRAGMA database_list")]
    return []


def test_a_service_that_ran_leaves_none() -> None:
    settings = config()
    file = settings.record_folder / "record.db"
    with TestClient(app_of(settings, reader=FakeReader(), watch=False)) as client:
        assert client.get("/healthz").status_code == 200
        assert _connections(file)
    assert not _connections(file)


def test_a_reader_closes_what_it_read_with(tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    with DatabaseReader(open_database(sqlite_url(file))) as reader:
        with reader.database.connect() as connection:
            connection.execute(text("SELECT 1"))
        assert _connections(file)
    assert not _connections(file)


def test_one_that_a_thread_gives_back_late(tmp_path: Path) -> None:
    """The service ends and closes its database while a thread still reads."""
    file = tmp_path / "t.db"
    engine = open_database(sqlite_url(file))
    with engine.connect() as late:
        late.execute(text("SELECT 1"))
        engine.dispose()
        assert _connections(file)
    assert not _connections(file)
    with engine.connect() as again:
        again.execute(text("SELECT 1"))
    assert _connections(file)
    engine.dispose()


def test_who_asks_after_the_end_keeps_none(tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    engine = open_database(sqlite_url(file))
    for close in (DatabaseReader(engine).close, lambda: None):  # once closed, however often it is asked
        close()
        with engine.connect() as late:
            assert late.execute(text("SELECT 1")).scalar() == 1
            assert len(_connections(file)) == 1
        assert not _connections(file)


def test_one_that_is_opened_while_the_database_is_closed(tmp_path: Path) -> None:
    """A thread takes a connection of the pool that another has disposed of and not yet replaced."""
    file = tmp_path / "t.db"
    engine = open_database(sqlite_url(file))
    pool = engine.pool
    pool.dispose()
    taken = pool.connect()
    engine.dispose()
    taken.close()
    assert not _connections(file)


def test_a_connection_that_could_not_be_made_ready(tmp_path: Path) -> None:
    """An outage tries again every few seconds: each try would leave one."""
    file = tmp_path / "t.db"
    file.write_bytes(b"This is a letter to the auditor.\n" * 200)
    engine = open_database(sqlite_url(file))
    gc.disable()
    try:
        before = set(map(id, _open_connections()))
        with pytest.raises(DatabaseError):
            engine.connect()
        assert not [each for each in _open_connections() if id(each) not in before]
    finally:
        gc.enable()
        engine.dispose()


def _open_connections() -> list[sqlite3.Connection]:
    return [each for each in gc.get_objects() if isinstance(each, sqlite3.Connection) and _answers(each)]


def _answers(connection: sqlite3.Connection) -> bool:
    try:
        return connection.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False
