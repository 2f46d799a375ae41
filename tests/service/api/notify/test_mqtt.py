"""MQTT against a real Mosquitto that goes away, comes back, and outlives the service."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from service.api.notify.notifier import HealthRecorder
from service.record.health import Check
from service.system.settings import Config
from service.system.subscriber_settings import MqttConfig
from service.table.live_state import LiveState
from service.words.codes import ServiceCode
from tests.conftest import ROOT
from tests.service.api.test_http import play
from tests.service.api.test_record import DOUBTFUL
from tests.service.stand_ins import HOUSE_WRONG, FakeReader, app_of, config, signed_in, wait_until

PASSWORD = "a password"  # noqa: S105  made up


@dataclass(slots=True)
class Broker:
    """A Mosquitto of the test's own, which can be killed and started again.

    Attributes:
        folder: its settings and what it keeps.
        port: where it listens.
    """

    folder: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it listens."""
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", str(self.folder / "mosquitto.conf")], stderr=subprocess.DEVNULL)
        wait_until(self._listens)

    def stop(self) -> None:
        """End it, as an administrator would; what is retained and queued it keeps."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait()

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    if shutil.which("mosquitto") is None and not (shutil.which("/usr/sbin/mosquitto")):
        pytest.skip("no mosquitto on this machine; install Debian's package mosquitto")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    passwords = tmp_path / "passwords"
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(passwords), "houseway", PASSWORD], check=True)
    passwords.chmod(0o644)
    (tmp_path / "mosquitto.conf").write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\npersistence true\n"
        f"persistence_location {tmp_path}/\nuser root\nlog_type none\n"
    )
    (tmp_path / "password").write_text(f"{PASSWORD}\n")
    made = Broker(tmp_path, port)
    made.start()
    yield made
    made.stop()


@dataclass(slots=True)
class Listener:
    """What a subscriber with a persistent session got, topic and payload, in order; retained ones are the latest."""

    got: list[tuple[str, Any]] = field(default_factory=list)
    subscribed: threading.Event = field(default_factory=threading.Event)

    def of(self, topic: str) -> list[Any]:
        return [payload for name, payload in self.got if name == f"floor/test/{topic}"]


@contextmanager
def listening(broker: Broker, name: str = "listener") -> Iterator[Listener]:
    listener = Listener()
    client = Client(CallbackAPIVersion.VERSION2, client_id=name, clean_session=False)
    client.username_pw_set("houseway", PASSWORD)
    client.reconnect_delay_set(1, 1)

    def take(_: Client, __: object, message: MQTTMessage) -> None:
        text = message.payload.decode()
        listener.got.append((message.topic, json.loads(text) if text.startswith("{") else text))

    client.on_connect = lambda client, *_: client.subscribe("floor/#", qos=1) and None
    client.on_subscribe = lambda *_: listener.subscribed.set()
    client.on_message = take
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    assert listener.subscribed.wait(30)
    yield listener
    client.disconnect()
    client.loop_stop()


def with_broker(broker: Broker, settings: Config | None = None, **told: Any) -> Config:  # noqa: ANN401
    mqtt = {
        "host": "127.0.0.1",
        "port": broker.port,
        "username": "houseway",
        "password_file": broker.folder / "password",
        "prefix": "floor",
        **told,
    }
    return (settings or config()).model_copy(update={"mqtt": MqttConfig.model_validate(mqtt)})


@contextmanager
def serving(settings: Config) -> Iterator[tuple[FastAPI, TestClient]]:
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        wait_until(lambda: "accepts events" in shown(app).get("mqtt events", ""))
        yield app, client


def shown(app: FastAPI) -> dict[str, str]:
    return {check.name: check.message for check in app.state.parts.only.live.state.checks}


def test_results_alarms_state_and_availability(broker: Broker) -> None:
    with listening(broker) as listener:
        with serving(with_broker(broker)) as (app, client):
            play(app, HOUSE_WRONG)
            play(app, DOUBTFUL, round_id="r2")
            wait_until(lambda: len(listener.of("alarms/needs_review")) == 1)
            wait_until(lambda: listener.of("health") != [])
            app.state.parts.only.live.check(
                Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="the camera is gone")
            )
            wait_until(lambda: not listener.of("health")[-1]["healthy"])
            results = client.get("/v1/results").json()["results"]
        wait_until(lambda: listener.of("availability") == ["online", "offline"])
    assert [event["data"] for event in listener.of("results")] == results
    (wrong,) = listener.of("alarms/house_hand_wrong")
    assert (wrong["type"], wrong["data"]["state"]) == ("houseway.alarm.house_hand_wrong", "raised")
    assert wrong["data"]["remedy"]
    gone = {check["name"]: check["message"] for check in listener.of("health")[-1]["checks"] if not check["ok"]}
    assert gone == {"source": "the camera is gone"}
    with listening(broker, "late") as late:
        wait_until(lambda: late.of("availability") == ["offline"] and len(late.of("health")) == 1)
        assert late.of("results") == []


def test_while_the_broker_is_away_nothing_is_lost(broker: Broker) -> None:
    with listening(broker) as listener, serving(with_broker(broker, kinds=["result"])) as (app, client):
        play(app)
        wait_until(lambda: len(listener.of("results")) == 1)
        broker.stop()
        wait_until(lambda: "the connection to the broker is lost" in shown(app)["mqtt"])
        table = client.get("/v1/tables/test").json()["local"]
        assert (table["healthy"], table["phase"]) == (False, "round_open")
        for number in range(2, 6):
            play(app, round_id=f"r{number}")
        broker.start()
        due = client.get("/v1/results").json()["results"]
        wait_until(lambda: len(distinct(listener)) == len(due))
        assert "connected" in shown(app)["mqtt"]
    assert distinct(listener) == due


def test_what_was_recorded_while_the_broker_was_never_seen(broker: Broker) -> None:
    with listening(broker):
        pass  # leaves a session, for which the broker keeps new messages
    broker.stop()
    settings = with_broker(broker, kinds=["result"])
    with serving(settings) as (app, client):
        wait_until(lambda: "no broker answers" in shown(app)["mqtt"])
        play(app)
        play(app, round_id="r2")
        due = client.get("/v1/results").json()["results"]
    broker.start()
    with serving(settings), listening(broker) as listener:
        wait_until(lambda: len(distinct(listener)) == len(due))
    assert distinct(listener) == due


def distinct(listener: Listener) -> list[dict[str, Any]]:
    """The results, each once; a repeated one has the same id."""
    return list({event["id"]: event["data"] for event in listener.of("results")}.values())


SERVICE = """
import sys, time
from pathlib import Path
from fastapi.testclient import TestClient
from tests.service.stand_ins import app_of
from tests.service.api.notify.test_mqtt import Broker, with_broker
from tests.service.stand_ins import FakeReader

