"""Plans and draws in the record: the hash of a seed before a day, its verified hands and throws and the seed after it.

A plan covers the rounds that close between its entry and the next plan's. Its seed is the record's own Ed25519
signature of what the plan is: nothing need be kept secret in a file, and whoever has the public key can check it.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from dataclasses import asdict, dataclass, field
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, Final

from service.audit.draw import commitment, draw
from service.audit.population import HANDS, THROWS, members
from service.record.results import report_of
from service.record.store.chain import canonical_json
from service.record.store.entries import Draft
from service.record.store.record_settings import KEY
from service.record.store.signing import Signer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from service.audit.population import Member
    from service.record.store.chain import Entry
    from service.record.store.entries import Kind
    from service.record.store.reading import DatabaseReader
    from service.record.store.record import Record

PLAN: Final = "plan"
DRAW: Final = "draw"


@dataclass(frozen=True, slots=True)
class Auditor:
    """Plans and draws for one table, as the only one who does.

    Attributes:
        hands: so many are drawn a day; none, or at least one for each stratum.
        throws: the same of throws.
    """

    record: Record
    table: str
    hands: int
    throws: int
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def step(self, now: datetime) -> None:
        """Record a plan where a UTC day or the settings have none, and the draw of every plan that another followed.

        Raises:
            RecordUnavailableError: the record cannot be read or written; what is lacking is made up for later.
            KeyFileError: the record's key cannot be read.
        """
        with self._lock:
            noted = tuple(_entries(self.record, "audit", self.table))
            plans = [entry for entry in noted if entry.subject == PLAN]
            wanted = {"day": now.date().isoformat(), "hands": self.hands, "throws": self.throws}
            if not plans or any(plans[-1].data[name] != value for name, value in wanted.items()):
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
        seed = self._seed({name: value for name, value in plan.data.items() if name != "commitment"})
        found = population(self.record, self.table, plan.seq, until)
        drawn = [
            each
            for strata, quota in ((HANDS, plan.data["hands"]), (THROWS, plan.data["throws"]))
            if quota
            for each in draw(seed, found, strata, quota)
        ]
        counted = Counter((member.stratum, member.version) for member in found)
        body = {
            "plan": plan.seq,
            "until": until,
            "seed": seed.hex(),
            "population": [[*cell, size] for cell, size in sorted(counted.items())],
            "population_sha256": hashlib.sha256(canonical_json([asdict(one) for one in found]).encode()).hexdigest(),
            "drawn": [asdict(each) for each in drawn],
        }
        self._append(DRAW, body)

    def _seed(self, body: dict[str, Any]) -> bytes:
        signed = {"audit": body, "record": self.record.id, "table": self.table}
        return Signer.load(self.record.settings.folder / KEY).raw.sign(canonical_json(signed).encode())

    def _append(self, act: str, body: dict[str, Any]) -> Entry:
        return self.record.append(Draft("audit", body, table=self.table, subject=act))


def population(record: DatabaseReader, table: str, since: int, until: int) -> tuple[Member, ...]:
    """What was verified in the rounds that closed between two entries; RecordUnavailableError."""
    return tuple(
        member
        for entry in takewhile(lambda entry: entry.seq < until, _entries(record, "round", table, since))
        for member in members(report_of(entry), entry.hash)
    )


def _entries(record: DatabaseReader, kind: Kind, table: str, seq: int = 0) -> Iterator[Entry]:
    while found := record.after(seq, kinds=(kind,), table=table):
        yield from found
        seq = found[-1].seq
