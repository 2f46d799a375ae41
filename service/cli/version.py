"""``houseway --version``: which program this is, as results and the record name it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from pathlib import Path


def show_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    """Print version, commit and code hash, and end the command.

    The code hash is the one that every result carries as ``versions.code``. The commit is known only where the program
    runs from its repository.
    """
    if not wanted:
        return
    from service import __version__
    from service.ops.code import ROOT, code_state

    typer.echo(f"houseway {__version__}")
    commit = commit_of(ROOT)
    if commit:
        typer.echo(f"commit   {commit}")
    typer.echo(f"code     sha256:{code_state().sha256}")
    raise typer.Exit


def commit_of(folder: Path) -> str:
    """The commit a folder is at, with ``-dirty`` behind it if files were changed since; empty if that is not known."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--match="]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return told.stdout.strip() if told.returncode == 0 else ""
