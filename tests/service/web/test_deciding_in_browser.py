"""Doubts decided in a real browser: by keys, on a telephone without scrolling, without scripts; pictures enlarged."""

import re
import time

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from service.access.roles import UserRole
from tests.service.stand_ins import WRONG, hand, reading, session_for
from tests.service.web.accessibility import check_accessible
from tests.service.web.test_deciding import BOX, DOUBTFUL, HIDDEN_BOX, newest, seen
from tests.service.web.test_page_tasks_in_browser import sign_in, visit

TELEPHONE, SMALL, DESKTOP = (390, 720), (1024, 768), (1440, 900)


@pytest.fixture
def waiting(app: tuple[FastAPI, str], page: Page) -> tuple[FastAPI, str]:
    """A service with two rounds to review, and a signed-in supervisor."""
    made, url = app
    seen(made, "r1", HIDDEN_BOX)
    seen(made, "r2", DOUBTFUL, minutes=5)
    sign_in(page, made, url)
    return app


def press(page: Page, key: str) -> None:
    """Press a key once the page's script listens: it shows its button then."""
    expect(page.get_by_role("button", name="Keys are on")).to_be_visible()
    page.keyboard.press(key)


@pytest.mark.parametrize("size", [TELEPHONE, SMALL, DESKTOP], ids=["telephone", "small", "desktop"])
@pytest.mark.parametrize("part", ["die2", "box2"])
def test_the_close_up_and_the_readings_are_in_sight(
    waiting: tuple[FastAPI, str], page: Page, size: tuple[int, int], part: str
) -> None:
    visit(page, waiting[1], f"/tables/test/rounds/r2?place={part}", size)
    question = page.locator(".question")
    expect(question.locator(".seen-close").get_by_role("img").first).to_be_in_viewport(ratio=1)
    for each in question.locator(".reading").all():
        expect(each).to_be_in_viewport(ratio=1)
    expect(question.get_by_role("radio").first).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_doubtful_die_is_decided_in_seconds_by_keys_alone(waiting: tuple[FastAPI, str], page: Page) -> None:
    made, url = waiting
    visit(page, url, "/reviews", DESKTOP)
    page.get_by_role("region", name="Uncertain dice").get_by_role("link", name="Round 2", exact=True).focus()
    started = time.monotonic()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Round 2 · Die 2: what does it show?")).to_be_visible()
    press(page, "2")
    expect(page.get_by_text("Choose a reason first.")).to_be_visible()
    assert newest(made, "r2").dice[1].status == "uncertain"
    press(page, "a")
    press(page, "2")
    expect(page.locator(".done")).to_contain_text(re.compile("Decided: round 2, Die 2: 2"))
    assert time.monotonic() - started < 20
    expect(page.locator(".done")).to_be_in_viewport()
    assert (newest(made, "r2").dice[1].value, newest(made, "r2").dice[2].status) == (2, "uncertain")

    expect(page.get_by_role("heading", name="Round 2 · Box 2: how do the tiles lie?")).to_be_visible()
    expect(page.get_by_role("radio", name="Clear in the picture")).to_be_checked()
    press(page, "n")
    expect(page.get_by_role("heading", name="Round 2 · Die 3")).to_be_visible()
    press(page, "n")
    expect(page.get_by_role("heading", name="Round 1 · Box 3")).to_be_visible()
    press(page, "u")
    expect(page).to_have_url(f"{url}/reviews?table=test")


def test_keys_can_be_turned_off_and_are_not_heard_while_somebody_writes(
    waiting: tuple[FastAPI, str], page: Page
) -> None:
    made, url = waiting
    visit(page, url, "/tables/test/rounds/r2?place=die2", DESKTOP)
    page.get_by_text("In your own words").click()
    page.get_by_label("In your own words").fill("a2")
    page.get_by_label("In your own words").press("2")
    page.get_by_label("In your own words").press("Enter")  # the first button of the form decides nothing
    expect(page.get_by_text("Choose one of the readings")).to_be_visible()
    expect(page.get_by_label("In your own words")).to_have_value("a22")
    assert newest(made, "r2").dice[1].status == "uncertain"
    page.get_by_role("button", name="Keys are on").click()
    page.get_by_role("radio", name="Seen at the table").check()
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    assert newest(made, "r2").dice[1].status == "uncertain"


