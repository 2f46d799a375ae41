"""Recorded feeds of tables: real chains, signed with real keys, which can be forged or restored."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from uuid import uuid4

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.hub.checking import AnnouncedEpoch, ReceivedEntry, Trusted
from service.record.checkpoints.epochs import EntryNamed, EpochStart
from service.record.checkpoints.note import note_of
from service.record.store.entries import NO_HASH, Entry, canonical_json, timestamp
from service.record.store.signing import Signer
from service.record.store.stored_logs import cursor_of
from service.rounds.judge.rules_in_force import TableRules
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, hand, opened, reading, report_round

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
RULES = TableRules.of("crown-6.1")
DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare",)))
REPORTS = {
    name: report_round(opened(read), table="test", rules=RULES, versions={})
    for name, read in (("right", HOUSE_RIGHT), ("wrong", HOUSE_WRONG), ("doubt", DOUBTFUL))
}


@dataclass(slots=True)
class RecordedFeed:
    """The record of a table, with the key that signs it."""

    table: str = "test"
    record: str = field(default_factory=lambda: uuid4().hex)
    signer: Signer = field(default_factory=lambda: Signer(Ed25519PrivateKey.generate()))
    entries: list[tuple[Entry, str]] = field(default_factory=list)
    clock: timedelta = timedelta()
    first_key: str = ""

    def __post_init__(self) -> None:
        if not self.entries:
            self.first_key = self.signer.public.hex
            self.append("record", {"record": self.record, "public_key": self.first_key})

    @property
    def trusted(self) -> Trusted:
        return Trusted(self.record, self.first_key)

    @property
    def head(self) -> Entry:
        return self.entries[-1][0]

    def append(self, kind: str = "round", body: dict[str, Any] | None = None, **fields: str) -> Entry:
        seq = len(self.entries) + 1
        at = BEGAN + self.clock + timedelta(seconds=seq)
        plain = Entry(
            seq=seq,
            at=fields.get("at") or timestamp(at),
            monotonic_ns=seq * 10**9,
            kind=kind,
            table="" if kind in {"record", "signing_key", "epoch"} else self.table,
            round=fields.get("round"),
            subject=fields.get("subject"),
            supersedes=None,
            body=canonical_json({"number": seq} if body is None else body),
            previous=self.entries[-1][0].hash if self.entries else NO_HASH,
        )
        entry = plain.sealed()
        signature = self.signer.sign(self.record, entry.seq, entry.hash, entry.at).signature
        self.entries.append((entry, signature))
        return entry

    def rounds(self, count: int) -> Self:
        for _ in range(count):
            self.append(round=f"r{len(self.entries)}")
        return self

    def rotate(self) -> Signer:
        """Change the signing key; return the previous one."""
        before, following = self.signer, Signer(Ed25519PrivateKey.generate())
        self.append("signing_key", {"public_key": following.public.hex})
        self.signer = following
        return before

    def copy(self) -> Self:
        made = replace(self, entries=list(self.entries))
        made.first_key = self.first_key
        return made

    def restored(self, through: int, common: int | None = None) -> Self:
        """The record restored from a copy with its first entries; it declares that, with the common entry."""
        made = self.copy()
        del made.entries[through:]
        made.say_restored(through if common is None else common)
        return made

    def say_restored(self, common: int) -> None:
        """Declare that the record was restored, and which entry is surely common."""
        seq, entry_hash = (common, self.entries[common - 1][0].hash) if common else (0, NO_HASH)
        said = EpochStart(
            common=EntryNamed(seq=seq, hash=entry_hash), lost=None, known_from=("the tests",), by="", reason=""
        )
        self.append("epoch", said.model_dump(mode="json"))

    def given(self, since: int = 0, limit: int | None = None) -> list[ReceivedEntry]:
        """The entries that its feed sends after one."""
        end = None if limit is None else since + limit
        return [ReceivedEntry(entry.line(), signature) for entry, signature in self.entries[since:end]]

    @property
    def epochs(self) -> list[tuple[Entry, int]]:
        """The entries that start its epochs, with the common entry of each."""
        later = ((entry, entry.data["common"]["seq"]) for entry, _ in self.entries if entry.kind == "epoch")
        return [(self.entries[0][0], 0), *later]

    @property
    def announced(self) -> list[AnnouncedEpoch]:
        return [AnnouncedEpoch(entry.seq, entry.hash[:16], since) for entry, since in self.epochs]

    def page(self, since: int, limit: int) -> dict[str, Any]:
        """An answer of ``GET /v1/record/entries``."""
        given = self.given(since, limit)
        last = self.entries[min(since + limit, len(self.entries)) - 1][0] if len(self.entries) > since else None
        end = self.entries[since - 1][0] if last is None and since else last
        head = self.head
        note = note_of(self.signer.sign(self.record, head.seq, head.hash, head.at), self.signer.public)
        epochs = [
            {
                "name": f"{entry.seq}-{entry.hash[:16]}",
                "at": entry.at,
                "since": common,
                "first": {"seq": entry.seq, "hash": entry.hash},
            }
            for entry, common in self.epochs
        ]
        return {
            "record": self.record,
            "entries": [{"line": each.line, "signature": each.signature} for each in given],
            "next": cursor_of(0, NO_HASH) if end is None else cursor_of(end.seq, end.hash),
            "more": len(self.entries) > since + limit,
            "epoch": epochs[-1]["name"],
            "epochs": epochs,
            "checkpoint": note.compact,
        }


def bent(given: ReceivedEntry, **fields: object) -> ReceivedEntry:
    """An entry with other contents and the matching hash, forged without the key."""
    told = {**json.loads(given.line), **fields}
    entry = Entry(**{**told, "body": canonical_json(told["body"]), "hash": ""}).sealed()
    return replace(given, line=entry.line())


def lines(given: Sequence[ReceivedEntry]) -> list[str]:
    return [each.line for each in given]


def play(
    feed: RecordedFeed,
    how: str = "right",
    round_id: str = "r1",
    revision: int = 1,
    *,
    number: int | None = None,
    minutes: float = 0.0,
    kind: str = "round",
    **more: Any,  # noqa: ANN401  of the report
) -> Entry:
    """Append a revision of a round that opened ``minutes`` after the feed."""
    at = BEGAN + timedelta(minutes=minutes)
    number = int(round_id.lstrip("r")) if number is None else number
    told = {"id": round_id, "revision": revision, "number": number, "opened_at": at, "changed_at": at, **more}
    body = REPORTS[how].model_copy(update=told).model_dump(mode="json")
    return feed.append(kind, body, round=round_id, subject=str(revision))


def check(feed: RecordedFeed, *bad: str) -> Entry:
    """Append a report of checks, of which ``bad`` fail."""
    found = [{"code": "not_reached", "params": {"why": "gone"}}]
    checks = [{"name": name, "findings": found} for name in bad]
    return feed.append("alarm", {"ok": not bad, "checks": checks})


def acknowledge(feed: RecordedFeed, *names: str, by: str = "ann") -> Entry:
    """Append an acknowledgement of alarms."""
    return feed.append("acknowledgement", {"by": by, "reason": "", "alarms": [{"id": name} for name in names]})
