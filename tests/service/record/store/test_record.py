"""The record over SQLite and PostgreSQL alike: what is appended stays, in order, and cannot be changed."""

import os
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from service.cli import app
from service.record.integrity.verify import verify_database
from service.record.projections.alarms import AlarmList
from service.record.projections.compare import compare_own
from service.record.projections.projector import Projector
from service.record.store.database import open_database, writing
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import NO_HASH, Draft, Picture, RecordUnavailableError, Reply, check_link
from service.record.store.record import Record
from service.record.store.record_settings import KEY, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey
from service.words.codes import RecordCode
from tests.service.stand_ins import wait_until


def draft(number: int = 1, *, pictures: tuple[Picture, ...] = (), table: str = "one", round_id: str = "r1") -> Draft:
    """A round's revision."""
    named = [
        {"sha256": picture.sha256, "role": "frame", "bytes": len(picture.data), "media_type": picture.media_type}
        for picture in pictures
    ]
    said = {"number": number, "revision": 1, "evidence": named}
    return Draft("round", said, table=table, round=round_id, subject="1")


def test_the_first_entry_names_the_record_and_its_key(record: Record, settings: RecordSettings) -> None:
    first = record.head()
    assert first is not None
    assert (first.seq, first.kind, first.previous) == (1, "record", NO_HASH)
    key = PublicKey.load(settings.folder / PUBLIC_KEY)
    assert first.data == {"record": record.id, "public_key": key.hex}
    assert (settings.folder / KEY).stat().st_mode & 0o777 == 0o600


def test_entries_follow_each_other_and_say_when(record: Record) -> None:
    appended = [record.append(draft(number, round_id=f"r{number}")) for number in range(1, 5)]
    assert [entry.seq for entry in appended] == [2, 3, 4, 5]
    assert record.after(1) == tuple(appended)
    before = record.entry(1)
    assert before is not None
    seq, previous = before.seq, before.hash
    for entry in appended:
        check_link(entry, seq, previous)
        seq, previous = entry.seq, entry.hash
    assert [entry.at for entry in appended] == sorted(entry.at for entry in appended)
    assert [entry.monotonic_ns for entry in appended] == sorted(entry.monotonic_ns for entry in appended)
    assert verify_database(record, record.evidence.folder).last == 5


def test_questions_a_reader_asks(record: Record) -> None:
    record.append(draft(1))
    record.append(draft(2, table="two", round_id="r2"))
    record.append(Draft("start", {}, table="one"))
    again = record.append(Draft("review", {"number": 1, "revision": 2}, table="one", round="r1", supersedes=2))
    assert [entry.seq for entry in record.after(0, kinds=("round", "review"))] == [2, 3, 5]
    assert [entry.seq for entry in record.after(2, kinds=("round", "review"), table="one")] == [5]
    assert [entry.seq for entry in record.after(0, limit=2)] == [1, 2]
    assert [entry.seq for entry in record.last(("round", "review"), count=2)] == [5, 3]
    assert record.last(("round",), round_id="r1")[0].seq == 2
    assert [entry.seq for entry in record.of_rounds(("r1",))] == [2, 5]
    assert record.newest_rounds("one", 5) == (again,)
    later = record.append(draft(2, round_id="r3"))
    reviewed = record.append(Draft("review", {"number": 1, "revision": 3}, table="one", round="r1", supersedes=5))
    assert record.newest_rounds("one", 5) == (reviewed, later)
    assert record.newest_rounds("one", 1) == (later,)
    assert record.entry(99) is None
    assert record.of_rounds(("none",)) == ()


_COPIED = 'at, monotonic_ns, kind, "table", round, subject, supersedes, body'
_UNSIGNED = "'', NULL, NULL FROM record_entries WHERE seq = 2"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE record_entries SET body = '{}' WHERE seq = 2",
        "DELETE FROM record_entries WHERE seq = 2",
        "UPDATE record_entries SET signature = '' WHERE seq = 2",
        "UPDATE record_entries SET gone = '1' WHERE seq = 2",
        "DELETE FROM record_pictures",
        "UPDATE record_pictures SET bytes = 0",
        "DELETE FROM record_replies",
        "UPDATE record_replies SET answer = 'other'",
        f"INSERT INTO record_entries SELECT 99, 1, 99, {_COPIED}, hash, '', {_UNSIGNED}",
        f"INSERT INTO record_entries SELECT 3, 1, 3, {_COPIED}, previous, hash, {_UNSIGNED}",
    ],
)
def test_the_database_itself_refuses_changes(record: Record, statement: str) -> None:
    picture = Picture(b"a picture")
    record.append(draft(pictures=(picture,)), pictures=(picture,), reply=Reply("s", "k", "0" * 64, "{}"))

    def change() -> None:
        with writing(record.database) as connection:
            connection.execute(text(statement))

    with pytest.raises(DBAPIError, match="append-only"):
        change()
    assert verify_database(record, record.evidence.folder).holds


@pytest.mark.parametrize("table", ["record_entries", "record_replies", "record_pictures"])
def test_replacing_is_no_way_around(record: Record, table: str) -> None:
    """SQLite replaces rows without asking about removal, PostgreSQL truncates without asking about rows."""
    picture = Picture(b"a picture")
    record.append(draft(pictures=(picture,)), pictures=(picture,), reply=Reply("s", "k", "0" * 64, "{}"))
    sqlite = f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}"  # noqa: S608
    statement = sqlite if record.database.dialect.name == "sqlite" else f"TRUNCATE {table} CASCADE"

    def change() -> None:
        with writing(record.database) as connection:
            connection.execute(text(statement))

    with pytest.raises(DBAPIError, match="append-only"):
        change()


