"""Tables that play a session for ever: each a chain of real entries, signed with a key of its own, in memory.

What a table's camera and reader would cost is left out, and so is its disk; what it has to say is as real ones say it.
"""

from __future__ import annotations

import asyncio
import hashlib
import heapq
import itertools
import json
import os
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.floor.session import ROUNDS_AN_HOUR
from service.record.checkpoints.note import note_of
from service.record.projections.fold import OF_AN_ENTRY, name_of
from service.record.store.entries import NO_HASH, canonical_json, timestamp
from service.record.store.signing import Checkpoint, Signer
from service.record.store.stored_logs import cursor_of

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from benchmarks.floor.session import PlayedRound, Session, Step
    from service.record.store.signing import PublicKey

UNIQUE: Final = 64
"""Bytes at the end of a picture that make it another than all others."""
_PICTURES_KEPT: Final = 400
"""Of each table; those of the last rounds."""
_BULK: Final = os.urandom(4_000_000)


@dataclass(slots=True)
class Appended:
    """An entry, as a table gives it out.

    Attributes:
        line: as in an export; empty once nobody will ask for it.
        at: when it was recorded, by the table's clock.
        heard_at: when it was recorded, by this computer's monotonic clock, seconds.
    """

    line: str
    signature: str
    hash: str
    kind: str
    at: str
    heard_at: float


@dataclass(slots=True)
class PlayedTable:
    """A table.

    Attributes:
        name: on the floor.
        keep: so many lines are kept behind the one that the floor has; None for all.
    """

    name: str
    keep: int | None = 200
    record: str = field(default_factory=lambda: uuid4().hex)
    signer: Signer = field(default_factory=lambda: Signer(Ed25519PrivateKey.generate()))
    public: PublicKey = field(init=False)
    entries: list[Appended] = field(default_factory=list)
    pictures: OrderedDict[str, tuple[int, str]] = field(default_factory=OrderedDict)
    waiting: list[asyncio.Future[None]] = field(default_factory=list)
    rounds: int = 0
    taken: int = 0
    _dropped: int = 0

    def __post_init__(self) -> None:
        self.public = self.signer.public
        body = canonical_json({"public_key": self.signer.public.hex, "record": self.record})
        self.append("record", body, table="")

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
        """Append an entry; whoever waits for one is answered."""
        seq, now = len(self.entries) + 1, time.monotonic()
        at = timestamp(datetime.now(UTC))
        previous = self.entries[-1].hash if self.entries else NO_HASH
        # As `service.record.store.entries` writes it, whose check every entry passes on the floor; that reads the body.
        rest = {"kind": kind, "monotonic_ns": time.monotonic_ns(), "previous": previous, "round": round_id, "seq": seq}
        tail = canonical_json({**rest, "subject": subject, "supersedes": supersedes, "table": table})[1:]
        entry_hash = hashlib.sha256(f'{{"at":"{at}","body":{body},{tail}'.encode()).hexdigest()
        line = f'{{"at":"{at}","body":{body},"hash":"{entry_hash}",{tail}'
        signature = self.signer.sign(self.record, seq, entry_hash, at).signature
        self.entries.append(Appended(line, signature, entry_hash, kind, at, now))
        waiting, self.waiting = self.waiting, []
        for each in waiting:
            _wake(each)

    async def more(self, wait_s: float) -> None:
        """Wait until there is another entry, or the time is up."""
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
        """Whether the record has an entry."""
        return seq == 0 or (seq <= len(self.entries) and self.entries[seq - 1].hash.startswith(start))

    def note_taken(self, seq: int) -> None:
        """The floor asks for what follows an entry: it has that and what came before."""
        self.taken = max(self.taken, seq)
        if self.keep is not None:
            for each in self.entries[self._dropped : max(self._dropped, self.taken - self.keep)]:
                each.line = ""
            self._dropped = max(self._dropped, self.taken - self.keep)

    def page(self, since: int, limit: int) -> bytes:
        """An answer of ``GET /v1/record/entries``."""
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
                "checkpoint": note_of(signed, self.public).compact,
            },
            separators=(",", ":"),
        ).encode()

    def picture(self, sha256: str) -> bytes | None:
        """A picture by its hash; None if it is not there any more."""
        found = self.pictures.get(sha256)
        return None if found is None else _BULK[: found[0] - UNIQUE] + found[1].encode()

    def name_picture(self, size: int, of_round: str, number: int) -> str:
        """The hash of a new picture."""
        unique = f"{of_round} {number}".ljust(UNIQUE)
        begun = _begun(size - UNIQUE).copy()
        begun.update(unique.encode())
        sha256 = begun.hexdigest()
        self.pictures[sha256] = (size, unique)
        if len(self.pictures) > _PICTURES_KEPT:
            self.pictures.popitem(last=False)
        return sha256


