"""A clip in a real browser: it loads, plays at its own pace, is stepped through and repeated, with its times told."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from service.access.roles import UserRole
from service.api.middleware import _SECURITY_HEADERS
from service.rounds.reports import EvidenceReport
from service.table.clips import ClipKeeper
from service.web.templating import THEMES, environment
from tests.service.stand_ins import HOUSE_WRONG, opened, report_round, session_for

BEGIN = datetime(2026, 6, 1, 15, 59, 52, 400_000, tzinfo=UTC)
"""In Macau the day changes while the clip plays."""
PICTURES = 51
APART_S = 0.4
_PAGE = """
{% import "clip.html" as clips with context %}
<!doctype html><html lang="en"><head><title>A clip</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/static/page.css">{{ clips.files() }}</head>
<body><main><h1>A clip</h1>{{ clips.clip(one, kept) }}</main></body></html>
"""


def recorded(made: FastAPI) -> EvidenceReport:
    """Let a hand be set wrongly after twenty seconds of pictures, each with another grey."""
    parts, keeper = made.state.parts, ClipKeeper(30.0)
    for number in range(PICTURES):
        shade = np.full((360, 640, 3), 4 * number, np.uint8)
        keeper.see(shade, number, BEGIN + timedelta(seconds=number * APART_S), number * APART_S)
    report = report_round(opened(HOUSE_WRONG), table="test", rules=parts.only.rules, versions={})
    (played,) = parts.only.ledger.revise(report, keeper.of(report, None))
    one: EvidenceReport = played.evidence[0]
    return one


def shown(page: Page, made: FastAPI, url: str, *, kept: bool = True) -> None:
    one = recorded(made)
    template = environment("en").from_string(_PAGE)
    html = template.render(one=one, kept={one.sha256} if kept else set(), zone=ZoneInfo("Asia/Macau"))
    page.context.add_cookies([{"name": "houseway_test", "value": session_for(made, UserRole.SUPERVISOR), "url": url}])
    headers = {**_SECURITY_HEADERS, "content-type": "text/html; charset=utf-8"}
    page.route("**/clip-page", lambda route: route.fulfill(body=html, headers=headers))
    page.goto(f"{url}/clip-page")


def grey(page: Page) -> int:
    found: int = page.locator(".clip canvas").evaluate("c => c.getContext('2d').getImageData(9, 9, 1, 1).data[0]")
    return found


def at(page: Page, number: int) -> None:
    """Wait until the picture of an index in the clip is visible, with its time."""
    expect(page.locator(".clip canvas")).to_have_attribute("data-shown", str(number))
    assert abs(grey(page) - 4 * number) <= 2


def test_a_clip_is_stepped_and_scrubbed_through_with_the_time_of_day_at_the_table(
    app: tuple[FastAPI, str], page: Page
) -> None:
    made, url = app
    shown(page, made, url)
    time, scrub = page.locator(".clip output"), page.get_by_role("slider", name="Moment of the clip")
    at(page, PICTURES - 1)  # the moment of the alarm
    expect(time).to_have_text("00:00:12.4")
    page.get_by_role("button", name="One picture back").click()
    at(page, PICTURES - 2)
    expect(time).to_have_text("00:00:12.0")
    page.keyboard.press(",")
    at(page, PICTURES - 3)
    page.keyboard.press(".")
    at(page, PICTURES - 2)
    scrub.focus()
    page.keyboard.press("Home")
    at(page, 0)
    expect(time).to_have_text("23:59:52.4")
    expect(scrub).to_have_attribute("aria-valuetext", "23:59:52.4")
    page.keyboard.press("ArrowRight")
    at(page, 1)
    scrub.fill("20")
    at(page, 20)
    expect(page.get_by_text("51 pictures")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the pictures (ZIP)").click()
    assert started.value.suggested_filename == "clip-20260601T160012Z.zip"
    clip = json.loads(page.locator(".clip").get_attribute("data-sources") or "")["clips"][0]
    answer = page.context.request.get(f"{url}{clip}")
    assert answer.headers["content-type"] == "application/zip"
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(("speed", "least", "most"), [("1", 3.2, 6.4), ("0.5", 7.2, 12.0)])
def test_a_clip_plays_at_the_pace_of_the_table(
    app: tuple[FastAPI, str], page: Page, speed: str, least: float, most: float
) -> None:
    made, url = app
    shown(page, made, url)
    at(page, PICTURES - 1)
    page.get_by_label("Speed").select_option(speed)
    page.get_by_role("slider").fill("40")
    at(page, 40)
    started = page.evaluate("performance.now()")
    page.get_by_role("button", name="Play").click()
    at(page, PICTURES - 1)
    took_s = (page.evaluate("performance.now()") - started) / 1000
    assert least < took_s < most
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")  # it stops at its end


def test_the_last_seconds_are_repeated_until_somebody_pauses(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    shown(page, made, url)
    at(page, PICTURES - 1)
    page.get_by_label("Repeat the last 5 seconds").check()
    expect(page.locator(".clip canvas")).to_have_attribute("data-shown", "42")
    page.get_by_role("slider").fill("49")
    page.get_by_role("button", name="Play").click()
    expect(page.locator(".clip canvas")).to_have_attribute("data-shown", "40")
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "false")


def test_axe_finds_nothing_and_nothing_is_wider_than_a_telephone(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    shown(page, made, url)
    at(page, PICTURES - 1)
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for theme in THEMES:
            page.evaluate("theme => document.documentElement.setAttribute('data-theme', theme)", theme)
            found = Axe().run(page)
            assert not found.response["violations"], found.generate_report()


def test_a_clip_that_was_removed_is_told(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    shown(page, made, url, kept=False)
    expect(page.get_by_text("This clip was removed after it was exported.")).to_be_visible()


def test_a_clip_that_cannot_be_loaded_is_told(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    page.route("**/v1/evidence/*", lambda route: route.fulfill(body=b"PK"))
    shown(page, made, url)
    expect(page.get_by_role("alert")).to_have_text("The clip could not be loaded.")
    expect(page.get_by_role("link", name="Download the pictures (ZIP)")).to_be_visible()
