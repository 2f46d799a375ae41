"""``houseway record verify``: verify a record, and compare it with checkpoints kept elsewhere."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import AsJson, plain_errors, plain_record_errors, refuse, say

if TYPE_CHECKING:
    from collections.abc import Callable

    from service.record.checkpoints.seen import Comparison, Seen
    from service.record.integrity.verify import Proof
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings
    from service.record.store.signing import PublicKey

SeenOption = Annotated[
    list[str] | None,
    typer.Option(
        "--seen",
        metavar="CHECKPOINT",
        help="A checkpoint or cursor kept elsewhere, or a file of them: verifies that the record extends each. May "
        "be repeated.",
    ),
]
WitnessOption = Annotated[
    list[str] | None,
    typer.Option(
        "--witness",
        metavar="KEY",
        help="The public key of a witness (NAME+ID+KEY): verifies its signatures. May be repeated.",
    ),
]
_SAYS = {
    "gone": "the record ends before it",
    "other": "the record has another entry of this number",
    "before": "this export starts after it, and cannot show it",
    "foreign": "it is of another record",
    "unknown": "this export does not have it: the record lost it, or it is of a table that the service follows",
}


@dataclass(frozen=True, slots=True)
class SeenResult:
    """The outcome of comparing a record with checkpoints kept elsewhere.

    Attributes:
        comparison: by entry.
        witnesses: by name, the numbers of valid and of invalid signatures.
        epochs: the restores that the record names.
    """

    comparison: Comparison
    witnesses: dict[str, tuple[int, int]]
    epochs: tuple[str, ...] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether the record extends every checkpoint, and each named witness has only valid signatures."""
        return self.comparison.holds and all(good and not bad for good, bad in self.witnesses.values())

    def json(self) -> dict[str, Any]:
        """The fields of ``--json``."""
        each = [
            {"entry": one.seq, "hash": one.seen.start, "whence": one.seen.source, "outcome": one.outcome}
            for one in self.comparison.compared
        ]
        signed = {name: {"good": good, "bad": bad} for name, (good, bad) in self.witnesses.items()}
        return {"seen": each, "parts_behind": self.comparison.common, "witnesses": signed, "extends": self.holds}

    def lines(self) -> list[str]:
        """The lines for people."""
        compared = self.comparison.compared
        extended = [one.seq for one in compared if one.outcome == "extended"]
        lines = []
        if extended:
            many = len(extended)
            lines.append(f"{many} checkpoint{'s' * (many > 1)} from elsewhere, up to entry {max(extended)}: extended")
        lines += [
            f"NOT EXTENDED: entry {one.seq} ({one.seen.start[:16]}..., {one.seen.source}): {_SAYS[one.outcome]}"
            for one in compared
            if one.outcome != "extended"
        ]
        if self.comparison.common is not None:
            lines.append(f"they part behind entry {self.comparison.common}")
            lines += self.epochs
        for name, (good, bad) in self.witnesses.items():
            lines.append(f"witness {name}: {good} signatures hold" + (f", {bad} DO NOT" if bad else ""))
        return lines


def hold_against(
    proof: Proof,
    given: list[str] | None,
    keys: list[str] | None,
    kept: list[Seen],
    hash_of: Callable[[int], str | None],
    number_at: Callable[[int, str], int | None],
    epochs: tuple[str, ...] | None = None,
) -> SeenResult | None:
    """Compare a verified record with given checkpoints and witness signatures; None if none were given.

    ``epochs`` are those of a database, in words; None for an export.
    """
    from service.record.checkpoints.note import NoteError, WitnessKey
    from service.record.checkpoints.seen import NothingSeenError, compare, read_seen, signed_by

    if not given and not keys:
        return None
    with plain_errors(NothingSeenError, NoteError):
        witnesses = [WitnessKey.of_text(key) for key in keys or ()]
        seen = [one for each in given or () for one in read_seen(each)] + (kept if keys else [])
    comparison = compare(seen, proof.record, (proof.first, proof.last), hash_of, number_at, all_logs=epochs is not None)
    return SeenResult(comparison, signed_by(seen, witnesses), epochs or ())


