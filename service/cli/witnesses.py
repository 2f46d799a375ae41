"""``houseway witness``: an independent witness, on a machine that the operators of the table do not control."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import plain_errors, refuse, say

if TYPE_CHECKING:
    from collections.abc import Iterator

Folder = Annotated[
    Path, typer.Option("--folder", help="The witness's own folder: its key, and the checkpoints it signed.")
]


def trust(
    table: Annotated[str, typer.Argument(help="The table's name.")],
    *,
    folder: Folder,
    public_key: Annotated[Path, typer.Option("--public-key", help="The table's public key, its record.pub.")],
) -> None:
    """Sign for a table from now on; trust the record that it presents first."""
    from service.record.checkpoints.witness_book import WitnessBook
    from service.record.store.signing import PublicKey

    with _plain():
        WitnessBook.open(folder).trust(table, PublicKey.load(public_key))


def list_records(*, folder: Folder) -> None:
    """List the last signed checkpoint of each record, in the form for `houseway record verify --seen`."""
    from service.record.checkpoints.witness_book import WitnessBook

    with _plain():
        for known in WitnessBook.open(folder).records():
            say(known.note.text)


def forget(
    record: Annotated[str, typer.Argument(help="The record's id, as `houseway witness list` shows it.")],
    *,
    folder: Folder,
) -> None:
    """Trust a record again at its next request, after its owner has explained a restore.

    The checkpoints signed before stay in the folder; use them with `houseway record verify --seen`.
    """
    from service.record.checkpoints.witness_book import WitnessBook

    with _plain():
        say(f"what was signed is kept as {WitnessBook.open(folder).forget(record)}")


def serve(
    *,
    folder: Folder,
    name: Annotated[
        str | None,
        typer.Option(help="Name of a new witness, such as surveillance.example/w1: makes its folder and its key."),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8010,
    tls_certificate: Annotated[Path | None, typer.Option(help="File of the TLS certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="File of the certificate's private key (PEM).")] = None,
) -> None:
    """Sign checkpoints for the trusted tables, until Ctrl-C; prints the public key of the witness."""
    import uvicorn

    from service.record.checkpoints.witness_book import WitnessBook, witness_app

    if (tls_certificate is None) != (tls_key is None):
        refuse("--tls-certificate and --tls-key are needed together")
    with _plain():
        book = WitnessBook.open(folder) if name is None else WitnessBook.open_or_make(folder, name)
        lock = book.claim()
    try:
        say(f"{book.name} signs on {host} port {port} (Ctrl-C ends); its public key for the tables' settings:")
        say(book.key.text)
        uvicorn.run(
            witness_app(book),
            host=host,
            port=port,
            log_level="warning",
            server_header=False,
            ssl_certfile=tls_certificate,
            ssl_keyfile=tls_key,
        )
    finally:
        lock.release()


@contextmanager
def _plain() -> Iterator[None]:
    from service.record.checkpoints.witness_book import WitnessError
    from service.record.store.signing import KeyFileError

    with plain_errors(WitnessError, KeyFileError, OSError):
        yield
