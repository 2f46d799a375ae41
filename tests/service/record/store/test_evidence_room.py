"""How full the evidence is, said days before nothing more could be recorded, and exported by a timer."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.record.integrity.verify import verify_export
from service.record.store.entries import Draft, Picture
from service.record.store.evidence import EvidenceRoom, evidence_room
from service.record.store.record import Record
from service.table.live_state import LiveState
from service.table.metrics import Metrics
from service.table.monitor.monitors import EvidenceWatch, check_of_room
from service.words.codes import ServiceCode
from tests.service.record.store.test_record import draft

MB = 1_000_000


def archived(settings: Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["record", "export", "--config", str(settings)])
    return result.exit_code, result.output


def settings_of(record: Record, folder: Path, archive: Path) -> Path:
    """A settings file that names a record and where its archive goes."""
    if record.settings.url is not None:
        pytest.skip("settings name a host, and this database is reached by a file")
    kept = f'[record]\nfolder = "{record.settings.folder}"\narchive = "{archive}"\n'
    text = f'[[tables]]\nname = "one"\n[tables.source]\nkind = "simulator"\n{kept}'
    file = folder / "table.toml"
    file.write_text(text)
    file.chmod(0o600)
    return file


def test_programs_that_probe_the_disk_at_once_do_not_disturb_each_other(record: Record) -> None:
    with ThreadPoolExecutor(6) as programs:
        for done in [programs.submit(record.evidence.probe) for _ in range(60)]:
            done.result()


def keep(record: Record, number: int, *pictures: Picture) -> None:
    record.append(draft(number, pictures=pictures, round_id=f"r{number}"), pictures=pictures)


def test_what_is_kept_and_what_comes_is_counted_once(record: Record) -> None:
    one, two, three = (Picture(bytes([number]) * 1000 * number) for number in (1, 2, 3))
    now = datetime.now(UTC)
    keep(record, 1, one, two)
    keep(record, 2, two)  # a later revision names it again
    room = evidence_room(record, record.evidence, now)
    assert (room.used, room.kept) == (3000, 3000)
    assert room.per_day == 3000, "from less than a day no more than that is foretold"
    head = record.head()
    assert head is not None
    record.append(Draft("export", {"through": head.seq}))
    keep(record, 3, three)
    keep(record, 4, one)  # exported, but named once more since
    room = evidence_room(record, record.evidence, now)
    assert (room.used, room.kept) == (6000, 4000)
    # Ten days on, nothing has come for a week.
    later = evidence_room(record, record.evidence, now + timedelta(days=10))
    assert (later.per_day, later.days_left) == (0.0, None)


@pytest.mark.parametrize(
    ("kept", "per_day", "days", "ok"),
    [
        *((0, 100, 10, False), (0, 10, 100, True), (850, 10, 15, True), (860, 10, 14, False)),
        *((999, 0, None, True), (1000, 10, 0, False), (2000, 10, 0, False)),
    ],
)
def test_it_is_said_days_ahead(kept: int, per_day: float, days: float | None, ok: bool) -> None:  # noqa: FBT001
    room = EvidenceRoom(used=900 * MB, limit=1000 * MB, kept=kept * MB, per_day=per_day * MB)
    assert room.days_left == days
    check = check_of_room(room, warn_days=14)
    assert (check.ok, check.blocks) == (ok, False)
    if not ok:
        assert check.findings[0].code is ServiceCode.EVIDENCE_FILLS
        assert check.findings[0].params == (("days", days), ("kept_mb", kept), ("limit_mb", 1000))


def test_the_watch_tells_the_table_and_prometheus(record: Record) -> None:
    keep(record, 1, Picture(b"x" * 5000))
    live, metrics = LiveState(10, stale_after_s=60), Metrics()
    EvidenceWatch(record, live, metrics, 14).measure(datetime.now(UTC))
    assert [check.name for check in live.health() if check.ok and not check.blocks] == ["evidence"]
    told = {
        tuple(sample.labels.values()): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "houseway_evidence_bytes"
    }
    assert (told["used",], told["not_exported",]) == (5000, 5000)
    assert told["limit",] > 5000


def test_the_archive_holds_what_is_new_each_time(record: Record, tmp_path: Path) -> None:
    archive = tmp_path / "share"
    settings = settings_of(record, tmp_path, archive)
    keep(record, 1, Picture(b"first"))
    code, said = archived(settings)
    assert (code, "1 pictures" in said) == (0, True)
    code, said = archived(settings)
    assert (code, "nothing new" in said) == (0, True)
    keep(record, 2, Picture(b"second"))
    assert archived(settings)[0] == 0
    found = sorted(archive.iterdir())
    proofs = [verify_export(folder) for folder in found]
    assert [(proof.first, proof.last, proof.pictures, proof.holds) for proof in proofs] == [
        (1, 3, 1, True),
        (3, 5, 1, True),
    ]
    assert record.last_through("export") == 4


def test_an_archive_that_cannot_be_written_says_so_and_marks_nothing(record: Record, tmp_path: Path) -> None:
    (tmp_path / "share").write_text("a file where the folder should be")
    settings = settings_of(record, tmp_path, tmp_path / "share")
    keep(record, 1, Picture(b"first"))
    code, why = archived(settings)
    assert (code, "share: the export cannot be written" in why) == (2, True)
    assert record.last_through("export") == 0
