"""Settings in the record: when they are noted, and what of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from engine.house_way import get
from service.config import HIDDEN
from service.ledger import Ledger, open_record
from tests.service.stand_ins import config

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET = "x" * 20


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    record = open_record(config())
    yield Ledger(record, "test", get("crown-6.1"))
    record.close()


def test_settings_are_noted_when_they_change_and_only_then(ledger: Ledger) -> None:
    first = config(port=1, token=SECRET)
    for settings in (first, first, first.model_copy(update={"server": config(port=2, token=SECRET).server})):
        ledger.note_settings(settings.public())
    older, newer = reversed(ledger.record.last(("config",), count=5))
    assert older.data["changed"] == []
    assert newer.data["changed"] == [{"key": "server.port", "before": 1, "now": 2}]
    assert older.data["sha256"] != newer.data["sha256"]
    assert newer.data["settings"]["server"]["token"] == HIDDEN
    assert SECRET not in newer.body


def test_a_new_key_counts_as_a_change(ledger: Ledger) -> None:
    ledger.note_settings({"table": {"name": "one"}})
    ledger.note_settings({"table": {"name": "one"}, "clock": {"need_sync": True}})
    (newest,) = ledger.record.last(("config",))
    assert newest.data["changed"] == [{"key": "clock.need_sync", "before": None, "now": True}]
