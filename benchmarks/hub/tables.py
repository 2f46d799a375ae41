"""Tables that play a session in a loop: each has a chain of real entries, signed with its own key, in memory.

There is no camera, no reader and no disk.
"""

import asyncio
import hashlib
import heapq
import itertools
import json
import random
import time
from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.hub.session import ROUNDS_AN_HOUR, PlayedRound, Session, Step
from service.record.checkpoints.note import note_of
from service.record.projections.fold import OF_AN_ENTRY, name_of
from service.record.store.entries import NO_HASH, canonical_json, timestamp
from service.record.store.signing import Checkpoint, Signer
from service.record.store.stored_logs import cursor_of


@dataclass(slots=True)
class Appended:
    """An entry as a table serves it.

    Attributes:
        line: as in an export; empty when it is no longer needed.
        at: when it was recorded, by the table's clock.
        monotonic_s: the same by this computer's monotonic clock.
    """

    line: str
    signature: str
    hash: str
    kind: str
    at: str
    monotonic_s: float


@dataclass(slots=True)
class PlayedTable:
    """One table; ``kept_lines`` is the number of lines kept of those that the hub already has."""

    name: str
    kept_lines: int = 200
    record: str = field(default_factory=lambda: uuid4().hex)
    signer: Signer = field(default_factory=lambda: Signer(Ed25519PrivateKey.generate()))
    entries: list[Appended] = field(default_factory=list)
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    rounds: int = 0
    _forgotten: int = 0

    def __post_init__(self) -> None:
        self.append("record", canonical_json({"public_key": self.signer.public.hex, "record": self.record}), table="")

    def append(
        self,
        kind: str,
        body: str,
        *,
        table: str,
        round_id: str | None = None,
        subject: str | None = None,
        supersedes: int | None = None,
    ) -> None:
        """Append an entry, and wake the waiting requests."""
        seq, at = len(self.entries) + 1, timestamp(datetime.now(UTC))
        previous = self.entries[-1].hash if self.entries else NO_HASH
        # As `service.record.store.entries` writes it, but without parsing the body; the hub checks every entry.
        rest = {"kind": kind, "monotonic_ns": time.monotonic_ns(), "previous": previous, "round": round_id, "seq": seq}
        tail = canonical_json({**rest, "subject": subject, "supersedes": supersedes, "table": table})[1:]
        entry_hash = hashlib.sha256(f'{{"at":"{at}","body":{body},{tail}'.encode()).hexdigest()
        line = f'{{"at":"{at}","body":{body},"hash":"{entry_hash}",{tail}'
        signature = self.signer.sign(self.record, seq, entry_hash, at).signature
        self.entries.append(Appended(line, signature, entry_hash, kind, at, time.monotonic()))
        waiting, self.waiting = self.waiting, []
        for each in waiting:
            _wake(each)

    async def more(self, wait_s: float) -> None:
        """Wait for the next entry, or until the time is over."""
        loop = asyncio.get_running_loop()
        waits = loop.create_future()
        self.waiting.append(waits)
        ends = loop.call_later(wait_s, _wake, waits)
        try:
            await waits
        finally:
            ends.cancel()
            if waits in self.waiting:
                self.waiting.remove(waits)

    def holds(self, seq: int, start: str) -> bool:
        """Return whether entry ``seq`` has a hash that starts with ``start``."""
        return seq == 0 or (seq <= len(self.entries) and self.entries[seq - 1].hash.startswith(start))

    def forget_before(self, seq: int) -> None:
        """Free the lines that the hub has, except the newest."""
        end = max(self._forgotten, seq - self.kept_lines)
        for each in self.entries[self._forgotten : end]:
            each.line = ""
        self._forgotten = end

    def page(self, since: int, limit: int) -> bytes:
        """Return the body of ``GET /v1/record/entries``."""
        found = self.entries[since : since + limit]
        end, head, first = since + len(found), self.entries[-1], self.entries[0]
        signed = Checkpoint(self.record, len(self.entries), head.hash, head.at, head.signature)
        name = f"1-{first.hash[:16]}"
        return json.dumps(
            {
                "record": self.record,
                "entries": [{"line": each.line, "signature": each.signature} for each in found],
                "next": cursor_of(end, self.entries[end - 1].hash if end else NO_HASH),
                "more": len(self.entries) > end,
                "epoch": name,
                "epochs": [{"name": name, "at": first.at, "since": 0, "first": {"seq": 1, "hash": first.hash}}],
                "checkpoint": note_of(signed, self.signer.public).compact,
            },
            separators=(",", ":"),
        ).encode()


