"""Webhooks end to end: a real service, a real receiver that verifies signatures, and killing either of them."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.api.notify.delivery import RetryPolicy
from service.api.notify.webhooks import AddressError, check_address, pause_asked_s, resolve_target
from service.record.outbox import ALL_PARTS, Outbox, PositionMovedError
from service.system.logs import configure_logging
from service.system.settings import Config
from service.system.settings_file import ConfigError
from service.system.subscriber_settings import WebhookConfig
from tests.conftest import ROOT
from tests.service.api.notify.receiver import SECRET, Receiver, receiving
from tests.service.api.test_http import play
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, FakeReader, app_of, config, signed_in, wait_until

OWN = "not an address of the public Internet"


def with_webhook(receiver: Receiver, settings: Config | None = None, **told: Any) -> Config:  # noqa: ANN401  as the file says it
    """Settings with one webhook that is quick to try again."""
    quick = {"first_pause_s": 0.01, "longest_pause_s": 0.02, "secret_env": "TEST_SECRET"}
    here = {"name": "one", "url": receiver.url, "networks": ["127.0.0.0/8"]}
    webhook = WebhookConfig.model_validate({**here, **quick, **told})
    return (settings or config()).model_copy(update={"webhooks": (webhook,)})


@contextmanager
def serving(settings: Config) -> Iterator[tuple[FastAPI, TestClient]]:
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        # A new subscriber gets what is recorded from now on, so it must exist first.
        name = settings.webhooks[0].name
        wait_until(lambda: any(check.name == f"webhook {name}" for check in app.state.parts.only.live.state.checks))
        yield app, client


def test_results_and_alarms_arrive_signed_and_in_order(receiver: Receiver) -> None:
    with serving(with_webhook(receiver)) as (app, client):
        play(app)
        play(app, HOUSE_WRONG)
        play(app, HOUSE_RIGHT)
        wait_until(lambda: len(receiver.taken) == 5)
        results = client.get("/v1/results").json()["results"]
    kinds = [event["type"].removeprefix("houseway.") for event in receiver.taken]
    wrong = "alarm.house_hand_wrong"
    assert kinds == ["result", "result", wrong, "result", wrong]
    assert [event["data"] for event in receiver.taken if event["type"] == "houseway.result"] == results
    raised, cleared = (event["data"] for event in receiver.taken if event["type"].endswith("wrong"))
    assert (raised["state"], raised["place"], raised["rule"]) == ("raised", "house", "crown-6.1 7.4.2")
    assert raised["expected"] == {"low": ["6-3", "5-3"], "high": ["6-6", "6-1"]}
    assert cleared["state"] == "cleared"
    for event in receiver.taken:
        assert event["specversion"] == "1.0"
        assert event["source"].startswith("urn:uuid:")
        assert event["subject"] == "tables/test/rounds/r1"
        assert "." not in event["id"]
    assert len(set(receiver.ids)) == 5
    order = [event["sequence"] for event in receiver.taken]
    assert order == sorted(order)


def test_a_standby_delivers_nothing_until_it_may_write(receiver: Receiver) -> None:
    settings = with_webhook(receiver, start="oldest")
    with serving(settings) as (app, _):
        receiver.answers = lambda _: 503  # so that all of it is still to be delivered
        play(app)
        standby = app_of(settings, reader=FakeReader(), watch=False)
        with TestClient(standby):
            assert standby.state.parts.record.state.is_standby
            wait_until(lambda: len(receiver.got) > 3)
            checks = standby.state.parts.only.live.state.checks
            assert not [check for check in checks if check.name == "webhook one"]


def test_a_delivery_is_not_logged_with_its_address(receiver: Receiver, capsys: pytest.CaptureFixture[str]) -> None:
    named = receiver.url.replace("127.0.0.1", "localhost")  # it is the address found that is asked
    settings = with_webhook(receiver, url=f"{named}&token=hunter2", networks=["127.0.0.0/8", "::1/128"])
    with serving(settings) as (app, _):
        configure_logging(settings.log, settings.secrets())
        play(app)
        wait_until(lambda: bool(receiver.taken))
    assert "hunter2" not in capsys.readouterr().err


def test_a_review_is_asked_for_and_done(receiver: Receiver) -> None:
    with serving(with_webhook(receiver, kinds=["needs_review"])) as (app, client):
        play(app, DOUBTFUL)
        decision = {"action": "confirm", "by": "A", "reason": "seen", "revision": 1}
        assert client.post("/v1/rounds/r1/review", json=decision).status_code == 200
        wait_until(lambda: len(receiver.taken) == 2)
    raised, cleared = (event["data"] for event in receiver.taken)
    assert raised["state"] == "raised"
    assert "House: 5-3: glare on the 5-3" in raised["reasons"]
    assert (cleared["state"], cleared["round"]["revision"]) == ("cleared", 2)


def test_what_is_not_taken_is_sent_again_before_anything_else(receiver: Receiver) -> None:
    refusals: list[int | tuple[int, dict[str, str]]] = [500, 302, (429, {"Retry-After": "0"})]
    receiver.answers = lambda _: refusals.pop(0) if refusals else 204
    with serving(with_webhook(receiver, kinds=["result"])) as (app, _):
        play(app)
        play(app, round_id="r2")  # closes r1, which is another revision of it
        wait_until(lambda: len(receiver.taken) == 3)
    assert len({event["id"] for event in receiver.got[:4]}) == 1
    rounds = [(event["data"]["round"]["id"], event["data"]["round"]["revision"]) for event in receiver.taken]
    assert rounds == [("r1", 1), ("r1", 2), ("r2", 1)]


def test_a_dead_letter_is_shown_and_the_next_goes_on(receiver: Receiver) -> None:
    settings = with_webhook(receiver, kinds=["house_hand_wrong"], attempts=4)
    receiver.answers = lambda event: 400 if event["data"]["state"] == "raised" else 204
    with serving(settings) as (app, client):
        play(app, HOUSE_WRONG)
        play(app, HOUSE_RIGHT)
        wait_until(lambda: len(receiver.taken) == 1)
        wait_until(lambda: "could not be delivered" in shown(client)["message"])
        assert len(receiver.got) == 5
        (dead,) = Outbox(app.state.parts.record.database).dead("webhook one")
        assert (dead.id, dead.attempts, dead.error) == (receiver.got[0]["id"], 4, "it answered 400")
        table = client.get("/v1/tables/test").json()["local"]
        # The table itself is read as before.
        assert (table["healthy"], table["phase"]) == (False, "round_open")
    with serving(settings) as (_, client):
        wait_until(lambda: "could not be delivered" in shown(client)["message"])


def test_who_wants_nothing_more_is_left_alone_until_an_administrator_begins_it_again(
    receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    settings = with_webhook(receiver, kinds=["result"])
    receiver.answers = lambda _: 410
    with serving(settings) as (app, client):
        play(app)
        wait_until(lambda: "answered 410" in shown(client)["message"])
        assert "nothing is sent until a person resumes it" in caplog.text
        play(app, round_id="r2")
        assert "Start the webhook again" in client.get("/tables/test/health").text
        assert client.post("/tables/test/health/webhooks/other/begin", data={"reason": "x"}).status_code == 422
        assert client.post("/tables/test/health/webhooks/one/begin", data={"reason": " "}).status_code == 422
    assert len(receiver.got) == 1
    receiver.answers = lambda _: 204
    with serving(settings) as (app, client):  # a restart does not resume it
        wait_until(lambda: "answered 410" in shown(client)["message"])
        assert len(receiver.got) == 1
        assert client.post("/tables/test/health/webhooks/one/begin", data={"reason": "it is back"}).status_code == 200
        wait_until(lambda: len(receiver.taken) == 3)
        wait_until(lambda: shown(client)["ok"])
        assert "Start the webhook again" not in client.get("/tables/test/health").text
        change = client.get("/v1/changes").json()["changes"][-1]
    assert (change["kind"], change["subject"], change["act"]) == ("webhook", "one", "started again")
    assert change["reason"] == "it is back"
    rounds = [(event["data"]["round"]["id"], event["data"]["round"]["revision"]) for event in receiver.taken]
    assert rounds == [("r1", 1), ("r1", 2), ("r2", 1)]


def shown(client: TestClient) -> dict[str, Any]:
    checks = client.get("/v1/tables/test").json()["local"]["checks"]
    return next(check for check in checks if check["name"] == "webhook one")


def test_nobody_there_is_shown_and_nothing_is_lost() -> None:
    with receiving() as gone:
        pass
    with serving(with_webhook(gone)) as (app, client):
        play(app)
        wait_until(lambda: not shown(client)["ok"])
        assert "ConnectError" in shown(client)["message"]
        assert Outbox(app.state.parts.record.database).state("webhook one", (0, 0)).attempts >= 3


def test_a_new_subscriber_begins_now_or_at_the_start(receiver: Receiver) -> None:
    with receiving() as early:
        settings = config()
        with serving(with_webhook(receiver, settings)) as (app, _):
            outbox = Outbox(app.state.parts.record.database)
            started = outbox.state("webhook one", (0, 0)).position
            play(app)
            # Stopped before it knows that the receiver took it, the service would rightly send it again.
            wait_until(lambda: outbox.state("webhook one", (0, 0)).position != started)
        with serving(with_webhook(early, settings, name="late", start="oldest")) as (app, _):
            wait_until(lambda: len(early.taken) == 1)
            play(app, HOUSE_WRONG)
            wait_until(lambda: len(early.taken) == 3)
        assert early.taken[0] == receiver.taken[0]
        with serving(with_webhook(receiver, settings)) as (app, _):
            wait_until(lambda: len(receiver.taken) == 3)
        assert early.taken == receiver.taken


def test_a_position_moves_once(receiver: Receiver) -> None:
    with serving(with_webhook(receiver)) as (app, _):
        outbox = Outbox(app.state.parts.record.database)
        assert outbox.state("x", (3, 1)).position == (3, 1)
        assert outbox.state("x", (9, 9)).position == (3, 1)
        outbox.acknowledge("x", (3, 1), (4, ALL_PARTS))
        with pytest.raises(PositionMovedError):
            outbox.acknowledge("x", (3, 1), (4, ALL_PARTS))


SERVICE = """
import sys, time
from pathlib import Path
from fastapi.testclient import TestClient
from tests.service.stand_ins import app_of
from service.system.service_settings import RecordConfig
from tests.service.api.notify.receiver import Receiver
from tests.service.api.notify.test_webhooks import with_webhook
from tests.service.stand_ins import FakeReader, config
from tests.service.api.test_http import play

