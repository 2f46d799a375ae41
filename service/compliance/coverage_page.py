"""The page of a rulebook for a regulator: each rule, where it is implemented and tested, or why not."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from service.compliance.coverage import State

if TYPE_CHECKING:
    from service.compliance.coverage import Coverage, Place, Row

FOLDER = "docs/rulebooks"
"""Where the pages are kept, from the root."""

_TO_ROOT = "../../"

_HEAD = """\
# {title}

| | |
| --- | --- |
| id in configuration, code and commands | `{id}` |
| revision | {revision} |
| sha256 of the text as used | `{sha256}` |

| rules that say something of their own | {own} |
| --- | ---: |
| implemented | {implemented} |
| of these named by a test | {tested} |
| outside, each with its reason | {outside} |
| in neither list | {open} |

Every rule of the document by its printed number: where it is implemented and which tests name it, or why software has
no part in it. The words are ours and few; they do not stand for the text. A rule whose words end with a colon says
nothing but what its parts say. `make rulebooks` writes this page from the citations in the sources and the lists in
`engine/rulebooks`.

| rule | about | implemented | tested |
| --- | --- | --- | --- |
"""


def page(found: Coverage) -> str:
    """The page in Markdown."""
    source = found.book.source
    own = [row for row in found.rows if not row.rule.leads_in]
    states = [row.state for row in own]
    head = _HEAD.format(
        title=source.title,
        id=source.rulebook,
        revision=source.revision,
        sha256=source.sha256,
        own=len(own),
        implemented=states.count(State.IMPLEMENTED),
        tested=states.count(State.IMPLEMENTED) - len(found.untested),
        outside=states.count(State.OUTSIDE),
        open=states.count(State.OPEN),
    )
    return head + "".join(map(_row, found.rows))


def _row(row: Row) -> str:
    number, words = row.rule.number, row.rule.words
    if row.rule.depth == 0:
        number, words = f"**{number}**", f"**{words}**"
    where = {
        State.IMPLEMENTED: _links(row.code),
        State.OUTSIDE: "" if row.rule.leads_in else f"*outside:* {row.why}",
        State.PARTS: "",
        State.OPEN: "**not implemented**",
    }[row.state]
    return f"| {number} | {words} | {where} | {_links(row.tests)} |\n"


def _links(places: tuple[Place, ...]) -> str:
    """Each file once, as a link, and what in it carries the rule."""
    return "<br>".join(
        f"[{path}]({_TO_ROOT}{path})" + ", ".join(f" {each.name}" for each in there if each.name)
        for path, there in groupby(sorted(places), key=lambda place: place.path)
    )
