"""Notifications of phones from a real service, through a local push service, decrypted as browsers do."""

import asyncio
import html
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access import telephones as stored
from service.access.roles import UserRole
from service.access.signed_links import SignedLinks
from service.access.telephones import Telephone
from service.api.notify import web_push
from service.api.notify.web_push import KEY_FILE, PushSender
from service.record.changes import Attribution
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.rounds.reports import RoundReport
from tests.service.api.test_http import jpeg, play
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    opened,
    person,
    report_round,
    wait_until,
)
from tests.service.web.telephones import Browser, PushService, claims_of, push_service

WHY = Attribution("the boss", "left the house")
HERE = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as made:
        yield made


@contextmanager
def serving() -> Iterator[tuple[FastAPI, TestClient]]:
    """A service that may push to this machine, and a supervisor's browser."""
    app = app_of(config(), reader=FakeReader(), watch=False)
    with TestClient(app):
        app.state.parts.push.networks = HERE
        yield app, person(app)


def add(client: TestClient, browser: Browser) -> None:
    answer = client.post("/account/telephones", json=browser.subscription)
    assert answer.status_code == 204, answer.text


def wrong(app: FastAPI, round_id: str = "r1") -> RoundReport:
    """Let a hand be set wrongly now, with its pictures."""
    parts, now = app.state.parts, datetime.now(UTC)
    seen = opened(HOUSE_WRONG, round_id).model_copy(update={"opened_at": now, "changed_at": now})
    report = report_round(seen, table="test", rules=parts.only.rules, versions={})
    pictures = [Evidence("house", "close_up", Picture(jpeg(400))), Evidence("house", "exchange", Picture(jpeg(402)))]
    recorded: tuple[RoundReport, ...] = parts.only.ledger.revise(report, pictures)
    parts.only.live.publish_rounds(*recorded)
    return recorded[-1]


def test_a_wrong_hand_arrives_with_what_to_do_its_picture_and_what_became_of_it(service: PushService) -> None:
    browser = service.subscribe()
    with serving() as (app, client):
        key = client.get("/account/telephones/key").json()["key"]
        add(client, browser)
        ((_, headers, body),) = service.got
        played = wrong(app)
        wait_until(lambda: len(service.got) == 2)
        hello, alarm = service.received(browser)
        exchange = next(one.sha256 for one in played.evidence if one.role == "exchange")
        anybody = TestClient(app, base_url="http://localhost")
        shown = anybody.get(alarm["image"])
        page = anybody.get(alarm["url"], headers={"Accept": "text/html"}, follow_redirects=False)
        stored_picture = app.state.parts.record.evidence.get(exchange)
        strip = html.unescape(client.get("/tables/test").text)
        answer = client.post("/page/alarms/acknowledge", data={"alarm": alarm["id"], "then": "/"})
        assert answer.status_code == 200
        wait_until(lambda: len(service.got) == 3)
        done = service.received(browser)[-1]
    assert claims_of(headers, key, "http://127.0.0.1")["sub"].startswith("mailto:houseway@")
    assert (headers["ttl"], headers["urgency"], headers["content-encoding"]) == ("120", "high", "aes128gcm")
    assert b"Table" not in body
    assert hello["body"] == "Notifications are on."
    assert alarm["title"] == "Test table · Round 1: House hand set wrongly"
    assert "Correct it now" in alarm["body"]
    assert alarm["body"].split(" (")[0] in strip
    assert (alarm["url"], alarm["button"]) == ("/tables/test/rounds/r1?place=house", "Acknowledge")
    assert (shown.status_code, shown.content) == (200, stored_picture)
    assert page.status_code == 303  # the alarm itself is behind the sign-in
    assert (done["tag"], "id" in done, "image" in done) == (alarm["tag"], False, False)
    assert "ann" in done["body"]


def test_a_hand_that_was_corrected_is_said_to_be_so_and_doubts_are_not_called_out(service: PushService) -> None:
    browser = service.subscribe()
    with serving() as (app, client):
        add(client, browser)
        wrong(app)
        wait_until(lambda: len(service.got) == 2)
        play(app, HOUSE_RIGHT)
        wait_until(lambda: len(service.got) == 3)
        play(app, DOUBTFUL, "r2")
        time.sleep(1.0)
    said = service.received(browser)
    assert len(said) == 3
    assert said[1]["tag"] == said[2]["tag"]
    assert said[2]["body"].startswith("ended at")


@pytest.mark.parametrize("status", [404, 410])
def test_a_telephone_that_its_push_service_no_longer_knows_is_forgotten(service: PushService, status: int) -> None:
    gone, stays = service.subscribe(), service.subscribe()
    with serving() as (app, client):
        add(client, gone)
        add(client, stays)
        service.answers = lambda path: status if path == "/0" else 201
        wrong(app)
        telephones = app.state.parts.access.telephones
        wait_until(lambda: [each.endpoint for each in telephones.of("ann")] == [stays.endpoint])
        wait_until(lambda: len(service.received(stays)) == 2)


def test_it_ends_with_the_account_with_signing_out_everywhere_or_here(service: PushService) -> None:
    with serving() as (app, client):
        parts = app.state.parts
        telephones, accounts = parts.access.telephones, parts.access.accounts
        add(client, service.subscribe())
        accounts.end_sessions("ann", WHY)
        assert telephones.of("ann") == ()
        again = person(app)
        add(again, service.subscribe())
        assert len(telephones.of("ann")) == 1
        other = person(app)
        other.post("/sign-out")  # in another browser
        assert len(telephones.of("ann")) == 1
        again.post("/sign-out")
        assert telephones.of("ann") == ()
        last = person(app)
        add(last, service.subscribe())
        accounts.disable("ann", WHY)
        assert telephones.notified() == ()
        sent = len(service.got)
        wrong(app)
        time.sleep(1.0)
        assert len(service.got) == sent


