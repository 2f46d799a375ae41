"""What ``houseway --help`` looks like: commands by who uses them, each with its whole first sentence.

Plain text, so that it reads the same in a terminal, in a pipe and by a screen reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from typer.core import TyperGroup

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter

_WHOLE: Final = 1_000
"""More characters than any first sentence has: nothing is cut off."""


class CommandGroup(TyperGroup):
    """A group of commands whose help has a section for each kind of user.

    Attributes:
        listed: names of its commands in the order of the help; typer's own order if empty.
    """

    listed: ClassVar[list[str]] = []

    def list_commands(self, ctx: Context) -> list[str]:
        """The names of the commands, in the order of the help."""
        return list(self.listed) or super().list_commands(ctx)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write a section for each heading, and the whole first sentence about each command."""
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for heading, commands in sections(self, ctx).items():
            formatter.write_paragraph()
            formatter.write(f"{heading}\n")
            with formatter.indentation():
                formatter.write_dl(
                    [(name.ljust(width), one.get_short_help_str(_WHOLE)) for name, one in commands.items()]
                )


def sections(group: TyperGroup, ctx: Context) -> dict[str, dict[str, Command]]:
    """The commands of a group by their headings, in the order of the help."""
    found: dict[str, dict[str, Command]] = {}
    for name in group.list_commands(ctx):
        command = group.commands[name]
        heading = getattr(command, "rich_help_panel", None)
        found.setdefault(heading if isinstance(heading, str) else "Commands:", {})[name] = command
    return found
