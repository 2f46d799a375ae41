"""A hub's pages in a real browser: 200 tables in one view, filters, claims of two people, decisions at the table."""

import re
from collections.abc import Iterator
from typing import Literal

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, expect
from pypdf import PdfReader

from service.access.roles import UserRole
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from tests.service.api.test_http import jpeg
from tests.service.databases import new_database
from tests.service.hub.feeds import DOUBTFUL, play
from tests.service.hub.hubs import ManyTables, many_tables, serving_hub
from tests.service.hub.test_desk import Both, both
from tests.service.stand_ins import HOUSE_WRONG, session_for
from tests.service.table.test_local_and_remote import mixed
from tests.service.web.accessibility import check_accessible

TABLES = 200
DESK, TABLET, TELEPHONE = (1440, 900), (1024, 768), (390, 844)
PAGES = (
    *("/", "/?state=alarm&pit=main", "/alarms", "/reviews", "/rounds?q=wrong", "/tables/pg001"),
    *(
        "/tables/pg001/rounds/r1",
        "/tables/pg002/rounds/r4",
        "/shifts?day=2026-01-01",
        "/figures?since=2025-12-01&until=2026-01-02",
    ),
    *("/handover?day=2026-01-01&pit=east", "/fleet", "/accounts", "/changes"),
)


@pytest.fixture(scope="module")
def floor(postgresql: str) -> Iterator[ManyTables]:
    with many_tables(new_database(postgresql, with_tables=True), TABLES) as made:
        yield made


@pytest.fixture
def two(postgresql: str) -> Iterator[Both]:
    with both(new_database(postgresql, with_tables=True)) as made:
        yield made


def sign_in(
    page: Page,
    app: FastAPI,
    url: str,
    name: str = "ann",
    theme: str = "dark",
    role: UserRole = UserRole.SUPERVISOR,
) -> None:
    """Sign somebody in at the hub."""
    cookies = {app.state.parts.cookie: session_for(app, role, name), "houseway_theme": theme}
    page.context.add_cookies([{"name": key, "value": value, "url": url} for key, value in cookies.items()])


def visit(page: Page, url: str, path: str, size: tuple[int, int] = DESK) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{url}{path}")


def test_200_tables_are_in_one_view_with_what_is_wrong_first(floor: ManyTables, page: Page) -> None:
    sign_in(page, floor.app, floor.url)
    visit(page, floor.url, "/")
    tiles = page.locator(".floor-tile")
    expect(tiles).to_have_count(TABLES)
    expect(tiles.last).to_be_in_viewport(ratio=1)
    words = [text.splitlines()[-1] for text in tiles.all_inner_texts()]
    order = ("No contact", "Not watched", "Alarm", "Attention", "OK")
    assert words == sorted(words, key=order.index)
    assert set(words) == set(order)
    assert page.evaluate("document.documentElement.scrollWidth") <= DESK[0]


