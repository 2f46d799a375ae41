"""Faults: what is not as it was recorded, kept until a person has dealt with it, also over a restart."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from service.record.store.entries import canonical_json
from service.record.store.files import write_durably
from service.words.codes import HubCode, RecordCode
from service.words.doubts import DoubtReport, finding_of
from service.words.findings import words_of
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from service.record.store.entries import Kind
    from service.words.wording import Sayable

_log = logging.getLogger(__name__)

KEPT: Final = 100
"""Faults kept by name; whoever finds more has found enough."""
_OF_AN_ENTRY: Final = frozenset(
    {
        RecordCode.NOT_AN_ENTRY,
        RecordCode.ENTRY_OUT_OF_PLACE,
        RecordCode.ENTRY_NOT_AS_APPENDED,
        RecordCode.BODY_NOT_AS_APPENDED,
        RecordCode.NOT_LINKED,
        RecordCode.HASH_WRONG,
        RecordCode.ENTRY_REPLACED,
        RecordCode.NOT_SIGNED,
        RecordCode.SIGNED_WITH_ANOTHER_KEY,
    }
)

LOST: Final = frozenset({RecordCode.PICTURE_MISSING, RecordCode.PICTURE_CHANGED, RecordCode.PICTURE_UNREADABLE})
"""Codes of a picture that is lost."""

RESTORED: Final = frozenset({RecordCode.END_MISSING, RecordCode.DATABASE_REPLACED})
"""Codes that a restore explains: a person who declares one accepts them."""
ANSWERING: Final[tuple[Kind, ...]] = ("integrity", "epoch")
"""Entries in which a person accepts faults, named under ``accepted``."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is not as it was recorded.

    Attributes:
        entry: number of the entry that it is about; 0 if it is about none.
        finding: in what way.
    """

    entry: int
    finding: Finding

    @classmethod
    def of(cls, entry: int, code: RecordCode | HubCode, /, **params: Any) -> Self:  # noqa: ANN401  of Finding.of
        return cls(entry, Finding.of(code, **params))

    @property
    def name(self) -> str:
        """Identifies the fault: a person accepts exactly this one."""
        return hashlib.sha256(canonical_json(self.as_json()).encode()).hexdigest()[:16]

    @property
    def breaks_chain(self) -> bool:
        """Whether the entry itself is invalid, so that nothing after it is proven."""
        return self.finding.code in _OF_AN_ENTRY

    @property
    def about(self) -> Finding:
        """The fault with the entry that it is about, as a check shows it."""
        if not self.entry:
            return self.finding
        return Finding.of(RecordCode.AT_ENTRY, entry=self.entry, why=(self.finding,))

    @property
    def words(self) -> Sayable:
        return words_of(self.about)

    def as_json(self) -> dict[str, Any]:
        return {"entry": self.entry, **DoubtReport.of(self.finding).model_dump(mode="json", exclude={"about"})}

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Self:
        """Read it back; KeyError, ValueError or TypeError if this version does not know it."""
        written = DoubtReport(code=stored["code"], params=stored["params"])
        return cls(int(stored["entry"]), finding_of(written, RecordCode, HubCode))


class Faults:
    """The open faults of a record, and the names of those that a person accepted."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, Fault] = {}
        self._accepted: frozenset[str] = frozenset()
        self._lost: frozenset[str] = frozenset()

    @property
    def open(self) -> tuple[Fault, ...]:
        """Faults that nobody has dealt with, as they were found."""
        return tuple(self._open.values())

    def is_accepted(self, fault: Fault) -> bool:
        """Whether a person accepted exactly this."""
        return fault.name in self._accepted or (
            fault.finding.code in LOST and str(dict(fault.finding.params)["picture"]) in self._lost
        )

    def add(self, *faults: Fault) -> None:
        """Add faults; known and accepted ones change nothing."""
        with self._lock:
            for fault in faults:
                if fault.name not in self._open and not self.is_accepted(fault) and len(self._open) < KEPT:
                    self._open[fault.name] = fault
                    _log.error("the record is not as it was recorded: %s", fault.words)

    def accept(self, names: Iterable[str], lost: Iterable[str] = ()) -> None:
        """Accept faults by their names, and the loss of pictures."""
        with self._lock:
            self._accepted |= frozenset(names)
            self._lost |= frozenset(lost)
            self._open = {name: fault for name, fault in self._open.items() if not self.is_accepted(fault)}


MEMORY: Final = "record.seen"


@dataclass(frozen=True, slots=True)
class Memory:
    """What is remembered.

    Attributes:
        checked_through: the last entry that the full check had reached; 0 at its start.
        checked_at: when that check was last completed, UTC; empty if never.
    """

    record: str
    checked_through: int = 0
    checked_at: str = ""
    faults: tuple[Fault, ...] = ()

    @classmethod
    def load(cls, folder: Path) -> Self | None:
        """What is remembered of the record in a folder; None if nothing is, or nothing that can be read."""
        try:
            stored = json.loads((folder / MEMORY).read_text(encoding="ascii"))
            faults = tuple(map(Fault.of_json, stored.pop("faults")))
            return cls(**stored, faults=faults)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, folder: Path) -> None:
        """Remember it; OSError if it cannot be written."""
        stored = {name: getattr(self, name) for name in ("record", "checked_through", "checked_at")}
        faults = [fault.as_json() for fault in self.faults]
        text = json.dumps({**stored, "faults": faults}, indent=1)
        write_durably(folder / MEMORY, f"{text}\n".encode("ascii"), mode=0o600)
