"""Pieces of Markdown that all pages of the reference are made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; what a cell holds is Markdown already."""
    yield _row(heads)
    yield _row(["---"] * len(heads))
    yield from map(_row, rows)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def plain(text: str) -> str:
    r"""Literal text: nothing in it is markup, but a document that it names becomes code, and so a link.

    >>> plain("a <path> of [x], see docs/rounds.md")
    'a \\<path\\> of \\[x\\], see `docs/rounds.md`'
    """
    parts = re.split(r"(docs/[\w/-]+\.md)", text)
    return "".join(
        f"`{part}`" if place % 2 else re.sub(r"([\\`<>\[\]*_#$~{}])", r"\\\1", part) for place, part in enumerate(parts)
    )


def code(text: str) -> str:
    """Text as code.

    >>> code("since"), code("a`b")
    ('`since`', '`` a`b ``')
    """
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def anchor(name: str) -> str:
    """A target for links above the heading that follows.

    >>> anchor("houseway house-way diff")
    '(houseway-house-way-diff)='
    """
    return f"({slug(name)})="


def slug(name: str) -> str:
    """The target of a name, as links have it.

    >>> slug("object BankOut")
    'object-bankout'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
