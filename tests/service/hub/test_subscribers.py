"""Webhooks and MQTT of a hub: real receivers get the events of all tables in order, despite restarts."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert
from typer.testing import CliRunner

from service.api.notify.notices import NOTICE_KINDS, Notice, NoticeReader
from service.cli import app as commands
from service.record.store.all_logs import LogsReader
from service.record.store.database import open_database, sqlite_url, upgrade
from service.record.store.database_reader import DatabaseReader
from service.record.store.schema import OWN_LOG, entries
from service.system.settings import Config
from service.system.subscriber_settings import MqttConfig, WebhookConfig
from tests.service.api.notify.receiver import SECRET, Receiver, receiving
from tests.service.api.notify.test_mqtt import PASSWORD, Broker, broker, listening
from tests.service.hub.feeds import RecordedFeed, check, play
from tests.service.hub.hubs import ServedHub, collected, hub_config, serving_hub, written
from tests.service.hub.remote_tables import FeedServer, serving_feeds
from tests.service.hub.test_projections import take_restored
from tests.service.stand_ins import wait_until

__all__ = ["broker"]
ALL = frozenset(NOTICE_KINDS)


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_SECRET", SECRET)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as made:
        yield made


@pytest.fixture
def tables() -> Iterator[FeedServer]:
    feeds = {name: RecordedFeed(table=f"own-{name}") for name in ("a", "b")}
    with serving_feeds(feeds) as served:
        yield served


def webhook(receiver: Receiver, **told: Any) -> WebhookConfig:  # noqa: ANN401  as the file says it
    quick = {"first_pause_s": 0.01, "longest_pause_s": 0.02, "secret_env": "TEST_SECRET", "start": "oldest"}
    here = {"name": "one", "url": receiver.url, "networks": ["127.0.0.0/8"]}
    return WebhookConfig.model_validate({**here, **quick, **told})


def hub_of(url: str, tables: FeedServer, **subscribers: Any) -> Config:  # noqa: ANN401  as the settings have them
    made = hub_config(url, {name: {"url": f"{tables.url}/{name}"} for name in tables.tables})
    return made.model_copy(update=subscribers)


@contextmanager
def serving_all(settings: Config) -> Iterator[ServedHub]:
    with serving_hub(settings) as hub:
        wait_until(lambda: bool(hub.parts.hub.checks.subscribers))
        yield hub


def told_of(receiver: Receiver, table: str) -> list[tuple[str, str, int]]:
    """What was taken of a table: type, round and revision, as they came."""
    events = [event for event in receiver.taken if event["table"] == table]
    rounds = [event["data"].get("round", {}) for event in events]
    kinds = [event["type"].removeprefix("houseway.") for event in events]
    return [(kind, each.get("id", ""), each.get("revision", 0)) for kind, each in zip(kinds, rounds, strict=True)]


def test_all_tables_are_told_in_their_order_once_over_ends_and_restores(
    hub_url: str, tables: FeedServer, receiver: Receiver
) -> None:
    a, b = tables.tables["a"], tables.tables["b"]
    settings = hub_of(hub_url, tables, webhooks=(webhook(receiver),))
    play(a.feed, "right", "r1")
    a.feed.rounds(1)  # as a table of a later version may have it: nothing that can be read
    play(a.feed, "wrong", "r2")
    with serving_all(settings) as hub:
        check(b.feed, "clock")
        play(b.feed, "doubt", "r1")
        wait_until(lambda: len(receiver.taken) == 6)
        with hub.client() as client:
            results = client.get("/v1/results").json()["results"]
    alarms = [("result", "r1", 1), ("result", "r2", 1), ("alarm.house_hand_wrong", "r2", 1)]
    assert told_of(receiver, "a") == alarms
    assert told_of(receiver, "b") == [("alarm.health", "", 0), ("result", "r1", 1), ("alarm.needs_review", "r1", 1)]
    assert {event["subject"].split("/")[1] for event in receiver.taken} == {"a", "b"}
    cursors = {(each["table"], each["round"]["id"]): each["cursor"] for each in results if "id" in each["round"]}
    for event in receiver.taken:
        if event["type"] == "houseway.result":
            key = (event["table"], event["data"]["round"]["id"])
            assert event["cursor"] == event["data"]["cursor"] == cursors[key]
    # While the floor is down a table goes on, and the other one is restored from a copy.
    play(b.feed, "right", "r2")
    a.feed = a.feed.restored(2)
    play(a.feed, "right", "r3")
    with serving_all(settings):
        wait_until(lambda: len(receiver.taken) == 9)
    assert told_of(receiver, "a") == [*alarms, ("epoch", "", 0), ("result", "r3", 1)]
    assert told_of(receiver, "b")[3:] == [("result", "r2", 1)]
    assert len(set(receiver.ids)) == 9
    order = [event["sequence"] for event in receiver.taken]
    assert order == sorted(order)
    epoch = next(event for event in receiver.taken if event["type"] == "houseway.epoch")
    assert (epoch["data"]["common"]["seq"], epoch["data"]["cursor"]) == (2, epoch["cursor"])
    assert epoch["epoch"] == epoch["data"]["name"]


def notices_in(reader: LogsReader) -> tuple[Notice, ...]:
    """All notices of a store, without a cache."""
    return NoticeReader(DatabaseReader(reader.database)).after((0, 0), ALL).notices


def own_store(feed: RecordedFeed, path: Path) -> DatabaseReader:
    database = open_database(sqlite_url(path))
    upgrade(database)
    with database.begin() as connection:
        for entry, signature in feed.entries:
            place = {"position": entry.seq, "log": OWN_LOG, "signature": signature}
            connection.execute(insert(entries).values(**place, **asdict(entry)))
    return DatabaseReader(database)


def test_an_event_is_the_table_s_own_and_stays_so_when_its_entry_is_lost(hub_url: str, tmp_path: Path) -> None:
    feed = RecordedFeed(table="own")
    play(feed, "wrong", "r1")
    feed.rotate()
    play(feed, "doubt", "r1", 2)
    with LogsReader(hub_url) as reader, collected(hub_url, {"t1": feed}) as writer:
        before = notices_in(reader)
        with own_store(feed, tmp_path / "own.db") as its_store:
            its = NoticeReader(its_store).after((0, 0), ALL).notices
        told = [json.loads(notice.body) for notice in before]
        own = [json.loads(notice.body) for notice in its]
        same = ("id", "source", "type", "time", "epoch", "checkpoint")
        assert [[each[name] for name in same] for each in told] == [[each[name] for name in same] for each in own]
        assert all(each["checkpoint"] for each in told)
        assert [each["table"] for each in told] == ["t1"] * 4
        restored = feed.restored(3)
        play(restored, "right", "r2")
        take_restored(writer, reader, restored, 3)
        after = notices_in(reader)
    assert after[: len(before)] == before
    assert [notice.kind for notice in after[len(before) :]] == ["epoch", "result"]


def test_who_wants_nothing_more_is_begun_again_by_the_command(
    hub_url: str, tables: FeedServer, receiver: Receiver, tmp_path: Path
) -> None:
    settings = hub_of(hub_url, tables, webhooks=(webhook(receiver, attempts=1),))
    receiver.answers = lambda event: 410 if event["table"] == "a" else 500
    path = written(settings, tmp_path)
    path.write_text(
        f'{path.read_text()}[[webhooks]]\nname = "one"\nurl = "{receiver.url}"\nnetworks = ["127.0.0.0/8"]\n'
        'secret_env = "TEST_SECRET"\n'
    )

    def command(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(commands, ["webhook", *words, "--config", str(path)])
        return done.exit_code, done.output

    with serving_all(settings) as hub:
        play(tables.tables["b"].feed, "right", "r1")
        wait_until(lambda: "could not be delivered" in hub.parts.hub.checks.subscribers[0].message)
        play(tables.tables["a"].feed, "right", "r1")
        wait_until(lambda: "answered 410" in hub.parts.hub.checks.subscribers[0].message)
        with hub.client() as client:
            assert 'houseway_hub_subscriber_well{name="webhook one"} 0.0' in client.get("/metrics").text
        assert "stopped on" in command("list")[1]
        receiver.answers = lambda _: 204
        assert command("resend", "one", "--reason", "it is there again")[0] == 0
        wait_until(lambda: hub.parts.hub.checks.subscribers[0].ok)
    assert [event["table"] for event in receiver.taken] == ["b", "a"]
    assert command("list") == (0, "one: all events delivered\n")


def test_a_broker_is_told_of_each_table_under_its_name(broker: Broker, hub_url: str, tables: FeedServer) -> None:
    told = {"host": "127.0.0.1", "port": broker.port, "username": "houseway", "prefix": "floor"}
    mqtt = MqttConfig.model_validate({**told, "password_file": broker.folder / "password"})
    assert PASSWORD in hub_of(hub_url, tables, mqtt=mqtt).secrets()
    tables.tables["b"].status = 503
    with listening(broker) as listener:
        with serving_all(hub_of(hub_url, tables, mqtt=mqtt)) as hub:
            wait_until(lambda: any("accepts events" in each.message for each in hub.parts.hub.checks.subscribers))
            play(tables.tables["a"].feed, "wrong", "r1")
            of_a = ["floor/a/results", "floor/a/alarms/house_hand_wrong"]
            wait_until(lambda: [name for name, _ in listener.got if name.startswith("floor/a/")] == of_a)

            def failing() -> list[str]:
                found = [told for name, told in listener.got if name == "floor/main/health"]
                return [each["name"] for each in found[-1]["checks"] if not each["ok"]] if found else []

            wait_until(lambda: failing() == ["table b"])
        ended = ("floor/main/availability", "offline")
        wait_until(lambda: ended in listener.got)