def _wake(waits: asyncio.Future[None]) -> None:
    if not waits.done():
        waits.set_result(None)


@lru_cache
def _begun(size: int) -> hashlib._Hash:
    return hashlib.sha256(_BULK[:size])


@dataclass(slots=True)
class _Playing:
    """A round while it is played at a table."""

    table: PlayedTable
    played: PlayedRound
    began: datetime
    pace: float
    id: str
    number: int
    seqs: list[int] = field(default_factory=list)
    pictures: dict[int, str] = field(default_factory=dict)

    def take(self, step: Step) -> None:
        """Append what comes next."""
        table = self.table
        for named in step.pictures:
            self.pictures[named.number] = table.name_picture(named.bytes, self.id, named.number)
        pieces = [step.parts[0]]
        for blank, part in zip(step.blanks, step.parts[1:], strict=True):
            pieces += (self._filled(blank), part)
        supersedes = self.seqs[-1] if step.supersedes else None
        self.seqs.append(len(table.entries) + 1)
        about = self.id if step.kind in {"round", "review"} else None
        table.append(
            step.kind,
            "".join(pieces),
            table=table.name,
            round_id=about,
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
                return self.pictures[int(blank[1])]
            case "moment":
                return timestamp(self.began + timedelta(seconds=float(blank[1]) / self.pace))
            case _:
                step, part, times = map(int, blank[1:])
                return name_of(self.seqs[step] * OF_AN_ENTRY + part, times)


async def play(tables: Sequence[PlayedTable], session: Session, pace: float, chance: random.Random) -> None:
    """Have tables play for ever, each from another moment and round of the session on.

    Args:
        pace: how many times as fast as real ones.
    """
    apart_s = 3600 / ROUNDS_AN_HOUR / pace
    now = time.monotonic()
    rounds = [(now + chance.uniform(0.0, apart_s), number) for number in range(len(tables))]
    heapq.heapify(rounds)
    steps: list[tuple[float, int, _Playing, Step]] = []
    counted = itertools.count()
    while True:
        now = time.monotonic()
        while rounds[0][0] <= now:
            at, number = rounds[0]
            made = _begin(tables[number], session, number, pace, chance)
            for step in made.played.steps:
                heapq.heappush(steps, (at + step.after_s / pace, next(counted), made, step))
            heapq.heapreplace(rounds, (at + apart_s * chance.uniform(0.8, 1.2), number))
        while steps and steps[0][0] <= now:
            _, _, made, step = heapq.heappop(steps)
            made.take(step)
            await asyncio.sleep(0)  # who asks is answered in between
        following = min(rounds[0][0], steps[0][0] if steps else now + apart_s)
        await asyncio.sleep(max(0.0, following - time.monotonic()))


def _begin(table: PlayedTable, session: Session, first: int, pace: float, chance: random.Random) -> _Playing:
    played = session.rounds[(first + table.rounds) % len(session.rounds)]
    table.rounds += 1
    began = datetime.now(UTC)
    return _Playing(table, played, began, pace, f"{chance.getrandbits(128):032x}", table.rounds)
