"""The figures of each table, declared once: query, API field, metric and page cell all follow from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from sqlalchemy import Text, bindparam, func, select

from service.record.shifts.round_figures import sums
from service.record.store import schema
from service.record.store.entries import timestamp
from service.words.wording import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import ColumnElement, Row, ScalarSelect

    Query: TypeAlias = Callable[[ColumnElement[int], ColumnElement[str]], ScalarSelect[Any]]

FigureValue: TypeAlias = "int | float | datetime | None"
_ROUNDS: Final = schema.rounds.alias("of_figures")


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a table.

    Attributes:
        name: field of `/v1/tables`.
        unit: ``int`` for a count, which is 0 for a table without rounds; ``float`` for a mean, None without any;
            ``datetime`` for a UTC time, None if never.
        metric: metric of Prometheus.
        meaning: description of field and metric.
        cell: text on the page of all tables, with ``%(value)s``; a count of 0 is not displayed.
        query: the value of the table whose log and name are in two columns, as a subquery; a time in the form of the
            store.
    """

    name: str
    unit: type[int | float | datetime]
    metric: str
    meaning: str
    cell: str
    query: Query


def _to_review(log: ColumnElement[int], table: ColumnElement[str]) -> ScalarSelect[Any]:
    waits = _ROUNDS.c.status == schema.of_index("needs_review")
    return select(func.count()).where(_ROUNDS.c.log == log, _ROUNDS.c.table == table, waits).scalar_subquery()


def _verified_hand_at(log: ColumnElement[int], table: ColumnElement[str]) -> ScalarSelect[Any]:
    at = _ROUNDS.c.verified_hand_at
    of_table = (_ROUNDS.c.log == log, _ROUNDS.c.table == table)
    return select(func.max(at)).where(*of_table, at.is_not(None)).scalar_subquery()


_SINCE: Final = {"hour_ago": timedelta(hours=1), "day_ago": timedelta(days=1)}


def moments() -> dict[str, str]:
    """The moments that queries of figures are about, as parameters of these."""
    now = datetime.now(UTC)
    return {name: timestamp(now - before) for name, before in _SINCE.items()}


def _of_last_hour(name: str, by: str | None = None) -> Query:
    """A sum of the rounds that started in the last hour, or one divided by another."""
    value = sums(_ROUNDS.c)[name]
    if by is not None:
        value = value / func.nullif(sums(_ROUNDS.c)[by], 0)
    return lambda log, table: select(value).where(*_since("hour_ago", log, table)).scalar_subquery()


def _mistakes(log: ColumnElement[int], table: ColumnElement[str]) -> ScalarSelect[Any]:
    mistake = schema.is_mistake(_ROUNDS.c)
    return select(func.count()).where(*_since("day_ago", log, table), mistake).scalar_subquery()


def _since(moment: str, log: ColumnElement[int], table: ColumnElement[str]) -> tuple[ColumnElement[bool], ...]:
    return _ROUNDS.c.log == log, _ROUNDS.c.table == table, _ROUNDS.c.opened_at >= bindparam(moment, type_=Text)


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
    Figure(
        "rounds_last_hour",
        int,
        "houseway_table_rounds_last_hour",
        "rounds that started in the last hour, by the table's clock",
        sentence("rounds an hour: %(value)s"),
        _of_last_hour("rounds"),
    ),
    Figure(
        "boxes_in_play",
        float,
        "houseway_table_boxes_in_play",
        "mean number of boxes with a hand in the rounds of the last hour",
        sentence("boxes in play: %(value)s"),
        _of_last_hour("boxes", "boxed"),
    ),
    Figure(
        "round_seconds",
        float,
        "houseway_table_round_seconds",
        "mean seconds from the deal until the tiles were put away, in the rounds of the last hour",
        sentence("seconds a round: %(value)s"),
        _of_last_hour("lasted_s", "timed"),
    ),
    Figure(
        "mistakes_last_day",
        int,
        "houseway_table_mistakes_last_day",
        "rounds of the last 24 hours in which a hand was set against the House Way, even if it was corrected",
        sentence("mistakes in 24 hours: %(value)s"),
        _mistakes,
    ),
)


def figures_of(row: Row[Any] | None) -> Mapping[str, FigureValue]:
    """The values by name from a row with a column for each query; None stands for a table that is not in the store."""
    values = {figure.name: None if row is None else getattr(row, figure.name) for figure in FIGURES}
    return {figure.name: _read(figure.unit, values[figure.name]) for figure in FIGURES}


def _read(unit: type[int | float | datetime], value: Any) -> FigureValue:  # noqa: ANN401  of any column
    if unit is int:
        return int(value or 0)
    if unit is float:
        return None if value is None else round(float(value), 1)
    return None if value is None else datetime.fromisoformat(value)
