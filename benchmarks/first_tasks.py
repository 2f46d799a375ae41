"""Seven kinds of user, each at their first task: how long it takes, in how many actions, and what they see.

`python -m benchmarks.first_tasks` plays them on the real service with its sample, in Chromium and in a terminal. What
people saw is kept in `build/first-tasks`, at three sizes in three languages, after a check with axe.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple
from urllib.parse import urljoin

import httpx2
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect, sync_playwright

from service.words.languages import COOKIE
from tests.conftest import ROOT
from tests.service.web.program import Program, launch, running

SIZES = ((1440, 900), (1024, 768), (390, 844))
LANGUAGES = ("en", "zh-Hant", "zh-Hans")
CHECKED = {"en", "zh-Hant"}
"""Languages in which axe looks at pages: Simplified Chinese differs from Traditional in its characters only."""
PATIENCE_MS = 300_000
"""Longer than the sample takes to come to a wrong hand, on any machine."""
OWN_WAY = next(
    iter(
        re.findall(
            r"```toml house-way\n(.*?)```",
            (ROOT / "docs" / "house-way-of-your-own.md").read_text(encoding="utf-8"),
            re.DOTALL,
        )
    )
)
"""The worked example of the documents."""

Look = Callable[[Page, str], None]


@dataclass(slots=True)
class Person:
    """Somebody at a browser or a terminal, whose actions are counted and timed.

    Attributes:
        page: of the browser.
        program: which the person uses in a terminal.
        look: keeps what the person sees, under a name; the clock stands still meanwhile.
        actions: clicks, keys, filled fields, commands.
        seconds: of the task so far, without looking.
    """

    page: Page
    program: Program
    look: Look
    actions: int = 0
    seconds: float = 0.0
    _since: float = field(default_factory=time.perf_counter)

    def start(self) -> None:
        """Start the clock: everything before only prepared the task."""
        self.actions, self.seconds, self._since = 0, 0.0, time.perf_counter()

    def stop(self) -> None:
        self.seconds += time.perf_counter() - self._since

    def see(self, name: str) -> None:
        """Keep what is in sight."""
        self.stop()
        self.look(self.page, name)
        self._since = time.perf_counter()

    def press(self, what: Locator) -> None:
        """Press something."""
        self.actions += 1
        what.click()

    def fill(self, what: Locator, text: str) -> None:
        """Fill a field."""
        self.actions += 1
        what.fill(text)

    def choose(self, what: Locator, value: str) -> None:
        """Choose from a list."""
        self.actions += 1
        what.select_option(value)

    def command(self, work: Callable[[], str]) -> str:
        """Give a command in a terminal."""
        self.actions += 1
        return work()


def _wait_for_a_mistake(page: Page) -> None:
    """Return once a hand that was set wrongly is recorded."""
    ends = time.monotonic() + PATIENCE_MS / 1000
    asked = urljoin(page.url, "/v1/alarms?kind=house_hand_wrong")
    while not page.request.get(asked).json()["alarms"]:
        if time.monotonic() > ends:
            raise TimeoutError("no hand of the recording was set wrongly")
        page.wait_for_timeout(500)


def supervisor(person: Person) -> None:
    """From the alarm's sound to the acknowledged alarm and the outcome."""
    page = person.page
    wrong = page.locator(".standing > .house_hand_wrong").first
    expect(wrong).to_be_visible(timeout=PATIENCE_MS)
    person.start()
    person.see("supervisor-alarm")
    person.press(wrong.get_by_role("link"))
    expect(page.locator(".moment.wrong, .moment.set_right")).to_be_visible()
    person.press(page.locator(".standing > .house_hand_wrong").first.get_by_role("button", name="Acknowledge"))
    called = page.locator("#outcome").get_by_role("button", name="Surveillance called")
    if called.is_visible():  # the camera may have seen it corrected
        person.press(called)
        expect(page.locator("#outcome")).to_contain_text("reported by")
    person.see("supervisor-round")


