"""The running service finds what is done to its record, stops verifying, says what and where, and does not forget."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from service.access.accounts import AccountError, Accounts
from service.access.roles import UserRole
from service.cli import app
from service.record.checkpoints.checkpoint_store import keep_mark, newest_note
from service.record.checkpoints.history import RecordHistory
from service.record.integrity.accept import accept
from service.record.integrity.guard import Guard
from service.record.integrity.verify import begin_walk, examine_database
from service.record.outbox import Outbox
from service.record.projections.compare import compare_own
from service.record.store.database_reader import KnownHashes
from service.record.store.entries import Draft, RecordUnavailableError
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, KEY, PUBLIC_KEY
from service.record.store.signing import PublicKey
from service.table.live_state import LiveState
from service.words.findings import words_of
from tests.service.record.integrity.conftest import (
    COLUMNS,
    KEY_COLUMNS,
    WHY,
    behind_its_back,
    codes,
    note,
    settings_file,
)

FACTOR_PUT_IN = "INSERT INTO second_factors VALUES ('x', 'boss', 'totp', 'app', 'secret', '', '', 0, '2026', NULL)"

if TYPE_CHECKING:
    from collections.abc import Callable


def guarding(record: Record) -> Guard:
    return Guard(record, Accounts(record).reload, LiveState(5, stale_after_s=1e9), (compare_own,))


def whole_round(guard: Guard) -> None:
    """Check all of the record once."""
    guard._next.clear()
    guard.step()
    while guard._walk is not None:
        guard.step()


def test_what_nobody_touched_stays_well(record: Record) -> None:
    guard = guarding(record)
    guard.look()
    assert "has reached entry" in guard.check().message
    whole_round(guard)
    note(record)
    guard.look()
    whole_round(guard)
    assert (guard.check().ok, record.faults.open, record.state.ok) == (True, (), True)
    assert "last full check" in guard.check().message


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE accounts SET role = 'admin' WHERE name = 'ann'", "account_changed"),
        (
            f"INSERT INTO api_keys {KEY_COLUMNS} VALUES ('x', 'till', 'admin', '', '', '', '2999', NULL)",  # noqa: S608
            "api_key_not_recorded",
        ),
        ("DELETE FROM second_factors", "second_factors_removed"),
        ("INSERT INTO recovery_codes VALUES ('ann', 'x')", "recovery_codes_changed"),
        ("DELETE FROM record_entries WHERE seq = 6", "entry_out_of_place"),
    ],
)
def test_found_at_the_next_look(record: Record, statement: str, code: str) -> None:
    guard = guarding(record)
    behind_its_back(record, statement)
    guard.look()
    assert codes(record) == [code]
    check = guard.check()
    assert (check.ok, check.blocks) == (False, True)
    assert check.reason is not None
    assert "ann" not in str(words_of(check.reason))
    assert isinstance(guard.live, LiveState)
    assert guard.live.health()[0] == check


def test_alarms_that_do_not_follow_from_the_entries_are_found_at_the_end(record: Record) -> None:
    guard = guarding(record)
    whole_round(guard)
    assert not record.faults.open
    behind_its_back(record, "DELETE FROM alarms")
    guard.look()
    assert not record.faults.open
    whole_round(guard)
    assert codes(record) == ["projections_differ"]


@pytest.mark.parametrize("cell", ["recovery_codes SET digest", "accounts SET password", "second_factors SET name"])
def test_what_is_no_text_is_damage(record: Record, cell: str) -> None:
    guard = guarding(record)
    assert Accounts(record).account("ann") is not None
    behind_its_back(record, f"UPDATE {cell} = CAST(x'61ec62' AS TEXT) || rowid")
    guard.look()
    assert codes(record) == ["record_damaged"]
    with pytest.raises(RecordUnavailableError, match="damaged"):
        examine_database(record, record.evidence.folder)


def test_found_when_the_check_comes_by(record: Record) -> None:
    guard = guarding(record)
    behind_its_back(record, "UPDATE record_entries SET signature = 'ab' WHERE seq = 4", "DELETE FROM record_pictures")
    whole_round(guard)
    assert {"signed_with_another_key", "picture_list_changed"} <= set(codes(record))


def test_a_picture_that_is_gone_or_changed(record: Record) -> None:
    first, second = sorted(path for path in record.evidence.folder.rglob("*") if path.is_file())
    first.unlink()
    second.write_bytes(b"other")
    assert record.picture(first.name) is None
    assert codes(record) == ["picture_missing"]
    whole_round(guarding(record))
    assert sorted(codes(record)) == ["picture_changed", "picture_missing"]


def test_an_entry_that_does_not_hold_is_not_served(record: Record) -> None:
    before = record.entry(5)
    behind_its_back(record, "UPDATE record_entries SET body = replace(body, 'ok', 'OK') WHERE seq = 7")
    behind_its_back(record, "UPDATE record_entries SET body = '{}' WHERE seq = 6")
    assert record.entry(5) == before
    with pytest.raises(RecordUnavailableError, match="entry 6"):
        record.after(4)
    assert codes(record) == ["hash_wrong"]
    note(record)  # what is seen meanwhile is recorded all the same


def test_an_entry_hashed_anew_is_not_served_either(record: Record) -> None:
    entry = record.entry(6)
    assert entry is not None
    forged = type(entry)(**{**{name: getattr(entry, name) for name in entry.__slots__}, "body": '{"x":1}'}).sealed()
    behind_its_back(record, f"UPDATE record_entries SET body = '{forged.body}', hash = '{forged.hash}' WHERE seq = 6")  # noqa: S608
    with pytest.raises(RecordUnavailableError, match="entry 6"):
        record.entry(6)
    record.known = KnownHashes()  # as of one that has not read it yet
    with pytest.raises(RecordUnavailableError, match="entry 6"):
        record.entry(6)
    assert codes(record) == ["entry_replaced", "signed_with_another_key"]


def test_entries_cut_off_are_missed_by_the_next_look_and_append(record: Record) -> None:
    cut = [f"DELETE FROM {name} WHERE seq > 9" for name in ("record_replies", "record_entries")]  # noqa: S608
    behind_its_back(record, *cut)
    with pytest.raises(RecordUnavailableError, match="cut off"):
        note(record)
    assert codes(record) == ["record_end_missing"]
    record._next_try = 0.0
    assert record.recover()  # goes on, with the outage in the record
    assert [entry.kind for entry in record.after(9)] == ["outage"]
    assert not guarding(record).check().ok


def test_entries_cut_off_while_it_was_stopped(record: Record) -> None:
    newest = newest_note(record)
    assert newest is not None
    keep_mark(record.settings.mark_file, newest)
    record.close()
    behind_its_back(record, "DELETE FROM record_entries WHERE seq > 9")
    again = Record(record.settings)
    RecordHistory(again, Outbox(again.database), "test", {}).check()
    assert codes(again) == ["record_end_missing"]
    again.close()


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda file: file.rename(file.with_name("elsewhere.db")), id="moved"),
        pytest.param(lambda file: file.unlink(), id="removed"),
        pytest.param(lambda file: Path(shutil.copy(file, file.with_name("copy"))).replace(file), id="replaced"),
    ],
)
def test_a_database_that_is_moved_removed_or_replaced(record: Record, spoil: Callable[[Path], object]) -> None:
    file = record.settings.folder / DATABASE
    with record.database.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    spoil(file)
    with pytest.raises(RecordUnavailableError):
        note(record)
    assert not record.state.ok
    record._next_try = 0.0
    if not record.recover():
        assert "gone" in record.state.message
        assert not file.exists()  # none is made in its place
    else:
        assert codes(record) == ["record_database_replaced"]


def test_no_record_is_started_with_the_key_of_another(record: Record) -> None:
    settings = record.settings
    record.close()
    for file in settings.folder.glob(f"{DATABASE}*"):
        file.unlink()
    for empty in (False, True):
        if empty:
            (settings.folder / DATABASE).touch()
        again = Record(settings)
        assert "there is no record in the database" in again.state.message
        again.close()
    (settings.folder / DATABASE).unlink()
    public = PublicKey.load(settings.folder / PUBLIC_KEY)
    (settings.folder / KEY).unlink()
    again = Record(settings)
    assert f"{PUBLIC_KEY} belongs to a record" in again.state.message
    again.close()
    where = ["record", "accept", "--lost", "--reason", "lost", "--config", settings_file(settings.folder)]
    assert CliRunner().invoke(app, where).exit_code == 0
    anew = Record(settings)
    assert anew.state.ok, anew.state.message
    first = anew.entry(1)
    assert first is not None
    assert (first.data["instead_of"], first.data["reason"]) == (public.hex, "lost")
    anew.close()
    assert "nothing was changed" in CliRunner().invoke(app, where).stderr


def test_a_folder_of_pictures_that_is_gone_is_named_and_never_made_anew(record: Record) -> None:
    folder = record.evidence.folder
    shutil.move(folder, folder.with_name("elsewhere"))
    guarding(record).look()
    assert str(folder) in record.state.message
    assert not record.state.ok
    record._next_try = 0.0
    assert not record.recover()
    assert not folder.exists()
    shutil.move(folder.with_name("elsewhere"), folder)
    record._next_try = 0.0
    assert record.recover()


def test_a_restart_forgets_nothing_and_a_person_answers(record: Record) -> None:
    guard = guarding(record)
    behind_its_back(record, "UPDATE accounts SET role = 'admin' WHERE name = 'ann'")
    shutil.rmtree(next(path for path in record.evidence.folder.iterdir() if any(path.iterdir())))
    guard.look()
    whole_round(guard)
    assert sorted(codes(record)) == ["account_changed", "picture_missing"]
    record.close()
    again = Record(record.settings)
    guard = guarding(again)
    assert sorted(codes(again)) == ["account_changed", "picture_missing"]
    assert not guard.check().ok
    where = ["--config", settings_file(record.settings.folder)]
    result = CliRunner().invoke(app, ["record", "accept", "--reason", "we looked", "--yes", *where])
    assert result.exit_code == 0, result.output
    guard.look()
    whole_round(guard)
    assert guard.check().ok, guard.check().message
    entry = again.last(("integrity",))[0].data
    assert (entry["reason"], len(entry["accepted"]), len(entry["lost"])) == ("we looked", 1, 1)
    result = CliRunner().invoke(app, ["record", "verify", "--record", str(record.settings.folder)])
    assert result.exit_code == 0, result.stdout
    assert "1 are lost, as a person put on record" in result.stdout
    again.close()


def test_who_was_put_into_the_database_is_not_let_in(record: Record) -> None:
    accounts = Accounts(record)
    key, text = accounts.add_key("reader", UserRole.VIEWER, 1, WHY)
    assert accounts.key_of(text) == key
    behind_its_back(
        record,
        f"UPDATE api_keys SET role = 'admin' WHERE id = '{key.id}'",  # noqa: S608
        "UPDATE accounts SET role = 'admin' WHERE name = 'ann'",
        f"INSERT INTO accounts {COLUMNS} SELECT 'eve', 'admin', password, 0, 0, '', '' FROM accounts LIMIT 1",  # noqa: S608
    )
    accounts.reload()
    behind_its_back(record, "UPDATE accounts SET role = 'none such' WHERE name = 'eve'")
    accounts.reload()
    assert accounts.key_of(text) is None
    assert [one.name for one in accounts.all_accounts()] == ["boss"]
    assert set(codes(record)) == {"account_changed", "account_not_recorded", "api_key_changed"}
    with pytest.raises(AccountError, match="changed in the database"):
        accounts.set_password("ann", "several other words", WHY)
    accounts.disable("ann", WHY)
    accounts.enable("ann", WHY)
    ann = accounts.account("ann")
    assert ann is not None
    assert ann.role is UserRole.VIEWER


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("DELETE FROM second_factors", "ann"),
        (FACTOR_PUT_IN, "boss"),
        ("UPDATE recovery_codes SET digest = 'x' WHERE rowid = 3", "ann"),
    ],
)
def test_whose_second_factor_was_changed_in_the_database_is_not_let_in(
    record: Record, statement: str, name: str
) -> None:
    accounts = Accounts(record)
    accounts.add("eve", UserRole.ADMIN, "several plain words", WHY)  # so that any other may be blocked
    behind_its_back(record, statement)
    accounts.reload()
    assert accounts.account(name) is None
    assert [dict(fault.finding.params)["name"] for fault in record.faults.open] == [name]
    with pytest.raises(AccountError, match="changed in the database"):
        accounts.set_password(name, "several other words", WHY)
    accounts.disable(name, WHY)
    accounts.enable(name, WHY)
    back = accounts.account(name)
    assert back is not None
    assert (back.role, accounts.factors_of(name), accounts.recovery_codes_of(name)) == (UserRole.VIEWER, (), 0)
    assert examine_database(record, record.evidence.folder).holds


def test_what_a_person_answers_for_is_as_it_is_now(record: Record) -> None:
    behind_its_back(record, "DELETE FROM second_factors", "DELETE FROM recovery_codes WHERE rowid = 3")
    guard = guarding(record)
    guard.look()
    assert sorted(codes(record)) == ["recovery_codes_changed", "second_factors_removed"]
    accept(record, WHY)
    guard.look()
    assert guard.check().ok
    assert Accounts(record).account("ann") is not None
    assert examine_database(record, record.evidence.folder).holds


def test_pictures_removed_on_record_while_a_check_goes_on_are_no_fault(record: Record) -> None:
    guard = guarding(record)
    guard._next.clear()
    guard._walk = begin_walk(record, record.evidence.folder, key=record.public_key)
    head = record.head()
    assert head is not None
    record.append(Draft("pictures_removed", {"through": head.seq, "pictures": 2, "bytes": 1}))
    for path in record.evidence.folder.rglob("*"):
        if path.is_file():
            path.unlink()
    whole_round(guard)
    assert codes(record) == []


def test_what_the_service_itself_does_meanwhile_is_no_fault(record: Record) -> None:
    """Entries, accounts and keys made while others look at them from several threads."""
    guard, accounts = guarding(record), Accounts(record)
    stop = threading.Event()

    def look() -> None:
        while not stop.is_set():
            guard.look()
            guard._next.clear()
            guard.step()

    def read() -> None:
        for _ in range(100):
            accounts.reload()

    looking = threading.Thread(target=look)
    reading = threading.Thread(target=read)
    looking.start()
    reading.start()
    for number in range(15):
        accounts.add_key(f"key {number}", UserRole.VIEWER, 1, WHY)
        accounts.set_role("ann", (UserRole.VIEWER, UserRole.AUDITOR)[number % 2], WHY)
        note(record)
    stop.set()
    looking.join()
    reading.join()
    assert codes(record) == []
    assert record.state.ok
