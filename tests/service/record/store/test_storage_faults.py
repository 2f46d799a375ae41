"""Disks that are full, read only or spoilt, as they really are: the record says so, loses nothing, and comes back."""

import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from service.record.integrity.verify import verify_database
from service.record.store.entries import Draft, Picture, RecordUnavailableError
from service.record.store.evidence import EvidenceStore
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, EVIDENCE, RecordSettings
from tests.service.record.store.test_record import draft


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB of its own; skipped where none can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a disk can be mounted by root alone")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def picture(number: int, size: int = 100_000) -> Picture:
    return Picture(number.to_bytes(4, "big") * (size // 4))


def append(record: Record, number: int, size: int = 100_000) -> int:
    seen = picture(number, size)
    return record.append(draft(number, pictures=(seen,), round_id=f"r{number}"), pictures=(seen,)).seq


def fill(record: Record, first: int = 0) -> tuple[list[int], str]:
    """Append until it is refused; the numbers that were served, and why no more."""
    served = []
    for number in range(first, first + 1000):
        try:
            served.append(append(record, number))
        except RecordUnavailableError as error:
            return served, str(error)
    raise AssertionError("never full")


def stuff(disk: Path) -> None:
    """Leave no room even for the little that says that a picture had none."""
    with (disk / "rest").open("wb", buffering=0) as rest, suppress(OSError):
        while rest.write(bytes(4096)):
            pass


def recovers(record: Record) -> bool:
    record._next_try = 0.0
    return record.recover()


def check(record: Record, served: list[int]) -> None:
    proof = verify_database(record, record.evidence.folder)
    assert proof.holds, proof.why
    kept = {entry.seq: entry.kind for entry in record.all_entries()}
    assert {kept[seq] for seq in served} == {"round"}


def test_a_full_disk(small_disk: Path) -> None:
    record = Record(RecordSettings(small_disk / "state"))
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(900_000))
    served, why = fill(record)
    stuff(small_disk)
    assert served
    assert "disk is full" in why
    assert (record.state.ok, record.state.message) == (False, why)
    record_fault = record.state.finding.code
    with pytest.raises(RecordUnavailableError):
        append(record, 2000)
    assert not recovers(record)
    assert record.entry(served[-1]) is not None  # readers are served all the while
    ballast.unlink()
    assert recovers(record)
    outage = record.last(("outage",))[0].data
    assert outage["code"] == record_fault
    assert outage["since"] < outage["until"]
    served.append(append(record, 3000))
    check(record, served)
    record.close()


def test_a_disk_too_full_for_the_database_alone(small_disk: Path) -> None:
    record = Record(RecordSettings(small_disk / "state"))
    (small_disk / "ballast").write_bytes(bytes(1_500_000))
    served: list[int] = []

    def tell() -> None:
        for number in range(10_000):
            told = Draft("account", {"number": number, "filler": "x" * 5_000}, table="one")
            served.append(record.append(told).seq)

    with pytest.raises(RecordUnavailableError, match="room"):
        tell()
    (small_disk / "ballast").unlink()
    assert recovers(record)
    assert [entry.seq for entry in record.last(("account",), count=10_000)] == served[::-1]
    check(record, [append(record, 1)])
    record.close()


def test_a_record_that_could_not_begin_is_not_remembered(small_disk: Path) -> None:
    """Else it would be missed when there is room again."""
    folder, ballast = small_disk / "state", small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    record = Record(RecordSettings(folder, min_free_bytes=1_000_000))
    assert (record.state.ok, record.id, record.public_key) == (False, "", None)
    ballast.unlink()
    assert recovers(record)
    check(record, [append(record, 1)])
    record.close()


def test_a_disk_that_turns_read_only(small_disk: Path, caplog: pytest.LogCaptureFixture) -> None:
    record = Record(RecordSettings(small_disk / "state"))
    served = [append(record, 1)]
    # Files open for writing would hold the change up; an error of the disk asks nobody.
    record.database.dispose()
    assert record._writer_lock is not None
    record._writer_lock.release()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(RecordUnavailableError, match="writable"):
        append(record, 2)
    assert not recovers(record)
    with pytest.raises(RecordUnavailableError, match="writable"):
        append(record, 2)
    (told,) = caplog.records  # once, and without a traceback as if this program were to blame
    assert "make it writable" in told.message
    assert told.exc_info is None
    again = Record(RecordSettings(small_disk / "state"), claim=False)
    assert not again.state.ok
    again.close()
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    assert recovers(record)
    check(record, [*served, append(record, 2)])
    record.close()


def test_a_folder_without_rights(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    record = Record(RecordSettings(tmp_path / "state"))
    (tmp_path / "state" / EVIDENCE).chmod(0o500)
    with pytest.raises(RecordUnavailableError, match="writable"):
        append(record, 1)
    (tmp_path / "state" / EVIDENCE).chmod(0o700)
    assert recovers(record)
    check(record, [append(record, 1)])
    record.close()


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(("limit", "size"), [(50_000, 100_000), (1_000_000, 300)], ids=["picture", "database"])
def test_a_file_that_may_not_grow(tmp_path: Path, limit: int, size: int) -> None:
    record = Record(RecordSettings(tmp_path / "state"))
    served = [append(record, 5000, size)]
    with largest_file(limit):
        more, why = fill(record)
        assert not record.state.ok, why
        assert not list(record.evidence.folder.rglob(".unfinished-*"))
    assert recovers(record)
    check(record, [*served, *more, append(record, 6000, size)])
    record.close()


def _spoil(database: Path) -> bytes:
    """Overwrite the middle of the file; returns what it was."""
    whole = database.read_bytes()
    start = len(whole) // 3 // 4096 * 4096
    database.write_bytes(whole[:start] + os.urandom(len(whole) // 3) + whole[start + len(whole) // 3 :])
    return whole


def test_a_damaged_database_is_not_written_to(tmp_path: Path) -> None:
    record = Record(RecordSettings(tmp_path / "state"))
    served = [append(record, number, 400) for number in range(60)]
    record.close()
    whole = _spoil(tmp_path / "state" / DATABASE)
    again = Record(RecordSettings(tmp_path / "state"))
    assert not again.state.ok
    assert "damaged" in again.state.message
    with pytest.raises(RecordUnavailableError, match="damaged"):
        append(again, 1)
    assert not recovers(again)
    again.database.dispose()
    (tmp_path / "state" / DATABASE).write_bytes(whole)
    assert recovers(again)
    check(again, [*served, append(again, 99, 400)])
    again.close()


def test_damage_met_by_a_reader_stops_the_writer(tmp_path: Path) -> None:
    record = Record(RecordSettings(tmp_path / "state"))
    for number in range(60):
        append(record, number, 400)
    with record.database.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    record.database.dispose()
    _spoil(tmp_path / "state" / DATABASE)
    with pytest.raises(RecordUnavailableError, match="damaged"):
        list(record.all_entries())
    assert not record.state.ok
    with pytest.raises(RecordUnavailableError, match="damaged"):
        append(record, 99, 400)
    record.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / DATABASE).write_bytes(b"This is a letter to the auditor.\n" * 200)
    record = Record(RecordSettings(tmp_path / "state"))
    assert "damaged" in record.state.message
    record.close()


class TestRetention:
    """Pictures make room only once they were exported, and the record tells that they did."""

    @pytest.fixture
    def record(self, tmp_path: Path) -> Iterator[Record]:
        record = Record(RecordSettings(tmp_path / "state", max_bytes=1_000_000))
        yield record
        record.close()

    @staticmethod
    def _mark(record: Record, through: int) -> None:
        """As an export does once everything is on disk."""
        record.append(Draft("export", {"through": through, "hash": "", "pictures": 0}))

    def test_nothing_that_was_not_exported_is_removed(self, record: Record) -> None:
        served, why = fill(record)
        assert len(served) == 10
        assert "houseway record export" in why
        assert all(record.picture(picture(number).sha256) for number in range(10))
        assert not recovers(record)

    def test_exported_pictures_make_room_oldest_first(self, record: Record) -> None:
        served = [append(record, number) for number in range(9)]
        self._mark(record, served[4])
        served += [append(record, number) for number in range(9, 14)]
        there = [record.picture(picture(number).sha256) is not None for number in range(14)]
        gone = there.index(True)
        assert 4 <= gone <= 5
        assert all(there[gone:])
        fill(record, 14)
        assert all(record.picture(picture(number).sha256) for number in range(5, 10))
        proof = verify_database(record, record.evidence.folder)
        assert (proof.holds, proof.removed) == (True, 5)

    def test_a_picture_seen_again_since_stays(self, record: Record) -> None:
        first = append(record, 1)
        self._mark(record, first)
        append(record, 1)
        append(record, 2)
        fill(record, 3)
        assert record.picture(picture(1).sha256) is not None

    def test_old_ones_go_by_age(self, tmp_path: Path) -> None:
        record = Record(RecordSettings(tmp_path / "aged", keep_days=0))
        served = [append(record, number) for number in range(4)]
        record.tidy()
        assert record.picture(picture(0).sha256) is not None  # not exported yet
        self._mark(record, served[1])
        record.tidy()
        assert [record.picture(picture(number).sha256) is not None for number in range(4)] == [False, False, True, True]
        record.tidy()
        assert len(record.last(("pictures_removed",), count=5)) == 1
        record.close()


def test_half_written_pictures_are_cleared_away(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "e", max_bytes=1000, min_free_bytes=0)
    store.open()
    seen = Picture(b"whole")
    store.put({seen.sha256: seen.data})
    (tmp_path / "e" / ".unfinished-1").write_bytes(b"half")
    store.open()
    assert (store.used, list((tmp_path / "e").glob(".unfinished-*"))) == (5, [])
    assert store.get(seen.sha256) == b"whole"
    store.path(seen.sha256).write_bytes(b"spoilt by the disk")
    assert store.get(seen.sha256) is None
    store.put({seen.sha256: seen.data})
    assert (store.get(seen.sha256), store.used) == (b"whole", 5)


@pytest.mark.parametrize("name", ["", "..", "../../etc/passwd", "A" * 64, "a" * 63])
def test_only_a_hash_names_a_picture(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="no SHA-256"):
        EvidenceStore(tmp_path, max_bytes=1, min_free_bytes=0).path(name)
