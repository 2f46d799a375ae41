"""The page's tasks in a real browser, on a tablet and on a desktop, and what axe says of every page."""

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from calibration.files.calibration_file import load_calibration, save_calibration
from calibration.table.places import DICE, DISCARD
from service.access.roles import UserRole
from service.cli.serving import listen, server_of
from service.record.health import Check
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.words.codes import ServiceCode
from tests.sample import CALIBRATION, EMPTY
from tests.service.api.test_http import jpeg, play, show
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    FakeReader,
    app_of,
    config,
    die,
    hand,
    reading,
    report_round,
    revisions,
    session_for,
    with_table,
)
from tests.service.web import test_page_in_browser as browser
from tests.service.web.accessibility import check_accessible
from vision.capture.images import load_image
from vision.reading import Reading

TABLET, DESKTOP, TELEPHONE = (820, 1180), (1440, 900), (390, 844)
DOUBTFUL = reading(
    hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)),
    hand("box2", "1-1 4-3", "4-4 5-5", "uncertain", ("a reflection",)),
    dice=(die(3), die(2, "cut")),
)
ROUND_PAGES = (
    "/",
    "/alarms",
    "/reviews",
    "/rounds",
    "/tables/test/rounds/r2",
    "/shifts",
    "/figures",
    "/handover",
    "/tables/test/health",
)
PAGES = (
    *ROUND_PAGES,
    "/tables/test/tiles",
    "/accounts",
    "/account",
    "/changes",
    "/tables/test/game",
    "/api",
    "/sign-in",
)
TIMEOUT = 20_000
COUNTED = 120_000
"""Seconds of counting, with what the other tests leave of the machine."""


def seen(made: FastAPI, read: Reading, round_id: str, *more: Reading) -> None:
    """Let the live state know of a round, with pictures."""
    parts = made.state.parts
    for number, played in enumerate(revisions(round_id, datetime.now(UTC), read, *more)):
        evidence = [
            Evidence("house", "frame", Picture(jpeg(640, 360))),
            Evidence("house", "annotated", Picture(jpeg(640 + 2 * number, 360))),
        ]
        report = report_round(played, table="test", rules=parts.only.rules, versions=read.versions)
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report, evidence))


def sign_in(page: Page, made: FastAPI, url: str, role: UserRole = UserRole.SUPERVISOR) -> None:
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
    page.get_by_role("heading", name="Findings").click()  # a browser is silent until it is touched
    expect(sound).to_have_text("Turn the alarm sound off", use_inner_text=True, timeout=TIMEOUT)
    assert sound.get_attribute("data-rung") is None

    play(made, HOUSE_WRONG)
    expect(page.get_by_role("alert").filter(has_text="House hand set wrongly")).to_have_count(1, timeout=TIMEOUT)
    expect(sound).to_have_attribute("data-rung", re.compile("[2-9]"), timeout=TIMEOUT)
    page.keyboard.press("F8")
    expect(page.get_by_role("button", name="Acknowledge")).to_have_count(0, timeout=TIMEOUT)
    rung = sound.get_attribute("data-rung")
    page.wait_for_timeout(2500)
    assert sound.get_attribute("data-rung") == rung
    (entry,) = made.state.parts.record.last(("acknowledgement",))
    assert entry.data["by"] == "supervisor"

    sound.click()
    expect(sound).to_have_text("Alarms are silent: turn the sound on", use_inner_text=True)
    play(made, HOUSE_WRONG, "r2")
    expect(page.get_by_role("button", name="Acknowledge")).to_be_visible(timeout=TIMEOUT)
    assert sound.get_attribute("data-rung") == rung


