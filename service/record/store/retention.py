"""Which pictures may be removed: the oldest, and none that has not been exported."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import func, select

from service.record.store import schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Row, Select

BATCH: Final = 256
"""Pictures removed with one entry: small enough that an append hardly waits."""


@dataclass(frozen=True, slots=True)
class Removal:
    """Pictures to be removed: SHA-256, bytes freed, and the last entry whose pictures are among them."""

    names: tuple[str, ...]
    bytes: int
    through: int


def removable(removed: int, exported: int) -> Select[Any]:
    """Query for pictures beyond entry ``removed`` that no entry beyond ``exported`` names, as they were last named."""
    columns = schema.OWN.pictures.c
    newest = func.max(columns.seq).label("newest")
    last_named = (
        select(columns.sha256, newest, func.max(columns.bytes).label("bytes"))
        .where(columns.seq > removed)
        .group_by(columns.sha256)
        .subquery()
    )
    return (
        select(last_named.c.sha256, last_named.c.newest, last_named.c.bytes, schema.OWN.entries.c.at)
        .join(schema.OWN.entries, schema.OWN.entries.c.seq == last_named.c.newest)
        .where(last_named.c.newest <= exported)
        .order_by(last_named.c.newest, last_named.c.sha256)
        .limit(BATCH)
    )


def choose(
    rows: Sequence[Row[Any]], removed: int, *, at_least: int | None = None, older_than: str | None = None
) -> Removal:
    """The pictures to remove from the rows of :func:`removable`, by whole entries, until ``at_least`` bytes are freed.

    None that was last named at the moment ``older_than`` or after it is removed.
    """
    names: list[str] = []
    freed, through = 0, removed
    for seq, group in groupby(rows, key=lambda row: int(row.newest)):
        together = tuple(group)
        enough = at_least is not None and freed >= at_least
        too_young = older_than is not None and together[0].at >= older_than
        if enough or too_young or (names and len(names) + len(together) == BATCH):
            break  # the last group may be cut short by the limit of the query
        names += [row.sha256 for row in together]
        freed += sum(row.bytes for row in together)
        through = seq
    return Removal(tuple(names), freed, through)
