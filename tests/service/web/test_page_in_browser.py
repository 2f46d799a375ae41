"""The page in a real browser: it follows the table without a reload and loads nothing from other hosts."""

import re
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from engine.books.house_ways import get, known_ids
from service.access.sessions import Sessions
from service.record.health import Check
from service.table.live_pictures import View
from service.table.setup.set_up import SetUp
from service.web.house_way_card import render_card
from service.words.codes import ServiceCode
from tests.service.api.test_http import jpeg, play
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG


def test_the_page_follows_the_table(app: tuple[FastAPI, str], page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SetUp, "finished", True)
    made, url = app
    elsewhere: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(url) else elsewhere.append(request.url))
    _show(made, 1)
    page.goto(one_click(made, url))
    verdict = page.get_by_role("region", name="House Way")
    expect(page).to_have_title("Test table · Houseway")
    expect(verdict).to_contain_text("No hands have been laid yet")

    play(made, HOUSE_WRONG)
    expect(verdict).to_contain_text("Wrong")
    expect(verdict).to_contain_text("Should be")
    expect(verdict.get_by_role("img", name="6-6")).to_have_count(2)

    play(made, HOUSE_RIGHT, "r2")
    _show(made, 2)
    expect(verdict).to_contain_text("Correct")
    expect(page.get_by_role("region", name="Players' hands")).to_contain_text("Box 2")
    expect(page.get_by_role("region", name="Earlier rounds")).to_contain_text("Wrong")
    expect(page.locator("#live")).to_have_attribute("src", f"{url}/v1/tables/test/view.jpg?picture=2&drawn=false")

    made.state.parts.only.live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="the camera is gone"))
    expect(page.get_by_text("the camera is gone")).to_be_visible()
    assert not elsewhere


def test_the_dealer_is_changed_while_the_page_follows_the_table(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    _show(made, 1)
    page.goto(one_click(made, url))
    expect(page.get_by_text("Dealer: not named")).to_be_visible()
    page.get_by_text("Name the dealer").click()
    page.get_by_label("Name or staff number").fill("D-1042")
    play(made, HOUSE_WRONG)
    expect(page.get_by_role("region", name="House Way")).to_contain_text("Wrong")
    expect(page.get_by_label("Name or staff number")).to_have_value("D-1042")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Dealer: D-1042")).to_be_visible()
    made.state.parts.only.ledger.dealers.name("D-7", "till")
    made.state.parts.only.live.changes.notify()
    _show(made, 2)
    expect(page.get_by_text("Dealer: D-7")).to_be_visible()


def test_the_page_can_be_used_from_the_keyboard_and_on_a_telephone(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    _show(made, 1)
    play(made, HOUSE_WRONG)
    page.goto(one_click(made, url))
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the verdict")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#verdict")).to_be_focused()
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    verdict, view = page.locator("#verdict").bounding_box(), page.locator(".view").bounding_box()
    assert verdict is not None
    assert view is not None
    assert verdict["y"] < view["y"]


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_the_example_in_the_search_field_is_not_cut_off(app: tuple[FastAPI, str], page: Page, language: str) -> None:
    made, url = app
    page.goto(one_click(made, url))
    page.goto(f"{url}/language/{language}")
    page.goto(f"{url}/rounds")
    room = """field => {
        const style = getComputedStyle(field), drawn = document.createElement("canvas").getContext("2d");
        drawn.font = style.font;
        const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
        return field.clientWidth - padding - drawn.measureText(field.placeholder).width;
    }"""
    for width in (1280, 800, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator("input[type=search]").evaluate(room) >= 0


def test_signing_in_and_administering_from_the_keyboard(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    page.goto(one_click(made, url))
    page.get_by_role("link", name="Choose a password").click()
    page.get_by_label("New password", exact=True).fill("several plain words")
    page.get_by_label("New password once more").fill("several plain words")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Choose a password")).to_have_count(0)

    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page).to_have_url(f"{url}/sign-in")
    page.goto(f"{url}/accounts")
    page.get_by_label("Name").fill("admin")
    page.keyboard.press("Tab")
    page.keyboard.type("several plain words")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{url}/accounts")

    people, keys = (
        page.get_by_role("region", name="Accounts of people"),
        page.get_by_role("region", name="Keys for programs"),
    )
    people.locator("#account-name").fill("ann")
    people.locator("#role-new").select_option("supervisor")
    people.locator("#reason-new").fill("new on the floor")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Password of ann, shown only now")
    keys.locator("#key-name").fill("till 3")
    keys.locator("#reason-key").fill("settles")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("hw_")
    keys.get_by_text("till 3").click()
    keys.get_by_role("group").filter(has_text="till 3").get_by_label("Reason").fill("lost")
    page.keyboard.press("Enter")
    expect(keys.get_by_role("group").filter(has_text="till 3")).to_contain_text("revoked")
    expect(page.get_by_role("region", name="Latest changes")).to_contain_text("new on the floor")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    unnamed = "[...document.querySelectorAll('input:not([type=hidden]), select')].filter(e => !e.labels.length).length"
    assert page.evaluate(unnamed) == 0


def test_a_page_asks_for_nothing_more_once_somebody_signs_out(
    app: tuple[FastAPI, str], page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, url = app
    let_go, end = threading.Event(), Sessions.end

    def end_late(sessions: Sessions, secret: str) -> None:
        assert let_go.wait(20)
        end(sessions, secret)

    monkeypatch.setattr(Sessions, "end", end_late)
    page.route("**/tables/test/board", lambda _: None)  # these are not answered
    with page.expect_request("**/tables/test/board"):
        page.goto(one_click(made, url))
    page.get_by_text("More", exact=True).click()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.evaluate("addEventListener('submit', () => setTimeout(() => { refresh(); fetch('/healthz'); }))")
    with (
        page.expect_event("requestfailed", lambda request: "/board" in request.url),  # it is taken back
        page.expect_request("**/healthz"),
    ):
        page.get_by_role("button", name="Sign out", exact=True).click(no_wait_after=True)
    assert not [address for address in asked if "/board" in address]
    let_go.set()
    expect(page).to_have_url(f"{url}/sign-in")


def one_click(app: FastAPI, url: str) -> str:
    """The link that the first start prints."""
    first = app.state.parts.access.prepare_first_sign_in()
    assert first is not None
    return f"{url}/set-up?code={first.code}"


def _show(app: FastAPI, number: int) -> None:
    """Publish a real picture, so that the browser can draw it."""
    parts = app.state.parts
    view = View(number, datetime(9000, 1, 1, tzinfo=UTC), jpeg)
    parts.only.live.publish_picture(view, HOUSE_RIGHT)


A4_WIDTH_PX, A4_PAGES = 794, 8


@pytest.mark.parametrize("book", known_ids())
def test_the_printed_house_way_fits_its_paper(book: str, page: Page, tmp_path: Path) -> None:
    card = tmp_path / "card.html"
    card.write_text(render_card(get(book)))
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": A4_WIDTH_PX, "height": 1123})
    page.goto(card.as_uri())
    assert asked == [card.as_uri()]
    assert page.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH_PX
    narrow = "[...document.querySelectorAll('.tile, td.on')].filter(e => e.getBoundingClientRect().width < 10).length"
    assert page.evaluate(narrow) == 0
    overlong = "[...document.querySelectorAll('.lay, .block')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    assert page.evaluate(overlong) == 0
    pages = len(re.findall(rb"/Type /Page\b", page.pdf(prefer_css_page_size=True)))
    assert 5 <= pages <= A4_PAGES
