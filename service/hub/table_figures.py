"""The figures of each table, declared once for page, API and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from service.hub.overview import TableSummary


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a table.

    Attributes:
        name: field of the API.
        metric: metric of Prometheus, with the unit.
        meaning: description of field and metric.
        cell: text on the page of all tables, with ``%(value)s``.
        value: a number or a time, from the summary of a table; None without one.
    """

    name: str
    metric: str
    meaning: str
    cell: str
    value: Callable[[TableSummary], int | datetime | None]


FIGURES: Final = (
    Figure(
        "waiting",
        "houseway_table_rounds_to_review",
        "rounds that wait for a person",
        sentence("to review: %(value)s"),
        lambda table: table.waiting,
    ),
    Figure(
        "verified_hand_at",
        "houseway_table_last_verified_hand_timestamp_seconds",
        "when a hand was last verified, by the table's clock",
        sentence("verified hand %(value)s"),
        lambda table: table.verified_hand_at,
    ),
)
BY_NAME: Final = {figure.name: figure for figure in FIGURES}