app = app_of(with_broker(Broker(Path(sys.argv[1]), int(sys.argv[2]))), reader=FakeReader(), watch=False)
with TestClient(app, base_url="http://localhost"):
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_service_that_vanishes_is_told_by_the_broker(broker: Broker) -> None:
    command = [sys.executable, "-c", SERVICE, str(broker.folder), str(broker.port)]
    with listening(broker) as listener:
        service = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)})
        try:
            wait_until(lambda: listener.of("availability") == ["online"])
        finally:
            service.kill()
            service.wait()
        wait_until(lambda: listener.of("availability") == ["online", "offline"])


def test_a_wrong_password_is_shown(broker: Broker) -> None:
    (broker.folder / "password").write_text("another")
    with serving(with_broker(broker)) as (app, _):
        wait_until(lambda: "refuses" in shown(app)["mqtt"])


def test_health_is_recorded_when_it_lasts() -> None:
    settings = config()
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        parts = app.state.parts
        live: LiveState = parts.only.live
        live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=True, why="pictures arrive"))
        watch = HealthRecorder(parts.record, live, "test", look_every_s=0.02, well_for_s=0.5)
        assert client.portal is not None
        running = client.portal.start_task_soon(watch.run)
        told: list[tuple[bool, list[str]]] = []

        def look() -> list[tuple[bool, list[str]]]:
            entries = parts.record.after(0, kinds=("alarm",))
            told[:] = [(entry.data["ok"], [each["name"] for each in entry.data["checks"]]) for entry in entries]
            return told

        live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=False, why="the camera is gone"))
        wait_until(lambda: look() == [(False, ["source"])])
        live.check(Check.of("source", ServiceCode.NOT_REACHED, ok=True, why="pictures arrive"))
        live.check(Check.of("clock", ServiceCode.NOT_REACHED, ok=False, why="the clock is wrong"))
        # One that has been well for a moment alone is not over yet.
        wait_until(lambda: look()[1:] == [(False, ["clock", "source"]), (False, ["clock"])])
        live.check(Check.of("clock", ServiceCode.NOT_REACHED, ok=True, why="the clock is right"))
        wait_until(lambda: look()[-1] == (True, []))
        running.cancel()
    assert len(told) == 4
    noticed = parts.notices.reader.after((0, 0), frozenset({"health"})).notices
    said = [json.loads(notice.body)["data"] for notice in noticed]
    assert [(each["state"], [check["name"] for check in each["checks"]]) for each in said] == [
        ("raised", ["source"]),
        ("raised", ["clock", "source"]),
        ("cleared", []),
    ]