def of_database(
    reader: DatabaseReader, proof: Proof, given: list[str] | None, keys: list[str] | None
) -> SeenResult | None:
    """Compare a record in its database."""
    from service.record.checkpoints.checkpoint_store import witnessed_notes
    from service.record.checkpoints.epochs import read_epoch
    from service.record.checkpoints.seen import read_seen
    from service.record.store.all_logs import LogsReader

    def hash_of(seq: int) -> str | None:
        entry = reader.entry(seq)
        return None if entry is None else entry.hash

    def number_at(position: int, start: str) -> int | None:
        logs = LogsReader(reader)
        held = logs.at(position)
        if held is None or not held.entry.hash.startswith(start):
            return None
        return held.entry.seq if held.own else logs.own_number_before(position)

    if not given and not keys:
        return None
    kept = [one for text in witnessed_notes(reader, 0, proof.last) for one in read_seen(text)] if keys else []
    epochs = []
    for entry in reversed(reader.last(("epoch",), count=100)):
        epoch = read_epoch(entry)
        who = f"{epoch.by}: {epoch.reason}" if epoch.by else "as the service found out"
        epochs.append(f"entry {entry.seq} of {entry.at[:19]}Z says: goes on from entry {epoch.common.seq} ({who})")
    return hold_against(proof, given, keys, kept, hash_of, number_at, tuple(epochs))


def of_export(folder: Path, proof: Proof, given: list[str] | None, keys: list[str] | None) -> SeenResult | None:
    """Compare an export."""
    import json

    from service.record.checkpoints.seen import NothingSeenError, read_seen
    from service.record.integrity.verify import ENTRIES, MANIFEST, WITNESSED
    from service.record.store.entries import BrokenEntryError, Entry

    if not given and not keys:
        return None
    manifest = json.loads((folder / MANIFEST).read_text())
    hashes = {int(manifest["first"]) - 1: str(manifest["previous"])}
    for line in (folder / ENTRIES).read_text(encoding="ascii").splitlines():
        with suppress(BrokenEntryError):  # already reported by the proof
            entry = Entry.of_line(line)
            hashes[entry.seq] = entry.hash
    kept: list[Seen] = []
    if keys and (folder / WITNESSED).exists():
        with suppress(NothingSeenError):
            kept = list(read_seen(str(folder / WITNESSED)))

    def number_at(_: int, start: str) -> int | None:
        return next((seq for seq, found in hashes.items() if found.startswith(start)), None)

    return hold_against(proof, given, keys, kept, hashes.get, number_at)


Where = Annotated[
    str | None,
    typer.Option("--record", help="The record: its folder, its database file, or its URL.", metavar="PATH_OR_URL"),
]
Settings = Annotated[
    Path | None,
    typer.Option("--config", help="Settings file (TOML) of the table whose record it is. Default: the sample table."),
]
Evidence = Annotated[
    Path | None, typer.Option("--evidence", help="The folder of pictures, if --record is a file or a URL.")
]


