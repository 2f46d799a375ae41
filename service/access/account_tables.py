"""The tables of accounts, keys and page sessions, for queries; moments as entries have them.

:mod:`service.record.store.migrations` says what their columns are.
"""

from sqlalchemy import Boolean, column, table

accounts = table(
    "accounts",
    *map(column, ("name", "role", "password", "created_at", "sessions_since", "password_until")),
    *map(column, ("pits", "origin", "floor_since", "subject")),
    column("initial", Boolean),
    column("disabled", Boolean),
)
keys = table(
    "api_keys",
    *map(column, ("id", "name", "role", "digest", "created_at", "created_by", "expires_at", "revoked_at")),
    *map(column, ("pits", "origin")),
)
factors = table(
    "second_factors",
    *map(column, ("id", "account", "kind", "name", "secret", "credential", "site", "counter", "added_at", "used_at")),
)
recovery_codes = table("recovery_codes", *map(column, ("account", "digest")))
sessions = table(
    "page_sessions", *map(column, ("digest", "account", "begun_at", "ends_at", "used_at", "browser", "address"))
)
