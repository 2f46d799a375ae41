"""Documents are named as they lie in the repository, ``docs/rounds.md``; on a page that name is a link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx import addnodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_NAMED = re.compile(r"docs/([\w/-]+?)(?:\.md)?/?")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("doctree-read", link_documents)
    return {"parallel_read_safe": True}


def link_documents(app: Sphinx, document: nodes.document) -> None:
    """Make each inline code that names a document into a link with that document's title."""
    for named in list(document.findall(nodes.literal)):
        found = _NAMED.fullmatch(named.astext())
        name = found and next((each for each in (found[1], f"{found[1]}/index") if each in app.env.found_docs), None)
        if not name or isinstance(named.parent, nodes.title):
            continue
        link = addnodes.pending_xref(
            "",
            nodes.inline(),
            refdomain="std",
            reftype="doc",
            refdoc=app.env.docname,
            reftarget=f"/{name}",
            refexplicit=False,
            refwarn=True,
        )
        named.replace_self(link)
