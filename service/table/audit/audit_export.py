"""An audit as a file of JSON lines with everything needed to recompute it, and the check of such a file.

The file holds entries, signatures, populations and the key. It is checked alone or compared with the record.
"""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from cryptography.exceptions import InvalidSignature

from service import __version__
from service.record.integrity.verify import verify_database
from service.record.results import report_of
from service.record.store.entries import BrokenEntryError, Entry, canonical_json, hash_of
from service.record.store.signing import Checkpoint, PublicKey, follow
from service.rounds.review import as_read
from service.table.audit.audit_log import (
    ANSWER,
    DRAW,
    PLAN,
    VERDICT,
    AuditLog,
    agrees,
    decode_seen,
    drawn_of,
    history_of,
    reading_at,
)
from service.table.audit.auditor import counted, drawn_by, planned, population, population_digest, seed_statement
from service.table.audit.error_rates import FiguresReport, audit_figures
from service.table.audit.sampling import Member, Stratum, commitment, members
from service.words.codes import AuditCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from service.record.store.database_reader import DatabaseReader
    from service.table.audit.sampling import Drawn


FORMAT: Final = 1
METHOD: Final = {
    "hash": "SHA-256 over an entry as canonical JSON (sorted keys, no spaces, ASCII) without 'hash'",
    "signature": "Ed25519 over the canonical JSON of an entry's at, hash and seq, and the record",
    "seed": "the Ed25519 signature of the canonical JSON of audit (a plan without commitment), record and table",
    "commitment": "SHA-256 of the seed",
    "population": "every hand and throw verified in the rounds that closed between a plan's entry and the next plan's",
    "population_sha256": "SHA-256 of its members as canonical JSON",
    "number": "HMAC-SHA-256 of 'entry/place', keyed with the seed",
    "draw": "of each stratum the lowest numbers, in equal shares of the quota; asked about by number, hands first",
    "behind": "the hash of the answer before an answer",
    "rate": "each stratum of each draw, and of each version in it, weighed by its members",
    "upper": (
        "Clopper and Pearson's bound for all samples together, times the most that a cell weighs more in the "
        "population than in the sample"
    ),
}


class NotAnAuditError(ValueError):
    """The file is not an export of an audit; the message says why."""


def export_audit(record: DatabaseReader, log: AuditLog, month: str | None = None) -> Iterator[str]:
    """Yield the lines of an export, of one month (``2026-01``) or all; NotAnAuditError, RecordUnavailableError.

    The reading of a hand or throw is included only after its answer, so that a reader stays blind to open questions.
    """
    first, head = record.entry(1), record.head()
    if first is None or head is None:
        raise NotAnAuditError("there is no record in this database")
    about = {"record": first.data["record"], "public_key": first.data["public_key"], "table": log.table}
    about |= {"through": head.seq, "at": head.at, "month": month}
    count = 1
    yield canonical_json({"audit": FORMAT, **about, "method": METHOD, "made_by": f"Houseway {__version__}"})
    for line in _content(record, log.table, entries_for_export(log.entries(), head.seq, month), str(about["record"])):
        yield canonical_json(line)
        count += 1
    yield canonical_json({"lines": count})


def _content(
    record: DatabaseReader, table: str, entries: tuple[Entry, ...], record_id: str
) -> Iterator[dict[str, Any]]:
    """Yield entries, each answer after the round it is about, and populations; figures last."""

    def signed(entry: Entry) -> dict[str, Any]:
        checkpoint = record.checkpoint(record_id, entry)
        return {"entry": json.loads(entry.line()), "signature": "" if checkpoint is None else checkpoint.signature}

    yield from (signed(entry) for entry in reversed(record.last(("signing_key",), count=10_000)))
    history = history_of(entries)
    rounds = {item.answer.seq: item.round for item in history.items if item.answer is not None}
    sent: set[int] = set()
    for entry in entries:
        seq = rounds.get(entry.seq)
        if seq is not None and seq not in sent and (closed := record.entry(seq)) is not None:
            sent.add(seq)
            yield signed(closed)
        yield signed(entry)
        if entry.subject == DRAW:
            found = population(record, table, entry.data["plan"], entry.data["until"])
            yield {"draw": entry.seq, "population": [astuple(one) for one in found]}
    yield {"figures": audit_figures(table, history).model_dump(mode="json")}


