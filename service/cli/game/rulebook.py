"""Commands about the rulebooks as documents: ``rulebook coverage`` and ``rulebook pages``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from service.cli.common import AsJson, plain_errors

if TYPE_CHECKING:
    from service.compliance.coverage import CitedAt, RuleRow


def coverage(
    rulebook: Annotated[str, typer.Argument(help="A rulebook, such as crown-6.1.", metavar="ID")],
    *,
    missing: Annotated[
        bool,
        typer.Option("--missing", help="Only rules that are neither implemented nor declared outside the program."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List every rule of a rulebook, and where it is implemented and tested.

    Where a program has no part in a rule, the reason is given instead.
    """
    from engine.books.registry import rulebook as find
    from service.compliance.coverage import RuleState
    from service.compliance.coverage import coverage as cover

    with plain_errors():
        found = cover(find(rulebook))
    rows = found.of(RuleState.OPEN) if missing else found.rows
    if as_json:
        typer.echo(json.dumps({"rulebook": found.book.id, "rules": [_json(row) for row in rows]}))
    else:
        typer.echo("\n".join(map(_text, rows)))


def _text(row: RuleRow) -> str:
    lines = [f"{row.rule.number}  {row.rule.words}", *(f"    {_at(place)}" for place in row.code)]
    lines += [f"    tested: {_at(place)}" for place in row.tests]
    if row.why and not row.rule.leads_in:
        lines.append(f"    outside: {row.why}")
    return "\n".join(lines)


def _at(place: CitedAt) -> str:
    return f"{place.path}:{place.line} {place.name}".rstrip()


def _json(row: RuleRow) -> dict[str, Any]:
    places = {"code": list(map(_at, row.code)), "tests": list(map(_at, row.tests))}
    return {
        "number": row.rule.number,
        "words": row.rule.words,
        "state": row.state.name.lower(),
        **places,
        "why": row.why,
    }


def pages(
    folder: Annotated[Path, typer.Argument(help="Folder to write RULEBOOK.md to.", file_okay=False)],
) -> None:
    """Write the same lists as pages, one for each rulebook."""
    from engine.books.registry import BOOKS
    from service.compliance.coverage import coverage as cover
    from service.compliance.coverage_page import page

    with plain_errors(OSError):
        written = {folder / f"{book.id}.md": page(cover(book), folder) for book in BOOKS.values()}
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in written.items():
            path.write_text(text)
            typer.echo(path)
