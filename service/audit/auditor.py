"""Plans and draws in the record: the hash of a seed before a day, its verified hands and throws and the seed after it.

A plan covers the rounds that close between its entry and the next plan's. Its seed is the record's own Ed25519
signature of what the plan is: nothing need be kept secret in a file, and whoever has the public key can check it.
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

from service.audit.draw import commitment, draw
from service.audit.history import DRAW, PLAN, AuditLog, entries_of
from service.audit.population import HANDS, THROWS, members
from service.ops.background import in_background
from service.record.results import report_of
from service.record.store.chain import canonical_json
from service.record.store.entries import Draft
from service.words.findings import FindingError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator

    from service.audit.draw import Drawn
    from service.audit.population import Member
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record import Record
    from service.rounds.reports import EvidenceReport

_log = logging.getLogger(__name__)

_EVERY_S: Final = 60.0
_SHOWN: Final = ("frame", "close_up")
"""The pictures that a person is shown: nothing of the reading is drawn on them."""


@dataclass(frozen=True, slots=True)
class Auditor:
    """Plans and draws for one table, as the only one who does.

    Attributes:
        log: the audit so far.
        hands: so many are drawn a day; none, or at least one for each stratum.
        throws: the same of throws.
    """

    record: Record
    log: AuditLog
    hands: int
    throws: int
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Do what is due while the block runs."""
        async with in_background(self.run()):
            yield

    async def run(self) -> None:
        """Do what is due every minute, until cancelled; what the record refuses is done once it takes it."""
        told = ""
        while True:
            try:
                await asyncio.to_thread(self.step, datetime.now(UTC))
                told = ""
            except (FindingError, ValueError) as error:
                if str(error) != told:
                    _log.warning("the audit waits: %s", error)
                told = str(error)
            await asyncio.sleep(_EVERY_S)

    def step(self, now: datetime) -> None:
        """Record a plan where a UTC day or the settings have none, and the draw of every plan that another followed.

        Raises:
            RecordUnavailableError: the record cannot be read or written; what is lacking is made up for later.
            RecordUnavailableError: the record cannot be written, or its key is not to be had.
        """
        with self._lock:
            noted = self.log.entries()
            plans = [entry for entry in noted if entry.subject == PLAN]
            asked = {"hands": self.hands, "throws": self.throws}
            wanted = {"day": now.date().isoformat(), **asked}
            before = plans[-1].data if plans else {"hands": 0, "throws": 0}
            # While nothing is to be drawn, one plan says so.
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
            return  # the key was changed since: what that plan commits to nobody can say any more
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
            "population_sha256": digest(found),
            "drawn": items,
            "evidence": list(evidence.values()),
        }
        self._append(DRAW, body)

    def _pictures(self, seq: int, place: str) -> list[EvidenceReport]:
        """What is still kept of the pictures that show a place; named in the draw, they are kept on."""
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
    """What a plan's seed is the signature of, within :func:`seed_statement`."""
    return {name: value for name, value in plan.data.items() if name != "commitment"}


def seed_statement(body: dict[str, Any], record: str, table: str) -> bytes:
    """What the record's key signs to make the seed of a plan."""
    return canonical_json({"audit": body, "record": record, "table": table}).encode()


def drawn_by(plan: Entry, seed: bytes, found: Iterable[Member]) -> list[Drawn]:
    """What a plan and its seed draw of a population, hands before throws; ValueError if the plan says no numbers."""
    told, members_ = plan.data, tuple(found)
    quotas = ((HANDS, told["hands"]), (THROWS, told["throws"]))
    return [each for strata, quota in quotas if quota for each in draw(seed, members_, strata, quota)]


def counted(found: Iterable[Member]) -> list[list[Any]]:
    """How many of a population are of each stratum and version."""
    sizes = Counter((member.stratum, member.version) for member in found)
    return [[*cell, size] for cell, size in sorted(sizes.items())]


def digest(found: Iterable[Member]) -> str:
    """SHA-256 of a population in its order, hexadecimal."""
    return hashlib.sha256(canonical_json([asdict(one) for one in found]).encode()).hexdigest()


def population(record: DatabaseReader, table: str, since: int, until: int) -> tuple[Member, ...]:
    """What was verified in the rounds that closed between two entries; RecordUnavailableError."""
    return tuple(member for _, member in _verified(record, table, since, until))


def _verified(record: DatabaseReader, table: str, since: int, until: int) -> Iterator[tuple[int, Member]]:
    """The same, each with the number of the entry that closed its round."""
    for entry in takewhile(lambda entry: entry.seq < until, entries_of(record, "round", table, since)):
        yield from ((entry.seq, member) for member in members(report_of(entry), entry.hash))