def test_a_wall_of_50_tables_is_one_screen_and_a_key_leads_from_problem_to_problem(
    floor: ManyTables, page: Page
) -> None:
    """One pit of the floor, at the size of a screen on a wall: each table drawn, and why one has a problem."""
    sign_in(page, floor.app, floor.url)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/page/tables" in request.url else None)
    visit(page, floor.url, "/?pit=main", (1920, 1080))
    tiles = page.locator(".wall .floor-tile")
    expect(tiles).to_have_count(TABLES // 4)
    expect(tiles.locator(".drawn-table")).to_have_count(TABLES // 4)
    expect(tiles.last).to_be_in_viewport(ratio=1)
    wrong = page.locator('[data-key="pg001"]')
    expect(wrong).to_contain_text("Hand set wrongly")
    expect(wrong).to_contain_text("since")
    sizes = wrong.locator("strong, .how, .why, .more").evaluate_all(
        "all => all.map((one) => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 18
    problems = page.locator(".floor-tile:not(.is-well)")
    for place in (0, 1):
        page.keyboard.press("F9")
        expect(problems.nth(place)).to_be_focused()
    problems.last.focus()
    page.keyboard.press("F9")
    expect(problems.first).to_be_focused()
    assert len(asked) <= 1


def test_the_links_in_the_header_are_in_one_line(page: Page) -> None:
    """At 1280 px, with a long title and name, on the pages of all tables and of a local table."""
    made = mixed("http://127.0.0.1:9/far")
    service = made.service.model_copy(update={"title": "Casino Royale Macau, main gaming floor"})
    server = made.server.model_copy(update={"port": 0})
    with serving_hub(made.model_copy(update={"service": service, "server": server})) as hub:
        sign_in(page, hub.app, hub.url, "alexandra.longname", role=UserRole.ADMIN)
        for path in ("/", "/tables/test", "/tables/test/health"):
            visit(page, hub.url, path, (1280, 800))
            links = page.locator(".bar .pages > li > a, .bar .pages summary").all()
            assert len({round(box["y"]) for link in links if (box := link.bounding_box())}) == 1, path


def test_it_is_filtered_by_state_and_pit_also_without_scripts(floor: ManyTables, chromium: Browser) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, floor.app, floor.url)
    visit(page, floor.url, "/", TELEPHONE)
    page.locator(".chip").filter(has_text="East").click()
    expect(page.locator(".floor-tile")).to_have_count(TABLES // 4)
    page.locator(".chip").filter(has_text="Attention").click()
    tiles = page.locator(".floor-tile").all()
    states = [tile.locator(".how").first.inner_text() for tile in tiles]
    assert set(states) == {"Attention"}
    assert len(states) < TABLES // 4
    page.locator(".floor-tile").first.click()
    expect(page.locator(".state-of")).to_have_text("Attention")
    context.close()


def test_news_comes_by_itself(floor: ManyTables, page: Page) -> None:
    sign_in(page, floor.app, floor.url)
    visit(page, floor.url, "/?pit=salon")
    tile = page.locator('[data-key="pg200"]')
    expect(tile).to_contain_text("OK")
    tile.get_by_role("link").focus()
    play(floor.feeds.tables["pg200"].feed, "wrong", "r7", 1, minutes=30)
    expect(tile).to_contain_text("Alarm")
    expect(page.locator(":focus")).to_contain_text("PG 200")


def test_axe_finds_nothing_and_nothing_is_too_wide(floor: ManyTables, page: Page) -> None:
    sign_in(page, floor.app, floor.url, "eve", "light", UserRole.ADMIN)
    check_accessible(page, floor.url, PAGES, DESK, TABLET, TELEPHONE)


def test_of_two_people_one_takes_a_round_and_decides_it_at_its_table(two: Both, page: Page, chromium: Browser) -> None:
    two.plays(DOUBTFUL, "r1")
    sign_in(page, two.floor, two.url)
    visit(page, two.url, "/tables/t1/rounds/r1")
    page.get_by_role("button", name="Take", exact=True).click()
    expect(page.get_by_text("You have taken this round")).to_be_visible()
    other = chromium.new_context().new_page()
    sign_in(other, two.floor, two.url, "ben")
    visit(other, two.url, "/reviews")
    expect(other.get_by_text("taken by ann")).to_be_visible()
    expect(other.get_by_role("button", name="Take", exact=True)).to_have_count(0)
    other.goto(f"{two.url}/tables/t1/rounds/r1")
    expect(other.get_by_text("taken by ann at")).to_be_visible()
    expect(other.locator("#decide, #whole")).to_have_count(0)
    page.get_by_role("radio", name="Clear in the picture").check()
    page.get_by_role("button", name="as read").click()
    expect(page.locator(".done")).to_contain_text("Decided: round 1, House")
    (entry,) = two.recorded("review")
    assert entry.data["hands"][0]["review"]["by"].startswith("ann (")
    visit(page, two.url, "/reviews")
    expect(page.get_by_text("No rounds to review.")).to_be_visible()
    other.context.close()


def test_an_alarm_that_is_acknowledged_is_answered_at_its_table(two: Both, page: Page) -> None:
    two.plays(HOUSE_WRONG, "r1")
    sign_in(page, two.floor, two.url)
    visit(page, two.url, "/alarms?table=t1", TELEPHONE)
    page.get_by_role("button", name="Take", exact=True).click()
    expect(page.get_by_text("yours")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/alarms\?table=t1$"))
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("No open alarms.")).to_be_visible()
    (entry,) = two.recorded("acknowledgement")
    assert entry.data["by"].startswith("ann (")


def test_with_the_line_cut_the_page_says_so(two: Both, chromium: Browser) -> None:
    page = chromium.new_context().new_page()  # the refusal is logged in its console
    two.plays(HOUSE_WRONG, "r1")
    sign_in(page, two.floor, two.url)
    visit(page, two.url, "/alarms")
    two.table.stop()
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_role("alert").first).to_contain_text("Not recorded.")
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible()
    page.context.close()


def pictures_of_the_house() -> dict[str, Evidence]:
    sizes: dict[Literal["frame", "annotated", "close_up"], int] = {"frame": 640, "annotated": 642, "close_up": 644}
    return {role: Evidence("house", role, Picture(jpeg(width, 360))) for role, width in sizes.items()}


def test_a_round_is_decided_by_pictures_that_come_from_its_table(two: Both, page: Page, chromium: Browser) -> None:
    evidence = pictures_of_the_house()
    two.plays(DOUBTFUL, "r1", tuple(evidence.values()))
    sign_in(page, two.floor, two.url)
    visit(page, two.url, "/tables/t1/rounds/r1")
    page.get_by_role("button", name="Take", exact=True).click()
    shown = page.locator("#main img[src^='/v1/evidence/']")
    expect(shown.first).to_be_visible()
    widths = shown.evaluate_all("(all) => Promise.all(all.map((one) => one.decode().then(() => one.naturalWidth)))")
    assert set(widths) <= {640, 642, 644}
    with page.expect_download() as taken:
        page.get_by_role("link", name="Incident sheet (PDF)").click()
    sheet = PdfReader(taken.value.path())
    assert "Incident sheet: Table 1, round 1" in " ".join(sheet.pages[0].extract_text().split())
    assert {image.image.width for each in sheet.pages for image in each.images if image.image} & {642, 644}
    page.get_by_role("radio", name="Clear in the picture").check()
    page.get_by_role("button", name="as read").click()
    expect(page.locator(".done")).to_contain_text("Decided: round 1, House")
    # Removed at the table after an export: words stand in its place.
    for each in evidence.values():
        two.table.app.state.parts.record.evidence.path(each.picture.sha256).unlink()
    other = chromium.new_context().new_page()  # missing pictures are logged in its console
    sign_in(other, two.floor, two.url)
    visit(other, two.url, "/tables/t1/rounds/r1")
    expect(other.get_by_text("This picture was removed after it was exported.").first).to_be_visible()
    expect(other.locator("#main img[src^='/v1/evidence/']:visible")).to_have_count(0)
    two.table.stop()
    other.reload()
    expect(other.get_by_text("The table that has this picture cannot be reached now.").first).to_be_visible()
    other.context.close()


def test_alarms_of_the_floor_sound_until_they_are_answered(two: Both, page: Page) -> None:
    sign_in(page, two.floor, two.url)
    visit(page, two.url, "/alarms")
    sound = page.locator("#sound")
    sound.click()
    expect(sound).to_have_attribute("data-on", "true")
    assert sound.get_attribute("data-rung") is None
    two.plays(HOUSE_WRONG, "r1")
    expect(sound).to_have_attribute("data-rung", re.compile("[1-9]"))
    page.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("No open alarms.")).to_be_visible()
    rung = page.locator("#sound").get_attribute("data-rung")
    page.wait_for_timeout(2200)  # longer than from one sound to the next
    assert page.locator("#sound").get_attribute("data-rung") == rung
