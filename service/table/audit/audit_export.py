"""An audit as a file of JSON lines with everything needed to recompute it: entries, signatures, populations, key."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from service import __version__
from service.record.store.entries import Entry, canonical_json
from service.table.audit.audit_log import DRAW, PLAN, history_of
from service.table.audit.auditor import population
from service.table.audit.error_rates import FiguresReport, audit_figures
from service.table.audit.sampling import Member, Stratum

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from service.record.store.database_reader import DatabaseReader
    from service.table.audit.audit_log import AuditLog

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
