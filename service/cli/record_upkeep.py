"""``houseway record``: export a record, accept differences from it, replace its key."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, opened_settings, plain_record_errors, record_of, refuse, say
from service.cli.options import EvidenceFolder, Reason, RecordPlace, RequiredSettings, Settings
from service.cli.verification import find_record

if TYPE_CHECKING:
    from service.record.integrity.export import Exported
    from service.record.store.database_reader import DatabaseReader
    from service.record.store.record_settings import RecordSettings


def export(
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Folder to write to. It must be new or empty. Default: a new one in record.archive of --config.",
        ),
    ] = None,
    *,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            help="Only entries after this number; 'last' means after the last export. Default: 0, without --out last.",
        ),
    ] = None,
    record: RecordPlace = None,
    config: Settings = None,
    evidence: EvidenceFolder = None,
) -> None:
    """Copy the record with its pictures to a folder; it can be verified anywhere.

    The export is noted in the record. Only exported pictures may later be removed to make room. Without --out it writes
    the entries since the last export to record.archive of the settings, as a timer does every day.
    """
    if out is None:
        if config is None or record is not None:
            refuse("give a folder with --out, or with --config settings that name one as record.archive")
        _archive(config)
        return
    try:
        with plain_record_errors():
            settings, reader, folder = find_record(record, config, evidence)
            with reader:
                done = _exported(settings, reader, folder, out, _since(since or "0", reader))
    except OSError as error:
        refuse(f"{out}: the export cannot be written: {error.strerror or error}")
    _report(done, out)


def _archive(config: Path) -> None:
    """Export the new entries to a new folder in the archive of the settings."""
    from datetime import UTC, datetime

    from service.record.store.files import UNFINISHED

    with opened_settings(config) as of_service:
        folder = of_service.record.archive
        if folder is None:
            refuse(f"{config}: record.archive names no folder to write exports to")
        settings, reader, evidence = find_record(None, config, None)
        with reader:
            since = reader.last_through("export")
            if all(entry.kind == "export" for entry in reader.after(since, limit=2)):
                say(f"nothing new after entry {since}")
                return
            whole = folder / f"{since + 1:09d}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
            try:
                done = _exported(settings, reader, evidence, whole.with_name(f"{UNFINISHED}{whole.name}"), since, whole)
            except OSError as error:
                refuse(f"{folder}: the export cannot be written: {error.strerror or error}")
    _report(done, whole)


def _exported(
    settings: RecordSettings,
    reader: DatabaseReader,
    evidence: Path,
    out: Path,
    since: int,
    rename_to: Path | None = None,
) -> Exported:
    """Export to a folder, and note it in the record if there is one."""
    from service.record.integrity.export import export_record
    from service.record.store.evidence import EvidenceStore
    from service.record.store.record import Record

    pictures = EvidenceStore(evidence, max_bytes=settings.max_bytes, min_free_bytes=0)
    # Opening a record for writing would create a missing one.
    writer = None if reader.head() is None else Record(settings, claim=False)
    with nullcontext() if writer is None else writer:
        return export_record(reader, pictures, out, since=since, mark_in=writer, rename_to=rename_to)


def _report(done: Exported, out: Path) -> None:
    """Report the export; exit with status 1 if a picture is missing."""
    say(f"entries {done.first} to {done.last} and {done.pictures} pictures in {out}")
    for sha256 in done.lacking:
        say(f"houseway: picture {sha256} is missing or damaged", err=True)
    if done.unmarked is not None:
        say(f"houseway: not noted as exported: {done.unmarked}", err=True)
    if done.lacking:
        raise typer.Exit(1)


def _since(text: str, reader: DatabaseReader) -> int:
    if text.isdecimal():
        return int(text)
    if text != "last":
        refuse(f"--since {text}: the number of an entry, or 'last'")
    return reader.last_through("export")


def accept(
    reason: Reason,
    *,
    restored: Annotated[
        bool, typer.Option("--restored", help="The record was restored from a backup; give --config.")
    ] = False,
    lost: Annotated[
        bool, typer.Option("--lost", help="The database was lost for good: start another record, with a new key.")
    ] = False,
    config: Settings = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Accept differences from the record, a restored record or a lost one, with a reason.

    Lists the differences, and asks; then records accounts, keys and answers with their present content. A running
    service verifies hands again within seconds. An invalid entry of the record stays invalid.

    With --restored the record continues in a new epoch. Run it after the restore and before starting the service. All
    subscribers then learn which entries are gone, and where to continue. It also accepts that those entries are gone,
    so that the table verifies again; nothing else is needed.

    With --lost the old key stays under another name, and the first entry says which record it follows and why. Refused
    while there is a record: continue or restore that one.
    """
    if restored and lost:
        refuse("give either --restored or --lost")
    if not reason.strip():
        refuse("give a reason: it is recorded")
    if restored:
        _accept_restored(reason, config)
    elif lost:
        _replace_lost(reason, config)
    else:
        _accept_differences(reason, config, yes=yes)


