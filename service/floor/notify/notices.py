"""Notices of all tables, in the order in which the floor took their entries: for each table that of its record.

A notice has the id that the table itself gives it, and never changes either, also if its entry is lost later.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import select

from service.notify.envelopes import CloudEvent
from service.notify.notices import (
    ALL_PARTS,
    NOTIFYING_KINDS,
    TYPES,
    Notice,
    NoticePage,
    contents_of,
    notice_id,
)
from service.record.checkpoints.epochs import epoch_at, epochs_from
from service.record.checkpoints.note import note_of
from service.record.store import log_tables
from service.record.store.keys import named_by
from service.record.store.signing import Checkpoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ScalarSelect

    from service.config.subscriber_settings import NoticeKind
    from service.notify.notices import Position
    from service.record.store.all_logs import LogsReader
    from service.record.store.held import HeldEntry

_log = logging.getLogger(__name__)

_SCANNED_AT_ONCE: Final = 100
_CACHED: Final = 256
"""Entries whose notices are kept, for all subscribers read nearly the same ones."""
_NAMING: Final = frozenset({"record", "signing_key", "epoch"})
"""Entries that say to what record, key and epoch those behind them belong."""
_SCANNED: Final = tuple({*NOTIFYING_KINDS, *_NAMING})


class FloorEvent(CloudEvent):
    """The envelope, with the table.

    Attributes:
        table: name of the table on the floor.
        subject: the same, and the round if it is about one.
        sequence: sorts as text in the order in which the floor tells events of all tables.
        epoch: the epoch of the table's record that the entry belongs to.
        cursor: ``since`` for ``/v1/results`` of the floor, behind this event.
    """

    table: str


class FloorNoticeReader:
    """Makes notices of what was collected; every method may raise RecordUnavailableError."""

    def __init__(self, reader: LogsReader) -> None:
        self._reader = reader
        self._naming: dict[str, _Naming] = {}
        self._held: dict[int, tuple[Notice, ...]] = {}

    def end(self) -> Position:
        """Behind everything that was collected so far."""
        position = self._reader.position()
        return (position, ALL_PARTS) if position else (0, 0)

    def after(self, position: Position, kinds: frozenset[NoticeKind]) -> NoticePage:
        """The notices of these kinds behind a position of the floor's feed."""
        found = self._reader.after(position[0] - 1, kinds=_SCANNED, limit=_SCANNED_AT_ONCE)
        for each in found:
            if each.entry.kind in _NAMING and each.position not in self._held:
                self._naming.pop(each.table, None)
        made = [notice for held in found for notice in self._made_of(held) if notice.position > position]
        wanted = tuple(notice for notice in made if notice.kind in kinds or notice.kind == "epoch")
        through = max(position, (found[-1].position, ALL_PARTS)) if found else position
        return NoticePage(wanted, through, more=len(found) == _SCANNED_AT_ONCE)

    def epoch(self) -> str:
        """Positions of the floor's feed are never given to others: there is one epoch."""
        return ""

    def _made_of(self, held: HeldEntry) -> tuple[Notice, ...]:
        known = self._held.get(held.position)
        if known is None:
            known = self._held[held.position] = self._make(held)
            for old in tuple(self._held)[:-_CACHED]:
                self._held.pop(old, None)
        return known

    def _make(self, held: HeldEntry) -> tuple[Notice, ...]:
        if held.table not in self._naming:
            self._naming[held.table] = _Naming(self._reader.of_kinds(held.table, tuple(_NAMING)))
        before = None if held.entry.supersedes is None else self._reader.superseded(held)
        try:
            return _notices_of(held, before, self._naming[held.table])
        except (KeyError, TypeError, ValueError):
            # A table may be newer than the floor; those behind it are told all the same.
            _log.exception("entry %s of table %s is told to nobody: it cannot be read", held.entry.seq, held.table)
            return ()


@dataclass(frozen=True, slots=True)
class _Naming:
    """The entries of a table that name its records, keys and epochs, with those that were lost, oldest first."""

    naming: Sequence[HeldEntry]

    def of(self, held: HeldEntry) -> list[HeldEntry]:
        """Those that an entry goes on from, or that say from where it does: of the record as it was with the entry."""
        end = self._lost_at(held)
        return [each for each in self.naming if each.position < end and self._lost_at(each) >= end]

    def _lost_at(self, held: HeldEntry) -> float:
        """Position of the entry that began the epoch in which an entry is lost."""
        if held.gone is None:
            return math.inf
        return next((each.position for each in self.naming if _name(each) == held.gone), math.inf)


def _name(held: HeldEntry) -> str:
    return f"{held.entry.seq}-{held.entry.hash[:16]}"


def _notices_of(held: HeldEntry, before: HeldEntry | None, naming: _Naming) -> tuple[Notice, ...]:
    entry, line = held.entry, naming.of(held)
    first = next(each.entry for each in line if each.entry.seq == 1)
    record = str(first.data["record"])
    epoch = epoch_at(epochs_from(first, (each.entry for each in line if each.entry.kind == "epoch")), entry.seq)
    notices: list[Notice] = []
    checkpoint = _checkpoint(held, record, line)
    for part, (kind, subject, data) in enumerate(contents_of(entry, None if before is None else before.entry), start=1):
        name = notice_id(record, entry, kind, part)
        envelope = FloorEvent(
            id=name,
            source=f"urn:uuid:{record}",
            type=TYPES[kind],
            subject=f"tables/{held.table}{subject}",
            time=entry.at,
            sequence=f"{held.position:012d}.{part:04d}",
            epoch=epoch.name,
            cursor=held.cursor,
            checkpoint=checkpoint,
            # What it goes on from is a place in the floor's feed.
            data=data.model_copy(update={"cursor": held.cursor}) if hasattr(data, "cursor") else data,
            table=held.table,
        )
        body = envelope.model_dump_json()
        notices.append(Notice(held.position, part, kind, held.table, entry.hash, name, body))
    return tuple(notices)


def _checkpoint(held: HeldEntry, record: str, line: Sequence[HeldEntry]) -> str | None:
    """The table's checkpoint of an entry as a note; None if its key is one that a person accepted."""
    entry = held.entry
    naming = [each.entry for each in line if each.entry.kind != "epoch" and each.entry.seq < entry.seq]
    key = named_by(naming[-1]) if naming else None
    if key is None:
        return None
    made = Checkpoint(record, entry.seq, entry.hash, entry.at, held.signature)
    return note_of(made, key).compact if key.holds(made) else None


def hash_collected(position: int) -> ScalarSelect[str]:
    """The hash of the entry at a position, for a statement; null if there is none."""
    columns = log_tables.entries.c
    return select(columns.hash).where(columns.position == position).scalar_subquery()
