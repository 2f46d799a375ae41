"""How a table and its machine are: checks, the status made from them, and the equipment a table runs on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from pydantic import Field

from service.rounds.reports import FrozenModel
from service.words.codes import ServiceCode, StatusCode
from service.words.declared.all_codes import declaration_of
from service.words.findings import english
from service.words.wording import Words, words
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from service.record.waiting import ChangeNotifier
    from service.system.source_kinds import Pictures
    from vision.findings import Param


LEAST_FREE_BYTES: Final = 1_000_000_000
"""Free space above the setting's minimum; less than this is a night or two of evidence."""
HOT_C: Final = 75.0
"""A Raspberry Pi slows down at 80 to 85 degrees."""
_SOURCE_WORDS: Final[Mapping[Pictures, Words]] = {
    "recording": words("Recording, not a live table"),
    "simulation": words("Simulated table"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that must be well, and what to do if it is not.

    Attributes:
        findings: its state, and what to do if it is not well.
        blocks: whether the table counts as not read while this is not well.
        reason: the doubt of hands and dice that are withheld because of it; the state itself if None.
    """

    name: str
    ok: bool
    findings: tuple[Finding, ...]
    blocks: bool = True
    reason: Finding | None = None

    @classmethod
    def of(cls, name: str, code: ServiceCode, /, *, ok: bool, **params: Param) -> Check:
        """Make a check whose state is one finding; whether it blocks is declared with the code."""
        declaration = declaration_of(code)
        blocks = declaration is None or declaration.blocks
        return cls(name, ok, (Finding.of(code, **params),), blocks)

    @property
    def message(self) -> str:
        return "; ".join(english(self.findings))


Watch: TypeAlias = "Callable[[], Check]"
"""Returns the current state of a check; nothing is verified while it fails, with its message as the reason."""


class Watched(Protocol):
    """Receives checks, and notifies of entries and of changes."""

    @property
    def recorded(self) -> ChangeNotifier: ...

    @property
    def changes(self) -> ChangeNotifier: ...

    def check(self, check: Check) -> None: ...


class SubscriberChecks:
    """The checks of subscribers.

    Args:
        tables: receives the checks: the local tables.
    """

    def __init__(self, tables: Watched) -> None:
        self.recorded, self.changes = tables.recorded, tables.changes
        self._tables = tables
        self._subscribers: dict[str, Check] = {}

    def check(self, check: Check) -> None:
        if self._subscribers.get(check.name) != check:
            self._subscribers[check.name] = check
            self._tables.check(check)
            self.changes.notify()

    @property
    def subscribers(self) -> tuple[Check, ...]:
        return tuple(check for _, check in sorted(self._subscribers.items()))


@dataclass(frozen=True, slots=True)
class TableStatus:
    """The status of a table.

    Attributes:
        verifying: whether a clearly readable hand can be verified now.
        finding: why not, or what else needs attention, or that there is no fault.
    """

    pictures: Pictures
    verifying: bool
    finding: Finding
    more: int = 0

    @property
    def level(self) -> Literal["well", "attention", "fault"]:
        """``fault`` while nothing can be verified, ``attention`` while something else fails."""
        if self.finding.code in {StatusCode.VERIFYING, StatusCode.STARTING}:
            return "well"
        return "attention" if self.verifying else "fault"

    @property
    def source_words(self) -> Words | None:
        """Introductory words for pictures that are not from a live table."""
        return _SOURCE_WORDS.get(self.pictures)


class CalibrationAgeOut(FrozenModel):
    """The calibration in use."""

    sha256: str = Field(description="SHA-256 of its file, hexadecimal; empty without a file")
    made_at: datetime | None = Field(description="when it was made, UTC; null if it does not say")
    days: float | None = Field(description="how old it is, days")


class ClockStateOut(FrozenModel):
    """The machine's clock, as the kernel reports it."""

    synchronised: bool | None = Field(description="whether a time server sets it; null if the kernel does not say")
    max_error_s: float | None = Field(description="the largest error to be expected, seconds; null if not known")


class HandsReadOut(FrozenModel):
    """The newest hands of closed rounds, some four hundred."""

    verified: int = Field(description="those of them that were verified")
    of: int = Field(description="how many there are")


class EquipmentOut(FrozenModel):
    """What a table runs on, and how that is."""

    version: str = Field(description="of the program")
    code: str = Field(description="SHA-256 of the program's files, hexadecimal")
    models: dict[str, str] = Field(description="SHA-256 of each model in use by its name, hexadecimal")
    settings: str = Field(description="SHA-256 of all settings but names and places, hexadecimal")
    compared_settings: str = Field(description="the same of those that tables usually have in common")
    calibration: CalibrationAgeOut | None = Field(description="null without one")
    drift_mm: float | None = Field(
        description="how far things seem to have moved on the table since it was calibrated, millimetres; null if that "
        "was not measured"
    )
    free_bytes: int = Field(description="free on the disk of the record")
    celsius: float | None = Field(description="of the hottest sensor of the processor; null without a sensor")
    clock: ClockStateOut = Field(description="of the machine")
    hands: HandsReadOut | None = Field(description="null while the record cannot be read")
    failing: tuple[str, ...] = Field(description="names of the failed checks")
