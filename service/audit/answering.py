"""Answers and verdicts: what was drawn is asked in its order, and an answer is recorded before the reading is shown."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.audit.answer import agrees, read_at, written
from service.audit.history import ANSWER, VERDICT, AuditLog
from service.record.results import report_of
from service.record.store.entries import Draft
from service.rounds.review import as_read
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from service.audit.answer import Read, Seen
    from service.audit.history import Item, Verdict
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record


class NotNextError(WordedError):
    """Something else is asked now."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Asks persons about what was drawn at one table, as the only one who does."""

    record: Record
    log: AuditLog
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def question(self) -> Item | None:
        """What is asked now; None if nothing is, or a difference awaits its verdict. RecordUnavailableError."""
        history = self.log.history()
        return None if history.undecided is not None else next(iter(history.waiting), None)

    def answer(self, draw: int, index: int, seen: Seen | None, by: str) -> Item:
        """Record what a person sees of the one that is asked; it is never altered; returns it with its answer.

        NotNextError if another is asked now, RecordUnavailableError.
        """
        with self._lock:
            item = self.question()
            if item is None or (item.draw, item.index) != (draw, index):
                raise NotNextError(
                    words(
                        "This question is already answered, or is not open yet: load the page again for the current "
                        "question.",
                    )
                )
            body = {
                "draw": draw,
                "item": index,
                "entry": item.drawn.member.entry,
                "place": item.place,
                "seen": written(seen),
                "agrees": None if seen is None else agrees(seen, reading_of(self.record, item)),
                "by": by,
                "behind": self.log.history().last_answer,
            }
            self._append(ANSWER, body)
            return self._item(draw, index)

    def decide(self, answer: int, verdict: Verdict, by: str) -> Item:
        """Record which of answer and reading is wrong, once; ``answer`` is the number of the answer's entry.

        NotNextError if no verdict is asked of it, RecordUnavailableError.
        """
        with self._lock:
            item = self.log.history().undecided
            if item is None or item.answer is None or item.answer.seq != answer:
                raise NotNextError(
                    words("Somebody else has already given this verdict: load the page again for the current question.")
                )
            body = {"answer": answer, "entry": item.answer.hash, "verdict": verdict.value, "by": by}
            self._append(VERDICT, body)
            return self._item(item.draw, item.index)

    def _append(self, act: str, body: dict[str, Any]) -> None:
        self.record.append(Draft("audit", body, table=self.log.table, subject=act))

    def _item(self, draw: int, index: int) -> Item:
        return next(item for item in self.log.history().items if (item.draw, item.index) == (draw, index))


def reading_of(record: DatabaseReader, item: Item) -> Read:
    """How a drawn hand or throw was read; RecordUnavailableError, ValueError if its round is not in the record."""
    closed = record.entry(item.round)
    if closed is None:
        raise ValueError(f"entry {item.round} is not in the record")
    return read_at(as_read(report_of(closed)), item.place)
