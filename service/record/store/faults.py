"""What is not as it was recorded: found by the service's own checks, and kept until a person has dealt with it."""

from __future__ import annotations

import hashlib
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from service.record.store.chain import canonical_json
from service.words.codes import HubCode, RecordCode
from service.words.doubts import DoubtReport, finding_of
from service.words.findings import words_of
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable

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
"""What is wrong with a picture that cannot be shown any more."""

RESTORED: Final = frozenset({RecordCode.HEAD_GONE, RecordCode.DATABASE_REPLACED})
"""What a restore explains: who says that there was one answers for it."""
ANSWERING: Final[tuple[Kind, ...]] = ("integrity", "epoch")
"""Entries in which a person answers for faults, named under ``accepted``."""


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
        """Make one of its code and parameters."""
        return cls(entry, Finding.of(code, **params))

    @property
    def name(self) -> str:
        """Names it for as long as it stays the same: a person answers for exactly this."""
        return hashlib.sha256(canonical_json(self.told()).encode()).hexdigest()[:16]

    @property
    def breaks_chain(self) -> bool:
        """Whether the entry itself does not hold, and with it nothing that follows is proven."""
        return self.finding.code in _OF_AN_ENTRY

    @property
    def about(self) -> Finding:
        """The fault with the entry that it is about, as a check shows it."""
        if not self.entry:
            return self.finding
        return Finding.of(RecordCode.AT_ENTRY, entry=self.entry, why=(self.finding,))

    @property
    def words(self) -> Sayable:
        """The same as a sentence."""
        return words_of(self.about)

    def told(self) -> dict[str, Any]:
        """The fault as JSON."""
        return {"entry": self.entry, **DoubtReport.of(self.finding).model_dump(mode="json", exclude={"about"})}

    @classmethod
    def read(cls, told: dict[str, Any]) -> Self:
        """Read it back; KeyError, ValueError or TypeError if this version does not know it."""
        written = DoubtReport(code=told["code"], params=told["params"])
        return cls(int(told["entry"]), finding_of(written, RecordCode, HubCode))


class Faults:
    """The faults of a record that nobody has dealt with, and the names of those that somebody answered for."""

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
        """Whether a person answered for exactly this."""
        return fault.name in self._accepted or (
            fault.finding.code in LOST and str(dict(fault.finding.params)["picture"]) in self._lost
        )

    def add(self, *faults: Fault) -> None:
        """Take faults that were found; those known or answered for change nothing."""
        with self._lock:
            for fault in faults:
                if fault.name not in self._open and not self.is_accepted(fault) and len(self._open) < KEPT:
                    self._open[fault.name] = fault
                    _log.error("the record is not as it was recorded: %s", fault.words)

    def accept(self, names: Iterable[str], lost: Iterable[str] = ()) -> None:
        """Take what persons answered for: faults by their names, and pictures that are lost."""
        with self._lock:
            self._accepted |= frozenset(names)
            self._lost |= frozenset(lost)
            self._open = {name: fault for name, fault in self._open.items() if not self.is_accepted(fault)}
