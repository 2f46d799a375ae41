"""How full the evidence is, and when it will be, as it has grown of late."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.evidence import EvidenceStore

_LOOKED_BACK: Final = timedelta(days=7)
"""A week holds its busy days and its quiet ones."""
_SHORTEST: Final = timedelta(days=1)
"""From less than a day nothing is foretold that a whole day would not make: tables are closed for hours."""


@dataclass(frozen=True, slots=True)
class EvidenceRoom:
    """The room that evidence has, bytes.

    Attributes:
        used: by all pictures.
        limit: the most that they may take, by the settings or by the free disk, whichever is less.
        kept: by pictures that must stay because no export has them yet.
        per_day: recent daily intake.
    """

    used: int
    limit: int
    kept: int
    per_day: float

    @property
    def days_left(self) -> float | None:
        """In how many days nothing more can be recorded unless something is exported; None while nothing comes."""
        return max(0, self.limit - self.kept) / self.per_day if self.per_day > 0 else None


def evidence_room(reader: DatabaseReader, evidence: EvidenceStore, now: datetime) -> EvidenceRoom:
    """Work out how full the evidence of a record is.

    RecordUnavailableError if the record cannot be read, OSError if the disk cannot be asked.
    """
    begun = reader.entry(1)
    if begun is None:
        return EvidenceRoom(evidence.used, evidence.limit, 0, 0.0)
    span = min(max(now - datetime.fromisoformat(begun.at), _SHORTEST), _LOOKED_BACK)
    came = reader.bytes_of_pictures(reader.first_at(now.astimezone(UTC) - span) - 1, only_new=True)
    kept = reader.bytes_of_pictures(reader.last_through("export"))
    return EvidenceRoom(evidence.used, evidence.limit, kept, came / (span / timedelta(days=1)))
