"""``houseway record rotate-key``: another key signs the record from now on, and the record says so."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, plain_record_errors, say

if TYPE_CHECKING:
    from service.record.store.record_settings import TokenKey
    from service.record.store.signing import AnySigner

Settings = Annotated[Path, typer.Option("--config", help="The table's settings file (TOML).")]
Reason = Annotated[str, typer.Option("--reason", help="Why. Recorded with the change.")]


def rotate_key(
    *,
    config: Settings,
    reason: Reason,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="URI",
            help="PKCS#11 URI of the new key in a token; it is made there if there is none. Default: a new key file.",
        ),
    ] = None,
    pin_file: Annotated[Path | None, typer.Option("--pin-file", help="File that holds the PIN of that token.")] = None,
) -> None:
    """Sign the record with a new key from now on; stop the service first.

    The old key signs the entry that names the new one. Then keep copies of the new record.pub. Witnesses follow the
    change by themselves.
    """
    from service.config.settings import load_config
    from service.record.ledger import open_record
    from service.record.rotation import rotate
    from service.record.store.record_settings import KEY_NEXT, TokenKey
    from service.record.store.signers import put_in_place
    from service.record.store.signing import Signer

    with plain_record_errors():
        settings = load_config(config)
        record = open_record(settings)
        try:
            following = record.settings.folder / KEY_NEXT
            signer: AnySigner
            if to is not None:
                signer = _in_token(TokenKey(to, pin_file))
            else:
                with suppress(FileNotFoundError):
                    following.unlink()
                signer = Signer.make(following)
            entry = rotate(record, signer.public, attribution(reason))
            if to is None:
                put_in_place(record.settings)
        finally:
            record.close()
    say(f"entry {entry.seq} names the new key {signer.public.hex}")
    if to is not None:
        say(f'now set in {config}, under [record]: key_uri = "{to}"')
    elif settings.record.key_uri is not None:
        say(f"now remove key_uri from {config}: the key is in {record.settings.folder}")


def _in_token(key: TokenKey) -> AnySigner:
    from service.codes import RecordCode
    from service.record.store.signing import KeyFileError
    from service.record.store.token import TokenSigner, make_key

    try:
        return TokenSigner.open(key)
    except KeyFileError as error:
        if error.finding.code is not RecordCode.KEY_MISSING:
            raise
        return make_key(key)
