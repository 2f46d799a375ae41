"""``houseway --help`` and ``houseway --version``."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any, ClassVar, Final

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from pathlib import Path

    from typer._click import Command, Context, HelpFormatter

_UNLIMITED: Final = 1_000
"""Longer than any first sentence, so that none is cut off."""


class CommandGroup(TyperGroup):
    """A group of commands whose help has a section for each kind of user.

    Attributes:
        listed: names of its commands in the order of the help; typer's own order if empty.
    """

    listed: ClassVar[list[str]] = []

    def invoke(self, ctx: Context) -> Any:  # noqa: ANN401  as of the base class
        """Run the command; an error about a missing rulebook lists the rulebooks."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            if not error.message and error.param is not None and error.param.name == "rulebook":
                from engine.books.registry import VERSIONS

                error.message = f"Known: {', '.join(VERSIONS)}"
            raise

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(self.listed) or super().list_commands(ctx)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section for each heading, with the first sentence about each command."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for heading, commands in sections(self, ctx).items():
            formatter.write_paragraph()
            formatter.write(f"{heading}\n")
            with formatter.indentation():
                formatter.write_dl(
                    [(name.ljust(width), one.get_short_help_str(_UNLIMITED)) for name, one in commands.items()]
                )


def sections(group: TyperGroup, ctx: Context) -> dict[str, dict[str, Command]]:
    """Return the commands of a group by their headings, in the order of the help."""
    found: dict[str, dict[str, Command]] = {}
    for name in group.list_commands(ctx):
        command = group.commands[name]
        heading = getattr(command, "rich_help_panel", None)
        found.setdefault(heading if isinstance(heading, str) else "Commands:", {})[name] = command
    return found


def show_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    """Print version, commit and code hash, and end the command.

    The code hash is the one that every result carries as ``versions.code``. The commit is known only where the program
    runs from its repository.
    """
    if not wanted:
        return
    from service import __version__
    from service.system.versions import ROOT, code_state

    typer.echo(f"houseway {__version__}")
    commit = commit_of(ROOT)
    if commit:
        typer.echo(f"commit   {commit}")
    typer.echo(f"code     sha256:{code_state().sha256}")
    raise typer.Exit


def commit_of(folder: Path) -> str:
    """Return the commit of a folder, with ``-dirty`` after it if files differ; empty if unknown."""
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--match="]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=5)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