def test_pictures_come_with_their_entry(record: Record) -> None:
    picture, other = Picture(b"\xff\xd8 one"), Picture(b"\x89PNG", "image/png")
    record.append(draft(pictures=(picture, other)), pictures=(picture, other, picture))
    assert record.picture(picture.sha256) == picture
    assert record.picture(other.sha256) == other
    assert record.picture("0" * 64) is None
    record.evidence.path(other.sha256).write_bytes(b"\x89GIF")
    assert record.picture(other.sha256) is None
    proof = verify_database(record, record.evidence.folder)
    assert (proof.broken, proof.last) == (2, 1)
    assert "was changed" in proof.why


def test_an_answer_is_kept_with_its_entry(record: Record) -> None:
    reply = Reply("/v1/rounds/r1/review", "key-1", "ab" * 32, '{"a":1}')
    record.append(draft(), reply=reply)
    assert record.reply(reply.scope, reply.key) == reply
    assert record.reply(reply.scope, "key-2") is None
    assert record.reply("/elsewhere", reply.key) is None


def test_it_goes_on_where_it_stopped(record: Record, settings: RecordSettings) -> None:
    record.append(draft())
    record.close()
    again = Record(settings)
    assert again.id == record.id
    assert again.append(draft(2, round_id="r2")).seq == 3
    assert verify_database(again, settings.folder / "evidence").last == 3
    again.close()


def test_a_second_service_does_not_write(record: Record, settings: RecordSettings) -> None:
    second = Record(settings)
    assert not second.state.ok
    assert second.state.finding.code is RecordCode.OTHER_WRITER
    assert dict(second.state.finding.params)["process"] == str(os.getpid())
    with pytest.raises(RecordUnavailableError):
        second.append(draft())
    record.close()
    second._next_try = 0.0
    assert second.recover()
    assert second.append(draft()).seq == 3  # behind the outage
    outage = second.entry(2)
    assert outage is not None
    assert outage.kind == "outage"
    assert "folder" in outage.data["params"]
    second.close()


def test_a_database_of_another_version_is_named_and_not_touched(record: Record, settings: RecordSettings) -> None:
    with writing(record.database) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0013'"))
    record.close()
    again = Record(settings)
    assert again.state.finding.code is RecordCode.OTHER_VERSION
    assert str(again.database.url.database) in again.state.message
    assert "0013" in again.state.message
    again.close()
    out = ["--out", str(settings.folder / "out")]
    done = CliRunner().invoke(app, ["record", "export", "--record", settings.database_url, *out])
    assert done.exit_code == 2
    assert done.stderr.startswith("houseway: another version of Houseway made the record in")


@pytest.mark.parametrize(
    ("changed", "missing"), [("DELETE FROM alembic_version", "alembic_version"), ("DROP TABLE claims", "claims")]
)
def test_a_database_without_some_of_its_tables_is_not_filled_up(
    record: Record, settings: RecordSettings, changed: str, missing: str
) -> None:
    with writing(record.database) as connection:
        connection.execute(text(changed))
    record.close()
    again = Record(settings)
    assert again.state.finding.code is RecordCode.TABLES_MISSING
    assert dict(again.state.finding.params)["missing"] == missing
    again.close()


def test_an_outage_is_an_alarm_of_every_local_table(settings: RecordSettings) -> None:
    first = Record(settings)
    second = Record(replace(settings, tables=("one", "two")))
    first.close()

    def recovers() -> bool:
        second._next_try = 0.0
        return second.recover()

    wait_until(recovers)
    Projector(second).catch_up()
    alarms = AlarmList(second.database).page().alarms
    assert {(alarm.table, alarm.subject, alarm.over_at is not None) for alarm in alarms} == {
        ("one", "record", True),
        ("two", "record", True),
    }
    assert compare_own(second).faults == ()
    second.close()


def test_many_threads_and_a_command_append_one_chain(record: Record, settings: RecordSettings) -> None:
    command = Record(settings, claim=False)

    def append(to: Record) -> None:
        for number in range(5):
            to.append(draft(number))

    threads = [threading.Thread(target=append, args=(to,)) for to in (record, record, command)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    command.close()
    proof = verify_database(record, record.evidence.folder)
    assert (proof.holds, proof.last) == (True, 16)


def test_readers_see_only_what_is_durable(record: Record, settings: RecordSettings) -> None:
    reader = DatabaseReader(open_database(settings.database_url))
    with writing(record.database) as connection:
        connection.execute(text("CREATE TABLE elsewhere (n INTEGER)"))
        head = reader.head()
        assert head is not None  # a writer in the middle of its work does not hold up a reader
        assert head.seq == 1
    reader.database.dispose()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        pytest.param(lambda key: key.unlink(), "is missing", id="lost"),
        pytest.param(lambda key: key.write_bytes(b"no key"), "no key can be read", id="spoilt"),
        pytest.param(lambda key: key.chmod(0o644), "other users can read", id="readable-by-others"),
    ],
)
def test_without_its_key_nothing_is_appended(
    record: Record, settings: RecordSettings, spoil: object, says: str
) -> None:
    record.close()
    spoil(settings.folder / KEY)  # type: ignore[operator]
    again = Record(settings)
    assert not again.state.ok
    assert says in again.state.message
    again.close()


def test_another_key_is_refused(record: Record, settings: RecordSettings, tmp_path: Path) -> None:
    record.close()
    other = Record(RecordSettings(tmp_path / "other"))
    other.close()
    (settings.folder / KEY).unlink()
    (tmp_path / "other" / KEY).rename(settings.folder / KEY)
    again = Record(settings)
    assert "another key" in again.state.message
    again.close()