def test_a_picture_is_enlarged_moved_and_closed_by_keys(waiting: tuple[FastAPI, str], page: Page) -> None:
    _, url = waiting
    visit(page, url, "/tables/test/rounds/r2?place=die2", DESKTOP)
    link = page.locator(".question").get_by_role("link", name="Close-up of die 2")
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Enlarged picture")
    expect(dialog).to_be_visible()
    shown = dialog.get_by_role("img")
    expect(shown).to_have_attribute("style", re.compile("scale"))
    expect(shown).to_have_accessible_name("Close-up of die 2")

    def scale() -> float:
        style = shown.get_attribute("style") or ""
        return float(style.partition("scale(")[2].partition(")")[0])

    before = scale()
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert scale() < before
    for _ in range(4):
        page.keyboard.press("+")
    before, style = scale(), shown.get_attribute("style")
    page.keyboard.press("ArrowLeft")
    assert (scale(), shown.get_attribute("style") != style) == (before, True)
    page.mouse.move(700, 400)
    page.mouse.wheel(0, 100)
    page.wait_for_timeout(200)
    assert scale() < before
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(link).to_be_focused()


def test_several_rounds_are_confirmed_with_one_reason(waiting: tuple[FastAPI, str], page: Page) -> None:
    made, url = waiting
    seen(made, "r3", HIDDEN_BOX, minutes=10)
    visit(page, url, "/reviews", TELEPHONE)
    group = page.get_by_role("region", name="Tiles hidden or moved: 2 rounds")
    for each in group.get_by_role("checkbox").all():
        each.check()
    group.get_by_role("radio", name="Seen at the table").check()
    group.get_by_role("button", name="Confirm the ticked rounds").click()
    expect(page.get_by_role("status")).to_contain_text("2 rounds confirmed.")
    reviews = [newest(made, name).hands[1].review for name in ("r1", "r3")]
    assert [each and (each.by, each.reason) for each in reviews] == [("supervisor", "Seen at the table")] * 2


def test_these_pages_are_accessible_and_fit(waiting: tuple[FastAPI, str], page: Page) -> None:
    made, url = waiting
    seen(made, "r3", reading(hand("house", *WRONG), hand("box2", *BOX)), minutes=10)
    paths = (
        "/reviews",
        "/tables/test/rounds/r2?place=die2",
        "/tables/test/rounds/r2?place=box2&whole=true",
        "/tables/test/rounds/r3",
        "/tables/test/rounds/r2?place=house",
    )
    check_accessible(page, url, paths, TELEPHONE, DESKTOP)


def test_without_scripts(waiting: tuple[FastAPI, str], page: Page) -> None:
    made, url = waiting
    context = page.context
    cookie = {"name": "houseway_test", "value": session_for(made, UserRole.SUPERVISOR, "ann"), "url": url}
    context.clear_cookies()
    context.add_cookies([cookie])  # type: ignore[list-item]
    context.route("**/static/*.js", lambda route: route.fulfill(content_type="text/javascript", body=""))
    visit(page, url, "/tables/test/rounds/r2?place=die2#decide", TELEPHONE)
    expect(page.locator(".question .reading").last).to_be_in_viewport(ratio=1)
    page.get_by_role("radio", name="Clear in the picture").check()
    page.get_by_role("button", name="2 also possible").click()
    expect(page.locator(".done")).to_contain_text("Decided: round 2")
    assert newest(made, "r2").dice[1].value == 2
    page.get_by_role("link", name="Something else").click()
    expect(page.locator("#whole").get_by_role("button", name="Record the correction")).to_be_visible()
    page.goto(f"{url}/tables/test/rounds/r2?place=house")
    whole = page.get_by_role("link", name="Close-up of the place").get_attribute("href")
    assert page.request.get(f"{url}{whole}").headers["content-type"] == "image/jpeg"
