"""How long the first task of each kind of user takes, done by a scripted browser or in a terminal.

The table is the bundled recording, as ``make run`` shows it, with a record of its own; a person reads and thinks, which
a script does not, so that each time is what the program itself takes. ``--shots`` keeps a picture of each screen.
The technician's walk, from an empty settings file to a verified hand, is ``tests/service/setup``.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
from playwright.sync_api import ViewportSize, expect, sync_playwright

from benchmarks.measure import parser_of, report
from benchmarks.served_sample import ROOT, launched, served_sample

if TYPE_CHECKING:
    import argparse

    from playwright.sync_api import Page

PATIENCE_MS = 600_000
PHONE: ViewportSize = {"width": 390, "height": 780}
DESK: ViewportSize = {"width": 1440, "height": 900}
OWN_WAY = "docs/house-way-of-your-own.md"


def houseway(*words: str, state: str) -> subprocess.CompletedProcess[str]:
    """Run a command; its text is kept."""
    return subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-m", "service", *words],
        cwd=ROOT,
        env=os.environ | {"XDG_STATE_HOME": state},
        capture_output=True,
        text=True,
        check=False,
    )


class Screens:
    """Keeps a picture of each screen, if somebody wants them."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def keep(self, page: Page, name: str) -> None:
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=self.folder / f"{name}.png")


def newcomer(page: Page, began: float, screens: Screens) -> float:
    """From the start of the service to a verdict on a House hand, with its rule, in sight on the page."""
    page.set_viewport_size(DESK)
    verdict = page.locator("#verdict .verdict.wrong, #verdict .verdict.correct").first
    expect(verdict).to_be_visible(timeout=PATIENCE_MS)
    expect(verdict.locator(".rule")).to_be_in_viewport()
    screens.keep(page, "newcomer")
    return time.monotonic() - began


def supervisor(page: Page, address: str, screens: Screens) -> dict[str, float]:
    """Answers the alarm of a wrong hand, then decides a doubtful die on a telephone, without scrolling."""
    page.goto(f"{address}/")
    page.get_by_role("button", name=re.compile("Acknowledge")).first.wait_for(timeout=PATIENCE_MS)
    began = time.monotonic()
    screens.keep(page, "alarm")
    page.locator(".alarm a").first.click()
    page.locator("main .moment, main .question").first.wait_for()
    screens.keep(page, "moment")
    page.go_back()
    page.get_by_role("button", name=re.compile("Acknowledge")).first.click()
    answered = time.monotonic() - began
    page.set_viewport_size(PHONE)
    while True:
        page.goto(f"{address}/review")
        die = page.locator("#dice .queue h3 a")
        if die.count():
            break
        page.wait_for_timeout(1000)
    began = time.monotonic()
    die.first.click()
    choices = page.locator(".question button[name=choice]")
    choices.first.wait_for()
    expect(choices.first).to_be_in_viewport()
    screens.keep(page, "doubtful-die")
    page.keyboard.press("a")
    choices.first.click()
    expect(page.locator(".done").first).to_be_in_viewport()
    decided = time.monotonic() - began
    screens.keep(page, "decided")
    return {"alarm_answered_s": answered, "die_decided_s": decided}


def integrator(address: str, state: str) -> float:
    """Makes a key and asks for the first results with it."""
    began = time.monotonic()
    made = houseway("key", "add", "floor", "--role", "integrator", "--reason", "first results", state=state)
    key = re.search(r"hw_\S+|[A-Za-z0-9_.-]{32,}", made.stdout)
    if key is None:
        raise SystemExit(made.stderr)
    answer = httpx2.get(f"{address}/v1/results?limit=1", headers={"Authorization": f"Bearer {key[0]}"})
    if not answer.raise_for_status().json()["results"]:
        raise SystemExit("no result yet")
    return time.monotonic() - began


def auditor(state: str) -> float:
    """Exports the record and proves the export."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "export")
        exported = houseway("record", "export", "--out", out, state=state)
        proven = houseway("record", "verify", out, state=state)
        if exported.returncode or proven.returncode:
            raise SystemExit(f"{exported.stderr}{proven.stdout}{proven.stderr}")
    return time.monotonic() - began


def owner(state: str) -> float:
    """Checks a House Way of his own: the first example of the document."""
    way = re.search(r"```toml house-way\n(.*?)```", (ROOT / OWN_WAY).read_text(), re.DOTALL)
    if way is None:
        raise SystemExit(f"{OWN_WAY} has no example")
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "own.toml"
        file.write_text(way[1])
        checked = houseway("house-way", "check", str(file), state=state)
        if checked.returncode not in {0, 1}:
            raise SystemExit(checked.stderr)
    return time.monotonic() - began


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--shots", type=Path, help="folder for a picture of each screen")
    asked: argparse.Namespace = parser.parse_args()
    screens = Screens(asked.shots)
    with tempfile.TemporaryDirectory(prefix="houseway-tasks-") as state, sync_playwright() as playwright:
        began = time.monotonic()
        with served_sample(state) as (address, link):
            browser = launched(playwright)
            page = browser.new_page()
            page.set_default_timeout(PATIENCE_MS)
            page.goto(link)
            page.goto(f"{address}/")
            result: dict[str, float] = {"newcomer_sees_a_verdict_s": newcomer(page, began, screens)}
            result["integrator_first_result_s"] = integrator(address, state)
            result |= supervisor(page, address, screens)
            browser.close()
        result["auditor_export_proven_s"] = auditor(state)
        result["owner_house_way_checked_s"] = owner(state)
    report({name: round(seconds, 1) for name, seconds in result.items()}, as_json=asked.as_json)


if __name__ == "__main__":
    main()
