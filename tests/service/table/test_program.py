"""A program that differs from the one of the last start is reported, even if its own list of files was replaced."""

from __future__ import annotations

import pytest

from service.record.ledger import Ledger, open_record
from service.rounds.judge.rules_in_force import TableRules
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.recorder import Recorder
from service.words.codes import ServiceCode
from tests.service.stand_ins import config

INSTALLED = {"houseway": "1.0", "code": "sha256:aa", "libraries": "sha256:bb", "python": "3.13"}
CHECKOUT = {"houseway": "1.0", "code": "sha256:aa"}


@pytest.mark.parametrize(
    ("before", "now", "ok"),
    [
        ({}, INSTALLED, True),
        (INSTALLED, INSTALLED | {"python": "3.14"}, True),
        (INSTALLED, INSTALLED | {"code": "sha256:cc"}, False),
        (INSTALLED, INSTALLED | {"libraries": "sha256:cc"}, False),
        (INSTALLED, INSTALLED | {"houseway": "1.1"}, False),
        (INSTALLED, CHECKOUT, False),  # its list was removed
        (CHECKOUT, INSTALLED, False),
        (CHECKOUT, CHECKOUT | {"code": "sha256:cc"}, True),  # who develops changes it all the time
    ],
)
def test_another_program_than_at_the_last_start_is_told(before: dict[str, str], now: dict[str, str], ok: bool) -> None:  # noqa: FBT001
    settings = config()
    ledger, live = Ledger(open_record(settings), "test", TableRules.of("crown-6.1")), LiveState(9, stale_after_s=10)
    if before:
        ledger.begin(before)
    assert Recorder(ledger, live, TableMetrics(Metrics(), "test"), 9).recover(now) is None
    (check,) = (each for each in live.health() if each.name == "program")
    assert (check.ok, check.blocks) == (ok, False)
    assert (check.findings[0].code is ServiceCode.PROGRAM_SAME) == ok
    assert ledger.started_with() == now
    # The next start finds the versions of the last one.
    later = LiveState(9, stale_after_s=10)
    Recorder(ledger, later, TableMetrics(Metrics(), "test"), 9).recover(now)
    assert all(each.ok for each in later.health() if each.name == "program")
    ledger.record.close()
