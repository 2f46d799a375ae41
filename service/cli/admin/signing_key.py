"""``houseway record rotate-key``: another key signs the record from now on, and the record says so."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import attribution, plain_record_errors, say

Settings = Annotated[Path, typer.Option("--config", help="The table's settings file (TOML).")]
Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")]


def rotate_key(
    *,
    config: Settings,
    reason: Reason,
) -> None:
    """Sign the record with a new key from now on; stop the service first.

    The old key signs the entry that names the new one. Then keep copies of the new record.pub. Witnesses follow the
    change by themselves.
    """
    from service.config.settings import load_config
    from service.record.ledger import open_record
    from service.record.rotation import rotate
    from service.record.store.key_file import put_in_place
    from service.record.store.record_settings import KEY_NEXT
    from service.record.store.signing import Signer

    with plain_record_errors():
        record = open_record(load_config(config))
        try:
            following = record.settings.folder / KEY_NEXT
            with suppress(FileNotFoundError):
                following.unlink()
            signer = Signer.make(following)
            entry = rotate(record, signer.public, attribution(reason))
            put_in_place(record.settings.folder)
        finally:
            record.close()
    say(f"entry {entry.seq} names the new key {signer.public.hex}")
