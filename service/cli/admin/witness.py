"""``houseway witness``: an independent witness, on a machine that those who hold the table's computer do not hold."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import plain_errors, refuse, say

if TYPE_CHECKING:
    from collections.abc import Iterator

Folder = Annotated[Path, typer.Option("--folder", help="The witness's own folder: its key, and what it signed.")]


def init(
    name: Annotated[str, typer.Argument(help="What the witness is called, such as surveillance.example/w1.")],
    *,
    folder: Folder,
) -> None:
    """Begin a witness, and print its public key for the table's settings."""
    from service.witness.book import WitnessBook

    with _plain():
        say(WitnessBook.make(folder, name).key.text)


def key(*, folder: Folder) -> None:
    """Print the witness's public key: for the table's settings, and to check its signatures."""
    from service.witness.book import WitnessBook

    with _plain():
        say(WitnessBook.open(folder).key.text)


def trust(
    table: Annotated[str, typer.Argument(help="The table's name.")],
    *,
    folder: Folder,
    public_key: Annotated[Path, typer.Option("--public-key", help="The table's public key, its record.pub.")],
) -> None:
    """Sign for a table from now on; its record is trusted as it is when it first asks."""
    from service.record.store.signing import PublicKey
    from service.witness.book import WitnessBook

    with _plain():
        WitnessBook.open(folder).trust(table, PublicKey.load(public_key))


def list_records(*, folder: Folder) -> None:
    """List each record with its last signed checkpoint, in the form for `houseway record verify --seen`."""
    from service.witness.book import WitnessBook

    with _plain():
        for known in WitnessBook.open(folder).known():
            say(known.note.text)


def forget(
    record: Annotated[str, typer.Argument(help="The record's id, as `houseway witness list` shows it.")],
    *,
    folder: Folder,
) -> None:
    """Trust a record as it is when it next asks: after it was restored, and its owner has said why.

    What was signed stays in the folder; use it with `houseway record verify --seen`.
    """
    from service.witness.book import WitnessBook

    with _plain():
        say(f"what was signed is kept as {WitnessBook.open(folder).forget(record)}")


def serve(
    *,
    folder: Folder,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8010,
    tls_certificate: Annotated[Path | None, typer.Option(help="File of the TLS certificate (PEM).")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="File of the certificate's private key (PEM).")] = None,
) -> None:
    """Sign for the tables that ask, until Ctrl-C."""
    import uvicorn

    from service.witness.book import WitnessBook
    from service.witness.http import witness_app

    if (tls_certificate is None) != (tls_key is None):
        refuse("--tls-certificate and --tls-key are needed together")
    with _plain():
        book = WitnessBook.open(folder)
        lock = book.claim()
    try:
        say(f"{book.name} signs on {host} port {port} (Ctrl-C ends)")
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
    from service.record.store.signing import KeyFileError
    from service.witness.book import WitnessError

    try:
        with plain_errors(WitnessError, KeyFileError):
            yield
    except OSError as error:
        refuse(f"{error.filename or 'the folder'}: {error.strerror or error}")