def surveillance(person: Person) -> None:
    """The replay of a wrong hand, and a link to it for a colleague."""
    page = person.page
    _wait_for_a_mistake(page)
    person.start()
    person.press(page.get_by_role("link", name="History"))
    person.see("surveillance-rounds")
    person.choose(page.get_by_label("Mistakes"), "true")
    person.press(page.get_by_role("main").get_by_role("button", name="Search"))
    person.press(page.locator("main tbody th a").last)
    person.press(page.get_by_role("button", name="Make a link for surveillance"))
    link = page.locator("#shared").input_value()
    person.see("surveillance-round")
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    person.see("surveillance-shared")


def manager(person: Person) -> None:
    """The wrong House hands of the shift, and the figure by rule that leads to them."""
    page = person.page
    _wait_for_a_mistake(page)
    person.start()
    person.press(page.get_by_role("link", name="Hand-over"))
    expect(page.get_by_role("group", name="House hands set wrongly").first).to_be_visible()
    person.see("manager-hand-over")
    person.press(page.get_by_role("link", name="History"))
    person.press(page.get_by_role("link", name="Figures"))
    person.see("manager-figures")
    person.press(page.get_by_role("region", name="Mistakes by rule").get_by_role("rowheader").first.get_by_role("link"))
    person.press(page.locator("main tbody th a").first)
    expect(page.locator(".moment.wrong, .moment.set_right")).to_be_visible()
    person.see("manager-round")


def owner(person: Person) -> None:
    """A House Way of one's own: paste, check, see the difference."""
    page = person.page
    person.start()
    person.press(page.locator("details.more > summary"))
    person.press(page.get_by_role("link", name="House Ways"))
    expect(page.get_by_role("group", name="Largest differences")).to_be_visible(timeout=PATIENCE_MS)
    person.see("owner-house-ways")
    person.press(page.get_by_role("link", name="Check a House Way of your own"))
    person.fill(page.get_by_label("Text of the file"), OWN_WAY)
    compared = page.get_by_role("group", name="Hands set differently, rule by rule")
    while not compared.is_visible():  # a busy computer asks for another press
        person.press(page.get_by_role("button", name="Check", exact=True))
        page.wait_for_load_state()
    person.see("owner-own-way")


def integrator(person: Person) -> None:
    """A key and the first result by HTTP, as the guide says."""
    program = person.program
    person.start()
    key = person.command(
        lambda: program.command("key", "add", "my program", "--role", "integrator", "--reason", "first try")
    ).strip()
    results = f"{program.address}/v1/results?view=summary&limit=1"
    headers = {"Authorization": f"Bearer {key}"}
    answer = person.command(lambda: httpx2.get(results, headers=headers, timeout=60).raise_for_status().text)
    if not json.loads(answer)["results"]:
        raise ValueError("the first request gave no result")
    person.stop()
    person.page.goto(f"{program.address}/api")
    person.look(person.page, "integrator-api")


def auditor(person: Person) -> None:
    """An export of the record, verified with its public key."""
    program = person.program
    record = next(Path(program.environment["XDG_STATE_HOME"]).glob("houseway/*/record.pub"))
    out = Path(program.environment["XDG_STATE_HOME"], "export")
    person.start()
    person.command(lambda: program.command("record", "export", "--out", str(out), "--record", str(record.parent)))
    person.command(lambda: program.command("record", "verify", str(out), "--public-key", str(record)))
    person.stop()
    person.page.goto(f"{program.address}/changes")
    person.look(person.page, "auditor-changes")
    person.page.goto(f"{program.address}/tables/sample/audit")
    person.look(person.page, "auditor-audit")


def technician(person: Person) -> None:
    """From an empty settings file to the live view of a first, simulated table."""
    page = person.page
    person.start()
    expect(page.get_by_role("heading", name="Set up the table")).to_be_visible()
    person.see("technician-steps")
    person.press(page.get_by_role("link", name="Next: Table and camera"))
    person.fill(page.get_by_label("Name in addresses"), "pit4-table2")
    person.fill(page.get_by_label("Name shown to people"), "Pit 4, table 2")
    person.press(page.get_by_label("A simulated table"))
    person.press(page.get_by_role("button", name="Look at the picture"))
    expect(page.get_by_text(re.compile("2304 . 1296"))).to_be_visible(timeout=PATIENCE_MS)
    person.see("technician-camera")
    person.press(page.get_by_role("button", name="Save and continue"))
    expect(page.locator("#live")).to_be_visible(timeout=PATIENCE_MS)
    person.see("technician-table")


