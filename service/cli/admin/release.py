"""``houseway release``: a release made, signed and verified, away from tables and floor."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from service.cli.common import attribution, plain_errors, say

if TYPE_CHECKING:
    from collections.abc import Iterator

Folder = Annotated[Path, typer.Argument(help="The release's folder.")]
Key = Annotated[Path, typer.Option("--key", help="File of the release key.")]


def release_key(
    file: Annotated[Path, typer.Argument(help="File of the release key. It is created if it does not exist.")],
) -> None:
    """Make a release key, or show its public half.

    Keep the file away from the tables and the floor. The public half, which is printed, goes into the settings of each
    table: release_key under [fleet].
    """
    from service.record.store.signing import Signer

    with _errors():
        signer = Signer.load(file) if file.exists() else Signer.make(file)
    say(signer.public.hex)


def make_release(
    folder: Annotated[Path, typer.Argument(help="A new folder for the release.")],
    name: Annotated[str, typer.Option(help="Its name: small letters, digits, dots and hyphens.")],
    number: Annotated[int, typer.Option(min=1, help="Its number, higher than that of every release before.")],
    reason: Annotated[str, typer.Option(help="Why. Tables record it.")],
    models: Annotated[
        Path | None, typer.Option(help="Folder with the four models and their cards, as models/weights.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="TOML file with the settings to roll out.")] = None,
) -> None:
    """Make a release of models and settings; sign it afterwards."""
    from service.release.making import make

    with _errors():
        made = make(folder, name=name, number=number, why=attribution(reason), models=models, settings=settings)
    say(f"{made.name}, number {made.number}: {len(made.files)} files in {folder}; sign it with houseway release sign")


def sign_release(folder: Folder, key: Key) -> None:
    """Sign a release."""
    from service.record.store.signing import Signer
    from service.release.making import sign

    with _errors():
        signer = Signer.load(key)
        manifest = sign(folder, signer)
    say(f"{manifest.name}, number {manifest.number}, is signed with {signer.public.hex}")


def verify_release(
    folder: Folder,
    public_key: Annotated[str, typer.Option(help="Public half of the release key, as houseway release key prints it.")],
) -> None:
    """Verify the signature and the files of a release, as a table does."""
    from service.record.store.signing import PublicKey
    from service.release.given_out import settings_in
    from service.release.manifest import verified_folder

    with _errors():
        manifest = verified_folder(folder, PublicKey.of_hex(public_key))
        settings = settings_in(folder, manifest)
    say(f"{manifest.name}, number {manifest.number}, made {manifest.made_at:%Y-%m-%d} by {manifest.made_by}")
    say(f"reason: {manifest.reason}")
    for each in manifest.files:
        say(f"  {each.sha256[:16]} {each.path}")
    for (section, setting), value in settings.items():
        say(f"  {section}.{setting} = {value!r}")
    say("signed and complete")


@contextmanager
def _errors() -> Iterator[None]:
    from service.record.store.signing import KeyFileError
    from service.release.manifest import ReleaseError

    with plain_errors(ReleaseError, KeyFileError, ValueError, OSError, program="houseway release"):
        yield
