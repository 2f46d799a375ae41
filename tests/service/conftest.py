"""What tests of the service share."""

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any, Self
from unittest.mock import patch

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine

from service.access import credentials
from service.cli import common
from service.record.store import opening
from service.record.store.database import fresh_database, upgrade
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge import rules_in_force
from service.system.settings import Config
from tests.service.databases import database_url, postgresql
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

__all__ = ["database_url", "postgresql"]
"""Fixtures of all; where they are imported again, each import starts a cluster of its own."""


@pytest.fixture(scope="session", autouse=True)
def schema_made_once() -> Iterator[None]:
    """Begin each new SQLite record with a copy of the schema, which the migrations made once."""

    def upgraded(engine: Engine) -> None:
        if engine.dialect.name == "sqlite":
            with suppress(sqlite3.Error), engine.connect() as connection:  # a fault is the migrations' to tell
                there = _raw(connection)
                if not there.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    _raw(fresh).backup(there)
        upgrade(engine)

    made = fresh_database()
    with made.connect() as fresh, pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "upgrade", upgraded)
        yield
    made.dispose()


def _raw(connection: Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw


DAY = datetime(2026, 1, 1, 12, tzinfo=UTC)
"""When tests ask for the rules of today: no amendment that comes into force may change what they expect."""


class _Clock(datetime):
    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(DAY.timestamp(), tz)


@pytest.fixture(autouse=True)
def usual_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let services and commands apply the rules of one day, whatever today is."""
    monkeypatch.setattr(rules_in_force, "datetime", _Clock)
    monkeypatch.setattr(common, "datetime", _Clock)


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


@pytest.fixture
def settings() -> Config:
    """The usual settings; override to change the application under test."""
    return config()


@pytest.fixture
def app(settings: Config) -> FastAPI:
    """A service with one table, which no thread reads."""
    return app_of(settings, reader=FakeReader(), watch=False)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client of the application with an administrator's key."""
    with signed_in(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="module")
def _cheap_hashes() -> Iterator[None]:
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with patch.object(credentials, "_HASHER", cheap), patch.object(credentials, "_NOBODYS", cheap.hash("nobody's")):
        yield
