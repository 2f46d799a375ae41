"""The page's tasks in a real browser, on a tablet and on a desktop, and what axe says of every page."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from service.access.roles import Role
from service.report import report_round
from service.store.protocols import Picture
from tests.service import test_page_in_browser as browser
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, die, hand, reading, revisions, session_for
from tests.service.test_http import jpeg, play

if TYPE_CHECKING:
    from fastapi import FastAPI

    from vision.reading import Reading

app = browser.app
page = browser.page

TABLET, DESKTOP = (1024, 768), (1600, 950)
DOUBTFUL = reading(
    hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)),
    hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("a reflection",)),
    dice=(die(3), die(2, "cut")),
)
ROUND_PAGES = ("/", "/review", "/history", "/rounds/r2", "/charts", "/health")
PAGES = (*ROUND_PAGES, "/accounts", "/account", "/changes", "/sign-in")
TIMEOUT = 20_000


def seen(made: FastAPI, read: Reading, round_id: str, *more: Reading) -> None:
    """Let the desk know of a round, with pictures."""
    parts = made.state.parts
    for number, played in enumerate(revisions(round_id, datetime.now(UTC), read, *more)):
        pictures = {"frame": Picture(jpeg(640, 360)), "annotated": Picture(jpeg(640 + 2 * number, 360))}
        report = report_round(played, table="test", house_way=parts.house_way, versions=read.versions)
        parts.desk.record(*parts.ledger.revise(report, pictures))


def sign_in(page: Page, made: FastAPI, url: str, role: Role = Role.SUPERVISOR) -> None:
    """Let somebody of a role have signed in."""
    page.context.clear_cookies()
    page.context.add_cookies([{"name": "houseway_test", "value": session_for(made, role, role.value), "url": url}])


def visit(page: Page, url: str, path: str, size: tuple[int, int] = TABLET) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{url}{path}")


def test_a_wrong_hand_sounds_until_somebody_acknowledges_it(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    browser._show(made, 1)
    visit(page, url, "/")
    sound = page.locator("#sound")
    page.get_by_role("heading", name="Live view").click()  # a browser is silent until it is touched
    expect(sound).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT)
    assert sound.get_attribute("data-rung") is None

    play(made, HOUSE_WRONG)
    alarm = page.get_by_role("alert").filter(has_text="House Way wrong")
    expect(alarm).to_be_visible(timeout=TIMEOUT)
    expect(sound).to_have_attribute("data-rung", re.compile("[2-9]"), timeout=TIMEOUT)
    alarm.get_by_role("button", name="Acknowledge").click()
    expect(page.get_by_text("seen by supervisor")).to_be_visible(timeout=TIMEOUT)
    expect(page.get_by_role("button", name="Acknowledge")).to_have_count(0)
    rung = sound.get_attribute("data-rung")
    page.wait_for_timeout(2500)
    assert sound.get_attribute("data-rung") == rung
    (entry,) = made.state.parts.record.last(("acknowledgement",))
    assert entry.data["by"] == "supervisor"

    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    play(made, HOUSE_WRONG, "r2")
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible(timeout=TIMEOUT)
    assert sound.get_attribute("data-rung") == rung


def test_a_round_is_reviewed_with_its_picture_beside_it(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    seen(made, DOUBTFUL, "r1")
    seen(made, HOUSE_RIGHT, "r2")
    visit(page, url, "/review")
    expect(page.locator(".queue > li")).to_have_count(1)
    page.get_by_role("main").get_by_role("link", name="Round 1").click()
    decide = page.get_by_role("region", name="Decide")
    expect(decide.get_by_role("img")).to_be_visible()
    assert decide.get_by_role("img").evaluate("image => image.naturalWidth") == 640
    house = decide.get_by_role("group", name="House")
    expect(house.get_by_label("second tile of the low hand")).to_have_value("5-3")
    house.get_by_label("second tile of the low hand").select_option("6-2")
    decide.get_by_role("group", name="Box 2").get_by_label("No hand lies here").check()
    decide.get_by_label("Reason").fill("Glare; the box is empty")
    decide.get_by_role("button", name="Record the correction").click()
    expect(page.locator(".done")).to_have_text("Your decision is recorded.")
    played = made.state.parts.ledger.newest("r1")
    assert (played.status, played.hands[0].low, played.absent[0].place) == ("confirmed", ("6-3", "6-2"), "box2")
    page.get_by_role("link", name="Review", exact=True).click()
    expect(page.get_by_text("Nothing waits for a person.")).to_be_visible()


def test_a_round_is_found_and_replayed(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    seen(made, HOUSE_RIGHT, "r1")
    seen(made, HOUSE_WRONG, "r2", HOUSE_RIGHT)
    seen(made, DOUBTFUL, "r3")
    visit(page, url, "/history", DESKTOP)
    rows = page.get_by_role("group", name="Rounds").locator("tbody tr")
    expect(rows).to_have_count(3)
    page.get_by_label("Search").fill("glare")
    page.get_by_label("Search").press("Enter")
    expect(rows).to_have_count(1)
    page.get_by_label("Search").fill("")
    page.get_by_role("combobox", name="House Way").select_option("correct")
    page.get_by_role("button", name="Search").click()
    expect(rows).to_have_count(2)
    rows.first.get_by_role("link").click()

    expect(page.get_by_role("heading", name="Revision 3 of 3")).to_be_visible()
    steps = page.get_by_role("group", name="Replay")
    steps.get_by_role("button", name="Before").click()
    steps.get_by_role("button", name="Before").press("ArrowLeft")
    first = page.locator("#revision-1")
    expect(first).to_be_visible()
    expect(first).to_contain_text("Should be")
    expect(first.get_by_role("img", name="drawn on the picture")).to_be_visible()
    expect(page.locator("#revision-2")).to_be_hidden()
    steps.get_by_role("button", name="Play").click()
    expect(page.locator("#revision-3")).to_be_visible(timeout=TIMEOUT)


@pytest.mark.parametrize("size", [TABLET, DESKTOP], ids=["tablet", "desktop"])
def test_every_page_is_accessible_and_fits(app: tuple[FastAPI, str], page: Page, size: tuple[int, int]) -> None:
    made, url = app
    browser._show(made, 1)
    seen(made, HOUSE_RIGHT, "r1")
    seen(made, HOUSE_WRONG, "r2", DOUBTFUL)
    made.state.parts.desk.check("source", "the camera is gone", ok=False)
    sign_in(page, made, url, Role.ADMIN)
    axe, found = Axe(), {}
    for path in PAGES:
        visit(page, url, path, size)
        told = axe.run(page).response["violations"]
        bad = {each["id"]: [node["html"] for node in each["nodes"]] for each in told if each["impact"] != "minor"}
        if bad:
            found[path] = bad
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
    assert not found


def test_in_another_language(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    play(made, HOUSE_WRONG)
    visit(page, url, "/")
    page.get_by_role("link", name="繁體中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    expect(page.locator("#verdict .headline")).to_contain_text("錯誤")
    play(made, HOUSE_RIGHT, "r2")
    expect(page.locator("#verdict .headline")).to_contain_text("正確", timeout=TIMEOUT)
