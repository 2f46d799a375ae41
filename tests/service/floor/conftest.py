"""A floor's database: one of the cluster that all tests share, or of one that a test may kill."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.service.databases import Cluster, cluster, new_database

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def floor_url(postgresql: str) -> str:
    """URL of a new, empty database."""
    return new_database(postgresql)


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A cluster of a test's own."""
    with cluster() as made:
        yield made
