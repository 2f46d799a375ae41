"""What this machine has seen of its record: a restore is noticed and said in one act, nothing is exchanged unseen."""

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import text
from typer.testing import CliRunner, Result

from service.access.accounts import Accounts
from service.cli import app as command_line
from service.record.checkpoints.epochs import epochs_of
from service.record.checkpoints.history import MARK, CheckpointKeeper, RecordHistory
from service.record.integrity.guard import Guard
from service.record.ledger import open_record
from service.record.outbox import Outbox
from service.record.store.database import open_database
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.section import Address
from service.system.service_settings import RecordConfig
from service.system.settings import Config
from service.table.live_state import LiveState
from tests.service.record.integrity.conftest import codes, note, settings_file
from tests.service.stand_ins import config


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    return config().model_copy(update={"record": RecordConfig(folder=tmp_path / "record", min_free_mb=0)})


@contextmanager
def opened(settings: Config) -> Iterator[Record]:
    """The record as the service has it, with what looks after it at the start and at the end."""
    record, live = open_record(settings), LiveState(5, stale_after_s=1e9)
    assert record.state.ok, record.state.message
    mark = record.settings.mark_file
    history = RecordHistory(record, Outbox(record.database), "test", {MARK: mark})
    keeper, guard = CheckpointKeeper(history, live, mark, None, 60.0), Guard(record, Accounts(record).reload, live)
    asyncio.run(keeper.start())
    guard.look()
    yield record
    keeper.end()
    guard._remember()
    record.close()


def house(*arguments: str) -> Result:
    return CliRunner().invoke(command_line, ["record", *arguments])


def copied(settings: Config, to: Path, *, whole: bool) -> None:
    """Copy the database, or the whole folder, of a service that is stopped."""
    folder = settings.record_folder
    if whole:
        shutil.copytree(folder, to)
        return
    to.mkdir()
    with closing(sqlite3.connect(folder / "record.db")) as database:
        database.execute(f"VACUUM INTO '{to / 'record.db'}'")


def put_back(settings: Config, copy: Path, *, whole: bool) -> None:
    folder = settings.record_folder
    if whole:
        shutil.rmtree(folder)
        shutil.copytree(copy, folder)
        return
    for name in ("record.db", "record.db-wal", "record.db-shm"):
        (folder / name).unlink(missing_ok=True)
    shutil.copy(copy / "record.db", folder)


@pytest.mark.parametrize("whole", [False, True], ids=["the database", "the whole folder"])
@pytest.mark.parametrize("first", ["said", "started"])
def test_a_restore_is_noticed_and_is_one_act(settings: Config, tmp_path: Path, first: str, *, whole: bool) -> None:
    with opened(settings) as record:
        note(record)
    copied(settings, tmp_path / "copy", whole=whole)
    with opened(settings) as record:
        note(record)
    put_back(settings, tmp_path / "copy", whole=whole)
    where = ("--config", settings_file(settings.record_folder))
    refused = house("verify", *where)
    assert (refused.exit_code, "is missing: the end of the record was cut off" in refused.stdout) == (1, True)
    if first == "started":
        for _ in range(2):  # it stays until a person says so, over a restart too
            with opened(settings) as record:
                assert codes(record) == ["record_end_missing"]
                assert not epochs_of(record)[-1].by
    said = house("accept", "--restored", "--reason", "the disk was changed", *where)
    assert said.exit_code == 0, said.output
    assert "accepted, with your reason: entry" in said.stdout
    assert "still to be accepted" not in said.stdout
    with opened(settings) as record:
        assert codes(record) == []
        assert epochs_of(record)[-1].by
    assert house("verify", *where).exit_code == 0


def test_no_record_is_begun_where_the_folder_was_moved_away(settings: Config, tmp_path: Path) -> None:
    with opened(settings) as record:
        note(record)
    folder, mark = settings.record_folder, RecordSettings.of(settings).mark_file
    folder.rename(tmp_path / "elsewhere")
    record = open_record(settings)
    assert f"{mark} belongs to a record" in record.state.message
    record.close()
    done = house("accept", "--lost", "--reason", "lost", "--config", settings_file(settings.record_folder))
    assert done.exit_code == 0, done.output
    assert not mark.exists()
    with opened(settings) as record:
        assert codes(record) == []


def test_another_record_in_the_place_of_the_folder_is_told(settings: Config, tmp_path: Path) -> None:
    other = settings.model_copy(update={"record": RecordConfig(folder=tmp_path / "other", min_free_mb=0)})
    for each in (settings, other):
        with opened(each) as record:
            note(record)
    shutil.rmtree(settings.record_folder)
    (tmp_path / "other").rename(settings.record_folder)
    for _ in range(2):
        with opened(settings) as record:
            assert codes(record) == ["record_exchanged"]
    done = house(
        "accept", "--reason", "the tables changed places", "--yes", "--config", settings_file(settings.record_folder)
    )
    assert done.exit_code == 0, done.output
    with opened(settings) as record:
        assert codes(record) == []


def test_an_older_database_of_postgresql_is_noticed_and_said_in_one_act(settings: Config, postgresql: str) -> None:
    name, copy = f"t{uuid4().hex}", f"c{uuid4().hex}"
    server = open_database(postgresql.format(name="postgres"))

    def at(database: str, template: str = "template1") -> Config:
        with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"CREATE DATABASE {database} TEMPLATE {template}"))
        place = settings.record.model_copy(update={"url": Address(postgresql.format(name=database))})
        return settings.model_copy(update={"record": place})

    now = at(name)
    with opened(now) as record:
        note(record)
    older = at(copy, name)
    with opened(now) as record:
        note(record)
    with opened(older) as record:
        assert codes(record) == ["record_end_missing"]
        mark = record.settings.mark_file
    record = open_record(older)
    history = RecordHistory(record, Outbox(record.database), "test", {MARK: mark})
    epoch, answered = history.declare_restored("the boss", "the server was changed")
    assert (epoch.by, [str(fault.finding.code) for fault in answered]) == ("the boss", ["record_end_missing"])
    record.close()
    with opened(older) as record:
        assert codes(record) == []
    server.dispose()
