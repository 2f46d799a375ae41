"""The figures of each table, declared once: query, API field, metric and page cell all follow from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import func, select

from service.record.store import schema
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import ColumnElement, Row, ScalarSelect

FigureValue: TypeAlias = "int | datetime | None"
_ROUNDS: Final = schema.rounds.alias("of_figures")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a table.

    Attributes:
        name: field of `/v1/tables`.
        unit: ``int`` for a count, which is 0 for a table without rounds; ``datetime`` for a UTC time, None if never.
        metric: metric of Prometheus.
        meaning: description of field and metric.
        cell: text on the page of all tables, with ``%(value)s``; a count of 0 is not displayed.
        query: the value of the table whose log and name are in two columns, as a subquery; a time in the form of the
            store.
    """

    name: str
    unit: type[int | datetime]
    metric: str
    meaning: str
    cell: str
    query: Callable[[ColumnElement[int], ColumnElement[str]], ScalarSelect[Any]]


def _to_review(log: ColumnElement[int], table: ColumnElement[str]) -> ScalarSelect[Any]:
    waits = _ROUNDS.c.status == schema.of_index("needs_review")
    return select(func.count()).where(_ROUNDS.c.log == log, _ROUNDS.c.table == table, waits).scalar_subquery()


def _verified_hand_at(log: ColumnElement[int], table: ColumnElement[str]) -> ScalarSelect[Any]:
    at = _ROUNDS.c.verified_hand_at
    of_table = (_ROUNDS.c.log == log, _ROUNDS.c.table == table)
    return select(func.max(at)).where(*of_table, at.is_not(None)).scalar_subquery()


FIGURES: Final = (
    Figure(
        "waiting",
        int,
        "houseway_table_rounds_to_review",
        "rounds that wait for a person",
        sentence("to review: %(value)s"),
        _to_review,
    ),
    Figure(
        "verified_hand_at",
        datetime,
        "houseway_table_last_verified_hand_timestamp_seconds",
        "when a hand was last verified, by the table's clock",
        sentence("verified hand %(value)s"),
        _verified_hand_at,
    ),
)


def figures_of(row: Row[Any] | None) -> Mapping[str, FigureValue]:
    """The values by name from a row with a column for each query; None stands for a table that is not in the store."""
    values = {figure.name: None if row is None else getattr(row, figure.name) for figure in FIGURES}
    return {figure.name: _read(figure.unit, values[figure.name]) for figure in FIGURES}


def _read(unit: type[int | datetime], value: Any) -> FigureValue:  # noqa: ANN401  of any column
    if unit is int:
        return int(value or 0)
    return None if value is None else datetime.fromisoformat(value)
