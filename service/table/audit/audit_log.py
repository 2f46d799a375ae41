"""The audit of a table as its log records it: plans, draws, answers, and verdicts on answers that differ."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from engine.game.tiles import Tile
from service.rounds.reports import DICE, DieReport, HandReport
from service.table.audit.sampling import Drawn, Member, Stratum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry, Kind
    from service.rounds.reports import RoundReport

Roll: TypeAlias = tuple[int, str | None]
"""A value, and ``box`` or ``cut`` if the role is visible."""
Reading: TypeAlias = HandReport | tuple[DieReport, ...]
"""The reading of a hand or of a throw."""


@dataclass(frozen=True, slots=True)
class SeenHand:
    """Four tiles as a person sees them; ``split`` if the first two are visibly the low hand."""

    tiles: tuple[Tile, Tile, Tile, Tile]
    split: bool

    def agrees(self, read: HandReport) -> bool:
        """Return whether the reading agrees; the order of tiles within a pair does not matter."""
        if not self.split:
            return _ordered(self.tiles) == _ordered((*read.low, *read.high))
        return (_ordered(self.tiles[:2]), _ordered(self.tiles[2:])) == (_ordered(read.low), _ordered(read.high))


@dataclass(frozen=True, slots=True)
class SeenThrow:
    """All dice as a person sees them."""

    dice: tuple[Roll, ...]

    def agrees(self, read: tuple[DieReport, ...]) -> bool:
        """Return whether the reading agrees; roles are compared only if person and reading know all of them."""
        rolls: tuple[tuple[int | None, str | None], ...] = tuple((die.value, die.role) for die in read)
        if any(role is None for _, role in (*self.dice, *rolls)):
            return sorted(value for value, _ in self.dice) == sorted(value or 0 for value, _ in rolls)
        return sorted((str(role), value) for value, role in self.dice) == sorted(
            (str(role), value or 0) for value, role in rolls
        )


@dataclass(frozen=True, slots=True)
class SeenOther:
    """A person sees no hand of four tiles, or no dice, at the place."""


Seen: TypeAlias = SeenHand | SeenThrow | SeenOther


def reading_at(played: RoundReport, place: str) -> Reading:
    """Return the reading at a place of a round; ValueError if nothing was read there."""
    if place == DICE:
        return played.dice
    for hand in played.hands:
        if hand.place == place:
            return hand
    raise ValueError(f"nothing was read at {place}")


def agrees(seen: Seen, read: Reading) -> bool:
    """Return whether a reading agrees with what a person saw."""
    if isinstance(read, tuple):
        return isinstance(seen, SeenThrow) and seen.agrees(read)
    return isinstance(seen, SeenHand) and seen.agrees(read)


def encode_seen(seen: Seen | None) -> dict[str, Any] | None:
    """Encode an answer for an entry of the record; None if the person could not make it out."""
    if isinstance(seen, SeenHand):
        return {"tiles": [str(tile) for tile in seen.tiles], "split": seen.split}
    if isinstance(seen, SeenThrow):
        return {"dice": [list(roll) for roll in seen.dice]}
    return None if seen is None else {"other": True}


def decode_seen(encoded: dict[str, Any] | None) -> Seen | None:
    """Decode what :func:`encode_seen` made; KeyError, TypeError or ValueError if it is malformed."""
    if encoded is None:
        return None
    if "tiles" in encoded:
        first, second, third, fourth = map(Tile.parse, encoded["tiles"])
        return SeenHand((first, second, third, fourth), bool(encoded["split"]))
    if "dice" in encoded:
        return SeenThrow(tuple((int(value), role) for value, role in encoded["dice"]))
    if encoded == {"other": True}:
        return SeenOther()
    raise ValueError(f"{encoded} is not the answer of a person")


def _ordered(tiles: Iterable[Tile | str]) -> list[str]:
    return sorted(map(str, tiles))


PLAN: Final = "plan"
DRAW: Final = "draw"
ANSWER: Final = "answer"
VERDICT: Final = "verdict"


class AuditVerdict(StrEnum):
    """A person's verdict on a difference, after seeing the reading."""

    READING_WRONG = "reading_wrong"
    ANSWER_WRONG = "answer_wrong"
    CANNOT_TELL = "cannot_tell"


