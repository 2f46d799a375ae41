"""The replay of a round: its pictures and stages, one film, and a link that shows it until it expires."""

import html
import json
import re
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import cv2
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect

from service.access.roles import UserRole
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.reports import RoundLogReport, RoundReport
from service.table.clips import ClipKeeper, film
from service.web.replay import replay_of
from service.web.routes import rounds as rounds_page
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    opened,
    person,
    report_round,
    session_for,
)

BEGIN = datetime(2026, 6, 1, 16, 0, tzinfo=UTC)
STAGES = [
    ("dice-seen", {"box_dice": [1, 2, 3], "cut_die": 4}, 2),
    ("tiles-dealt", {"boxes": [None]}, 6),
    ("hand-opened", {"box": None, "low": ["6-1", "5-3"], "high": ["6-6", "6-3"]}, 12),
    ("hand-opened", {"box": 3}, 16),
    ("hand-put-away", {"box": 3}, 20),
]
SHADES = range(10, 250, 40)


def shade(grey: int) -> bytes:
    return cv2.imencode(".jpg", np.full((360, 640, 3), grey, np.uint8))[1].tobytes()


def recorded(app: FastAPI) -> tuple[RoundReport, ...]:
    """A round of two revisions with pictures, a clip and a log of five stages."""
    parts, keeper = app.state.parts, ClipKeeper(30.0)
    for number, grey in enumerate(SHADES):
        keeper.see(np.full((360, 640, 3), grey, np.uint8), number, BEGIN + timedelta(seconds=3 * number), 3.0 * number)
    report = report_round(opened(HOUSE_WRONG), table="test", rules=parts.only.rules, versions={})
    seen = [
        {"number": number, "kind": kind, "at": BEGIN + timedelta(seconds=at), "facts": facts}
        for number, (kind, facts, at) in enumerate(STAGES, start=1)
    ]
    log = RoundLogReport.model_validate(
        {"version": 1, "rulebook": "crown-6.1", "rulebook_version": "6.1", "boxes": 8, "box1_at_dealers_right": True}
        | {"side_wagers": True, "bank": {"method": "house", "box": None, "button": None, "other_cut": None}}
        | {"seen": seen}
    )
    made = []
    for after, of, grey in ((13, HOUSE_WRONG, 120), (19, HOUSE_RIGHT, 200)):
        played = report_round(opened(of), table="test", rules=parts.only.rules, versions={})
        played = played.model_copy(update={"log": log, "changed_at": BEGIN + timedelta(seconds=after)})
        pictures = [Evidence("house", "annotated", Picture(shade(grey)))]
        made += parts.only.ledger.revise(played, [*pictures, *(keeper.of(report, None) if after == 13 else ())])
    return tuple(made)


def test_pictures_follow_each_other_with_the_stages_that_were_seen() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with TestClient(app):
        revisions = recorded(app)
        kept = {one.sha256 for each in revisions for one in each.evidence}
        found = replay_of(revisions, kept)
    assert found is not None
    assert len(found.clips) == 1
    assert [at for _, at in found.pictures] == sorted(each.changed_at for each in revisions)
    seconds = {name: (at - BEGIN).total_seconds() for name, at in found.stages}
    assert seconds == {"dice": 2, "delivery": 6, "house": 12, "players": 16, "over": 20}
    assert replay_of(revisions, set()) is None


def test_a_film_has_every_picture_in_order_and_lasts_as_long_as_it_should(tmp_path: Path) -> None:
    pictures = [(BEGIN + timedelta(seconds=number), shade(grey), "image/jpeg") for number, grey in enumerate(SHADES)]
    made = tmp_path / "film.webm"
    found = film(pictures[::-1], 3, ZoneInfo("Asia/Macau"))
    assert found is not None
    made.write_bytes(found)
    capture, shown = cv2.VideoCapture(str(made)), []
    while (frame := capture.read())[0]:
        shown.append(int(np.median(frame[1][:, 100:-100])))
    assert len(shown) == 15
    assert shown == sorted(shown)
    assert {min(SHADES, key=lambda grey: abs(grey - each)) for each in shown} == set(SHADES)


