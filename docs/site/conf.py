"""How Sphinx makes the documentation into pages; ``python -m docs.site`` (or ``make docs``) runs it."""

from __future__ import annotations

from service import __version__

project = "Houseway"
author = "the Houseway project"
copyright = "the Houseway project, Apache License 2.0"  # noqa: A001  Sphinx's own name
release = __version__
extensions = ["myst_parser", "docs.site.links"]
master_doc = "index"
highlight_language = "none"
smartquotes = False  # of --option it makes a dash

myst_heading_anchors = 3
nitpicky = True

html_theme = "furo"
html_title = f"Houseway {release}"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
