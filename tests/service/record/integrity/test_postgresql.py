"""The same over PostgreSQL: what the service does is no fault, what somebody else does is."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text

from service.access.accounts import Accounts
from service.access.roles import UserRole
from service.record.integrity.verify import examine_database
from service.record.store.database import writing
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from tests.service.databases import new_database
from tests.service.record.integrity.conftest import WHY, codes, note
from tests.service.record.integrity.test_guard import guarding, whole_round


@pytest.fixture
def elsewhere(postgresql: str, tmp_path: Path) -> Iterator[Record]:
    record = Record(RecordSettings(tmp_path / "state", new_database(postgresql, with_tables=True)))
    assert record.state.ok, record.state.message
    yield record
    record.close()


def test_accounts_entries_and_guards(elsewhere: Record) -> None:
    record, accounts = elsewhere, Accounts(elsewhere)
    guard = guarding(record)

    def look() -> None:
        for _ in range(20):
            guard.look()

    reading = threading.Thread(target=look)
    reading.start()
    accounts.add("ann", UserRole.VIEWER, "several plain words", WHY)
    for number in range(5):
        accounts.add_key(f"key {number}", UserRole.VIEWER, 1, WHY)
        accounts.set_role("ann", (UserRole.AUDITOR, UserRole.VIEWER)[number % 2], WHY)
        note(record)
    reading.join()
    whole_round(guard)
    assert codes(record) == []
    proof = examine_database(record, record.evidence.folder)
    assert (proof.holds, proof.rows["accounts"], proof.rows["api_keys"]) == (True, 1, 5)
    with writing(record.database) as connection:
        connection.execute(text("UPDATE accounts SET role = 'admin'"))
        connection.execute(text("ALTER TABLE record_entries DISABLE TRIGGER ALL"))
        connection.execute(text("UPDATE record_entries SET body = '{}' WHERE seq = 3"))
    guard.look()
    # Parts of entry 3 that were read by then may be reported as well.
    assert "account_changed" in codes(record)
    assert accounts.account("ann") is not None  # as read before
    accounts.reload()
    assert accounts.account("ann") is None
    whole_round(guard)
    found = set(codes(record))
    assert {"account_changed", "guards_changed"} <= found
    assert found & {"hash_wrong", "signed_with_another_key"}