def _wake(waits: asyncio.Future[None]) -> None:
    if not waits.done():
        waits.set_result(None)


class AppendsTo(Protocol):
    """What a round is played into."""

    @property
    def name(self) -> str: ...

    @property
    def entries(self) -> Sized: ...

    def append(
        self,
        kind: str,
        body: str,
        *,
        table: str,
        round_id: str | None = None,
        subject: str | None = None,
        supersedes: int | None = None,
    ) -> None: ...


@dataclass(slots=True)
class Round:
    """A round in play at a table."""

    table: AppendsTo
    played: PlayedRound
    started: datetime
    pace: float
    id: str
    number: int
    seqs: list[int] = field(default_factory=list)

    def append(self, step: Step) -> None:
        pieces = [step.parts[0]]
        for blank, part in zip(step.blanks, step.parts[1:], strict=True):
            pieces += (self._filled(blank), part)
        supersedes = self.seqs[-1] if step.supersedes else None
        self.seqs.append(len(self.table.entries) + 1)
        self.table.append(
            step.kind,
            "".join(pieces),
            table=self.table.name,
            round_id=self.id if step.kind in {"round", "review"} else None,
            subject=step.subject,
            supersedes=supersedes,
        )

    def _filled(self, blank: Sequence[str]) -> str:
        match blank[0]:
            case "round":
                return self.id
            case "number":
                return str(self.number)
            case "table":
                return self.table.name
            case "picture":
                return hashlib.sha256(f"{self.id} {blank[1]}".encode()).hexdigest()
            case "moment":
                return timestamp(self.started + timedelta(seconds=float(blank[1]) / self.pace))
            case _:
                step, part, times = map(int, blank[1:])
                return name_of(self.seqs[step] * OF_AN_ENTRY + part, times)


async def play(tables: Sequence[PlayedTable], session: Session, pace: float, chance: random.Random) -> None:
    """Play at all tables until cancelled, at each from another moment and round of the session.

    Args:
        tables: the tables.
        session: the rounds to play.
        pace: speed; 1 is that of a real table.
        chance: random generator for the moments.
    """
    apart_s = 3600 / ROUNDS_AN_HOUR / pace
    now = time.monotonic()
    rounds = [(now + chance.uniform(0.0, apart_s), number) for number in range(len(tables))]
    heapq.heapify(rounds)
    steps: list[tuple[float, int, Round, Step]] = []
    counted = itertools.count()
    while True:
        now = time.monotonic()
        while rounds[0][0] <= now:
            at, number = rounds[0]
            playing = _next_round(tables[number], session, number, pace, chance)
            for step in playing.played.steps:
                heapq.heappush(steps, (at + step.after_s / pace, next(counted), playing, step))
            heapq.heapreplace(rounds, (at + apart_s * chance.uniform(0.8, 1.2), number))
        while steps and steps[0][0] <= now:
            _, _, playing, step = heapq.heappop(steps)
            playing.append(step)
            await asyncio.sleep(0)  # requests are answered in between
        following = min(rounds[0][0], steps[0][0] if steps else now + apart_s)
        await asyncio.sleep(max(0.0, following - time.monotonic()))


def _next_round(table: PlayedTable, session: Session, first: int, pace: float, chance: random.Random) -> Round:
    played = session.rounds[(first + table.rounds) % len(session.rounds)]
    table.rounds += 1
    return Round(table, played, datetime.now(UTC), pace, f"{chance.getrandbits(128):032x}", table.rounds)
