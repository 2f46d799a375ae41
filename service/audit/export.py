"""An audit as a file of JSON lines with all that is needed to recompute it: entries, signatures, populations, key."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from service import __version__
from service.audit.auditor import population
from service.audit.figures import FiguresReport, figures_of
from service.audit.history import DRAW, PLAN, history_of
from service.audit.population import Member, Stratum
from service.record.store.chain import Entry, canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.audit.history import AuditLog
    from service.record.store.database_reader import DatabaseReader

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
    """This is no export of an audit; the message says what is wrong."""


def export_audit(record: DatabaseReader, log: AuditLog, month: str | None = None) -> Iterator[str]:
    """The lines of an export, of one month (``2026-01``) or all; NotAnAuditError, RecordUnavailableError.

    How a hand or throw was read is in it only once it was answered, so that whoever reads it stays blind to the rest.
    """
    begun, head = record.entry(1), record.head()
    if begun is None or head is None:
        raise NotAnAuditError("there is no record in this database")
    about = {"record": begun.data["record"], "public_key": begun.data["public_key"], "table": log.table}
    about |= {"through": head.seq, "at": head.at, "month": month}
    count = 1
    yield canonical_json({"audit": FORMAT, **about, "method": METHOD, "made_by": f"Houseway {__version__}"})
    for told in _told(record, log.table, chosen(log.entries(), head.seq, month), str(about["record"])):
        yield canonical_json(told)
        count += 1
    yield canonical_json({"lines": count})


def _told(record: DatabaseReader, table: str, entries: tuple[Entry, ...], record_id: str) -> Iterator[dict[str, Any]]:
    """Entries, each answer after the reading that it is about, and populations; figures last."""

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
    yield {"figures": figures_of(table, history).model_dump(mode="json")}


def chosen(entries: Iterable[Entry], through: int, month: str | None) -> tuple[Entry, ...]:
    """What an export holds: all up to an entry, or the draws of a month, their plans, and what was answered of them."""
    known = tuple(entry for entry in entries if entry.seq <= through)
    if month is None:
        return known
    days = {entry.seq: str(entry.data["day"]) for entry in known if entry.subject == PLAN}
    wanted: set[int] = set()
    for entry in known:
        told = entry.data
        if entry.subject == DRAW and days[told["plan"]].startswith(month):
            wanted |= {entry.seq, told["plan"], told["until"]}
        elif told.get("draw") in wanted or told.get("answer") in wanted:
            wanted.add(entry.seq)
    return tuple(entry for entry in known if entry.seq in wanted)


@dataclass(slots=True)
class AuditExport:
    """An export as it was read.

    Attributes:
        through: number of the record's newest entry when it was made, and ``at`` that entry's moment.
        month: of the draws in it; None for all.
        signatures: by the number of the entry.
        populations: by the number of the draw.
        whole: whether it ends with its own last line.
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
    whole: bool = False

    def take(self, told: dict[str, Any], number: int) -> None:
        """Take a line but the first, by its number from 1; KeyError, TypeError or ValueError if it is none."""
        self.whole = False
        if "entry" in told:
            entry = Entry(**{**told["entry"], "body": canonical_json(told["entry"]["body"])})
            self.entries.append(entry)
            self.signatures[entry.seq] = str(told["signature"])
        elif "population" in told:
            members = ((hash_, place, Stratum(kind), version) for hash_, place, kind, version in told["population"])
            self.populations[told["draw"]] = tuple(Member(*each) for each in members)
        elif "figures" in told:
            self.figures = FiguresReport.model_validate(told["figures"])
        else:
            self.whole = told["lines"] == number - 1


def read_export(lines: Iterable[str]) -> AuditExport:
    """Read an export's lines; NotAnAuditError if they are none."""
    made: AuditExport | None = None
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            told = json.loads(line)
            if made is not None:
                made.take(told, number)
                continue
            if told["audit"] != FORMAT:
                raise NotAnAuditError(f"it is of format {told['audit']}; this version reads {FORMAT}")
            record, table, public_key = (str(told[name]) for name in ("record", "table", "public_key"))
            made = AuditExport(record, table, public_key, int(told["through"]), str(told["at"]), told["month"])
    except (ValueError, TypeError, KeyError) as error:
        if isinstance(error, NotAnAuditError):
            raise
        raise NotAnAuditError(f"line {number} is not as an export of an audit has it") from None
    if made is None:
        raise NotAnAuditError("it is empty")
    return made
