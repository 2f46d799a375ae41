"""``houseway tournament``: the Terms and Conditions of a tournament, checked against its rulebook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from service.tournament import TermsCheckOut


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(no_args_is_help=True, help="Tournaments.")
    group.callback()(_group)
    group.command("check")(check)
    app.add_typer(group, name="tournament")


def _group() -> None:
    """Tournaments."""


def check(
    file: Annotated[
        Path, typer.Argument(help="Terms and Conditions in TOML; docs/tournaments.md explains the format.")
    ],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """List what the Terms and Conditions lack, each with its rule; status 1 if anything."""
    from engine.errors import EngineError
    from service.tournament import TermsCheckOut, TournamentFileError, load_terms

    try:
        checked = TermsCheckOut.of(load_terms(file))
    except (EngineError, TournamentFileError) as error:
        typer.echo(f"houseway: {' '.join(str(error).split())}", err=True)
        raise typer.Exit(2) from error
    typer.echo(checked.model_dump_json() if as_json else _text(checked))
    if not checked.complete:
        raise typer.Exit(1)


def _text(checked: TermsCheckOut) -> str:
    head = f"{checked.name}: {checked.asked} rules of {checked.rulebook} asked"
    if checked.complete:
        return f"{head}; the Terms and Conditions answer all of them"
    lines = [f"{one.rule:16} {one.fault.value}: {one.words} ({one.cite})" for one in checked.findings]
    return "\n".join([f"{head}; {len(lines)} found:", *lines])
