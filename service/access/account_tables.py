"""The tables of accounts, keys and page sessions, as the newest migration leaves them; moments as entries have them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, String, Table

from service.record.store.database import metadata

accounts = Table(
    "accounts",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("role", String(20), nullable=False),
    Column("password", String(200), nullable=False),
    Column("initial", Boolean, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created_at", String(27), nullable=False),
    Column("sessions_since", String(27), nullable=False),
)
keys = Table(
    "api_keys",
    metadata,
    Column("id", String(12), primary_key=True),
    Column("name", String(60), nullable=False),
    Column("role", String(20), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("created_at", String(27), nullable=False),
    Column("created_by", String(100), nullable=False),
    Column("expires_at", String(27), nullable=False),
    Column("revoked_at", String(27)),
)
sessions = Table(
    "page_sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("account", String(40), ForeignKey("accounts.name"), nullable=False),
    Column("begun_at", String(27), nullable=False),
    Column("ends_at", String(27), nullable=False),
)
