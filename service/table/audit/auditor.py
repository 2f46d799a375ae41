"""The audit at a table: plans and draws in the record, questions to people, their answers, and verdicts.

Before a day the record holds the hash of a seed; after it the seed with the drawn hands and throws. A plan covers the
rounds that close between its entry and the next plan's. Its seed is the record's own Ed25519 signature of the plan: no
secret file is needed, and anybody with the public key can check it. Questions follow the order of the draw, and an
answer is recorded before the reading is shown.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, Final

from service.record.results import report_of
from service.record.store.entries import Draft, canonical_json
from service.rounds.review import as_read
from service.system.background import in_background
from service.table.audit.audit_log import (
    ANSWER,
    DRAW,
    PLAN,
    VERDICT,
    AuditLog,
    agrees,
    encode_seen,
    entries_of,
    reading_at,
)
from service.table.audit.sampling import HANDS, THROWS, commitment, draw, members
from service.words.findings import FindingError
from service.words.wording import WordedError, words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.record.store.record import Record
    from service.rounds.reports import EvidenceReport
    from service.table.audit.audit_log import AuditVerdict, Item, Reading, Seen
    from service.table.audit.sampling import Drawn, Member


_log = logging.getLogger(__name__)

_EVERY_S: Final = 60.0
_SHOWN: Final = ("frame", "close_up")
"""Roles of the pictures shown with a question: nothing of the reading is drawn on them."""


@dataclass(frozen=True, slots=True)
class Auditor:
    """Plans and draws for one table; there is one instance for each table.

    Attributes:
        log: the audit so far.
        hands: number of hands drawn each day; zero, or at least one for each stratum.
        throws: the same for throws.
    """

    record: Record
    log: AuditLog
    hands: int
    throws: int
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Call :meth:`run` in the background while the block runs."""
        async with in_background(self.run()):
            yield

    async def run(self) -> None:
        """Call :meth:`step` every minute until cancelled; a step that the record refuses is retried."""
        logged = ""
        while True:
            try:
                await asyncio.to_thread(self.step, datetime.now(UTC))
                logged = ""
            except (FindingError, ValueError) as error:
                if str(error) != logged:
                    _log.warning("the audit waits: %s", error)
                logged = str(error)
            await asyncio.sleep(_EVERY_S)

    def step(self, now: datetime) -> None:
        """Record a plan for a new UTC day or new settings, and the draw of every plan that has a successor.

        Raises:
            RecordUnavailableError: the record cannot be read or encode_seen, or its key is missing; call again later.
        """
        with self._lock:
            noted = self.log.entries()
            plans = [entry for entry in noted if entry.subject == PLAN]
            asked = {"hands": self.hands, "throws": self.throws}
            wanted = {"day": now.date().isoformat(), **asked}
            before = plans[-1].data if plans else {"hands": 0, "throws": 0}
            # While both quotas are zero, one plan covers all days.
            lasting = asked if not any(asked.values()) else wanted
            if any(before.get(name) != value for name, value in lasting.items()):
                plans.append(self._plan(wanted))
            drawn = {entry.data["plan"] for entry in noted if entry.subject == DRAW}
            for plan, following in pairwise(plans):
                if plan.seq not in drawn:
                    self._draw(plan, following.seq)

    def _plan(self, wanted: dict[str, Any]) -> Entry:
        head = self.record.head()
        body = {**wanted, "behind": "" if head is None else head.hash}
        return self._append(PLAN, {**body, "commitment": commitment(self._seed(body))})

    def _draw(self, plan: Entry, until: int) -> None:
        seed = self._seed(planned(plan))
        if commitment(seed) != plan.data["commitment"]:
            return  # the signing key was replaced since: the seed that the plan commits to cannot be made any more
        pairs = list(_verified(self.record, self.log.table, plan.seq, until))
        rounds = {member.entry: seq for seq, member in pairs}
        found = [member for _, member in pairs]
        items: list[dict[str, Any]] = []
        evidence: dict[str, dict[str, Any]] = {}
        for each in drawn_by(plan, seed, found):
            seq = rounds[each.member.entry]
            shown = self._pictures(seq, each.member.place)
            evidence |= {one.sha256: one.model_dump(mode="json") for one in shown}
            items.append({**asdict(each), "round": seq, "pictures": {one.role: one.sha256 for one in shown}})
        body = {
            "plan": plan.seq,
            "until": until,
            "seed": seed.hex(),
            "population": counted(found),
            "population_sha256": population_digest(found),
            "drawn": items,
            "evidence": list(evidence.values()),
        }
        self._append(DRAW, body)

    def _pictures(self, seq: int, place: str) -> list[EvidenceReport]:
        """Return the pictures of a place that still exist; those named in a draw are not deleted."""
        closed = self.record.entry(seq)
        named = () if closed is None else report_of(closed).evidence
        kept = self.record.evidence
        return [one for one in named if one.place == place and one.role in _SHOWN and kept.path(one.sha256).exists()]

    def _seed(self, body: dict[str, Any]) -> bytes:
        signed = seed_statement(body, self.record.id, self.log.table)
        return self.record.sign(signed)

    def _append(self, act: str, body: dict[str, Any]) -> Entry:
        return self.record.append(Draft("audit", body, table=self.log.table, subject=act))


def planned(plan: Entry) -> dict[str, Any]:
    """Return the part of a plan that its seed signs, within :func:`seed_statement`."""
    return {name: value for name, value in plan.data.items() if name != "commitment"}


def seed_statement(body: dict[str, Any], record: str, table: str) -> bytes:
    """Return the statement that the record's key signs to make the seed of a plan."""
    return canonical_json({"audit": body, "record": record, "table": table}).encode()


def drawn_by(plan: Entry, seed: bytes, found: Iterable[Member]) -> list[Drawn]:
    """Return what a plan and its seed draw of a population, hands before throws; KeyError if the plan has no quotas."""
    members_ = tuple(found)
    quotas = ((HANDS, plan.data["hands"]), (THROWS, plan.data["throws"]))
    return [each for strata, quota in quotas if quota for each in draw(seed, members_, strata, quota)]


def counted(found: Iterable[Member]) -> list[list[Any]]:
    """Count a population by stratum and version: sorted rows of stratum, version, count."""
    sizes = Counter((member.stratum, member.version) for member in found)
    return [[*cell, size] for cell, size in sorted(sizes.items())]


def population_digest(found: Iterable[Member]) -> str:
    """Return the SHA-256 of a population in its order, hexadecimal."""
    return hashlib.sha256(canonical_json([asdict(one) for one in found]).encode()).hexdigest()


def population(record: DatabaseReader, table: str, since: int, until: int) -> tuple[Member, ...]:
    """Return what was verified in the rounds that closed between two entries; RecordUnavailableError."""
    return tuple(member for _, member in _verified(record, table, since, until))


def _verified(record: DatabaseReader, table: str, since: int, until: int) -> Iterator[tuple[int, Member]]:
    """Yield each member with the number of the entry that closed its round."""
    for entry in takewhile(lambda entry: entry.seq < until, entries_of(record, "round", table, since)):
        yield from ((entry.seq, member) for member in members(report_of(entry), entry.hash))


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
