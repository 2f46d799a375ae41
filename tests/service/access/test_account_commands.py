"""``houseway account`` and ``houseway key``: what they do, what they refuse, and what they never show."""

import platform
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.access.accounts import Accounts
from service.cli import app
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.system.settings import load_config

PASSWORD = "several plain words"  # noqa: S105  made up
WHY = ("--reason", "a new night")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(
        '[[tables]]\nname = "one"\n[tables.source]\npath = "frames"\n[record]\nfolder = "record"\nmin_free_mb = 0\n'
    )
    return path


def run(table: Path, *words: str, typed: str = "") -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [*words, "--config", str(table)], input=typed)
    return result.exit_code, result.stdout, result.stderr


def test_accounts_from_the_machine(table: Path) -> None:
    added = run(table, "account", "add", "boss", "--role", "admin", *WHY, typed=f"{PASSWORD}\n")
    assert added == (0, "boss can sign in as admin, and must choose another password then\n", "")
    assert run(table, "account", "add", "ann", "--role", "viewer", *WHY, typed=f"{PASSWORD}\n")[0] == 0
    assert run(table, "account", "change", "ann", "--role", "supervisor", *WHY)[1] == "ann is supervisor now\n"
    assert run(table, "account", "change", "ann", "--password", *WHY, typed=f"{PASSWORD}!\n")[0] == 0
    assert run(table, "account", "change", "ann", "--block", *WHY) == (0, "ann is blocked\n", "")
    assert run(table, "account", "change", "ann", "--unblock", *WHY) == (0, "ann is unblocked\n", "")

    record = Record(RecordSettings.of(load_config(table)), claim=False)
    assert [(one.name, one.role, one.disabled) for one in Accounts(record).all_accounts()] == [
        ("ann", "supervisor", False),
        ("boss", "admin", False),
    ]
    told = [(entry.data["act"], entry.data["reason"]) for entry in record.last(("account",), count=9)][::-1]
    assert [act for act, _ in told] == ["added", "added", "role changed", "password changed", "disabled", "enabled"]
    assert {reason for _, reason in told} == {"a new night"}
    assert all(str(entry.data["by"]).endswith(f"@{platform.node()}") for entry in record.last(("account",), count=9))
    record.close()


def test_keys_from_the_machine(table: Path) -> None:
    code, out, err = run(table, "key", "add", "till 3", "--role", "integrator", "--days", "7", *WHY)
    assert code == 0
    assert "shown only now" in err
    record = Record(RecordSettings.of(load_config(table)), claim=False)
    key = Accounts(record).key_of(out.strip())
    assert key is not None
    assert (key.name, key.role) == ("till 3", "integrator")
    assert run(table, "key", "revoke", "till 3", *WHY) == (0, f"key {key.id} (till 3) is revoked\n", "")
    assert Accounts(record).key_of(out.strip()) is None
    assert [one.state for one in Accounts(record).all_keys()] == ["revoked"]
    record.close()


@pytest.mark.parametrize(
    ("words", "typed", "says"),
    [
        pytest.param(("account", "add", "ann", "--role", "viewer", *WHY), "short\n", "12 to 200", id="short"),
        pytest.param(("account", "add", "ann", "--role", "viewer", *WHY), "", "12 to 200", id="nothing-typed"),
        pytest.param(("account", "add", "Ann!", "--role", "viewer", *WHY), f"{PASSWORD}\n", "not a valid", id="name"),
        pytest.param(("account", "add", "ann", "--role", "king", *WHY), f"{PASSWORD}\n", "king", id="role"),
        pytest.param(("account", "add", "ann", "--role", "viewer"), f"{PASSWORD}\n", "--reason", id="no-reason"),
        pytest.param(("account", "change", "ann", "--block", "--reason", " "), "", "give a reason", id="empty-reason"),
        pytest.param(
            ("account", "add", "ann", "--role", "viewer", *WHY), "one-one-one-1\n", "easily guessed", id="table-name"
        ),
        pytest.param(
            ("account", "change", "nobody", "--remove-second-factor", *WHY), "", "has no second factor", id="no-factor"
        ),
        pytest.param(("account", "change", "ann", *WHY), "", "say what to change", id="nothing"),
        pytest.param(("account", "change", "ann", "--pit", "a", "--all-pits", *WHY), "", "either", id="both"),
        pytest.param(("account", "change", "nobody", "--block", *WHY), "", "no account 'nobody'", id="nobody"),
        pytest.param(("key", "add", "till", "--role", "viewer", "--days", "0", *WHY), "", "1 to 3650", id="days"),
        pytest.param(("key", "revoke", "none", *WHY), "", "no active key", id="no-key"),
    ],
)
def test_what_is_refused(table: Path, words: tuple[str, ...], typed: str, says: str) -> None:
    code, out, err = run(table, *words, typed=typed)
    assert (code, out) == (2, "")
    assert says in err


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    code, _, err = run(tmp_path / "none.toml", "key", "revoke", "till", *WHY)
    assert code == 2
    assert "no such settings file" in err
