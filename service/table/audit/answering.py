"""Answers and verdicts: questions follow the order of the draw, and answers are recorded before a reading is shown."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from service.record.results import report_of
from service.record.store.entries import Draft
from service.rounds.review import as_read
from service.table.audit.audit_log import ANSWER, VERDICT, AuditLog, agrees, encode_seen, reading_at
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record
    from service.table.audit.audit_log import AuditVerdict, Item, Reading, Seen


class NotNextError(WordedError):
    """The answer or verdict is not for the current question."""


@dataclass(frozen=True, slots=True)
class Answering:
    """Asks people about the drawn hands and throws of one table; there is one instance for each table."""

    record: Record
    log: AuditLog
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def question(self) -> Item | None:
        """Return the current question; None without questions, or while a verdict is due. RecordUnavailableError."""
        history = self.log.history()
        return None if history.undecided is not None else next(iter(history.waiting), None)

    def answer(self, draw: int, index: int, seen: Seen | None, by: str) -> Item:
        """Record a person's answer to the current question, for good, and return the item with its answer.

        NotNextError if another item is the current question, RecordUnavailableError.
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
                "seen": encode_seen(seen),
                "agrees": None if seen is None else agrees(seen, drawn_reading(self.record, item)),
                "by": by,
                "behind": self.log.history().last_answer,
            }
            self._append(ANSWER, body)
            return self._item(draw, index)

    def decide(self, answer: int, verdict: AuditVerdict, by: str) -> Item:
        """Record once which of answer and reading is wrong; ``answer`` is the number of the answer's entry.

        NotNextError if no verdict on this answer is due, RecordUnavailableError.
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


def drawn_reading(record: DatabaseReader, item: Item) -> Reading:
    """Return the reading of a drawn item; RecordUnavailableError, ValueError if its round is not in the record."""
    closed = record.entry(item.round)
    if closed is None:
        raise ValueError(f"entry {item.round} is not in the record")
    return reading_at(as_read(report_of(closed)), item.place)
