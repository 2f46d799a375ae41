"""``houseway record restored``: what is done to a record as a whole, told in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import attribution, plain_record_errors, say

Settings = Annotated[Path, typer.Option("--config", help="The table's settings file (TOML).")]
Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")]


def restored(*, config: Settings, reason: Reason) -> None:
    """Record that the record was restored from a backup: it continues in a new epoch.

    Run it after the restore and before starting the service. All subscribers then learn which entries are gone, and
    where to continue. It also accepts that those entries are gone, so that the table verifies again; nothing else is
    needed.
    """
    from service.codes import RecordCode
    from service.config.settings import load_config
    from service.notify.history import MARK, History
    from service.notify.outbox import Outbox
    from service.record.checkpoints.mark import keep_mark
    from service.record.checkpoints.newest import newest_note
    from service.record.ledger import open_record

    with plain_record_errors():
        settings = load_config(config)
        record = open_record(settings)
        try:
            files = {MARK: record.settings.mark_file}
            if settings.record.checkpoints_file is not None:
                files["checkpoints file"] = settings.record.checkpoints_file
            told = attribution(reason)
            history = History(record, Outbox(record.database), settings.table.name, files)
            epoch, answered = history.restored(told.by, told.reason)
            left = record.faults.open
            last, whence = history.last_lost()
            note = newest_note(record)
            if note is not None and not any(fault.finding.code is RecordCode.RECORD_EXCHANGED for fault in left):
                keep_mark(record.settings.mark_file, note)
        finally:
            record.close()
    say(f"the record continues from entry {epoch.since}, in epoch {epoch.name}")
    if whence:
        say(f"entries {epoch.since + 1} to {last} are gone; known from {whence}")
    for fault in answered:
        say(f"accepted, with your reason: {fault.words}")
    for fault in left:
        say(f"still to be accepted with `houseway record accept`: {fault.words}")
