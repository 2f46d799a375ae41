"""A floor's database: one of the cluster that all tests share, or of one that a test may kill."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from argon2 import PasswordHasher

from service.access import credentials
from service.record.store.database import sqlite_url
from service.record.store.record_settings import DATABASE
from tests.service.databases import Cluster, cluster, new_database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """URL of a new database of PostgreSQL with the floor's tables and nothing in them."""
    return new_database(postgresql, with_tables=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def floor_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of a new database: a file of SQLite, or one of PostgreSQL with the floor's tables and nothing in them."""
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "floor" / DATABASE)
    found: str = request.getfixturevalue("postgresql_url")
    return found


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A cluster of a test's own."""
    with cluster() as made:
        yield made


@pytest.fixture(scope="module")
def _cheap_hashes() -> Iterator[None]:
    """Passwords that are checked in no time; how slow they are is tested elsewhere."""
    cheap = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    with patch.object(credentials, "_HASHER", cheap), patch.object(credentials, "_NOBODYS", cheap.hash("nobody's")):
        yield
