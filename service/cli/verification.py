"""``houseway record verify``: verify a record, and compare it with checkpoints kept elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import plain_errors, plain_record_errors, refuse, say
from service.cli.options import AsJson, EvidenceFolder, PublicKeyFile, RecordPlace, Settings

if TYPE_CHECKING:
    from service.record.integrity.seen_check import SeenCheck
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
_OUTCOMES = {
    "gone": "the record ends before it",
    "other": "the record has another entry of this number",
    "before": "this export starts after it, and cannot show it",
    "foreign": "it is of another record",
    "unknown": "this export does not have it: the record lost it, or it is of a table that the service follows",
}


def verify(
    folder: Annotated[
        Path | None,
        typer.Argument(help="An export, or the folder of a record. Default: the record of --record or --config."),
    ] = None,
    *,
    record: RecordPlace = None,
    config: Settings = None,
    evidence: EvidenceFolder = None,
    public_key: PublicKeyFile = None,
    seen: SeenOption = None,
    witness: WitnessOption = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="First derive the rounds and alarms that pages show from the entries again."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Verify that no entry, signature, picture, account or key was changed, removed or added by hand.

    With --seen, also that the record was not rolled back to before a checkpoint kept elsewhere.

    Prints what was checked and what is not covered. Exit status 1 if anything differs from the record.
    """
    from service.record.checkpoints.note import NoteError
    from service.record.checkpoints.seen import NothingSeenError
    from service.record.store.signing import PublicKey

    with plain_record_errors(), plain_errors(NothingSeenError, NoteError):
        key = None if public_key is None else PublicKey.load(public_key)
        proof, seen_check = _proven(folder, record, config, evidence, key, seen, witness, rebuild=rebuild)
    if as_json:
        say(json.dumps({**proof.as_json(), **({} if seen_check is None else _seen_json(seen_check))}))
    else:
        lines = () if seen_check is None else _seen_lines(seen_check)
        say("\n".join((in_words(proof, known_key=public_key is not None), *lines)))
    if not (proof.holds and (seen_check is None or seen_check.holds)):
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
) -> tuple[Proof, SeenCheck | None]:
    """Verify a record or an export."""
    from service.record.integrity.seen_check import check_seen_in_database, check_seen_in_export
    from service.record.integrity.verify import MANIFEST, examine_database, verify_export
    from service.record.projections.compare import compare_own
    from service.record.projections.projector import Projector
    from service.record.store.database import open_database

    if folder is not None and (folder / MANIFEST).exists():
        proof = verify_export(folder, key=key)
        return proof, check_seen_in_export(folder, proof, seen, witness)
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
        return proof, check_seen_in_database(reader, proof, seen, witness)


def _seen_json(found: SeenCheck) -> dict[str, Any]:
    each = [
        {"entry": one.seq, "hash": one.seen.start, "whence": one.seen.source, "outcome": one.outcome}
        for one in found.comparison.compared
    ]
    signed = {name: {"good": good, "bad": bad} for name, (good, bad) in found.witnesses.items()}
    return {"seen": each, "parts_behind": found.comparison.common, "witnesses": signed, "extends": found.holds}


def _seen_lines(found: SeenCheck) -> list[str]:
    compared = found.comparison.compared
    lines = []
    if extended := [one.seq for one in compared if one.outcome == "extended"]:
        many = len(extended)
        lines.append(f"{many} checkpoint{'s' * (many > 1)} from elsewhere, up to entry {max(extended)}: extended")
    lines += [
        f"NOT EXTENDED: entry {one.seq} ({one.seen.start[:16]}..., {one.seen.source}): {_OUTCOMES[one.outcome]}"
        for one in compared
        if one.outcome != "extended"
    ]
    if found.comparison.common is not None:
        lines.append(f"they diverge after entry {found.comparison.common}")
        for entry, epoch in found.epochs:
            who = f"{epoch.by}: {epoch.reason}" if epoch.by else "found by the service"
            lines.append(f"entry {entry.seq} of {entry.at[:19]}Z: restored up to entry {epoch.common.seq} ({who})")
    for name, (good, bad) in found.witnesses.items():
        lines.append(f"witness {name}: {good} valid signatures" + (f", {bad} INVALID" if bad else ""))
    return lines


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
