"""The page of all commands, from the command line itself."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import typer.main
from typer._click import Context
from typer.core import TyperGroup

from datasets.generate import app as generator
from docs.site.markdown import anchor, code, plain, table
from service.cli import app
from service.cli.help_text import sections

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer._click import Command

_HEAD = """\
# Commands

All of them are `houseway COMMAND`, in `.venv/bin` of the program's folder. Each explains itself with `--help`, and
`houseway --version` says which program this is. With `--json`, where there is one, the answer is JSON for programs.
"""


def commands_page() -> Iterator[str]:
    """Yield the lines of the page: a section for each kind of user, in it each command with all that it takes."""
    yield _HEAD
    top = typer.main.get_command(app)
    assert isinstance(top, TyperGroup)  # noqa: S101  what typer makes of more than one command
    for heading, commands in sections(top, Context(top, info_name="houseway")).items():
        yield f"## {heading}\n"
        for name, command in commands.items():
            yield from _described(f"houseway {name}", command)


def _described(name: str, command: Command) -> Iterator[str]:
    below = _group(command)
    if below is not None:
        for word, one in below.commands.items():
            yield from _described(f"{name} {word}", one)
        return
    context = Context(command, info_name=name)
    yield from (anchor(name), f"### {code(name)}\n")
    yield from (plain(inspect.cleandoc(command.help or "")), "")
    yield f"```text\n{name} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    taken = [record for each in command.params if (record := each.get_help_record(context)) is not None]
    if taken:
        yield from table(("takes", "meaning"), [(code(left), plain(right)) for left, right in taken])


def _group(command: Command) -> TyperGroup | None:
    """The commands below a command; those of the generator, to which ``synth`` hands on."""
    if command.name == "synth":
        command = typer.main.get_command(generator)
    return command if isinstance(command, TyperGroup) else None