def verify(
    folder: Annotated[
        Path | None,
        typer.Argument(help="An export, or the folder of a record. Default: the record of --record or --config."),
    ] = None,
    *,
    record: Where = None,
    config: Settings = None,
    evidence: Evidence = None,
    public_key: Annotated[
        Path | None,
        typer.Option(
            "--public-key", help="The table's public key (PEM) from a source you trust, not from the record itself."
        ),
    ] = None,
    seen: SeenOption = None,
    witness: WitnessOption = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="First derive the rounds and alarms that pages show from the entries again."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify that no entry, signature, picture, account or key was changed, removed or added by hand.

    With --seen, also that the record was not rolled back behind a checkpoint kept elsewhere.

    Prints what was checked and what is not covered. Exit status 1 if anything differs from the record.
    """
    from service.record.store.signing import PublicKey

    with plain_record_errors():
        key = None if public_key is None else PublicKey.load(public_key)
        proof, held = _proven(folder, record, config, evidence, key, seen, witness, rebuild=rebuild)
    if as_json:
        say(json.dumps({**proof.as_json(), **({} if held is None else held.json())}))
    else:
        said = in_words(proof, known_key=public_key is not None)
        say("\n".join((said, *(() if held is None else held.lines()))))
    if not (proof.holds and (held is None or held.holds)):
        raise typer.Exit(1)


def _proven(
    folder: Path | None,
    record: str | None,
    config: Path | None,
    evidence: Path | None,
    key: PublicKey | None,
    seen: list[str] | None,
    witness: list[str] | None,
    *,
    rebuild: bool,
) -> tuple[Proof, SeenResult | None]:
    """Verify a record or an export."""
    from service.record.integrity.verify import MANIFEST, examine_database, verify_export
    from service.record.projections.compare import compare_own
    from service.record.projections.projector import Projector
    from service.record.store.database import open_database

    if folder is not None and (folder / MANIFEST).exists():
        proof = verify_export(folder, key=key)
        return proof, of_export(folder, proof, seen, witness)
    named = record if folder is None else str(folder)
    if named is not None and "://" in named and evidence is None:
        open_database(named)  # DatabaseError if this is not a URL
        refuse("name the folder of pictures with --evidence: without it they cannot be checked")
    settings, reader, pictures = find_record(named, config, evidence)
    more = {"projections": compare_own}
    with reader:
        if rebuild:
            entries = Projector(reader).rebuild()
            say(f"rounds and alarms derived again from {entries} entries", err=True)
        proof = examine_database(reader, pictures, key=key, settings=settings, more=more)
        return proof, of_database(reader, proof, seen, witness)


def find_record(
    record: str | None, config: Path | None, evidence: Path | None
) -> tuple[RecordSettings, DatabaseReader, Path]:
    """Find the named record and the folder of its pictures; exit with status 2 if the record is missing.

    The caller closes the reader.
    """
    from service.record.store.database import (
        check_version,
        close_database,
        faults_as_unavailable,
        open_database,
        sqlite_url,
    )
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.entries import RecordUnavailableError
    from service.record.store.record_settings import DATABASE, EVIDENCE, RecordSettings
    from service.system.settings import SAMPLE_CONFIG, load_config

    if record is None:
        settings = RecordSettings.of(load_config(config or SAMPLE_CONFIG))
    elif "://" in record:
        settings = RecordSettings(Path() if evidence is None else evidence.parent, record)
    elif Path(record).suffix == ".toml":
        refuse(f"{record}: is not a record; give a table's settings as --config {record}")
    elif Path(record).is_file():
        settings = RecordSettings(Path(record).parent, sqlite_url(Path(record).resolve()))
    else:
        settings = RecordSettings(Path(record))
    database = open_database(settings.database_url)
    if database.dialect.name == "sqlite" and not Path(database.url.database or "").is_file():
        refuse(f"{settings.folder}: no record here (no {DATABASE}), and no complete export")
    try:
        with faults_as_unavailable():
            check_version(database)
    except RecordUnavailableError:
        close_database(database)
        raise
    return settings, DatabaseReader(database), evidence or settings.folder / EVIDENCE


def in_words(proof: Proof, *, known_key: bool | None = None) -> str:
    """Describe a proof for people: what is valid, what is not, what is not covered, what is outside.

    Args:
        proof: of a record.
        known_key: whether the expected key was given; None if it cannot be.
    """
    from service.record.integrity.verify import OUTSIDE

    lines = [f"record {proof.record}"]
    if proof.broken is not None:
        lines.append(f"BROKEN at entry {proof.broken}: {proof.why}")
    elif proof.why:
        lines.append(f"NOT AS RECORDED: {proof.why}")
    lines += [f"also: {fault.words}" for fault in proof.faults[1:_SHOWN]]
    if len(proof.faults) > _SHOWN:
        lines.append(f"and {len(proof.faults) - _SHOWN} more")
    if proof.last >= proof.first:
        lines.append(f"entries {proof.first} to {proof.last} are unchanged; the last has hash {proof.hash}")
    pictures = f"{proof.pictures} pictures are unchanged"
    pictures += f"; {proof.removed} were removed after an export" if proof.removed else ""
    lines.append(pictures + (f"; {proof.lost} are lost, as a person put on record" if proof.lost else ""))
    lines.append(f"signed with {'the' if known_key else 'its own'} key {proof.key}")
    lines += [f"as the record has them: {_counted(proof.rows)}"] if proof.rows else []
    lines += [f"outside the record: {name}: {meaning}" for name, meaning in OUTSIDE.items() if proof.rows]
    if known_key is False:
        lines.append("note: give --public-key to be sure that this is the table's key")
    if proof.holds and not proof.complete:
        lines.append("note: this export has no end mark; entries may be missing at its end")
    return "\n".join(lines)


_SHOWN = 20
_NAMES = {
    "accounts": "accounts",
    "api_keys": "keys",
    "second_factors": "accounts with second factors",
    "recovery_codes": "accounts with recovery codes",
    "record_replies": "answers to repeated requests",
    "projections": "rounds and alarms",
}


def _counted(rows: dict[str, int]) -> str:
    return ", ".join(f"{rows[name]} {called}" for name, called in _NAMES.items() if name in rows)
