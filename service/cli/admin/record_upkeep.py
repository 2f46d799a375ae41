"""``houseway record accept`` and ``begin-anew``: what a person does once the record is not as it was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import Settings, attribution, plain_record_errors, refuse, say

if TYPE_CHECKING:
    from service.record.store.record_settings import RecordSettings

Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with your name.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


def accept(reason: Reason, *, config: Settings = None, yes: Yes = False) -> None:
    """Accept what is not as it was recorded, with a reason; record accounts, keys and answers as they are now.

    Lists what was found, and asks. A running service verifies hands again within seconds. An invalid entry of the
    record stays invalid.
    """
    from service.config.settings import SAMPLE_CONFIG, load_config
    from service.integrity.accept import accept as answer_for
    from service.integrity.accept import present_state
    from service.record.store.files import make_folder
    from service.record.store.record import Record
    from service.record.store.record_settings import EVIDENCE, RecordSettings

    if not reason.strip():
        refuse("give a reason: it is recorded")
    with plain_record_errors():
        settings = RecordSettings.of(load_config(config or SAMPLE_CONFIG))
        folder = settings.folder / EVIDENCE
        if not folder.is_dir() and (yes or typer.confirm(f"The folder of pictures {folder} is gone. Is it lost?")):
            make_folder(folder, 0o700)
        with Record(settings, claim=False) as record:
            if not record.state.ok:
                refuse(record.state.message)
            found = present_state(record)
            for fault in found.faults:
                say(f"not as recorded: {fault.words}")
            say(f"accounts as they are now: {', '.join(found.accounts) or 'none'}")
            say(f"keys as they are now: {', '.join(found.keys) or 'none'}")
            if not yes and not typer.confirm("Answer for all of this?"):
                raise typer.Exit(1)
            done = answer_for(record, attribution(reason))
    say(f"recorded: {len(done.faults)} faults accepted, {len(done.accounts)} accounts and {len(done.keys)} keys")


def begin_anew(reason: Reason, *, config: Settings = None) -> None:
    """Begin another record, with a new key, after the database was lost for good.

    The old key stays under another name, and the first entry says which record it follows and why. Refused while there
    is a record: continue or restore that one.
    """
    from service.codes import RecordCode
    from service.config.settings import SAMPLE_CONFIG, load_config
    from service.record.store.key_file import left_of_record
    from service.record.store.record import Record
    from service.record.store.record_settings import PUBLIC_KEY, RecordSettings
    from service.record.store.signing import PublicKey

    if not reason.strip():
        refuse("give a reason: it is recorded")
    with plain_record_errors():
        settings = RecordSettings.of(load_config(config or SAMPLE_CONFIG))
        if left_of_record(settings) is None:
            refuse(f"{settings.folder}: nothing of a record is here; the first start begins one by itself")
        with Record(settings) as record:
            state = record.state
        if state.finding.code is not RecordCode.KEY_WITHOUT_RECORD:
            refuse(f"a record is there; nothing was changed ({state.message})")
        public = settings.folder / PUBLIC_KEY
        before = PublicKey.load(public).hex if public.exists() else "unknown"
        told = {"by": attribution(reason).by, "reason": reason.strip()[:500], "instead_of": before}
        _set_aside(settings, before[:8])
        with Record(settings, instead=told) as record:
            if not record.state.ok:
                refuse(record.state.message)
            say(f"record {record.id} begins with a new key; files of the old one end in .{before[:8]}")


def _set_aside(settings: RecordSettings, name: str) -> None:
    """Give the files of a record that is lost other names."""
    from service.record.store.memory import MEMORY
    from service.record.store.record_settings import KEY, PUBLIC_KEY

    left = (*(settings.folder / file for file in (MEMORY, PUBLIC_KEY, KEY)), settings.mark_file)
    for file in left:
        if file.exists():
            file.rename(file.with_name(f"{file.name}.{name}"))