def _accept_differences(reason: str, config: Path | None, *, yes: bool) -> None:
    from service.record.integrity.accept import accept as accept_faults
    from service.record.integrity.accept import record_state
    from service.record.store.files import make_folder
    from service.record.store.record_settings import EVIDENCE

    with opened_settings(config) as settings:
        folder = settings.record_folder / EVIDENCE
        if not folder.is_dir() and (yes or typer.confirm(f"The folder of pictures {folder} is gone. Is it lost?")):
            make_folder(folder, 0o700)
        with record_of(settings) as record:
            if not record.state.ok:
                refuse(record.state.message)
            found = record_state(record)
            for fault in found.faults:
                say(f"not as recorded: {fault.words}")
            say(f"current accounts: {', '.join(found.accounts) or 'none'}")
            say(f"current keys: {', '.join(found.keys) or 'none'}")
            if not yes and not typer.confirm("Accept all of this?"):
                raise typer.Exit(1)
            done = accept_faults(record, attribution(reason))
    accepted = {"fault": done.faults, "account": done.accounts, "key": done.keys}
    counted = [f"{len(of)} {name if len(of) == 1 else f'{name}s'}" for name, of in accepted.items()]
    say(f"accepted and recorded: {', '.join(counted)}")


def _replace_lost(reason: str, config: Path | None) -> None:
    from service.record.store.record import Record
    from service.record.store.record_settings import PUBLIC_KEY, RecordSettings
    from service.record.store.signing import PublicKey, left_of_record
    from service.words.codes import RecordCode

    with opened_settings(config) as service:
        settings = RecordSettings.of(service)
        if left_of_record(settings) is None:
            refuse(f"{settings.folder}: there is no trace of a record; the first start of the service makes one")
        with Record(settings) as record:
            state = record.state
        if state.finding.code is not RecordCode.KEY_WITHOUT_RECORD:
            refuse(f"a record is there; nothing was changed ({state.message})")
        public = settings.folder / PUBLIC_KEY
        before = PublicKey.load(public).hex if public.exists() else "unknown"
        lost = {"by": attribution(reason).by, "reason": reason.strip()[:500], "instead_of": before}
        _put_aside(settings, before[:8])
        with Record(settings, instead=lost) as record:
            if not record.state.ok:
                refuse(record.state.message)
            say(f"record {record.id} starts with a new key; files of the old one end in .{before[:8]}")


def _put_aside(settings: RecordSettings, name: str) -> None:
    """Put the remaining files of a lost record aside.

    Its public key also keeps its name until the new record replaces it: after a crash it says whose place that takes.
    """
    from calibration.files.seal import sync_folder
    from service.record.store.faults import MEMORY
    from service.record.store.files import write_durably
    from service.record.store.record_settings import KEY, PUBLIC_KEY

    public = settings.folder / PUBLIC_KEY
    if public.exists():
        write_durably(public.with_name(f"{public.name}.{name}"), public.read_bytes())
    for file in (settings.folder / MEMORY, settings.folder / KEY, settings.mark_file):
        if file.exists():
            file.rename(file.with_name(f"{file.name}.{name}"))
            sync_folder(file.parent)


def _accept_restored(reason: str, config: Path | None) -> None:
    from service.record.checkpoints.checkpoint_store import keep_mark, newest_note
    from service.record.checkpoints.history import MARK, RecordHistory
    from service.record.ledger import open_record
    from service.record.outbox import Outbox
    from service.system.settings import load_config
    from service.words.codes import RecordCode

    if config is None:
        refuse("name the settings of the service with --config")
    with plain_record_errors():
        settings = load_config(config)
        with open_record(settings) as record:
            files = {MARK: record.settings.mark_file}
            if settings.record.checkpoints_file is not None:
                files["checkpoints file"] = settings.record.checkpoints_file
            change = attribution(reason)
            history = RecordHistory(record, Outbox(record.database), settings.service.name, files)
            epoch, answered = history.declare_restored(change.by, change.reason)
            left = record.faults.open
            last, sources = history.last_lost()
            note = newest_note(record)
            if note is not None and not any(fault.finding.code is RecordCode.RECORD_EXCHANGED for fault in left):
                keep_mark(record.settings.mark_file, note)
    say(f"the record continues from entry {epoch.since}, in epoch {epoch.name}")
    if sources:
        say(f"entries {epoch.since + 1} to {last} are gone; known from {sources}")
    for fault in answered:
        say(f"accepted, with your reason: {fault.words}")
    for fault in left:
        say(f"still to be accepted with `houseway record accept`: {fault.words}")


def rotate_key(
    *,
    config: RequiredSettings,
    reason: Reason,
) -> None:
    """Sign the record with a new key from now on; stop the service first.

    The old key signs the entry that names the new one. Keep copies of the new record.pub afterwards. Witnesses follow
    the change automatically.
    """
    from service.record.changes import rotate
    from service.record.ledger import open_record
    from service.record.store.record_settings import KEY_NEXT
    from service.record.store.signing import Signer, put_in_place

    with opened_settings(config) as settings, open_record(settings) as record:
        if not record.state.ok:  # it may be named by a change that was recorded and interrupted
            refuse(record.state.message)
        following = record.settings.folder / KEY_NEXT
        following.unlink(missing_ok=True)
        signer = Signer.make(following)
        entry = rotate(record, signer.public, attribution(reason))
        put_in_place(record.settings.folder)
    say(f"entry {entry.seq} names the new key {signer.public.hex}")
