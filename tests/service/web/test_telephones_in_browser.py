"""Notifications in a real browser: its worker shows a message as pushed, opens the alarm and acknowledges it."""

import json
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, Worker, expect

from service.access.roles import UserRole
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_WRONG, session_for, wait_until

CLICK = """([tag, action]) => self.registration.getNotifications({ tag }).then(([notification]) =>
  self.dispatchEvent(new NotificationEvent("notificationclick", { notification, action })))"""
SHOWN = """() => self.registration.getNotifications().then((all) => all.map(
  ({ tag, title, body, actions, image, requireInteraction }) => (
    { tag, title, body, actions: actions.map((each) => each.title), image, requireInteraction })))"""


@pytest.fixture
def phone(app: tuple[FastAPI, str], page: Page) -> tuple[FastAPI, str, Page]:
    """A supervisor's page with a worker that may show notifications, by its name: workers need localhost."""
    made, address = app
    url = address.replace("127.0.0.1", "localhost")
    page.context.grant_permissions(["notifications"], origin=url)
    page.context.add_cookies([{"name": "houseway_test", "value": session_for(made, UserRole.SUPERVISOR), "url": url}])
    page.goto(f"{url}/account#telephones")
    return made, url, page


def worker_of(context: BrowserContext) -> Worker:
    wait_until(lambda: bool(context.service_workers))
    return context.service_workers[0]


def push(page: Page, url: str, message: dict[str, Any]) -> None:
    """Let the browser receive a message as from its push service."""
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    session, found = page.context.new_cdp_session(page), []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    while not found:
        page.wait_for_timeout(50)  # events arrive meanwhile
    data = {"origin": url, "registrationId": found[-1]["registrationId"], "data": json.dumps(message)}
    session.send("ServiceWorker.deliverPushMessage", data)


def test_a_message_is_shown_and_acknowledged_without_opening_the_page(phone: tuple[FastAPI, str, Page]) -> None:
    made, url, page = phone
    play(made, HOUSE_WRONG)
    alarms = made.state.parts.only.alarms
    (alarm,) = [each for each in alarms.standing().open if each.kind == "house_hand_wrong"]
    message = {"tag": "one", "title": "Table · Round 1: House hand set wrongly", "body": "Correct it now."}
    message |= {"url": "/tables/test/rounds/r1?place=house", "image": "/shared/picture?link=x"}
    message |= {"id": alarm.id, "button": "Acknowledge"}
    push(page, url, message)
    worker = worker_of(page.context)
    wait_until(lambda: len(worker.evaluate(SHOWN)) == 1)
    (shown,) = worker.evaluate(SHOWN)
    assert (shown["title"], shown["body"], shown["actions"]) == (message["title"], message["body"], ["Acknowledge"])
    assert shown["requireInteraction"]
    worker.evaluate(CLICK, ["one", "acknowledge"])
    wait_until(lambda: "house_hand_wrong" not in {each.kind for each in alarms.standing().open})
    assert page.url == f"{url}/account#telephones"
    assert worker.evaluate(SHOWN) == []


def test_a_later_message_takes_the_place_of_the_first(phone: tuple[FastAPI, str, Page]) -> None:
    _, url, page = phone
    push(page, url, {"tag": "one", "title": "t", "body": "Correct it now.", "url": "/", "id": "1.1", "button": "A"})
    worker = worker_of(page.context)
    wait_until(lambda: len(worker.evaluate(SHOWN)) == 1)
    push(page, url, {"tag": "one", "title": "t", "body": "ended at 12:00:00", "url": "/"})
    wait_until(lambda: [each["body"] for each in worker.evaluate(SHOWN)] == ["ended at 12:00:00"])
    assert worker.evaluate(SHOWN)[0]["actions"] == []


def test_the_account_page_offers_it_and_the_page_can_be_installed(phone: tuple[FastAPI, str, Page]) -> None:
    _, url, page = phone
    button = page.get_by_role("button", name="Turn on notifications")
    expect(button).to_be_visible()
    expect(page.get_by_text("This browser cannot be notified here")).to_be_hidden()
    assert not Axe().run(page).response["violations"]
    manifest = page.context.new_cdp_session(page).send("Page.getAppManifest")
    assert (manifest["errors"], manifest["url"]) == ([], f"{url}/static/app.webmanifest")
    found = page.context.new_cdp_session(page).send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {each["errorId"] for each in found} <= {"in-incognito"}
