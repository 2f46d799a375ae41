"""Accounts, keys and sessions in both databases: every change with its entry, or none of it."""

import time
from pathlib import Path
from unittest.mock import patch

import pytest

from service.access import accounts as module
from service.access.account_store import session_table
from service.access.accounts import AccountError, Accounts
from service.access.credentials import WeakPasswordError
from service.access.roles import UserRole
from service.access.sessions import Sessions
from service.record.changes import Attribution
from service.record.integrity.verify import verify_database
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings

PASSWORD = "several plain words"  # noqa: S105  made up
WHY = Attribution("the boss", "a new night")


@pytest.fixture(autouse=True)
def _quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """How passwords are hashed is tested elsewhere; here many are."""
    monkeypatch.setattr(module, "hash_password", lambda password: f"hash of {password}")


@pytest.fixture
def accounts(record: Record) -> Accounts:
    accounts = Accounts(record)
    accounts.add("boss", UserRole.ADMIN, PASSWORD, WHY)
    return accounts


def told(record: Record) -> list[tuple[str, str, str, str, str]]:
    entries = record.after(0, kinds=("account", "key"))
    return [(each.kind, str(each.subject), each.data["act"], each.data["by"], each.data["reason"]) for each in entries]


def test_every_change_is_told_with_who_what_and_why(record: Record, accounts: Accounts) -> None:
    accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY, initial=True)
    accounts.set_role("ann", UserRole.SUPERVISOR, Attribution("boss", "trained"))
    accounts.set_password("ann", PASSWORD + "!", Attribution("ann", "own password"))
    accounts.disable("ann", Attribution("boss", "left"))
    accounts.enable("ann", Attribution("boss", "is back"))
    key, text = accounts.add_key("till", UserRole.INTEGRATOR, 30, WHY)
    assert accounts.revoke_key("till", Attribution("boss", "lost")) == key
    assert told(record) == [
        ("account", "boss", "added", "the boss", "a new night"),
        ("account", "ann", "added", "the boss", "a new night"),
        ("account", "ann", "role changed", "boss", "trained"),
        ("account", "ann", "password changed", "ann", "own password"),
        ("account", "ann", "disabled", "boss", "left"),
        ("account", "ann", "enabled", "boss", "is back"),
        ("key", key.id, "added", "the boss", "a new night"),
        ("key", key.id, "revoked", "boss", "lost"),
    ]
    ann = accounts.account("ann")
    assert ann is not None
    assert (ann.role, ann.disabled, ann.initial) == (UserRole.SUPERVISOR, False, False)
    everything = "".join(entry.body for entry in record.all_entries())
    assert "hash of" not in everything
    assert PASSWORD not in everything
    assert text not in everything
    assert key.digest not in everything
    assert verify_database(record, record.evidence.folder).holds


@pytest.mark.parametrize(
    ("act", "says"),
    [
        pytest.param(lambda it: it.add("boss", UserRole.VIEWER, PASSWORD, WHY), "already", id="twice"),
        pytest.param(lambda it: it.add("Ann", UserRole.VIEWER, PASSWORD, WHY), "not a valid", id="capital"),
        pytest.param(lambda it: it.add("", UserRole.VIEWER, PASSWORD, WHY), "not a valid", id="nameless"),
        pytest.param(lambda it: it.add("x" * 41, UserRole.VIEWER, PASSWORD, WHY), "not a valid", id="long"),
        pytest.param(lambda it: it.add("ann", UserRole.VIEWER, "short", WHY), "12 to 200", id="short-password"),
        pytest.param(
            lambda it: it.add("ann", UserRole.VIEWER, PASSWORD, Attribution("x", " ")), "give a reason", id="no-reason"
        ),
        pytest.param(lambda it: it.set_role("nobody", UserRole.VIEWER, WHY), "no account", id="role-of-nobody"),
        pytest.param(lambda it: it.set_password("nobody", PASSWORD, WHY), "no account", id="password-of-nobody"),
        pytest.param(lambda it: it.set_role("boss", UserRole.VIEWER, WHY), "last administrator", id="last-demoted"),
        pytest.param(lambda it: it.disable("boss", WHY), "last administrator", id="last-disabled"),
        pytest.param(lambda it: it.add_key("", UserRole.VIEWER, 1, WHY), "not a valid", id="nameless-key"),
        pytest.param(lambda it: it.add_key("till", UserRole.VIEWER, 0, WHY), "1 to 3650 days", id="no-days"),
        pytest.param(lambda it: it.add_key("held", UserRole.VIEWER, 1, WHY), "already", id="key-twice"),
        pytest.param(lambda it: it.revoke_key("none", WHY), "no active key", id="no-such-key"),
    ],
)
def test_what_is_refused_changes_and_tells_nothing(
    record: Record,
    accounts: Accounts,
    act: object,
    says: str,
) -> None:
    accounts.add_key("held", UserRole.VIEWER, 1, WHY)
    before = (told(record), accounts.all_accounts(), accounts.all_keys())
    with pytest.raises((AccountError, WeakPasswordError), match=says):
        act(accounts)  # type: ignore[operator]
    accounts.reload()
    assert (told(record), accounts.all_accounts(), accounts.all_keys()) == before
    assert record.state.ok