def test_an_account_has_a_few_telephones_and_sees_only_its_own(service: PushService) -> None:
    with serving() as (app, client):
        bob = person(app, name="bob")
        telephones = app.state.parts.access.telephones
        for _ in range(stored.MOST_OF_AN_ACCOUNT + 1):
            add(client, service.subscribe())
        kept = telephones.of("ann")
        assert [each.endpoint for each in kept] == [each.endpoint for each in service.browsers[1:]]
        add(client, service.browsers[-1])  # subscribed once more
        assert len(telephones.of("ann")) == stored.MOST_OF_AN_ACCOUNT
        bob.post(f"/account/telephones/{kept[0].id}/remove")
        assert len(telephones.of("ann")) == stored.MOST_OF_AN_ACCOUNT
        assert "this phone" in client.get("/account").text
        assert kept[0].id not in bob.get("/account").text
        client.post(f"/account/telephones/{kept[0].id}/remove")
        assert kept[0].id not in {each.id for each in telephones.of("ann")}
        viewer = person(app, UserRole.VIEWER, "vic")
        assert viewer.post("/account/telephones", json=service.browsers[0].subscription).status_code == 403


@pytest.mark.parametrize(
    "endpoint",
    [
        "http://push.example.com/1",
        "https://user@push.example.com/1",
        "ftp://push.example.com/1",
        "https://push.example.com",
    ],
)
def test_only_push_services_with_tls_are_accepted(endpoint: str, service: PushService) -> None:
    with serving() as (app, client):
        app.state.parts.push.networks = ()
        sent = {**service.subscribe().subscription, "endpoint": endpoint}
        refused = client.post("/account/telephones", json=sent, headers={"Accept": "application/json"})
    assert refused.status_code == 422


@pytest.mark.parametrize("endpoint", ["https://127.0.0.1/1", "https://10.1.2.3/1", "https://169.254.169.254/latest"])
def test_nothing_is_sent_to_addresses_of_one_s_own(endpoint: str, service: PushService) -> None:
    with serving() as (app, client):
        app.state.parts.push.networks = ()
        sent = {**service.subscribe().subscription, "endpoint": endpoint}
        refused = client.post("/account/telephones", json=sent, headers={"Accept": "application/json"})
        assert (refused.status_code, refused.json()["code"]) == (503, "not_ready")
        assert app.state.parts.access.telephones.of("ann") == ()


def telephone(browser: Browser) -> Telephone:
    keys = browser.subscription["keys"]
    return Telephone("t", "ann", browser.endpoint, keys["p256dh"], keys["auth"], "pit.example", "en", "", "")


def test_a_silent_push_service_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(web_push, "_DEADLINE_S", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        browser = Browser(f"http://127.0.0.1:{silent.getsockname()[1]}/secret-path")

        async def send() -> str:
            sender = PushSender(tmp_path / KEY_FILE, HERE)
            try:
                return await sender.send(telephone(browser), {"tag": "x", "title": "t"})
            finally:
                await sender.close()

        started = time.monotonic()
        assert asyncio.run(send()) == "failed"
        assert time.monotonic() - started < 5.0
    assert "was not notified" in caplog.text
    assert "secret-path" not in caplog.text


def test_a_fault_of_the_push_service_is_tried_once_more(tmp_path: Path, service: PushService) -> None:
    answers = [503, 201]
    service.answers = lambda _: answers.pop(0)

    async def send() -> str:
        sender = PushSender(tmp_path / KEY_FILE, HERE)
        try:
            return await sender.send(telephone(service.subscribe()), {"tag": "x", "title": "t"})
        finally:
            await sender.close()

    assert asyncio.run(send()) == "taken"
    assert len(service.got) == 2


def test_the_key_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    file = tmp_path / KEY_FILE
    first = PushSender(file).public_key()
    assert PushSender(file).public_key() == first
    assert file.stat().st_mode & 0o077 == 0


def test_a_link_opens_one_thing_until_it_expires() -> None:
    with serving() as (app, _):
        anybody = TestClient(app, base_url="http://localhost")
        links: SignedLinks = app.state.parts.access.links
        played = wrong(app)
        close_up = played.evidence[0].sha256
        soon = datetime.now(UTC) + timedelta(minutes=1)
        good = links.make(soon, "picture", close_up)
        assert links.open(good).what == ("picture", close_up)  # type: ignore[union-attr]
        assert anybody.get("/shared/picture", params={"link": good}).headers["content-type"] == "image/jpeg"
        forged = good[:-3] + ("A" if good[-3] != "A" else "B") + good[-2:]
        for bad in (forged, "x", "", links.make(soon - timedelta(minutes=2), "picture", close_up), "ä"):
            refused = anybody.get("/shared/picture", params={"link": bad})
            assert (refused.status_code, b"JFIF" in refused.content) == (404, False)
        other = links.make(soon, "round", close_up)
        assert anybody.get("/shared/picture", params={"link": other}).status_code == 404


def test_an_old_alarm_is_not_called_out(service: PushService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.web.telephone_calls.LASTS_S", 0)
    with serving() as (app, client):
        add(client, service.subscribe())
        wrong(app)
        time.sleep(1.0)
    assert len(service.got) == 1
