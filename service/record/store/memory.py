"""What a service's own check of its record has come to, in a file beside the database: a restart forgets nothing.

Which entry was the newest is kept elsewhere, outside the folder: :mod:`service.record.checkpoints.mark`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from service.record.store.faults import Fault
from service.record.store.files import write_durably

if TYPE_CHECKING:
    from pathlib import Path

MEMORY: Final = "record.seen"


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered.

    Attributes:
        record: id of the record.
        checked_through: the last entry that the full check had reached; 0 at its start.
        checked_at: when that check was last completed, UTC; empty if never.
        faults: unresolved faults.
    """

    record: str
    checked_through: int = 0
    checked_at: str = ""
    faults: tuple[Fault, ...] = ()

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What is remembered of the record in a folder; None if nothing is, or nothing that can be read."""
        try:
            told = json.loads((folder / MEMORY).read_text(encoding="ascii"))
            faults = tuple(map(Fault.read, told.pop("faults")))
            return cls(**told, faults=faults)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path) -> None:
        """Remember it; OSError if it cannot be written."""
        told = {name: getattr(self, name) for name in ("record", "checked_through", "checked_at")}
        faults = [fault.told() for fault in self.faults]
        text = json.dumps({**told, "faults": faults}, indent=1)
        write_durably(folder / MEMORY, f"{text}\n".encode("ascii"), mode=0o600)
