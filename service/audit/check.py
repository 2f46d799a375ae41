"""Holding an exported audit against itself, and against the record: whatever does not follow from the rest is found."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidSignature

from service.audit.answer import agrees, read_at, read_seen
from service.audit.auditor import counted, digest, drawn_by, planned, population, seed_statement
from service.audit.draw import commitment
from service.audit.export import chosen
from service.audit.figures import figures_of
from service.audit.history import ANSWER, DRAW, PLAN, VERDICT, AuditLog, drawn_of, history_of
from service.audit.population import members
from service.codes import AuditCode
from service.record.results import report_of
from service.record.store.chain import BrokenEntryError, hash_of
from service.record.store.keys import follow
from service.record.store.signing import Checkpoint, PublicKey
from service.record.verify import verify_database
from service.rounds.review import as_read
from vision.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from service.audit.draw import Drawn
    from service.audit.export import AuditExport
    from service.audit.figures import FiguresReport
    from service.record.store.chain import Entry
    from service.record.store.database_reader import DatabaseReader


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking an export found.

    Attributes:
        findings: all that does not hold.
        figures: that follow from its entries; None if they do not allow any.
        key: the public key that it was held against, hexadecimal.
        later: entries of the audit that the record got after the export was made; None without the record.
    """

    findings: tuple[Finding, ...]
    figures: FiguresReport | None
    key: str
    later: int | None = None

    @property
    def holds(self) -> bool:
        """Whether everything does."""
        return not self.findings


