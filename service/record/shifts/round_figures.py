"""The figures of rounds, each declared once with its query: what pages, letters and figures of tables count."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Self

from sqlalchemy import Float, Integer, case, cast, func, select

from service.record.store import schema
from service.record.store.database import faults_as_unavailable
from service.record.store.entries import timestamp
from service.record.store.schema import OWN_LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from service.record.projections.projector import Projector
    from service.record.store.schema import Columns

FIGURES: Final = ("rounds", "verified", "decided", "waiting", "mistakes")
"""The counts of rounds that are shown of each shift, and signed for."""
_STATUSES: Final = {"verified": "verified", "decided": "confirmed", "waiting": "needs_review"}


def sums(rounds: Columns) -> dict[str, ColumnElement[Any]]:
    """The query of each value of :class:`RoundCounts`."""
    known = func.nullif(rounds.boxes, "")
    return {
        "rounds": func.count(),
        **{name: func.count().filter(rounds.status == status) for name, status in _STATUSES.items()},
        "mistakes": func.coalesce(func.sum(cast(schema.is_mistake(rounds), Integer)), 0),
        "timed": func.count(rounds.lasted_s),
        "lasted_s": func.coalesce(func.sum(cast(rounds.lasted_s, Float)), 0.0),
        "boxed": func.count(known),
        "boxes": func.coalesce(func.sum(cast(func.length(known), Float)), 0.0),
    }


@dataclass(frozen=True, slots=True)
class RoundCounts:
    """What was counted in some time. Each round is in one of three parts: ``verified + decided + waiting == rounds``.

    Attributes:
        name: the shift or the dealer; empty for rounds whose dealer was not named.
        rounds: rounds that started in it.
        verified: of them, verified without a person.
        decided: of them, confirmed or corrected by a person.
        waiting: of them, those that wait for a person.
        mistakes: of all of them, those whose House hand lay wrong at some time; where a person decided, on that word.
        timed: of all of them, those that were seen from the deal until the tiles were put away.
        lasted_s: how long these lasted together, seconds.
        boxed: of all of them, those with a hand at a box.
        boxes: how many boxes these had together.
    """

    name: str
    rounds: int = 0
    verified: int = 0
    decided: int = 0
    waiting: int = 0
    mistakes: int = 0
    timed: int = 0
    lasted_s: float = 0.0
    boxed: int = 0
    boxes: float = 0.0

    @property
    def rate(self) -> float | None:
        """The share that was verified without a person; None without a round."""
        return self.verified / self.rounds if self.rounds else None

    @property
    def per_hundred(self) -> float | None:
        """Mistakes per 100 rounds."""
        return 100 * self.mistakes / self.rounds if self.rounds else None

    @property
    def seconds(self) -> float | None:
        """Mean time from the deal until the tiles were put away."""
        return self.lasted_s / self.timed if self.timed else None

    @property
    def in_play(self) -> float | None:
        """Mean number of boxes in play."""
        return self.boxes / self.boxed if self.boxed else None

    @classmethod
    def together(cls, name: str, counts: Collection[RoundCounts]) -> Self:
        """All of them added up, under a name."""
        return cls(name, **{each: sum(getattr(one, each) for one in counts) for each in _SUMMED})


_SUMMED: Final = tuple(each.name for each in fields(RoundCounts))[1:]


def count_rounds(
    projector: Projector,
    edges: Sequence[datetime],
    tables: Collection[str] | None,
    by: Callable[[Columns], Sequence[ColumnElement[Any]]],
) -> Iterator[tuple[tuple[Any, ...], RoundCounts]]:
    """Count rounds, with the same number of queries for any number of tables.

    Args:
        projector: derives rounds from the entries; those of this service's own log are followed first.
        edges: starts of intervals without gaps, and the end of the last one.
        tables: names of the tables to count; None for all.
        by: further columns to group by.

    Yields:
        the values of ``by`` and the place of the interval, with the counts.

    Raises:
        RecordUnavailableError: the store cannot be read.
    """
    projector.catch_up(OWN_LOG)
    rounds = schema.rounds.c
    ends = [timestamp(at) for at in edges[1:]]
    slot = case(*((rounds.opened_at < at, place) for place, at in enumerate(ends)), else_=len(ends) - 1)
    groups = [each.label(f"by{place}") for place, each in enumerate((*by(rounds), slot))]
    query = (
        select(*groups, *(each.label(name) for name, each in sums(rounds).items()))
        .where(rounds.opened_at >= timestamp(edges[0]), rounds.opened_at < ends[-1])
        .where(schema.of_present_log(schema.rounds, projector.record.local))
        .where(*(() if tables is None else (rounds.table.in_(tables),)))
        .group_by(*(each.name for each in groups))
    )
    with faults_as_unavailable(), projector.database.connect() as connection:
        rows = connection.execute(query).all()
    for row in rows:
        values = row._mapping  # noqa: SLF001  its public name
        yield tuple(row[: len(groups)]), RoundCounts("", **{name: values[name] for name in _SUMMED})