def test_a_link_shows_one_round_without_signing_in_until_it_expires(monkeypatch: pytest.MonkeyPatch) -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with TestClient(app):
        (*_, played), client = recorded(app), person(app)
        at = f"/tables/test/rounds/{played.id}"
        link = re.search(r'id="shared" value="([^"]+)"', client.post(f"{at}/link").text)
        assert link is not None
        anybody = TestClient(app, base_url="http://localhost")
        page = anybody.get(html.unescape(link[1]))
        assert (page.status_code, "House" in page.text) == (200, True)
        told = re.search(r'data-sources="([^"]+)"', page.text)
        assert told is not None
        sources = json.loads(html.unescape(told[1]))
        assert len(sources["pictures"]) == 2
        assert all(anybody.get(each["src"]).status_code == 200 for each in sources["pictures"])
        assert anybody.get(sources["clips"][0]).headers["content-type"] == "application/zip"
        assert anybody.get(f"/v1/evidence/{played.evidence[0].sha256}").status_code == 401
        assert anybody.get(at).status_code == 401
        monkeypatch.setattr(rounds_page, "LINK_LASTS", timedelta(0))
        expired = re.search(r'id="shared" value="([^"]+)"', client.post(f"{at}/link").text)
        assert expired is not None
        assert anybody.get(html.unescape(expired[1])).status_code == 404
        viewer = person(app, UserRole.VIEWER, "vic")
        assert viewer.post(f"{at}/link").status_code == 403


def test_a_round_is_replayed_in_twenty_seconds_by_stage_and_key(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    *_, played = recorded(made)
    page.context.add_cookies([{"name": "houseway_test", "value": session_for(made, UserRole.SUPERVISOR), "url": url}])
    page.goto(f"{url}/tables/test/rounds/{played.id}")
    replay = page.locator("#replayed")
    replay.get_by_role("button", name="Replay the round in 20 seconds").click()
    canvas, slider = replay.locator("canvas"), replay.get_by_role("slider", name="Moment of the clip")
    expect(canvas).to_have_attribute("data-shown", "2")  # it plays automatically
    replay.get_by_role("button", name="Pause").click()
    expect(slider).to_have_attribute("max", str(len(SHADES) + 1))
    replay.get_by_role("button", name="House hand").click()
    expect(canvas).to_have_attribute("data-shown", "4")
    expect(replay.get_by_role("button", name="House hand")).to_have_attribute("aria-current", "")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(canvas).to_have_attribute("data-shown", "5")
    page.keyboard.press("Home")
    expect(canvas).to_have_attribute("data-shown", "0")
    assert not Axe().run(page).response["violations"]


class Here:
    """Does the work of a limited process at once, however busy the machine is."""

    def submit(self, function: Callable[..., bytes], *arguments: object) -> Future[bytes]:
        done: Future[bytes] = Future()
        done.set_result(function(*arguments))
        return done

    def close(self) -> None:
        pass


def test_the_film_of_a_round_plays_in_the_browser(app: tuple[FastAPI, str], page: Page) -> None:
    made, url = app
    *_, played = recorded(made)
    made.state.parts.films.close()
    object.__setattr__(made.state.parts, "films", Here())
    page.context.add_cookies([{"name": "houseway_test", "value": session_for(made, UserRole.SUPERVISOR), "url": url}])
    page.goto(f"{url}/tables/test/rounds/{played.id}")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as one film (WebM)").click()
    assert started.value.suggested_filename == f"test-round-{played.number}.webm"
    seconds = page.evaluate(
        """src => new Promise((done, failed) => {
          const video = document.createElement("video");
          video.onloadeddata = () => done(video.duration);
          video.onerror = () => failed(video.error.message);
          video.src = src;
        })""",
        f"/tables/test/rounds/{played.id}/replay.webm",
    )
    assert 19 <= seconds <= 21
