"""Page of a rulebook for a regulator: where each rule is implemented and tested, or why it is outside.

``python -m service.cli.compliance.coverage_page FOLDER`` writes one page for each rulebook.
"""

from __future__ import annotations

import os
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from engine.books.registry import BOOKS
from service.cli.compliance.coverage import ROOT, RuleState, coverage

if TYPE_CHECKING:
    from service.cli.compliance.coverage import CitedAt, Coverage, RuleRow

_HEAD = """\
# {source.title}

| | |
| --- | --- |
| id in configuration, code and commands | `{source.rulebook}` |
| revision | {source.revision} |
| sha256 of the text as used | `{source.sha256}` |

| rules that say something of their own | {own} |
| --- | ---: |
| implemented | {implemented} |
| of these cited by a test | {tested} |
| outside, each with its reason | {outside} |
| neither implemented nor outside | {open} |

Every rule of the document by its printed number: where it is implemented and which tests cite it, or why software has
no part in it. What decides it is the camera (what is seen at a table is compared with it), the log (a round's log and
its settlement accept only what it allows), a command (that answers by it), a person, or nobody (it leaves nothing to
decide in play). The words are ours and few; they do not stand for the text. A rule whose words end with a colon only
introduces its parts. Written by `make rulebooks` from the citations in the sources and the lists in
`engine/books`.

| rule | about | decided by | implemented | tested |
| --- | --- | --- | --- | --- |
"""


def page(found: Coverage, folder: Path) -> str:
    """Return the page in Markdown, with links to the sources relative to `folder`."""
    states = [row.state for row in found.rows if not row.rule.leads_in]
    head = _HEAD.format(
        source=found.book.source,
        own=len(states),
        implemented=states.count(RuleState.IMPLEMENTED),
        tested=states.count(RuleState.IMPLEMENTED) - len(found.untested),
        outside=states.count(RuleState.OUTSIDE),
        open=states.count(RuleState.OPEN),
    )
    to_root = os.path.relpath(ROOT, folder)
    return head + "".join(_line(row, to_root) for row in found.rows)


def _line(row: RuleRow, to_root: str) -> str:
    number, words = row.rule.number, row.rule.words
    if row.rule.depth == 0:
        number, words = f"**{number}**", f"**{words}**"
    where = {
        RuleState.IMPLEMENTED: _links(row.code, to_root),
        RuleState.OUTSIDE: "" if row.rule.leads_in else f"*outside:* {row.why}",
        RuleState.PARTS: "",
        RuleState.OPEN: "**not implemented**",
    }[row.state]
    deciders = ", ".join(each.value for each in row.deciders)
    return f"| {number} | {words} | {deciders} | {where} | {_links(row.tests, to_root)} |\n"


def _links(places: tuple[CitedAt, ...], to_root: str) -> str:
    """Return one link for each file, followed by the names of its functions and constants."""
    return "<br>".join(
        f"[{path}]({to_root}/{path}) {', '.join(each.name for each in there if each.name)}".rstrip()
        for path, there in groupby(sorted(places), key=lambda place: place.path)
    )


def write_pages(folder: Path) -> list[Path]:
    """Write RULEBOOK.md for each rulebook into a folder, and return the paths; OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for book in BOOKS.values():
        path = folder / f"{book.id}.md"
        path.write_text(page(coverage(book), folder), encoding="utf-8")
        written.append(path)
    return written


if __name__ == "__main__":
    for each in write_pages(Path(sys.argv[1])):
        sys.stdout.write(f"{each}\n")
