"""Builds the documentation as a site: ``make docs``, or ``python -m docs.site [FOLDER]``.

The documents of ``docs`` are used unchanged. The reference of commands, settings, HTTP requests and metrics is
written from the program itself, into ``build`` and not into the repository.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.cmd.build import build_main

from docs.site.commands import commands_page
from docs.site.metrics import metrics_page
from docs.site.requests import requests_page
from docs.site.settings import settings_page
from service.system.settings import Config
from service.table.worker import Instruments
from service.web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fastapi import FastAPI

ROOT = Path(__file__).resolve().parents[2]


def build(out: Path) -> int:
    """Build the site into ``out``, its pages beside it; the status of Sphinx, for which every warning is an error."""
    source = out.with_name(f"{out.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("site", "__pycache__", "*.py"))
    shutil.copy(ROOT / "CHANGELOG.md", source / "changes.md")
    write_reference(source / "reference")
    return build_main(["-b", "html", "-q", "-W", "-c", str(Path(__file__).parent), str(source), str(out)])


def write_reference(folder: Path) -> None:
    """Write the pages that are made from the program itself."""
    with application() as app:
        pages = {
            "commands": commands_page(),
            "settings": settings_page(),
            "requests": requests_page(app.openapi()),
            "metrics": metrics_page(app.state.parts.metrics.registry),
        }
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in pages.items():
            (folder / f"{name}.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


class _NoReader:
    """Replaces the picture reader: nothing is read here."""


@contextmanager
def application() -> Iterator[FastAPI]:
    """The service of a table that does not exist, to ask it what it offers; its folder goes away again."""
    with tempfile.TemporaryDirectory(prefix="houseway-docs-") as folder:
        settings = {"tables": [{"name": "sample", "source": {"path": folder}}], "record": {"folder": folder}}
        config = Config.model_validate(settings, context={"folder": Path(folder)})
        app = create_app(config, lambda _: Instruments(_NoReader()), watch=False)  # type: ignore[arg-type]
        try:
            yield app
        finally:
            app.state.parts.record.close()


if __name__ == "__main__":
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs"
    status = build(site)
    if status == 0:
        sys.stdout.write(f"{site / 'index.html'}\n")
    sys.exit(status)
