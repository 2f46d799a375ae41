"""What axe finds on pages, and whether one is wider than the screen: each page loaded once for all sizes and themes."""

from collections.abc import Iterator, Sequence
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from service.web.templating import THEMES

_AXE = Axe()
_COLOURS = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
"""All that a theme can change."""


def check_accessible(page: Page, url: str, paths: Sequence[str], *sizes: tuple[int, int]) -> None:
    """Hold every rule against pages at each size, and their colours against each theme."""
    found: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        page.set_viewport_size({"width": sizes[0][0], "height": sizes[0][1]})
        page.goto(f"{url}{path}")
        expect(page.locator("#problem-title")).to_have_count(0)
        if bad := {name: nodes for told in _told(page, path, sizes) for name, nodes in _bad(told)}:
            found[path] = bad
    assert not found


def _told(page: Page, path: str, sizes: Sequence[tuple[int, int]]) -> Iterator[list[dict[str, Any]]]:
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        yield _AXE.run(page).response["violations"]
    for theme in THEMES:
        page.evaluate("theme => document.documentElement.setAttribute('data-theme', theme)", theme)
        yield _AXE.run(page, options=_COLOURS).response["violations"]


def _bad(told: list[dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    return ((each["id"], [node["html"] for node in each["nodes"]][:3]) for each in told)
