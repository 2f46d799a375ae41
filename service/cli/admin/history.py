"""``houseway record restored``: what is done to a record as a whole, told in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import attribution, plain_record_errors, say

Settings = Annotated[Path, typer.Option("--config", help="The table's settings file (TOML).")]
Reason = Annotated[str, typer.Option("--reason", help="Why; it is recorded.")]


def restored(*, config: Settings, reason: Reason) -> None:
    """Say that the record was restored from a copy: it goes on in a new epoch.

    Run it after putting a copy back and before starting the service. Everybody who is told of results is then told that
    later entries are gone, and from where to go on.
    """
    from service.config.settings import load_config
    from service.notify.history import History
    from service.notify.outbox import Outbox
    from service.record.checkpoints.newest import newest_note
    from service.record.ledger import open_record
    from service.record.store.files import write_durably

    with plain_record_errors():
        settings = load_config(config)
        record = open_record(settings)
        try:
            files = {"mark file": record.settings.mark_file}
            if settings.record.checkpoints_file is not None:
                files["checkpoints file"] = settings.record.checkpoints_file
            told = attribution(reason)
            epoch = History(record, Outbox(record.database), settings.table.name, files).restored(told.by, told.reason)
            left = record.faults.open
            note = newest_note(record)
            if note is not None:
                write_durably(record.settings.mark_file, note.text.encode(), mode=0o600)
        finally:
            record.close()
    say(f"the record goes on from entry {epoch.since}, in epoch {epoch.name}")
    for fault in left:
        say(f"still to be answered for with `houseway record accept`: {fault.words}")
