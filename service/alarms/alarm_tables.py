"""The tables of alarms, beside the record's own: what they hold follows from its entries, and can be made anew."""

from __future__ import annotations

from sqlalchemy import column, table

alarms = table(
    "alarms",
    *map(
        column,
        (
            "number",  # of the entry that raised it, times a thousand, and which of that entry's alarms it is
            "table",
            "kind",
            "round",
            "subject",
            "line",
            "parts",  # as JSON
            "details",  # as JSON
            "times",
            "raised_at",
            "last_raised_at",
            "over_at",
            "answered_at",
            "answered_by",
            "answer",
            "reason",
        ),
    ),
)
read = table("alarms_read", column("through"), column("since"))
"""One row: the last entry in ``alarms``, and behind which entry they begin; NULL if an earlier version began."""
