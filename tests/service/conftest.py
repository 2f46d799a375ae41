"""What tests of the service share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from service.record.store.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from service.record.store.record_settings import RecordSettings


@pytest.fixture(autouse=True)
def claimed_records_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the records of applications that a test made and never ran, and of services it put together itself.

    Commands and running services close their own: Python 3.13 warns of each connection that nobody closed.
    """
    claimed: list[Record] = []
    opened = Record.__init__

    def noted(
        record: Record, settings: RecordSettings, *, claim: bool = True, instead: dict[str, Any] | None = None
    ) -> None:
        opened(record, settings, claim=claim, instead=instead)
        if claim:
            claimed.append(record)

    monkeypatch.setattr(Record, "__init__", noted)
    yield
    for record in claimed:
        record.close()
