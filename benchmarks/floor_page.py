"""The floor's page of many tables: `python -m benchmarks.floor_page [--tables N]`; PostgreSQL and Chromium are needed.

Tables play recorded feeds that are really signed. A scripted browser opens the page as somebody who comes back to it
would, and the time counts from asking for it until the last tile is drawn and the page takes a click (a pit is chosen,
and only its tables are there). Beside it an empty page of the same service, which says what the browser itself takes;
how long an alarm takes from the table's entry to the page; and how fast rounds and alarms are made of entries.
"""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect, sync_playwright

from benchmarks.measure import parser_of, report, summary
from service.access.roles import UserRole
from tests.service.databases import cluster, new_database
from tests.service.floor.many import many_tables
from tests.service.floor.played import play
from tests.service.stand_ins import session_for

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.service.floor.many import ManyTables


def opened(page: Page, url: str, tables: int) -> float:
    """Milliseconds until all tiles are drawn."""
    begun = time.perf_counter()
    page.goto(f"{url}/", wait_until="commit")
    page.wait_for_function(f"document.querySelectorAll('.floor-tile').length === {tables}")
    page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    return 1000 * (time.perf_counter() - begun)


def chosen(page: Page, tables: int) -> float:
    """Milliseconds from a click on a pit until only its tables are there."""
    begun = time.perf_counter()
    page.locator(".chip").filter(has_text="East").click()
    page.wait_for_function(f"document.querySelectorAll('.floor-tile').length < {tables}")
    return 1000 * (time.perf_counter() - begun)


def plain(page: Page, url: str) -> float:
    """Milliseconds for a small page of the same service."""
    begun = time.perf_counter()
    page.goto(f"{url}/account")
    return 1000 * (time.perf_counter() - begun)


def alarmed(page: Page, floor: ManyTables, table: str, number: int) -> float:
    """Milliseconds from a table's entry until the open page shows the alarm."""
    badge = page.locator(f'[data-key="{table}"] .badge')
    before = int(badge.inner_text().split()[0]) if badge.count() else 0
    begun = time.perf_counter()
    play(floor.feeds.tables[table].feed, "wrong", f"r{number}", 1, minutes=number)
    expect(badge).to_contain_text(str(before + 1), timeout=20_000)
    return 1000 * (time.perf_counter() - begun)


def measured(floor: ManyTables, tables: int, times: int) -> dict[str, Any]:
    """What a browser finds."""
    parts = floor.app.state.parts
    begun = time.perf_counter()
    entries = parts.projector.rebuild()
    rebuilt_s = time.perf_counter() - begun
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        secret = session_for(floor.app, UserRole.SUPERVISOR, "ann")
        context.add_cookies([{"name": parts.cookie, "value": secret, "url": floor.url}])
        page = context.new_page()
        whole, pit, small = [], [], []
        for _ in range(times):
            whole.append(opened(page, floor.url, tables))
            pit.append(chosen(page, tables))
            small.append(plain(page, floor.url))
        page.goto(f"{floor.url}/")
        page.wait_for_timeout(1000)
        news = [alarmed(page, floor, f"pg{number:03}", 100 + number) for number in range(20, 20 + times)]
        browser.close()
    return {
        "tables": {"count": tables},
        "page_first": summary(whole[:1]),
        "page": summary(whole[1:]),
        "choosing_a_pit": summary(pit),
        "a_small_page": summary(small),
        "alarm_from_entry_to_page": summary(news),
        "made_anew": {"entries": entries, "entries_a_second": round(entries / rebuilt_s)},
    }


def main() -> None:
    """Measure and report."""
    parser = parser_of(__doc__)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--times", type=int, default=7)
    asked = parser.parse_args()
    with cluster() as postgresql, many_tables(new_database(postgresql.url), asked.tables) as floor:
        report(measured(floor, asked.tables, asked.times), as_json=asked.as_json)


if __name__ == "__main__":
    main()