def entries_for_export(entries: Iterable[Entry], through: int, month: str | None) -> tuple[Entry, ...]:
    """Return the entries for an export: all up to ``through``, or a month's draws with their plans and answers."""
    known = tuple(entry for entry in entries if entry.seq <= through)
    if month is None:
        return known
    days = {entry.seq: str(entry.data["day"]) for entry in known if entry.subject == PLAN}
    wanted: set[int] = set()
    for entry in known:
        body = entry.data
        if entry.subject == DRAW and days[body["plan"]].startswith(month):
            wanted |= {entry.seq, body["plan"], body["until"]}
        elif body.get("draw") in wanted or body.get("answer") in wanted:
            wanted.add(entry.seq)
    return tuple(entry for entry in known if entry.seq in wanted)


@dataclass(slots=True)
class AuditExport:
    """A parsed export.

    Attributes:
        through: number of the record's newest entry when the export was made.
        at: moment of that entry.
        month: month of the draws in it; None for all.
        signatures: by the number of the entry.
        populations: by the number of the draw.
        complete: whether the file ends with its closing line.
    """

    record: str
    table: str
    public_key: str
    through: int
    at: str
    month: str | None
    entries: list[Entry] = field(default_factory=list)
    signatures: dict[int, str] = field(default_factory=dict)
    populations: dict[int, tuple[Member, ...]] = field(default_factory=dict)
    figures: FiguresReport | None = None
    complete: bool = False

    def add(self, line: dict[str, Any], number: int) -> None:
        """Add a line after the first; ``number`` counts from 1. KeyError, TypeError or ValueError if malformed."""
        self.complete = False
        if "entry" in line:
            entry = Entry(**{**line["entry"], "body": canonical_json(line["entry"]["body"])})
            self.entries.append(entry)
            self.signatures[entry.seq] = str(line["signature"])
        elif "population" in line:
            members = ((hash_, place, Stratum(kind), version) for hash_, place, kind, version in line["population"])
            self.populations[line["draw"]] = tuple(Member(*each) for each in members)
        elif "figures" in line:
            self.figures = FiguresReport.model_validate(line["figures"])
        else:
            self.complete = line["lines"] == number - 1


def read_export(lines: Iterable[str]) -> AuditExport:
    """Parse the lines of an export; NotAnAuditError."""
    export: AuditExport | None = None
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            parsed = json.loads(line)
            if export is not None:
                export.add(parsed, number)
                continue
            if parsed["audit"] != FORMAT:
                raise NotAnAuditError(f"it is of format {parsed['audit']}; this version reads {FORMAT}")
            record, table, public_key = (str(parsed[name]) for name in ("record", "table", "public_key"))
            export = AuditExport(record, table, public_key, int(parsed["through"]), str(parsed["at"]), parsed["month"])
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, NotAnAuditError):
            raise
        raise NotAnAuditError(f"line {number} is not as an export of an audit has it") from None
    if export is None:
        raise NotAnAuditError("it is empty")
    return export


@dataclass(frozen=True, slots=True)
class CheckedAudit:
    """The result of checking an export.

    Attributes:
        findings: everything that is inconsistent.
        figures: computed from its entries; None if the entries are malformed.
        key: the public key that it was checked with, hexadecimal.
        later: number of audit entries that the record got after the export was made; None without the record.
    """

    findings: tuple[Finding, ...]
    figures: FiguresReport | None
    key: str
    later: int | None = None

    @property
    def holds(self) -> bool:
        return not self.findings


