"""Giving releases out: what people say is recorded on the floor, what became of it is read from the tables' records."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import lateral, select, true

from service.codes import ReleaseCode
from service.floor.fleet.rings import Act, following, lacking, offered_to, roll_outs, tables_of
from service.floor.fleet.shelf import Shelf
from service.floor.store import schema
from service.record.store.entries import Draft
from service.record.store.storage_faults import faults_as_unavailable
from service.release.manifest import ReleaseError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy import Engine

    from service.floor.fleet.rings import Outcome, RollOut
    from service.floor.fleet.shelf import Shelved
    from service.floor.settings import FloorConfig
    from service.record.changes import Attribution
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record

_KIND: Final = "release"
_ACTS: Final = 2_000
_OF_A_TABLE: Final = 100
"""The newest entries of a table that are looked at."""


@dataclass(frozen=True, slots=True)
class Given:
    """Releases as they stand.

    Attributes:
        shelved: those that the floor has, by their numbers.
        roll_outs: those that were given out, the one given last at the end.
    """

    shelved: tuple[Shelved, ...]
    roll_outs: tuple[RollOut, ...]

    def offer(self, table: str) -> Shelved | None:
        """What a table may fetch; None for nothing."""
        digest = offered_to(table, self.roll_outs)
        return next((each for each in self.shelved if each.signed.digest == digest), None)

    def of(self, digest: str) -> RollOut | None:
        """How far a release is; None if it was never given out."""
        return next((each for each in self.roll_outs if each.digest == digest), None)

    def about(self, table: str) -> RollOut | None:
        """The release that was given last of those that a table is in a ring of."""
        return next((each for each in reversed(self.roll_outs) if table in each.stages), None)


class Giving:
    """Gives releases out.

    Args:
        config: of the floor.
        record: its own.
        database: where the tables' entries are collected.
    """

    def __init__(self, config: FloorConfig, record: Record | DatabaseReader, database: Engine) -> None:
        self.shelf = Shelf(config.releases_folder)
        self._record, self._database = record, database
        self._pit_of = {table.name: table.pit for table in config.tables}

    def now(self) -> Given:
        """As everything stands; RecordUnavailableError."""
        acts = tuple(_act(entry.at, entry.data) for entry in reversed(self._record.last((_KIND,), count=_ACTS)))
        return Given(self.shelf.all(), roll_outs(acts, self._outcomes(), self._pit_of))

    def give(self, record: Record, name: str, rings: Sequence[str], why: Attribution) -> None:
        """Give a release to rings, one after the other; ReleaseError, RecordUnavailableError."""
        shelved = self.shelf.named(name)
        known = self.now().of(shelved.signed.digest)
        for ring in rings:
            tables_of(ring, self._pit_of)
            if known is not None and ring in {each.name for each in known.rings}:
                raise ReleaseError.of(ReleaseCode.RING_GIVEN_ALREADY, name=name, ring=ring)
        if known is not None and known.stopped:
            raise ReleaseError.of(ReleaseCode.STOPPED, name=name, why=", ".join(known.bad) or str(known.stopped_by))
        self._note(record, shelved, "given", why, rings=list(rings))

    def stop(self, record: Record, name: str, why: Attribution) -> None:
        """Offer a release to nobody new; ReleaseError, RecordUnavailableError."""
        self._note(record, self.shelf.named(name), "stopped", why)

    def go_on(self, record: Record, name: str, why: Attribution) -> tuple[str, ...]:
        """Go on with a release; what its tables came to is accepted. Returns which tables those are.

        ReleaseError, RecordUnavailableError.
        """
        shelved = self.shelf.named(name)
        known = self.now().of(shelved.signed.digest)
        tables = () if known is None else tuple(dict.fromkeys((*known.bad, *lacking(known))))
        if known is None or not (tables or known.stopped):
            raise ReleaseError.of(ReleaseCode.NOTHING_TO_ACCEPT, name=name)
        self._note(record, shelved, "gone on", why, tables=list(tables))
        return tables

    def _note(self, record: Record, shelved: Shelved, act: str, why: Attribution, **more: Any) -> None:  # noqa: ANN401
        body = {"act": act, "digest": shelved.signed.digest, "number": shelved.manifest.number, **more}
        record.append(Draft("release", {**body, "by": why.by, "reason": why.reason}, subject=shelved.manifest.name))

    def _outcomes(self) -> Mapping[str, Mapping[str, Outcome]]:
        """What the tables recorded of releases; RecordUnavailableError."""
        tables, entries = schema.tables.c, schema.entries.c
        newest = lateral(
            select(entries.seq, entries.at, entries.body)
            .where(entries.table_id == tables.id, entries.kind == _KIND, entries.gone.is_(None))
            .order_by(entries.seq.desc())
            .limit(_OF_A_TABLE)
        ).alias("newest")
        asked = select(tables.name, newest.c.at, newest.c.body).select_from(schema.tables).join(newest, true())
        found: defaultdict[str, dict[str, Outcome]] = defaultdict(dict)
        with faults_as_unavailable(), self._database.connect() as connection:
            for name, at, body in connection.execute(asked.order_by(tables.name, newest.c.seq)):
                said = json.loads(body)
                digest, of = str(said.get("digest", "")), found[name]
                of[digest] = following(of.get(digest), str(said.get("act")), at, str(said.get("reason", "")))
        return found


def _act(at: str, said: dict[str, Any]) -> Act:
    return Act(
        act=str(said["act"]),
        digest=str(said["digest"]),
        by=str(said["by"]),
        at=at,
        reason=str(said["reason"]),
        rings=tuple(said.get("rings", ())),
        tables=tuple(said.get("tables", ())),
    )
