"""Whatever is changed in the database or the folder of pictures by hand is found and named."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.record.integrity.verify import Proof, examine_database
from service.record.projections.compare import compare_own
from service.record.store.entries import Draft
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, EVIDENCE
from tests.service.record.integrity.conftest import COLUMNS, KEY_COLUMNS, behind_its_back

FACTOR = "(id, account, kind, name, secret, credential, site, counter, added_at)"
OF_ANN = "account, kind, name, secret, credential, site, counter, added_at FROM second_factors"


def _found(record: Record) -> list[str]:
    return [str(fault.finding.code) for fault in _examined(record).faults]


def _examined(record: Record) -> Proof:
    return examine_database(record, record.evidence.folder, more={"projections": compare_own})


def test_what_nobody_touched_holds_and_says_what_was_checked(record: Record) -> None:
    proof = _examined(record)
    assert proof.holds, proof.why
    assert proof.rows == {
        "record_replies": 1,
        "accounts": 2,
        "api_keys": 1,
        "second_factors": 1,
        "recovery_codes": 1,
        "projections": 1,
    }
    result = CliRunner().invoke(app, ["record", "verify", "--record", str(record.settings.folder)])
    assert result.exit_code == 0
    counted = "2 accounts, 1 keys, 1 accounts with second factors, 1 accounts with recovery codes, 1 answers"
    assert f"{counted} to repeated requests, 1 rounds and alarms" in result.stdout
    assert "outside the record: page_sessions" in result.stdout


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE accounts SET role = 'admin' WHERE name = 'ann'", "account_changed"),
        ("UPDATE accounts SET password = 'x' WHERE name = 'boss'", "account_changed"),
        ("UPDATE accounts SET sessions_since = '2000' WHERE name = 'boss'", "account_changed"),
        ("DELETE FROM accounts WHERE name = 'ann'", "account_removed"),
        (
            f"INSERT INTO accounts {COLUMNS} SELECT 'eve', 'admin', '', 0, 0, '', ''",
            "account_not_recorded",
        ),
        ("UPDATE api_keys SET role = 'admin'", "api_key_changed"),
        ("UPDATE api_keys SET expires_at = '2999'", "api_key_changed"),
        (
            f"INSERT INTO api_keys {KEY_COLUMNS} SELECT 'x', name, role, digest, '', '', '2999', NULL FROM api_keys",  # noqa: S608
            "api_key_not_recorded",
        ),
        ("DELETE FROM api_keys", "api_key_removed"),
        ("UPDATE second_factors SET secret = 'other'", "second_factors_changed"),
        ("UPDATE second_factors SET kind = 'passkey', credential = 'x'", "second_factors_changed"),
        ("UPDATE second_factors SET account = 'boss'", "second_factors_removed"),
        ("UPDATE second_factors SET account = 'boss'", "second_factors_not_recorded"),
        (f"INSERT INTO second_factors {FACTOR} SELECT 'x', {OF_ANN}", "second_factors_changed"),
        ("DELETE FROM second_factors", "second_factors_removed"),
        ("UPDATE recovery_codes SET digest = 'x' WHERE rowid = 3", "recovery_codes_changed"),
        ("UPDATE recovery_codes SET account = 'boss' WHERE rowid = 3", "recovery_codes_not_recorded"),
        ("INSERT INTO recovery_codes VALUES ('ann', 'x')", "recovery_codes_changed"),
        ("DELETE FROM recovery_codes WHERE rowid = 3", "recovery_codes_changed"),
        ("DELETE FROM recovery_codes", "recovery_codes_removed"),
        ("UPDATE record_replies SET answer = '[1]'", "reply_changed"),
        ("UPDATE record_replies SET key = 'other'", "reply_removed"),
        ("DELETE FROM record_replies", "reply_removed"),
        ("INSERT INTO record_replies VALUES ('s', 'new', '', 2, '[]')", "reply_not_recorded"),
        ("UPDATE record_pictures SET media_type = 'text/html'", "picture_list_changed"),
        ("DELETE FROM record_pictures", "picture_list_changed"),
        ("INSERT INTO record_pictures VALUES (3, 'ab', 1, 'image/png')", "picture_list_changed"),
        ("INSERT INTO record_pictures VALUES (99, 'ab', 1, 'image/png')", "rows_without_entry"),
        ("UPDATE record_entries SET position = 99 WHERE seq = 4", "entry_out_of_place"),
        ("UPDATE record_entries SET gone = 'x' WHERE seq = 4", "entry_out_of_place"),
        ("UPDATE record_entries SET received_at = 'x' WHERE seq = 4", "entry_out_of_place"),
        ("UPDATE record_entries SET log = 2 WHERE seq = 4", "entry_out_of_place"),
        ("UPDATE record_entries SET signature = 'ab' WHERE seq = 4", "signed_with_another_key"),
        ("UPDATE record_entries SET signature = NULL WHERE seq = 4", "not_signed"),
        ("UPDATE record_entries SET body = '{}' WHERE seq = 4", "hash_wrong"),
        ("DELETE FROM record_entries WHERE seq = 4", "entry_out_of_place"),
        ("DELETE FROM alarms", "projections_differ"),
        ("UPDATE alarms SET answered_at = '2026', answered_by = 'eve'", "projections_differ"),
        ("DELETE FROM followed", "projections_differ"),
    ],
)
def test_rows_changed_by_hand_are_found(record: Record, statement: str, code: str) -> None:
    behind_its_back(record, statement)
    assert code in _found(record)
    result = CliRunner().invoke(app, ["record", "verify", "--record", str(record.settings.folder)])
    assert result.exit_code == 1
    assert "BROKEN" in result.stdout or "NOT AS RECORDED" in result.stdout


def test_what_changes_at_each_use_of_a_second_factor_is_told_as_outside(record: Record) -> None:
    behind_its_back(record, "UPDATE second_factors SET counter = counter + 1, used_at = '2026'")
    assert _found(record) == []
    result = CliRunner().invoke(app, ["record", "verify", "--record", str(record.settings.folder)])
    assert "outside the record: second_factors.counter, second_factors.used_at" in result.stdout


@pytest.mark.parametrize("table", ["record_entries", "record_pictures", "record_replies", "log_cosignatures"])
def test_a_removed_guard_is_found(record: Record, table: str) -> None:
    with closing(sqlite3.connect(record.settings.folder / DATABASE, isolation_level=None)) as file:
        file.execute(f"DROP TRIGGER {table}_no_delete")
    assert _found(record) == ["guards_changed"]


def test_one_picture_all_pictures_or_their_folder_gone(record: Record) -> None:
    folder = record.evidence.folder
    first, second = sorted(path for path in folder.rglob("*") if path.is_file())
    kept = first.read_bytes()
    first.unlink()
    assert _found(record) == ["picture_missing"]
    second.unlink()
    assert _found(record) == ["picture_missing"] * 2
    shutil.rmtree(folder)
    proof = examine_database(record, folder)
    assert [str(fault.finding.code) for fault in proof.faults] == ["evidence_folder_missing"]
    assert str(folder) in proof.why
    folder.mkdir()
    first.parent.mkdir()
    first.write_bytes(kept + b"x")
    assert sorted(_found(record)) == ["picture_changed", "picture_missing"]


def test_what_was_removed_on_record_is_no_failure(record: Record) -> None:
    head = record.head()
    assert head is not None
    record.append(Draft("export", {"through": head.seq, "hash": "", "pictures": 2}))
    record.append(Draft("pictures_removed", {"through": head.seq, "pictures": 2, "bytes": 1}))
    shutil.rmtree(record.settings.folder / EVIDENCE)
    proof = examine_database(record, record.evidence.folder)
    assert (proof.holds, proof.removed) == (True, 2)


def test_programs_are_told_each_fault(record: Record) -> None:
    behind_its_back(record, "UPDATE accounts SET role = 'admin' WHERE name = 'ann'")
    result = CliRunner().invoke(app, ["record", "verify", "--record", str(record.settings.folder), "--json"])
    told = json.loads(result.stdout)
    assert told["holds"] is False
    assert [(each["code"], each["params"]["name"]) for each in told["faults"]] == [("account_changed", "ann")]


def test_a_record_elsewhere_needs_its_folder_of_pictures() -> None:
    result = CliRunner().invoke(app, ["record", "verify", "--record", "postgresql+pg8000://u@nowhere.invalid/x"])
    assert result.exit_code == 2
    assert "--evidence" in result.stderr