def test_all_alarms_shown_are_acknowledged_at_once_and_no_others(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    show(made, at=datetime(9000, 1, 1, tzinfo=UTC))  # never too old, however long this takes
    play(made, HOUSE_WRONG, "r1")
    play(made, HOUSE_WRONG, "r2")
    play(made, DOUBTFUL, "r3")
    visit(page, url, "/rounds?q=x")
    alarms = page.locator(".standing > li")
    expect(alarms).to_have_count(2)
    expect(alarms.first).to_contain_text("Round 2: House hand set wrongly")
    expect(alarms.first).to_contain_text(" ago")
    play(made, DOUBTFUL, "r4")
    expect(page.get_by_role("link", name="2 more alarms")).to_be_visible(timeout=TIMEOUT)
    expect(alarms).to_have_count(2)
    for width, height in ((1440, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        strip = page.locator(".alarms").bounding_box()
        assert strip is not None
        assert strip["height"] < 3 * 62, "more than three lines"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    # On a telephone the whole text is in sight.
    assert alarms.locator("> p:first-child").evaluate_all("all => all.every(p => p.scrollWidth <= p.clientWidth)")
    page.get_by_role("button", name="Acknowledge these 2").click()
    expect(alarms.first).to_contain_text("Needs review", timeout=TIMEOUT)
    (entry,) = made.state.parts.record.last(("acknowledgement",), count=9)
    assert len(entry.data["alarms"]) == 2
    page.get_by_role("link", name="Round 3: Needs review").click()
    assert page.url.endswith("/tables/test/rounds/r3?place=house")


def test_alarms_are_answered_without_scripts(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    assert page.context.browser is not None
    context = page.context.browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    sign_in(plain, made, url)
    show(made, at=datetime(9000, 1, 1, tzinfo=UTC))
    play(made, HOUSE_WRONG, "r1")
    play(made, DOUBTFUL, "r2")
    plain.goto(f"{url}/rounds")
    expect(plain.locator(".standing > li")).to_have_count(2)
    plain.get_by_role("button", name="Acknowledge", exact=True).last.click()
    expect(plain).to_have_url(f"{url}/rounds")
    expect(plain.locator(".standing > li")).to_have_count(1)
    plain.get_by_role("link", name="Alarms and review").click()
    expect(plain.get_by_role("group", name="Answered alarms")).to_contain_text("supervisor")
    context.close()


@pytest.mark.parametrize("size", [(390, 844), DESKTOP], ids=["telephone", "desktop"])
def test_what_was_done_is_one_press_after_the_remedy(
    app: tuple[FastAPI, str], page: Page, size: tuple[int, int]
) -> None:
    made, url = app
    sign_in(page, made, url)
    seen(made, HOUSE_WRONG, "r1")
    visit(page, url, "/tables/test/rounds/r1?place=house", size)
    hand_set = page.get_by_role("region", name="House: set wrongly")
    check_accessible(page, url, ("/tables/test/rounds/r1?place=house",), size)
    hand_set.get_by_label("Note").fill("On the telephone")
    hand_set.get_by_role("button", name="Surveillance called").click()
    expect(hand_set).to_contain_text(re.compile(r"Surveillance called at \d\d:\d\d:\d\d · reported by supervisor"))
    expect(hand_set.get_by_role("button", name="Corrected")).to_be_hidden()
    hand_set.get_by_text("Report another outcome").click()
    hand_set.get_by_role("button", name="Corrected").click()
    expect(hand_set).to_contain_text(re.compile(r"Corrected at \d\d:\d\d:\d\d"))
    assert [each.outcome for each in made.state.parts.only.ledger.newest("r1").outcomes] == ["called", "corrected"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


def test_a_round_is_reviewed_with_its_picture_beside_it(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    seen(made, DOUBTFUL, "r1")
    seen(made, HOUSE_RIGHT, "r2")
    visit(page, url, "/reviews")
    expect(page.locator(".queue > li")).to_have_count(1)
    page.get_by_role("main").get_by_role("link", name="Round 1").click()
    question = page.get_by_role("region", name="Round 1 · House: how do the tiles lie?")
    expect(question).to_be_in_viewport()
    question.get_by_role("link", name="Something else").click()
    decide = page.locator("#whole")
    picture = decide.get_by_role("img", name="drawn on the picture")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 640
    house = decide.get_by_role("group", name="House")
    expect(house.get_by_label("second tile of the low hand")).to_have_value("5-3")
    house.get_by_label("second tile of the low hand").select_option("6-2")
    decide.get_by_role("group", name="Box 2").get_by_label("No hand lies here").check()
    decide.get_by_label("Reason").fill("Glare; the box is empty")
    decide.get_by_role("button", name="Record the correction").click()
    expect(page.locator(".done")).to_contain_text("Your decision is recorded.")
    played = made.state.parts.only.ledger.newest("r1")
    assert (played.status, played.hands[0].low, played.absent[0].place) == ("confirmed", ("6-3", "6-2"), "box2")
    page.get_by_role("link", name="Alarms and review").click()
    page.get_by_role("link", name="Review", exact=True).click()
    expect(page.get_by_text("No rounds to review.")).to_be_visible()


def test_a_round_is_found_and_replayed(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url)
    seen(made, HOUSE_RIGHT, "r1")
    seen(made, HOUSE_WRONG, "r2", HOUSE_RIGHT)
    seen(made, DOUBTFUL, "r3")
    visit(page, url, "/rounds", DESKTOP)
    rows = page.get_by_role("group", name="Rounds").locator("tbody tr")
    expect(rows).to_have_count(3)
    page.get_by_label("Text").fill("R3")
    page.get_by_label("Text").press("Enter")
    expect(rows).to_have_count(1)
    page.get_by_label("Text").fill("")
    page.get_by_role("combobox", name="House Way").select_option("correct")
    page.get_by_role("button", name="Search").click()
    expect(rows).to_have_count(2)
    rows.first.get_by_role("link").click()

    page.get_by_text("The whole round: 3 revisions").click()
    expect(page.get_by_role("heading", name="Revision 3 of 3")).to_be_visible()
    first = page.locator("#revision-1")
    expect(first).to_contain_text("Should be")
    expect(first.get_by_role("img", name="drawn on the picture")).to_be_visible()


def test_every_page_is_accessible_and_fits(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    browser._show(made, 1)
    seen(made, HOUSE_RIGHT, "r1")
    seen(made, HOUSE_WRONG, "r2", DOUBTFUL)
    made.state.parts.only.live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="the camera is gone"))
    sign_in(page, made, url, UserRole.ADMIN)
    page.goto(f"{url}/theme/dim")
    expect(page.locator("html")).to_have_attribute("data-theme", "dim")
    check_accessible(page, url, PAGES, TABLET, DESKTOP)


def test_figures_of_house_ways_are_put_in_place_once_they_are_counted(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    sign_in(page, made, url, UserRole.VIEWER)
    page.goto(f"{url}/tables/test/game")
    expect(page.get_by_role("status").filter(has_text="are being computed")).to_be_visible()
    edges = page.get_by_role("group", name="House edge")
    expect(edges).to_contain_text("2.3884%", timeout=COUNTED)
    expect(page.get_by_role("status")).to_have_count(0)
    check_accessible(page, url, ("/tables/test/game",), DESKTOP)
    expect(edges).to_be_visible()  # they are kept


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


@pytest.fixture
def calibrated(tmp_path: Path) -> Iterator[tuple[FastAPI, str, Path]]:
    """A running service with a calibration and a camera that shows the empty sample table."""
    file, shown = tmp_path / "table.json", load_image(EMPTY)
    save_calibration(file, CALIBRATION)
    settings = config(port=0)
    settings = with_table(settings, calibration=file)
    with listen(settings) as listening:
        made = app_of(settings, reader=FakeReader(), watch=False, calibration=load_calibration(file))
        server, ended = server_of(made), threading.Event()
        pictures = made.state.parts.only.live.pictures

        def show() -> None:
            while not ended.wait(0.05):
                pictures.offer(shown, datetime.now(UTC))

        threads = [
            threading.Thread(target=server.run, kwargs={"sockets": [listening]}),
            threading.Thread(target=show, daemon=True),
        ]
        for thread in threads:
            thread.start()
        yield made, f"http://127.0.0.1:{listening.getsockname()[1]}", file
        made.state.parts.only.live.close()
        server.should_exit = True
        ended.set()
        for thread in threads:
            thread.join(timeout=10)


def test_a_technician_moves_a_place(calibrated: tuple[FastAPI, str, Path], page: Page) -> None:
    made, url, file = calibrated
    sign_in(page, made, url, UserRole.TECHNICIAN)
    check_accessible(
        page,
        url,
        ("/tables/test/calibration", "/tables/test/calibration/places", "/tables/test/calibration/points"),
        TABLET,
    )
    visit(page, url, "/tables/test/calibration", DESKTOP)
    page.get_by_role("link", name="Move the places").click()
    x = page.get_by_label("Discard: x, mm")
    before = float(x.input_value())
    body = page.locator('[data-place="discard"] .body').bounding_box()
    assert body is not None
    page.mouse.move(body["x"] + 20, body["y"] + 20)
    page.mouse.down()
    page.mouse.move(body["x"] + 40, body["y"] + 20, steps=3)
    page.mouse.up()
    dragged = float(x.input_value())
    assert 10 < dragged - before < 80
    corner = page.locator('[data-place="discard"] .knob').nth(2).bounding_box()
    assert corner is not None
    page.mouse.move(corner["x"] + 4, corner["y"] + 4)
    page.mouse.down()
    page.mouse.move(corner["x"] + 14, corner["y"] - 6, steps=3)
    page.mouse.up()
    assert float(page.get_by_label("Discard: width, mm").input_value()) > 190
    page.get_by_label("Dice: y, mm").fill("-265")
    page.get_by_label("Reason").fill("another felt")
    page.keyboard.press("Enter")
    expect(page.locator(".done")).to_contain_text("Saved and recorded")
    layout = load_calibration(file).layout
    discard, dice = layout.zone(DISCARD), layout.zone(DICE)
    assert discard is not None
    assert dice is not None
    assert discard.center_mm[0] > before
    assert dice.center_mm[1] == -265.0


def test_points_are_clicked_in_the_picture(calibrated: tuple[FastAPI, str, Path], page: Page) -> None:
    made, url, file = calibrated
    sign_in(page, made, url, UserRole.TECHNICIAN)
    visit(page, url, "/tables/test/calibration/points", TABLET)
    known = load_calibration(file)
    spots = ((-700.0, 400.0), (700.0, 400.0), (700.0, -400.0), (-700.0, -400.0))
    camera = page.locator("#camera")
    box = camera.bounding_box()
    assert box is not None
    for row, (x, y) in enumerate(spots, start=1):
        px = known.project(np.array([(x, y, 0.0)]))[0] * box["width"] / known.size[0]
        camera.click(position={"x": float(px[0]), "y": float(px[1])})
        page.get_by_label(f"Point {row}: x, mm").fill(str(x))
        page.get_by_label(f"Point {row}: y, mm", exact=True).fill(str(y))
    page.get_by_role("button", name="Try").click()
    # A click is as sharp as the picture is shown.
    expect(page.get_by_role("status")).to_contain_text("mm over the felt")
    assert load_calibration(file).seal == known.seal
