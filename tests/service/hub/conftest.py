"""Databases of a hub, and a cluster that a test may kill."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from argon2 import PasswordHasher

from service.access import credentials
from service.record.store.database import RECORD_SCHEMA, sqlite_url
from service.record.store.record_settings import DATABASE
from tests.service.databases import Cluster, cluster, new_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def hub_url(tmp_path: Path) -> str:
    """URL of a new database of SQLite."""
    return sqlite_url(tmp_path / "hub" / DATABASE)


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """URL of a new database of PostgreSQL with the record's tables."""
    return new_database(postgresql, RECORD_SCHEMA)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """URL of a new database of either kind, for tests of what the store does."""
    found: str = request.getfixturevalue("hub_url" if request.param == "sqlite" else "postgresql_url")
    return found


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A cluster of its own."""
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def _cheap_hashes() -> Iterator[None]:
    """Fast password hashes."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with patch.object(credentials, "_HASHER", cheap), patch.object(credentials, "_NOBODYS", cheap.hash("nobody's")):
        yield