def check_export(export: AuditExport, *, key: PublicKey | None = None, record: DatabaseReader | None = None) -> Checked:
    """Recompute all of an export, with the owner's public key if given, and hold it against the record if given.

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
        findings += checker.beside(record, noted)
    return Checked(tuple(dict.fromkeys(findings)), figures, checker.key.hex, later)


def keys_of(export: AuditExport, first: PublicKey) -> dict[int, PublicKey]:
    """The keys of a record by the number of the entry that names each, the first one at 0, as far as each is signed."""
    keys, key = {0: first}, first
    for entry in sorted((one for one in export.entries if one.kind == "signing_key"), key=lambda one: one.seq):
        try:
            key = follow(key, export.record, [(entry, export.signatures[entry.seq])])
        except BrokenEntryError:
            break  # it is told as an entry that was changed
        keys[entry.seq] = key
    return keys


class _Checker:
    def __init__(self, export: AuditExport, key: PublicKey) -> None:
        self.export = export
        self.key = key
        # The key that signs what follows an entry, by that entry's number; an owner may give any of them.
        own = keys_of(export, PublicKey.of_hex(export.public_key))
        known = key.hex in {each.hex for each in own.values()}
        self.keys = own if known else keys_of(export, key)
        self.others = not known
        self.entries = {entry.seq: entry for entry in export.entries}
        self.audit = sorted((entry for entry in export.entries if entry.kind == "audit"), key=lambda one: one.seq)

    def of(self, subject: str) -> list[Entry]:
        return [entry for entry in self.audit if entry.subject == subject]

    def findings(self) -> Iterator[Finding]:
        if self.others:
            yield Finding.of(AuditCode.OTHER_KEY)
        if not self.export.whole:
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
        for subject, look in ((DRAW, self._draw), (ANSWER, self._reading), (VERDICT, self._verdict)):
            for entry in self.of(subject):
                yield from _readable(entry, look)
        yield from self._order()

    def figures(self) -> FiguresReport | None:
        try:
            return figures_of(self.export.table, history_of(self.audit))
        except (KeyError, TypeError, ValueError):
            return None

    def beside(self, record: DatabaseReader, noted: tuple[Entry, ...]) -> Iterator[Finding]:
        """What the record, with these entries of the audit, says otherwise."""
        proof = verify_database(record, None, key=self.key)
        if proof.broken is not None:
            yield Finding.of(AuditCode.RECORD_BROKEN, entry=proof.broken, why=proof.why)
        for entry in self.export.entries:
            if record.entry(entry.seq) != entry:
                yield _at(AuditCode.NOT_IN_RECORD, entry)
        due = chosen(noted, self.export.through, self.export.month)
        yield from (_at(AuditCode.LEFT_OUT, entry) for entry in due if entry.seq not in self.entries)
        for draw in self.of(DRAW):
            told = draw.data
            found = population(record, self.export.table, told["plan"], told["until"])
            if found != self.export.populations.get(draw.seq):
                yield _at(AuditCode.POPULATION_CHANGED, draw)

    def _is_signed(self, entry: Entry) -> bool:
        signature = self.export.signatures[entry.seq]
        try:
            whole = hash_of(entry) == entry.hash
        except BrokenEntryError:
            return False
        return whole and self._key_of(entry.seq).holds(
            Checkpoint(self.export.record, entry.seq, entry.hash, entry.at, signature)
        )

    def _key_of(self, seq: int) -> PublicKey:
        """The key that signs an entry."""
        return self.keys[max(number for number in self.keys if number < seq)]

    def _draw(self, entry: Entry) -> Iterator[Finding]:
        told = entry.data
        plan, until = (self.entries.get(told[name]) for name in ("plan", "until"))
        between = [one for one in self.of(PLAN) if told["plan"] < one.seq < told["until"]]
        if plan is None or until is None or {plan.subject, until.subject} != {PLAN} or between:
            yield _at(AuditCode.PLAN_MISSING, entry)
            return
        seed = bytes.fromhex(told["seed"])
        if commitment(seed) != plan.data["commitment"] or not self._made(plan, seed):
            yield _at(AuditCode.SEED_EXCHANGED, entry)
        found = self.export.populations.get(entry.seq, ())
        if digest(found) != told["population_sha256"] or counted(found) != told["population"]:
            yield _at(AuditCode.POPULATION_CHANGED, entry)
        if [drawn_of(each) for each in told["drawn"]] != drawn_by(plan, seed, found):
            yield _at(AuditCode.DRAW_FORGED, entry)

    def _made(self, plan: Entry, seed: bytes) -> bool:
        """Whether a seed is the key's own signature of its plan."""
        try:
            self._key_of(plan.seq).raw.verify(
                seed, seed_statement(planned(plan), self.export.record, self.export.table)
            )
        except InvalidSignature:
            return False
        return True

    def _items(self) -> dict[tuple[int, int], tuple[Drawn, int]]:
        """All that was drawn, in the order in which it is to be asked about, with the number of its round's entry."""
        return {
            (draw.seq, index): (drawn_of(told), told["round"])
            for draw in self.of(DRAW)
            for index, told in enumerate(draw.data["drawn"])
        }

    def _reading(self, entry: Entry) -> Iterator[Finding]:
        told = entry.data
        drawn, seq = self._items()[told["draw"], told["item"]]
        member, closed = drawn.member, self.entries.get(seq)
        if (
            closed is None
            or closed.hash != member.entry
            or (told["entry"], told["place"]) != (member.entry, member.place)
            or member not in members(report_of(closed), closed.hash)
        ):
            yield _at(AuditCode.READING_MISSING, entry)
            return
        seen, read = read_seen(told["seen"]), read_at(as_read(report_of(closed)), member.place)
        if told["agrees"] != (None if seen is None else agrees(seen, read)):
            yield _at(AuditCode.AGREEMENT_FALSE, entry)

    def _order(self) -> Iterator[Finding]:
        try:
            due = list(self._items())
        except (KeyError, TypeError, ValueError):
            return  # the draw that cannot be read was told
        before = None if self.export.month else ""
        skipped = False
        for number, entry in enumerate(self.of(ANSWER)):
            told = entry.data
            if not skipped and due[number : number + 1] != [(told.get("draw"), told.get("item"))]:
                skipped = True  # those behind it are out of turn too
                yield _at(AuditCode.ITEM_SKIPPED, entry)
            if before is not None and told.get("behind") != before:
                yield _at(AuditCode.ANSWER_NOT_LINKED, entry)
            before = entry.hash

    def _verdict(self, entry: Entry) -> Iterator[Finding]:
        told = entry.data
        answer = self.entries.get(told["answer"])
        earlier = (one for one in self.of(VERDICT) if one.seq < entry.seq)
        if (
            answer is None
            or (answer.subject, answer.hash, answer.data["agrees"]) != (ANSWER, told["entry"], False)
            or any(one.data["answer"] == answer.seq for one in earlier)
        ):
            yield _at(AuditCode.VERDICT_OUT_OF_PLACE, entry)


def _at(code: AuditCode, entry: Entry) -> Finding:
    return Finding.of(code, entry=entry.seq)


def _readable(entry: Entry, look: Callable[[Entry], Iterator[Finding]]) -> Iterator[Finding]:
    """What looking at an entry finds, or that it does not say what it should."""
    try:
        yield from look(entry)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        yield _at(AuditCode.ENTRY_UNREADABLE, entry)