def check_export(
    export: AuditExport, *, key: PublicKey | None = None, record: DatabaseReader | None = None
) -> CheckedAudit:
    """Recompute an export, with the owner's public key if given, and compare it with the record if given.

    ValueError if the export names no key, NotARecordError, RecordUnavailableError.
    """
    checker = _Checker(export, key or PublicKey.of_hex(export.public_key))
    findings = [*checker.findings()]
    figures = checker.figures()
    if figures is None or figures != export.figures:
        findings.append(Finding.of(AuditCode.FIGURES_FALSE))
    later = None
    if record is not None:
        noted = AuditLog(record, export.table).entries()
        later = sum(entry.seq > export.through for entry in noted)
        findings += checker.compared_with(record, noted)
    return CheckedAudit(tuple(dict.fromkeys(findings)), figures, checker.key.hex, later)


def signing_keys(export: AuditExport, first: PublicKey) -> dict[int, PublicKey]:
    """Return the keys of a record by the number of the entry that announces each; stops at an invalid signature."""
    keys, key = {0: first}, first
    for entry in sorted((one for one in export.entries if one.kind == "signing_key"), key=lambda one: one.seq):
        try:
            key = follow(key, export.record, [(entry, export.signatures[entry.seq])])
        except BrokenEntryError:
            break  # the entry is reported as changed
        keys[entry.seq] = key
    return keys