settings = config().model_copy(update={"record": RecordConfig(folder=Path(sys.argv[1]), min_free_mb=0)})
settings = with_webhook(Receiver(url=sys.argv[2]), settings, start="oldest", kinds=["result"])
app = app_of(settings, reader=FakeReader(), watch=False)
with TestClient(app, base_url="http://localhost"):
    while True:
        play(app, round_id=f"r{time.monotonic_ns()}")
        time.sleep(0.02)
"""


@pytest.mark.slow
def test_killed_at_any_moment_nothing_is_skipped_or_out_of_order(receiver: Receiver, tmp_path: Path) -> None:
    folder = tmp_path / "record"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for run in range(1, 4):
        before = len(receiver.taken)
        command = [sys.executable, "-W", "error", "-c", SERVICE, str(folder), receiver.url]
        service = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        try:
            wait_until(lambda due=before + 5 * run: len(receiver.taken) >= due, 60)  # type: ignore[misc]
        finally:
            service.send_signal(signal.SIGKILL)
            service.wait()
    settings = config()
    settings = settings.model_copy(update={"record": settings.record.model_copy(update={"folder": folder})})
    with serving(with_webhook(receiver, settings, start="oldest", kinds=["result"])) as (_, client):
        due: list[dict[str, Any]] = []
        since: str | None = None
        while True:
            page = client.get("/v1/results", params={"limit": 200} | ({"since": since} if since else {})).json()
            due, since = due + page["results"], page["next"]
            if not page["more"]:
                break
        wait_until(lambda: receiver.taken[-1]["data"] == due[-1], 60)
    # What was taken when the service was killed before it knew is sent again, at once and under the same id.
    once = [event for place, event in enumerate(receiver.taken) if place == 0 or event != receiver.taken[place - 1]]
    assert len(receiver.taken) - len(once) <= 3
    assert [event["data"] for event in once] == due


class TestAddresses:
    @pytest.mark.parametrize(
        ("address", "networks", "in_clear", "says"),
        [
            ("93.184.215.14", [], False, None),
            ("93.184.215.14", [], True, "use https://"),
            ("127.0.0.1", ["127.0.0.0/8"], True, None),
            ("127.0.0.1", [], False, OWN),
            ("10.1.2.3", ["10.1.0.0/16"], True, None),
            ("10.2.2.3", ["10.1.0.0/16"], False, OWN),
            ("::1", [], False, OWN),
            ("::1", ["127.0.0.0/8"], False, OWN),
            ("::ffff:127.0.0.1", [], False, OWN),
            ("::ffff:10.1.2.3", ["10.1.0.0/16"], False, None),
            ("::ffff:93.184.215.14", [], False, None),
            ("fd00::1", ["fd00::/8"], False, None),
            ("fd00:ec2::254", [], False, OWN),
            ("fec0::1", [], False, OWN),
            ("100.64.0.1", [], False, OWN),
            ("100.64.0.1", ["100.64.0.0/10"], False, None),
            ("198.18.0.1", [], False, OWN),
            ("192.0.0.9", [], False, OWN),
            ("192.88.99.1", [], False, OWN),
            ("240.0.0.1", [], False, OWN),
            ("64:ff9b::7f00:1", [], False, OWN),
            ("64:ff9b::a01:203", ["10.1.0.0/16"], False, OWN),
            ("64:ff9b::a9fe:a9fe", [], False, OWN),
            ("64:ff9b::5db8:d70e", [], False, None),
            ("64:ff9b:1::7f00:1", [], False, OWN),
            ("2002:7f00:1::1", [], False, OWN),
            ("2002:5db8:d70e::1", [], False, OWN),
            ("2001:0:5db8:d70e:0:0:80ff:fffe", [], False, OWN),
            ("::7f00:1", [], False, OWN),
            ("2001:db8::1", [], False, OWN),
            ("3fff::1", [], False, OWN),
            ("5f00::1", [], False, OWN),
            ("2620:fe::9", [], False, None),
            ("169.254.169.254", ["169.254.0.0/16"], False, "a link-local address"),
            ("fe80::1", ["fe80::/10"], False, "a link-local address"),
            ("fe80::1%eth0", [], False, "a link-local address"),
            ("224.0.0.1", ["224.0.0.0/4"], False, "not the address of a single machine"),
            ("ff02::1", ["::/0"], False, "not the address of a single machine"),
            ("255.255.255.255", ["0.0.0.0/0"], False, "not the address of a single machine"),
            ("0.0.0.0", ["0.0.0.0/0"], False, "not the address of a single machine"),  # noqa: S104  that it is refused is the test
            ("::", ["::/0"], False, "not the address of a single machine"),
        ],
    )
    def test_what_may_be_sent_to(self, address: str, *, networks: list[str], in_clear: bool, says: str | None) -> None:
        allowed = [ip_network(each) for each in networks]
        if says is None:
            check_address(ip_address(address), networks=allowed, in_clear=in_clear)
        else:
            with pytest.raises(AddressError, match=says):
                check_address(ip_address(address), networks=allowed, in_clear=in_clear)

    @pytest.mark.parametrize(
        "host",
        [
            "127.0.0.1",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[64:ff9b::7f00:1]",
            "2130706433",
            "0x7f.1",
            "127.1",
            "0177.0.0.1",
        ],
    )
    def test_however_this_machine_is_written(self, host: str) -> None:
        with pytest.raises(AddressError):
            asyncio.run(resolve_target(f"https://{host}/", []))

    def test_a_name_is_resolved_once_and_that_address_is_asked(
        self, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A name that leads elsewhere the second time (DNS rebinding) gains nothing: it is not asked again."""
        asked: list[str] = []
        elsewhere = "127.0.0.9"  # allowed too, and nobody listens there
        port = int(receiver.url.split(":")[2].split("/")[0])

        def resolve(host: str, *_: object, **__: object) -> list[Any]:
            asked.append(host)
            address = "127.0.0.1" if len(asked) == 1 else elsewhere
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

        networks = ["127.0.0.0/8"]
        with serving(with_webhook(Receiver(url=f"http://rebinding.example:{port}/hook"), networks=networks)) as (
            app,
            _,
        ):
            monkeypatch.setattr(socket, "getaddrinfo", resolve)
            play(app)
            wait_until(lambda: len(receiver.got) >= 1)
        assert asked[:1] == ["rebinding.example"]
        assert len(asked) == len(receiver.got)

    def test_a_name_with_one_address_that_is_not_allowed_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        told = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, 443)) for each in ("93.184.215.14", "10.0.0.1")]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: told)
        with pytest.raises(AddressError, match=r"10\.0\.0\.1/32"):
            asyncio.run(resolve_target("https://half.example/", []))

    def test_a_name_that_leads_to_this_machine(self) -> None:
        with pytest.raises(AddressError, match=OWN):
            asyncio.run(resolve_target("http://localhost:1/", []))
        loopback = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
        assert asyncio.run(resolve_target("http://localhost:1/", loopback)).host == "localhost"
        with pytest.raises(AddressError, match="not found"):
            asyncio.run(resolve_target("https://houseway.invalid/", []))

    def test_a_name_is_refused_on_the_way_too(self, receiver: Receiver) -> None:
        by_name = Receiver(url=receiver.url.replace("127.0.0.1", "localhost"))
        with serving(with_webhook(by_name, networks=[])) as (app, client):
            play(app)
            wait_until(lambda: not shown(client)["ok"])
            assert "not an address of the public Internet" in shown(client)["message"]
        assert receiver.got == []
        with serving(with_webhook(by_name, networks=["127.0.0.0/8", "::1/128"])) as (app, _):
            play(app)
            wait_until(lambda: len(receiver.taken) == 1)


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("", 0.0),
        ("120", 120.0),
        ("9" * 400, 3600.0),
        ("\u0661\u0662", 0.0),
        ("-5", 0.0),
        (format_datetime(datetime.now(UTC) + timedelta(hours=3), usegmt=True), 3600.0),
        (format_datetime(datetime.now(UTC) - timedelta(hours=3), usegmt=True), 0.0),
        ("Fri, 31 Dec 1999 23:59:59", 0.0),
        ("soon", 0.0),
    ],
)
def test_the_pause_that_a_subscriber_asks_for_is_in_seconds_or_a_date(retry_after: str, seconds: float) -> None:
    assert pause_asked_s(retry_after) == seconds


