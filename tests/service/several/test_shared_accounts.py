"""Accounts and sign-ins of several tables: one record has them, and each table's process reads what others wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.access.access import Access
from service.access.roles import UserRole
from service.access.sessions import Sessions, Visit
from service.config.service_settings import LimitsConfig
from service.record.changes import Attribution
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from tests.service.stand_ins import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_WHY = Attribution("the tests", "to be tested")


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[list[Access]]:
    settings = RecordSettings(tmp_path)
    with Record(settings) as own, Record(settings, claim=False) as lent:
        owner, other = (Access(record, LimitsConfig(), 12, shared=True) for record in (own, lent))
        owner.accounts.add("ann", UserRole.SUPERVISOR, "several plain words", _WHY)
        other.accounts.reload()
        yield [owner, other]


def _knows(access: Access, secret: str) -> bool:
    access.sessions.reload()
    return access.by_session(secret) is not None


@pytest.mark.parametrize(("at", "seen_at"), [(0, 1), (1, 0)])
def test_a_sign_in_at_one_table_holds_at_the_other_until_it_ends_at_either(
    tables: list[Access], at: int, seen_at: int
) -> None:
    secret = tables[at].sessions.begin("ann", Visit("192.0.2.1"))
    wait_until(lambda: _knows(tables[seen_at], secret))
    tables[seen_at].sessions.end(secret)
    assert tables[seen_at].by_session(secret) is None
    wait_until(lambda: not _knows(tables[at], secret))


def test_both_write_to_the_one_record(tables: list[Access]) -> None:
    owner, other = tables
    other.accounts.add("bob", UserRole.VIEWER, "many other words", _WHY)
    owner.accounts.add("cid", UserRole.VIEWER, "and some more words", _WHY)
    for access in tables:
        access.accounts.reload()
        assert {one.name for one in access.accounts.all_accounts()} == {"ann", "bob", "cid"}


def test_a_session_that_cannot_be_written_stays_where_it_began(
    tables: list[Access], monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, _ = tables

    def keep_nothing(*_: object) -> bool:
        return False

    with monkeypatch.context() as full:
        full.setattr(Sessions, "_keep", keep_nothing)
        secret = owner.sessions.begin("ann")
    wait_until(lambda: owner.sessions.reload_in_s == 0.0)
    assert _knows(owner, secret)
