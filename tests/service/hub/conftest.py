"""Databases of a hub, and a cluster that a test may kill."""

from collections.abc import Iterator

import pytest

from tests.service.databases import Cluster, cluster, new_database
from tests.service.hub.hubs import new_url


@pytest.fixture
def hub_url() -> str:
    """URL of a new database of SQLite."""
    return new_url()


@pytest.fixture
def postgresql_url(postgresql: str) -> str:
    """URL of a new database of PostgreSQL with the record's tables."""
    return new_database(postgresql, with_tables=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest) -> str:
    """URL of a new database of either kind, for tests of what the store does."""
    found: str = request.getfixturevalue("hub_url" if request.param == "sqlite" else "postgresql_url")
    return found


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    with cluster() as made:
        yield made
