"""Checks an exported audit for consistency, alone and compared with the record."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature

from service.record.integrity.verify import verify_database
from service.record.results import report_of
from service.record.store.entries import BrokenEntryError, hash_of
from service.record.store.signing import Checkpoint, PublicKey, follow
from service.rounds.review import as_read
from service.table.audit.audit_export import entries_for_export
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
from service.table.audit.error_rates import audit_figures
from service.table.audit.sampling import commitment, members
from service.words.codes import AuditCode
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import Entry
    from service.table.audit.audit_export import AuditExport
    from service.table.audit.error_rates import FiguresReport
    from service.table.audit.sampling import Drawn


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
