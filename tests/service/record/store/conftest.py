"""A record over each of the databases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings


@pytest.fixture
def settings(tmp_path: Path, database_url: str | None) -> RecordSettings:
    return RecordSettings(tmp_path / "state", database_url)


@pytest.fixture
def record(settings: RecordSettings) -> Iterator[Record]:
    record = Record(settings)
    assert record.state.ok, record.state.message
    yield record
    record.close()
