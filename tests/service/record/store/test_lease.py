"""Two services on one PostgreSQL database: one writes, the other says who does, and takes over when that has ended."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import make_url, text

from service.record.integrity.verify import verify_database
from service.record.store.entries import RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import KEY, RecordSettings
from service.words.codes import RecordCode
from tests.service.databases import new_database
from tests.service.record.store.test_record import draft
from tests.service.stand_ins import wait_until

_LONGEST_S = 60.0


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    return new_database(request.getfixturevalue("postgresql"), with_tables=True)


@pytest.fixture
def first(database_url: str, tmp_path: Path) -> Iterator[Record]:
    record = Record(RecordSettings(tmp_path / "first", database_url))
    assert record.state.ok, record.state.message
    yield record
    record.close()


@pytest.fixture
def second(first: Record, database_url: str, tmp_path: Path) -> Iterator[Record]:
    """A service with a copy of the folder, on another machine as it were."""
    (tmp_path / "second").mkdir()
    key = first.settings.folder / KEY
    (tmp_path / "second" / KEY).write_bytes(key.read_bytes())
    (tmp_path / "second" / KEY).chmod(0o600)
    record = Record(RecordSettings(tmp_path / "second", database_url))
    yield record
    record.close()


def _again(record: Record) -> bool:
    """Whether one more attempt makes it write again."""
    record._next_try = 0.0
    # The attempt may go on in a thread of its own.
    wait_until(lambda: record.recover() or (record._next_try > 0.0 and not record._attempt.locked()), _LONGEST_S)
    return record.state.ok


def _comes_back(record: Record) -> None:
    """Wait until it writes again: a server takes a lock back a moment after the connection that held it is closed."""
    wait_until(lambda: _again(record), _LONGEST_S)


def test_the_second_says_who_writes_and_waits(first: Record, second: Record) -> None:
    assert second.state.finding.code is RecordCode.LEASED
    assert str(first.settings.folder) in second.state.message
    with pytest.raises(RecordUnavailableError):
        second.append(draft(1, round_id="r1"))
    first.append(draft(1, round_id="r1"))
    assert not _again(second)
    first.close()
    _comes_back(second)
    second.append(draft(2, round_id="r2"))
    assert verify_database(second, None).holds


def test_who_loses_the_connection_stops_writing_at_once(first: Record, second: Record) -> None:
    first.append(draft(1, round_id="r1"))
    assert first._lease is not None
    with second.database.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        pid = {"pid": first._lease._pid}
        connection.execute(text("SELECT pg_terminate_backend(:pid)"), pid)
        # It ends a moment later, and holds the lease until then.
        there = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid")
        wait_until(lambda: connection.execute(there, pid).scalar_one() == 0)
    with pytest.raises(RecordUnavailableError) as refused:
        first.append(draft(2, round_id="r2"))
    assert refused.value.code is RecordCode.LEASE_LOST
    _comes_back(second)
    second.append(draft(3, round_id="r3"))
    assert not _again(first)
    assert first.state.finding.code is RecordCode.LEASED
    assert str(second.settings.folder) in first.state.message
    assert verify_database(second, None).holds


def test_who_was_overtaken_does_not_write_even_with_its_lock(first: Record) -> None:
    """The number in the database is another's: whatever the lock says, nothing is written."""
    with first.database.begin() as connection:
        connection.execute(text("UPDATE record_lease SET number = number + 1, holder = 'another'"))
    with pytest.raises(RecordUnavailableError, match="another"):
        first.append(draft(1, round_id="r1"))
    _comes_back(first)  # nobody holds the lock: the lease starts again, with a new number
    first.append(draft(1, round_id="r1"))


def test_a_command_may_append_beside_the_service(first: Record) -> None:
    beside = Record(first.settings, claim=False)
    beside.append(draft(1, round_id="r1"))
    beside.close()
    first.append(draft(2, round_id="r2"))
    assert verify_database(first, None).holds


_BOUNCER = """[databases]
* = host={host} port=5432 user=houseway
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
listen_port = 6432
auth_type = any
pool_mode = {mode}
"""


@contextmanager
def bouncing(server: str, folder: Path, mode: str) -> Iterator[str]:
    """Run PgBouncer before a server, and return the folder of its socket; skipped where it is not installed."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("no PgBouncer on this machine; install Debian's package pgbouncer")
    settings = folder / "pgbouncer.ini"
    settings.write_text(_BOUNCER.format(host=server, folder=folder, mode=mode))
    as_other: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(folder, "nobody")
        as_other = ["runuser", "-u", "nobody", "--"]
    running = subprocess.Popen([*as_other, program, "-q", str(settings)])
    try:
        wait_until((folder / ".s.PGSQL.6432").exists)
        yield str(folder / ".s.PGSQL.6432")
    finally:
        running.terminate()
        running.wait(10)


@pytest.mark.parametrize(("mode", "code"), [("session", None), ("transaction", "record_session_shared")])
def test_a_pooler_must_leave_each_connection_its_session(database_url: str, mode: str, code: str | None) -> None:
    direct = make_url(database_url)
    server = str(Path(str(direct.query["unix_sock"])).parent)
    with TemporaryDirectory(prefix="hwpgb", dir="/tmp") as folder, bouncing(server, Path(folder), mode) as at:
        pooled = direct.update_query_dict({"unix_sock": at}).render_as_string(hide_password=False)
        record = Record(RecordSettings(Path(folder) / "record", pooled))
        try:
            assert record.state.ok is (code is None), record.state.message
            assert code is None or record.state.finding.code == code
        finally:
            record.close()
