"""A floor's database for each test."""

import pytest

from tests.service.databases import new_database, postgresql

__all__ = ["floor_url", "postgresql"]


@pytest.fixture
def floor_url(postgresql: str) -> str:
    """URL of a new database with the floor's tables and nothing in them."""
    return new_database(postgresql, with_tables=True)
