"""The tables of what is read again, for queries; the migrations of the store make them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import column, table

runs: Final = table(
    "floor_rereadings",
    *map(column, ("id", "begun_at", "by", "reason", "told", "scope", "patience_s", "most_tries", "stopped_at")),
)
rounds: Final = table(
    "floor_reread_rounds",
    *map(
        column,
        (
            "run",
            "table_id",
            "round",
            "position",
            "state",
            "tries",
            "not_before",
            "taking",
            "worker",
            "failures",
            "outcome",
            "result",
            "done_at",
        ),
    ),
)
"""``state``: ``waiting``, ``taken`` by a worker, ``done``, or set ``aside`` because reading it fails every time."""
