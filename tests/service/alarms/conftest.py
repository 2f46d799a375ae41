"""Records over SQLite and PostgreSQL alike, as the store's own tests have them."""

from tests.service.record.store.conftest import database_url, postgresql

__all__ = ["database_url", "postgresql"]