class AuditOutcome(StrEnum):
    """The state of a drawn hand or throw."""

    WAITING = "waiting"
    RIGHT = "right"
    UNSEEN = "unseen"
    UNDECIDED = "undecided"
    """The answer differs from the reading, and no verdict is given yet."""
    READING_WRONG = "reading_wrong"
    ANSWER_WRONG = "answer_wrong"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person saw before the reading was shown, and the verdict afterwards.

    Attributes:
        seq: number of its entry.
        hash: hash of that entry.
        seen: None if the person could not make it out.
        agrees: whether it agrees with the reading; None if nothing was seen.
        verdict: on a difference; None until given.
        decided_by: the person who gave the verdict.
    """

    seq: int
    hash: str
    at: str
    by: str
    seen: Seen | None
    agrees: bool | None
    verdict: AuditVerdict | None = None
    decided_by: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A drawn hand or throw.

    Attributes:
        draw: number of the entry that drew it.
        index: its position in that draw, from 0.
        day: the day that was drawn from, ``2026-01-31``.
        round: number of the entry that closed its round.
        pictures: SHA-256 by role of the pictures shown with the question: frame and close-up, nothing drawn on them.
    """

    draw: int
    index: int
    day: str
    round: int
    drawn: Drawn
    pictures: Mapping[str, str]
    answer: Answer | None = None

    @property
    def place(self) -> str:
        """Place of the hand, or ``dice``."""
        return self.drawn.member.place

    @property
    def outcome(self) -> AuditOutcome:
        if self.answer is None:
            return AuditOutcome.WAITING
        if self.answer.agrees is None:
            return AuditOutcome.UNSEEN
        if self.answer.agrees:
            return AuditOutcome.RIGHT
        return AuditOutcome.UNDECIDED if self.answer.verdict is None else AuditOutcome(self.answer.verdict.value)


@dataclass(frozen=True)
class AuditHistory:
    """The state of an audit.

    Attributes:
        items: all drawn items, in the order of the questions.
        sizes: number of verified hands and throws by draw, stratum and version.
        days: by draw, the day that was drawn from.
        last_answer: hash of the newest answer; empty without answers.
    """

    items: tuple[Item, ...]
    sizes: Mapping[tuple[int, Stratum, str], int]
    days: Mapping[int, str]
    last_answer: str = ""

    @cached_property
    def waiting(self) -> tuple[Item, ...]:
        """Items without an answer, in order."""
        return tuple(item for item in self.items if item.answer is None)

    @cached_property
    def undecided(self) -> Item | None:
        """The first item whose answer differs from the reading and has no verdict."""
        return next((item for item in self.items if item.outcome is AuditOutcome.UNDECIDED), None)


def history_of(entries: Iterable[Entry]) -> AuditHistory:
    """Return the audit that the entries of one table describe; KeyError, TypeError or ValueError if malformed."""
    items: dict[tuple[int, int], Item] = {}
    days: dict[int, str] = {}
    plans: dict[int, str] = {}
    sizes: dict[tuple[int, Stratum, str], int] = {}
    answered: dict[int, tuple[int, int]] = {}
    last = ""
    for entry in entries:
        body = entry.data
        if entry.subject == PLAN:
            plans[entry.seq] = str(body["day"])
        elif entry.subject == DRAW:
            days[entry.seq] = plans[body["plan"]]
            sizes |= {(entry.seq, Stratum(kind), version): size for kind, version, size in body["population"]}
            items |= {(entry.seq, item.index): item for item in _items(entry, body, days[entry.seq])}
        elif entry.subject == ANSWER:
            key = answered[entry.seq] = (body["draw"], body["item"])
            answer = Answer(entry.seq, entry.hash, entry.at, body["by"], decode_seen(body["seen"]), body["agrees"])
            items[key] = replace(items[key], answer=answer)
            last = entry.hash
        elif entry.subject == VERDICT:
            key = answered[body["answer"]]
            if (given := items[key].answer) is not None:
                decided = replace(given, verdict=AuditVerdict(body["verdict"]), decided_by=body["by"])
                items[key] = replace(items[key], answer=decided)
    return AuditHistory(tuple(items.values()), sizes, days, last)


def drawn_of(item: Mapping[str, Any]) -> Drawn:
    """Decode a drawn hand or throw from a draw's entry."""
    member = item["member"]
    decoded = Member(member["entry"], member["place"], Stratum(member["stratum"]), member["version"])
    return Drawn(decoded, item["number"], item["of"], item["taken"])


def _items(entry: Entry, body: dict[str, Any], day: str) -> Iterator[Item]:
    for index, item in enumerate(body["drawn"]):
        yield Item(entry.seq, index, day, item["round"], drawn_of(item), item["pictures"])


@dataclass(slots=True)
class AuditLog:
    """The audit of a table, read incrementally from the record."""

    record: DatabaseReader
    table: str
    _entries: list[Entry] = field(default_factory=list)
    _history: AuditHistory | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def entries(self) -> tuple[Entry, ...]:
        """Return all entries of the audit; RecordUnavailableError."""
        with self._lock:
            self._read()
            return tuple(self._entries)

    def history(self) -> AuditHistory:
        """Return the current state of the audit; RecordUnavailableError."""
        with self._lock:
            self._read()
            if self._history is None:
                self._history = history_of(self._entries)
            return self._history

    def _read(self) -> None:
        new = list(entries_of(self.record, "audit", self.table, self._entries[-1].seq if self._entries else 0))
        if new:
            self._entries += new
            self._history = None


def entries_of(record: DatabaseReader, kind: Kind, table: str, seq: int = 0) -> Iterator[Entry]:
    """Yield the entries of a kind about a table after entry ``seq``, page by page; RecordUnavailableError."""
    while found := record.after(seq, kinds=(kind,), table=table):
        yield from found
        seq = found[-1].seq
