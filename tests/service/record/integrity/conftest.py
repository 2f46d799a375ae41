"""A record with pictures, accounts, keys, answers and alarms; and a way to change it behind the service's back."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyotp
import pytest

from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.access.second_factors import KEY_FILE, Sealer, SecondFactors, new_totp_secret
from service.record.changes import Attribution
from service.record.projections.projector import Projector
from service.record.store.entries import Draft, Picture, Reply
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, RecordSettings

COLUMNS = "(name, role, password, initial, disabled, created_at, sessions_since)"
KEY_COLUMNS = "(id, name, role, digest, created_at, created_by, expires_at, revoked_at)"
WHY = Attribution("the boss", "a new night")


def filled(folder: Path) -> Record:
    """An open record of 6 rounds with 2 pictures, 2 accounts, one with an app, a key, an answer and an alarm."""
    record = Record(RecordSettings(folder))
    accounts = Accounts(record)
    accounts.add("boss", UserRole.ADMIN, "several plain words", WHY)
    accounts.add("ann", UserRole.SUPERVISOR, "several other words", WHY)
    accounts.add_key("till", UserRole.VIEWER, 30, WHY)
    for number in range(6):
        picture = Picture(b"picture %d" % number)
        pictures = (picture,) if number % 3 == 0 else ()
        named = [
            {"sha256": each.sha256, "bytes": len(each.data), "media_type": each.media_type, "role": "frame"}
            for each in pictures
        ]
        draft = Draft("health", {"number": number, "evidence": named}, table="test", subject="clock")
        record.append(draft, pictures=pictures)
    checks = [{"name": "source", "findings": []}]
    record.append(Draft("alarm", {"ok": False, "checks": checks, "new": ["source"]}, table="test"))
    acknowledged = {"by": "ann", "reason": "", "alarms": []}
    record.append(Draft("acknowledgement", acknowledged, table="test"), reply=Reply("s", "k", "0" * 64, "[]"))
    secret = new_totp_secret()
    factors = SecondFactors(record, accounts, Sealer(folder / KEY_FILE))
    factors.add_app("ann", secret, pyotp.TOTP(secret).now(), "phone", WHY)
    Projector(record).catch_up()
    return record


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of such a record."""
    folder = tmp_path_factory.mktemp("kept") / "state"
    filled(folder).close()
    return folder


@pytest.fixture
def record(kept: Path, tmp_path: Path) -> Iterator[Record]:
    record = Record(RecordSettings(Path(shutil.copytree(kept, tmp_path / "state"))))
    assert record.state.ok, record.state.message
    yield record
    record.close()


def codes(record: Record) -> list[str]:
    return [str(fault.finding.code) for fault in record.faults.open]


def note(record: Record) -> None:
    record.append(Draft("health", {"ok": True}, table="test", subject="clock"))


def settings_file(folder: Path) -> str:
    file = folder.with_name("table.toml")
    file.write_text(f'[[tables]]\nname = "test"\n[tables.source]\npath = "."\n[record]\nfolder = "{folder}"\n')
    return str(file)


def behind_its_back(record: Record, *statements: str) -> None:
    """Change the file as another program would, and restore the triggers."""
    with closing(sqlite3.connect(record.settings.folder / DATABASE, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")  # a service that looks meanwhile is not to see the triggers gone
        triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)
        for _, sql in triggers:
            file.execute(sql)
        file.execute("COMMIT")
