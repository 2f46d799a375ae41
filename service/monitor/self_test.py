"""What the service looks at before it verifies anything: its code, its models, its calibration and its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.codes import ServiceCode
from service.monitor.doctor import software, table
from service.monitor.doctor.finding import warn, well
from service.table.live_state import Check

if TYPE_CHECKING:
    from service.config.settings import Config
    from service.monitor.doctor.finding import Finding
    from service.record.store.record import Record

NAME = "self_test"
_PLAIN = frozenset({"python", "libraries"})
"""Told among the versions of every result."""


def self_test(config: Config, record: Record) -> tuple[Finding, ...]:
    """Everything that can be told before the first picture.

    Args:
        config: the settings.
        record: the open record, which held its newest entries and signatures against each other when it was opened.
    """
    state = record.state
    recorded = (
        well("record", f"{record.id}: the newest entries hold")
        if state.ok
        # Not a failure for ever: the record mends itself, and its own check holds everything back until it has.
        else warn("record", f"not looked at yet: {state.message}", "see the check 'record'")
    )
    return (
        software.python(),
        software.libraries(),
        software.code(),
        software.models(),
        table.calibration(config),
        recorded,
    )


def as_check(findings: tuple[Finding, ...]) -> Check:
    """The self-test as one thing that must be well."""
    failed = [f"{one.name}: {one.message} ({one.remedy})" for one in findings if one.level == "fail"]
    if failed:
        return Check.of(NAME, ServiceCode.SELF_TEST_FAILED, ok=False, why="; ".join(failed))
    passed = "; ".join(one.message for one in findings if one.name not in _PLAIN)
    return Check.of(NAME, ServiceCode.SELF_TEST_WELL, ok=True, why=passed)
