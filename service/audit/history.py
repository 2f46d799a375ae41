"""What the record holds of an audit, in its order: plans, draws, answers, and verdicts on those that differ."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from service.audit.answer import read_seen
from service.audit.draw import Drawn
from service.audit.population import Member, Stratum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from service.audit.answer import Seen
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Kind

PLAN: Final = "plan"
DRAW: Final = "draw"
ANSWER: Final = "answer"
VERDICT: Final = "verdict"


class Verdict(StrEnum):
    """What the person says of a difference once the reading is shown."""

    READING_WRONG = "reading_wrong"
    ANSWER_WRONG = "answer_wrong"
    CANNOT_TELL = "cannot_tell"


class Outcome(StrEnum):
    """What came of a drawn hand or throw."""

    WAITING = "waiting"
    RIGHT = "right"
    UNSEEN = "unseen"
    UNDECIDED = "undecided"
    """The answer differs from the reading, and nobody has said yet which is wrong."""
    READING_WRONG = "reading_wrong"
    ANSWER_WRONG = "answer_wrong"
    CANNOT_TELL = "cannot_tell"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person saw before the reading was shown, and what was said of it afterwards.

    Attributes:
        seq: number of its entry; ``hash`` is that entry's.
        seen: None if it could not be made out.
        agrees: whether the reading says the same; None if nothing was seen.
        verdict: on a difference; None until somebody gives one, who is then named in ``decided_by``.
    """

    seq: int
    hash: str
    at: str
    by: str
    seen: Seen | None
    agrees: bool | None
    verdict: Verdict | None = None
    decided_by: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """A drawn hand or throw.

    Attributes:
        draw: number of the entry that drew it.
        index: its place in that draw, from 0.
        day: that was drawn from, ``2026-01-31``.
        round: number of the entry that closed its round.
        pictures: what a person is shown, by role: the whole picture and a close-up, without anything drawn on them.
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
        """Of the hand, or ``dice``."""
        return self.drawn.member.place

    @property
    def outcome(self) -> Outcome:
        """What came of it."""
        if self.answer is None:
            return Outcome.WAITING
        if self.answer.agrees is None:
            return Outcome.UNSEEN
        if self.answer.agrees:
            return Outcome.RIGHT
        return Outcome.UNDECIDED if self.answer.verdict is None else Outcome(self.answer.verdict.value)


@dataclass(frozen=True)
class History:
    """An audit as far as it has come.

    Attributes:
        items: all that was drawn, in the order in which it is asked about.
        sizes: verified hands and throws by draw, stratum and version.
        days: by draw, the day that was drawn from.
        last_answer: hash of the newest answer; empty if there is none.
    """

    items: tuple[Item, ...]
    sizes: Mapping[tuple[int, Stratum, str], int]
    days: Mapping[int, str]
    last_answer: str = ""

    @cached_property
    def waiting(self) -> tuple[Item, ...]:
        """What nobody was asked about yet, in order."""
        return tuple(item for item in self.items if item.answer is None)

    @cached_property
    def undecided(self) -> Item | None:
        """The first that was answered otherwise than it was read, and awaits a verdict."""
        return next((item for item in self.items if item.outcome is Outcome.UNDECIDED), None)


def history_of(entries: Iterable[Entry]) -> History:
    """The audit that entries of one table tell of; KeyError, TypeError or ValueError if they tell of none."""
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
            answer = Answer(entry.seq, entry.hash, entry.at, body["by"], read_seen(body["seen"]), body["agrees"])
            items[key] = replace(items[key], answer=answer)
            last = entry.hash
        elif entry.subject == VERDICT:
            key = answered[body["answer"]]
            if (given := items[key].answer) is not None:
                decided = replace(given, verdict=Verdict(body["verdict"]), decided_by=body["by"])
                items[key] = replace(items[key], answer=decided)
    return History(tuple(items.values()), sizes, days, last)


def drawn_of(told: Mapping[str, Any]) -> Drawn:
    """A drawn hand or throw as a draw's entry has it."""
    member = told["member"]
    known = Member(member["entry"], member["place"], Stratum(member["stratum"]), member["version"])
    return Drawn(known, told["number"], told["of"], told["taken"])


def _items(entry: Entry, body: dict[str, Any], day: str) -> Iterator[Item]:
    for index, told in enumerate(body["drawn"]):
        yield Item(entry.seq, index, day, told["round"], drawn_of(told), told["pictures"])


@dataclass(slots=True)
class AuditLog:
    """The audit of a table, read on from where it was read to before."""

    record: DatabaseReader
    table: str
    _entries: list[Entry] = field(default_factory=list)
    _history: History | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def entries(self) -> tuple[Entry, ...]:
        """All entries; RecordUnavailableError."""
        with self._lock:
            self._read()
            return tuple(self._entries)

    def history(self) -> History:
        """The audit as it stands; RecordUnavailableError."""
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
    """All entries of a kind about a table beyond a number, without holding them all; RecordUnavailableError."""
    while found := record.after(seq, kinds=(kind,), table=table):
        yield from found
        seq = found[-1].seq