class _Checker:
    def __init__(self, export: AuditExport, key: PublicKey) -> None:
        self.export = export
        self.key = key
        # The key in force after an entry, by the entry's number; the owner may give any of them.
        own = signing_keys(export, PublicKey.of_hex(export.public_key))
        known = key.hex in {each.hex for each in own.values()}
        self.keys = own if known else signing_keys(export, key)
        self.others = not known
        self.entries = {entry.seq: entry for entry in export.entries}
        self.audit = sorted((entry for entry in export.entries if entry.kind == "audit"), key=lambda one: one.seq)

    def of(self, subject: str) -> list[Entry]:
        return [entry for entry in self.audit if entry.subject == subject]

    def findings(self) -> Iterator[Finding]:
        if self.others:
            yield Finding.of(AuditCode.OTHER_KEY)
        if not self.export.complete:
            yield Finding.of(AuditCode.CUT_OFF)
        yield from (_at(AuditCode.ENTRY_CHANGED, one) for one in self.export.entries if not self._is_signed(one))
        if self.export.month is None:
            drawn = {entry.data.get("plan") for entry in self.of(DRAW)}
            undrawn = (
                plan
                for plan, following in pairwise(self.of(PLAN))
                if plan.seq not in drawn and self._key_of(plan.seq) is self._key_of(following.seq)
            )
            yield from (_at(AuditCode.NOT_DRAWN, plan) for plan in undrawn)
        for subject, check in ((DRAW, self._draw), (ANSWER, self._reading), (VERDICT, self._verdict)):
            for entry in self.of(subject):
                yield from _readable(entry, check)
        yield from self._order()

    def figures(self) -> FiguresReport | None:
        try:
            return audit_figures(self.export.table, history_of(self.audit))
        except (KeyError, TypeError, ValueError):
            return None

    def compared_with(self, record: DatabaseReader, noted: tuple[Entry, ...]) -> Iterator[Finding]:
        """Differences from the record, whose audit entries are ``noted``."""
        proof = verify_database(record, None, key=self.key)
        if proof.broken is not None:
            yield Finding.of(AuditCode.RECORD_BROKEN, entry=proof.broken, why=proof.why)
        for entry in self.export.entries:
            if record.entry(entry.seq) != entry:
                yield _at(AuditCode.NOT_IN_RECORD, entry)
        due = entries_for_export(noted, self.export.through, self.export.month)
        yield from (_at(AuditCode.LEFT_OUT, entry) for entry in due if entry.seq not in self.entries)
        for draw in self.of(DRAW):
            found = population(record, self.export.table, draw.data["plan"], draw.data["until"])
            if found != self.export.populations.get(draw.seq):
                yield _at(AuditCode.POPULATION_CHANGED, draw)

    def _is_signed(self, entry: Entry) -> bool:
        signature = self.export.signatures[entry.seq]
        try:
            unchanged = hash_of(entry) == entry.hash
        except BrokenEntryError:
            return False
        return unchanged and self._key_of(entry.seq).holds(
            Checkpoint(self.export.record, entry.seq, entry.hash, entry.at, signature)
        )

    def _key_of(self, seq: int) -> PublicKey:
        return self.keys[max(number for number in self.keys if number < seq)]

    def _draw(self, entry: Entry) -> Iterator[Finding]:
        body = entry.data
        plan, until = (self.entries.get(body[name]) for name in ("plan", "until"))
        between = [one for one in self.of(PLAN) if body["plan"] < one.seq < body["until"]]
        if plan is None or until is None or {plan.subject, until.subject} != {PLAN} or between:
            yield _at(AuditCode.PLAN_MISSING, entry)
            return
        seed = bytes.fromhex(body["seed"])
        if commitment(seed) != plan.data["commitment"] or not self._made(plan, seed):
            yield _at(AuditCode.SEED_EXCHANGED, entry)
        found = self.export.populations.get(entry.seq, ())
        if population_digest(found) != body["population_sha256"] or counted(found) != body["population"]:
            yield _at(AuditCode.POPULATION_CHANGED, entry)
        if [drawn_of(each) for each in body["drawn"]] != drawn_by(plan, seed, found):
            yield _at(AuditCode.DRAW_FORGED, entry)

    def _made(self, plan: Entry, seed: bytes) -> bool:
        """Return whether the seed is the key's own signature of its plan."""
        try:
            self._key_of(plan.seq).raw.verify(
                seed, seed_statement(planned(plan), self.export.record, self.export.table)
            )
        except InvalidSignature:
            return False
        return True

    def _items(self) -> dict[tuple[int, int], tuple[Drawn, int]]:
        """Drawn items in the order of the questions, each with the number of its round's entry."""
        return {
            (draw.seq, index): (drawn_of(item), item["round"])
            for draw in self.of(DRAW)
            for index, item in enumerate(draw.data["drawn"])
        }

    def _reading(self, entry: Entry) -> Iterator[Finding]:
        body = entry.data
        drawn, seq = self._items()[body["draw"], body["item"]]
        member, closed = drawn.member, self.entries.get(seq)
        if (
            closed is None
            or closed.hash != member.entry
            or (body["entry"], body["place"]) != (member.entry, member.place)
            or member not in members(report_of(closed), closed.hash)
        ):
            yield _at(AuditCode.READING_MISSING, entry)
            return
        seen, read = decode_seen(body["seen"]), reading_at(as_read(report_of(closed)), member.place)
        if body["agrees"] != (None if seen is None else agrees(seen, read)):
            yield _at(AuditCode.AGREEMENT_FALSE, entry)

    def _order(self) -> Iterator[Finding]:
        try:
            due = list(self._items())
        except (KeyError, TypeError, ValueError):
            return  # the malformed draw is already reported
        before = None if self.export.month else ""
        skipped = False
        for number, entry in enumerate(self.of(ANSWER)):
            body = entry.data
            if not skipped and due[number : number + 1] != [(body.get("draw"), body.get("item"))]:
                skipped = True  # everything after it is out of order too
                yield _at(AuditCode.ITEM_SKIPPED, entry)
            if before is not None and body.get("behind") != before:
                yield _at(AuditCode.ANSWER_NOT_LINKED, entry)
            before = entry.hash

    def _verdict(self, entry: Entry) -> Iterator[Finding]:
        body = entry.data
        answer = self.entries.get(body["answer"])
        earlier = (one for one in self.of(VERDICT) if one.seq < entry.seq)
        if (
            answer is None
            or (answer.subject, answer.hash, answer.data["agrees"]) != (ANSWER, body["entry"], False)
            or any(one.data["answer"] == answer.seq for one in earlier)
        ):
            yield _at(AuditCode.VERDICT_OUT_OF_PLACE, entry)


def _at(code: AuditCode, entry: Entry) -> Finding:
    return Finding.of(code, entry=entry.seq)


def _readable(entry: Entry, check: Callable[[Entry], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a check of an entry finds, or that the entry is malformed."""
    try:
        yield from check(entry)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        yield _at(AuditCode.ENTRY_UNREADABLE, entry)