class Task(NamedTuple):
    """A task of one kind of user."""

    who: str
    play: Callable[[Person], None]


ON_THE_SAMPLE = (
    Task("supervisor", supervisor),
    Task("surveillance", surveillance),
    Task("manager", manager),
    Task("game owner", owner),
    Task("integrator", integrator),
    Task("auditor", auditor),
)
ON_AN_EMPTY_FILE = (Task("technician", technician),)


@dataclass(slots=True)
class Album:
    """Keeps what people see, at each size in each language, and what axe and the width of the page say of it."""

    folder: Path
    sizes: Sequence[tuple[int, int]] = SIZES
    languages: Sequence[str] = LANGUAGES
    found: list[str] = field(default_factory=list)

    def keep(self, page: Page, name: str) -> None:
        """Look at a page, and leave it in English at the largest size."""
        for language in self.languages:
            _speak(page, language)
            for size in self.sizes:
                self._keep(page, f"{name}-{size[0]}-{language}", size)
                if language in CHECKED and size is not SIZES[1]:
                    self._check(page, f"{name} at {size[0]} in {language}")
        _speak(page, LANGUAGES[0])
        page.set_viewport_size({"width": SIZES[0][0], "height": SIZES[0][1]})

    def _keep(self, page: Page, name: str, size: tuple[int, int]) -> None:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_timeout(300)
        page.wait_for_function("[...document.images].every(one => one.complete || one.loading == 'lazy')")
        page.screenshot(path=self.folder / f"{name}.png", full_page=True)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > size[0]:
            self.found.append(f"{name}: {wide} pixels wide")

    def _check(self, page: Page, where: str) -> None:
        violations = Axe().run(page).response["violations"]
        self.found += [f"{where}: {each['id']}: {each['nodes'][0]['html'][:200]}" for each in violations]


def _speak(page: Page, language: str) -> None:
    page.context.add_cookies([{"name": COOKIE, "value": language, "url": page.evaluate("location.origin")}])
    page.reload()
    page.wait_for_load_state()


def play(tasks: tuple[Task, ...], page: Page, look: Look, program: Program) -> Iterator[dict[str, object]]:
    """Play tasks one after the other; yields what is printed of each."""
    for task in tasks:
        person = Person(page, program, look)
        if task.play is not technician:
            page.goto(urljoin(page.url, "/"))
        task.play(person)
        if task.play not in {integrator, auditor}:
            person.stop()
        goal = (task.play.__doc__ or "").strip()
        yield {"who": task.who, "task": goal, "seconds": round(person.seconds, 1), "actions": person.actions}


@contextmanager
def served(page: Page, state: Path, *options: str) -> Iterator[Program]:
    """Run the service, with the page signed in."""
    with running(state, *options) as program:
        page.goto(program.link)
        yield program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "first-tasks", help="folder of the screens")
    parser.add_argument("--quick", action="store_true", help="keep no screens")
    parser.add_argument("who", nargs="*", help="only these kinds of user")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    album = Album(options.out)
    look: Look = (lambda *_: None) if options.quick else album.keep
    with TemporaryDirectory(prefix="houseway-first-tasks-") as folder, sync_playwright() as playwright:
        browser = launch(playwright, Path(folder))
        empty = Path(folder, "new.toml")
        empty.write_text("[[tables]]\n[tables.clock]\nneed_sync = false\n", encoding="utf-8")
        for tasks, settings in ((ON_AN_EMPTY_FILE, ("--config", str(empty))), (ON_THE_SAMPLE, ())):
            chosen = tuple(each for each in tasks if each.who in options.who or not options.who)
            if not chosen:
                continue
            page = browser.new_page(viewport={"width": SIZES[0][0], "height": SIZES[0][1]}, color_scheme="light")
            page.set_default_timeout(60_000)
            with served(page, Path(folder, tasks[0].who), *settings) as program:
                for told in play(chosen, page, look, program):
                    print(
                        f"{told['who']:<14}{told['seconds']:>6} s {told['actions']:>3} actions  {told['task']}",
                        flush=True,
                    )
            page.close()
        browser.close()
    for each in album.found:
        print(each)
    sys.exit(bool(album.found))


if __name__ == "__main__":
    main()