@pytest.mark.parametrize("attempts", [1, 2, 5, 200])
def test_pauses_double_up_to_the_longest_and_differ(attempts: int) -> None:
    whole = min(2.0 * 2 ** (attempts - 1), 60.0)
    pauses = {RetryPolicy(9, 2.0, 60.0).pause_s(attempts) for _ in range(20)}
    assert len(pauses) > 1
    assert all(whole / 2 <= pause <= whole for pause in pauses)


@pytest.mark.parametrize(
    ("secret", "says"),
    [("", "there is no secret"), ("whsec_!", "24 to 64 bytes"), ("whsec_c2hvcnQ=", "24 to 64 bytes")],
)
def test_what_is_no_secret_is_said(monkeypatch: pytest.MonkeyPatch, secret: str, says: str) -> None:
    monkeypatch.setenv("TEST_SECRET", secret)
    with pytest.raises(ConfigError, match=says):
        app_of(with_webhook(Receiver(url="https://example.com/")), reader=FakeReader(), watch=False)


def test_secrets_are_changed_without_a_gap(tmp_path: Path, receiver: Receiver) -> None:
    file = tmp_path / "secrets"
    file.write_text(f"whsec_{'A' * 32}\n{SECRET}\n")
    with serving(with_webhook(receiver, secret_env=None, secret_file=file)) as (app, _):
        play(app)
        wait_until(lambda: len(receiver.taken) == 1)