def test_a_key_opens_until_it_expires_or_is_revoked(accounts: Accounts) -> None:
    held, text = accounts.add_key("held", UserRole.VIEWER, 1, WHY)
    lost, lost_text = accounts.add_key("lost", UserRole.VIEWER, 1, WHY)
    with patch.object(module, "timestamp", lambda _at=None: "2000-01-01T00:00:00.000000Z"):
        _old, old_text = accounts.add_key("old", UserRole.VIEWER, 1, WHY)
    accounts.revoke_key(lost.id, WHY)
    accounts.reload()
    assert accounts.key_of(text) == held
    assert [key.state for key in accounts.all_keys()] == ["expired", "active", "revoked"]
    wrong = (
        lost_text,
        old_text,
        text[:-1],
        text + "x",
        f"hw_{held.id}_",
        f"hw_{held.id}",
        "hw_",
        "",
        "\udcff",
        held.id,
    )
    assert [accounts.key_of(each) for each in wrong] == [None] * len(wrong)


def test_one_of_those_who_ask_reads_again(accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts.add_key("held", UserRole.VIEWER, 1, WHY)
    assert not accounts.claim_reload()
    monkeypatch.setattr("service.access.accounts.RELOAD_S", 0.2)
    time.sleep(0.25)
    assert [accounts.claim_reload() for _ in range(500)] == [True] + [False] * 499


def test_what_another_program_changes_holds_once_read_again(settings: RecordSettings, accounts: Accounts) -> None:
    _, text = accounts.add_key("held", UserRole.VIEWER, 1, WHY)
    other = Record(settings, claim=False)
    Accounts(other).revoke_key("held", WHY)
    other.close()
    assert accounts.key_of(text) is not None
    accounts.reload()
    assert accounts.key_of(text) is None


class TestSessions:
    def test_a_session_outlives_the_service_and_ends(self, record: Record, accounts: Accounts) -> None:
        sessions = Sessions(record, accounts, hours=1)
        secret, other = sessions.start("boss"), sessions.start("boss")
        again = Sessions(record, accounts, hours=1)
        for each in (sessions, again):
            assert each.account_of(secret) == accounts.account("boss")
            assert each.account_of(secret + "x") is None
            assert each.account_of("") is None
        again.end(secret)
        assert again.account_of(secret) is None
        assert again.account_of(other) is not None
        assert Sessions(record, accounts, hours=1).account_of(secret) is None

    def test_only_digests_are_kept(self, record: Record, accounts: Accounts) -> None:
        secret = Sessions(record, accounts, hours=1).start("boss")
        with record.database.connect() as connection:
            (row,) = connection.execute(session_table.select())
        assert secret not in map(str, row)

    def test_it_ends_by_itself(self, record: Record, accounts: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
        sessions = Sessions(record, accounts, hours=1)
        secret = sessions.start("boss")
        monkeypatch.setattr("service.access.sessions.timestamp", lambda *_: "2999-01-01T00:00:00.000000Z")
        assert sessions.account_of(secret) is None
        assert Sessions(record, accounts, hours=1).account_of(secret) is None

    @pytest.mark.parametrize(
        "act",
        [
            pytest.param(lambda it: it.disable("ann", WHY), id="disabled"),
            pytest.param(lambda it: it.set_password("ann", PASSWORD, WHY), id="password"),
            pytest.param(lambda it: it.end_sessions("ann", WHY), id="everywhere"),
        ],
    )
    def test_a_change_of_the_account_ends_all_its_sessions(
        self, record: Record, accounts: Accounts, act: object
    ) -> None:
        accounts.add("ann", UserRole.VIEWER, PASSWORD, WHY)
        sessions = Sessions(record, accounts, hours=1)
        secret, boss = sessions.start("ann"), sessions.start("boss")
        act(accounts)  # type: ignore[operator]
        assert sessions.account_of(secret) is None
        assert sessions.account_of(boss) is not None
        assert (sessions.account_of(sessions.start("ann")) is None) == accounts.account("ann").disabled  # type: ignore[union-attr]


def test_when_nothing_can_be_written_people_still_get_in(tmp_path: Path) -> None:
    record = Record(RecordSettings(tmp_path / "record"))
    accounts = Accounts(record)
    accounts.add("boss", UserRole.ADMIN, PASSWORD, WHY)
    sessions = Sessions(record, accounts, hours=1)
    record.database.dispose()
    (tmp_path / "record" / "record.db").write_bytes(b"no database at all, but a letter" * 300)
    accounts.reload()
    assert accounts.account("boss") is not None
    secret = sessions.start("boss")
    assert sessions.account_of(secret) is not None
    record.close()
