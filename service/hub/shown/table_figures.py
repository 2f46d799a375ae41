"""The figures of each table, declared once: page cell, field of the API and metric come from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from service.hub.shown.overview import TableSummary


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a table.

    Attributes:
        name: of the field of the API.
        metric: its name in Prometheus, with its unit.
        meaning: what it tells; the description of field and metric.
        cell: what its cell on the page of all tables says, with ``%(value)s``.
        value: of a table: a number or a moment; None if there is none.
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
