"""A record that was restored from an older copy, under subscribers that do as told: nothing is lost silently."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from uuid import uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import text
from typer.testing import CliRunner

from service.access.roles import UserRole
from service.cli import app as command_line
from service.record.changes import Attribution
from service.record.checkpoints.epochs import epochs_of
from service.record.store.database import open_database
from service.record.store.record_settings import RecordSettings
from service.system.remote_settings import PitConfig
from service.system.section import Address
from service.system.service_settings import RecordConfig, ServiceConfig
from service.system.settings import Config
from tests.service.api.notify.receiver import Receiver
from tests.service.api.notify.test_mqtt import Broker, broker, distinct, listening, with_broker
from tests.service.api.notify.test_webhooks import with_webhook
from tests.service.api.test_events import stream, until
from tests.service.api.test_http import play
from tests.service.serving import Served
from tests.service.serving import serving as serving_alone
from tests.service.stand_ins import (
    HOUSE_RIGHT,
    FakeReader,
    app_of,
    config,
    opened,
    report_round,
    signed_in,
    wait_until,
)

__all__ = ["broker"]
"""A fixture of others."""


@pytest.fixture
def settings(tmp_path: Path, receiver: Receiver) -> Config:
    made = config().model_copy(update={"record": RecordConfig(folder=tmp_path / "record", min_free_mb=0)})
    return with_webhook(receiver, made, kinds=["result"], start="oldest")


@contextmanager
def serving(settings: Config) -> Iterator[tuple[FastAPI, TestClient]]:
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        yield app, client


class Poller:
    """Does as docs/integrators.md says: keeps cursor and checkpoint, and what it has by number and hash."""

    def __init__(self) -> None:
        self.since: str | None = None
        self.checkpoint: str | None = None
        self.kept: dict[tuple[int, str], str] = {}
        self.told: list[str] = []

    def poll(self, client: TestClient) -> None:
        while True:
            answer = client.get("/v1/results", params={"limit": 200} | ({"since": self.since} if self.since else {}))
            if answer.status_code == 409:
                problem = answer.json()
                if problem["code"] == "foreign_cursor" and self.checkpoint is not None:
                    shown = client.post("/v1/record/seen", json={"checkpoint": self.checkpoint})
                    assert shown.status_code == 200, shown.text
                    assert not shown.json()["extended"]
                    continue
                assert problem["code"] == "record_restored", problem
                self.told.append(problem["epoch"])
                self.since = problem["go_on"]
                continue
            page = answer.json()
            for each in page["results"]:
                self.kept[each["seq"], each["hash"]] = each["round"]["id"]
            self.since, self.checkpoint = page["next"], page["checkpoint"]
            if not page["more"]:
                return


def rounds(app: FastAPI, *names: str) -> None:
    for name in names:
        play(app, round_id=name)


def copy_of(settings: Config, to: Path) -> None:
    folder = settings.record_folder
    with closing(sqlite3.connect(folder / "record.db")) as database:
        database.execute(f"VACUUM INTO '{to}'")


def put_back(settings: Config, copy: Path) -> None:
    folder = settings.record_folder
    for name in ("record.db", "record.db-wal", "record.db-shm"):
        (folder / name).unlink(missing_ok=True)
    shutil.copy(copy, folder / "record.db")


def served(client: TestClient) -> dict[tuple[int, str], str]:
    found = client.get("/v1/results", params={"limit": 200}).json()["results"]
    return {(each["seq"], each["hash"]): each["round"]["id"] for each in found}


def kept_by(receiver: Receiver) -> dict[tuple[int, str], str]:
    """The events of a receiver that drops repeated ids."""
    once = {event["id"]: event for event in receiver.taken if event["type"] == "houseway.result"}
    return {(each["data"]["seq"], each["data"]["hash"]): each["data"]["round"]["id"] for each in once.values()}


@pytest.mark.parametrize("how", ["noticed", "said", "shown"])
def test_a_restored_copy_goes_on_in_a_new_epoch(settings: Config, receiver: Receiver, tmp_path: Path, how: str) -> None:
    poller = Poller()
    with serving(settings) as (app, client):
        rounds(app, "r1", "r2", "r3")
        wait_until(lambda: len(kept_by(receiver)) == len(served(client)))
        poller.poll(client)
        copy_of(settings, tmp_path / "copy.db")
        rounds(app, "lost1", "lost2", "lost3", "lost4")
        wait_until(lambda: len(kept_by(receiver)) == len(served(client)))
        poller.poll(client)
        before = served(client)
        assert kept_by(receiver) == poller.kept == before
        order = [event["sequence"] for event in receiver.taken]
    put_back(settings, tmp_path / "copy.db")
    mark = RecordSettings.of(settings).mark_file
    if how == "shown":
        mark.unlink()
    if how == "said":
        written = tmp_path / "table.toml"
        written.write_text(
            '[[tables]]\nname = "test"\n[tables.source]\nkind = "path"\npath = "."\n'
            f'[record]\nfolder = "{settings.record_folder}"\n'
        )
        done = CliRunner().invoke(
            command_line,
            ["record", "accept", "--restored", "--config", str(written), "--reason", "the disk was changed"],
        )
        assert done.exit_code == 0, done.output
    with serving(settings) as (app, client):
        if how == "shown":
            rounds(app, "x1", "x2", "x3")
            poller.poll(client)
        rounds(app, "new1", "new2", "new3", "new4", "new5")
        wait_until(lambda: set(served(client)) <= set(kept_by(receiver)))
        poller.poll(client)
        assert set(served(client)) <= set(poller.kept)
        told = [event for event in receiver.taken if event["type"] == "houseway.epoch"]
        assert len(told) == 1
        epoch = epochs_of(app.state.parts.record)[-1]
        assert told[0]["data"]["name"] == epoch.name
        assert poller.told == [epoch.name]
        assert client.get("/v1/results").json()["epoch"] == epoch.name
        checks = {check["name"]: check["ok"] for check in client.get("/v1/tables/test").json()["local"]["checks"]}
        assert checks.get("history", True) == (how == "said")
    # No earlier notice is silently replaced: each is kept, under its own id.
    assert set(before) <= set(kept_by(receiver))
    ids = [event["id"] for event in receiver.taken]
    by_id = {event["id"]: event["data"] for event in receiver.taken}
    assert all(by_id[event["id"]] == event["data"] for event in receiver.taken)
    assert len(set(ids)) == len(by_id)
    if how != "shown":  # told in order, also to who goes by the sequence
        fresh = [event["sequence"] for event in receiver.taken[len(order) :] if event["sequence"] not in order]
        assert fresh == sorted(fresh)
        assert min(fresh) > max(order)


def test_an_account_limited_to_a_pit_learns_that_the_record_was_restored(tmp_path: Path) -> None:
    usual = config(port=0)
    tables = tuple(usual.table.model_copy(update={"name": name, "pit": name}) for name in ("east", "west"))
    pits = tuple(PitConfig(name=name, title=name) for name in ("east", "west"))
    service = ServiceConfig(name="main", title="Main")
    settings = usual.model_copy(update={"tables": tables, "pits": pits, "service": service})

    def played(served: Served, table: str, name: str) -> None:
        at = served.app.state.parts.tables[table]
        report = report_round(opened(HOUSE_RIGHT, name), table=table, rules=at.rules, versions={})
        at.live.publish_rounds(*at.ledger.revise(report))

    def limited(served: Served) -> Served:
        accounts = served.app.state.parts.access.accounts
        why = Attribution("the tests", "to be tested")
        return replace(served, key=accounts.add_key(uuid4().hex, UserRole.SUPERVISOR, 1, why, ["east"])[1])

    with serving_alone(settings) as served, stream(limited(served)) as news:
        played(served, "east", "r1")
        (kept,) = until(news, 1)
        copy_of(settings, tmp_path / "copy.db")
        played(served, "east", "lost")
        (lost,) = until(news, 1)
    put_back(settings, tmp_path / "copy.db")
    written = tmp_path / "service.toml"
    camera = '[tables.source]\nkind = "path"\npath = "."\n'
    written.write_text(
        f'[service]\nname = "main"\n[[tables]]\nname = "east"\n{camera}[[tables]]\nname = "west"\n{camera}'
        f'[record]\nfolder = "{settings.record_folder}"\n'
    )
    done = CliRunner().invoke(
        command_line,
        ["record", "accept", "--restored", "--config", str(written), "--reason", "the disk was changed"],
    )
    assert done.exit_code == 0, done.output
    with serving_alone(settings) as served:
        epoch = epochs_of(served.app.state.parts.record)[-1]
        assert epoch.name in done.output
        with stream(limited(served), lost["id"]) as news:
            assert next(news)["event"] == "reset"
        with stream(limited(served), kept["id"]) as news:
            event = next(each for each in islice(news, 5) if each["event"] == "epoch")
        assert (event["data"]["type"], event["data"]["data"]["name"]) == ("houseway.epoch", epoch.name)


def test_a_broker_is_told_of_the_new_epoch(settings: Config, broker: Broker, tmp_path: Path) -> None:
    settings = with_broker(broker, settings.model_copy(update={"webhooks": ()}), kinds=["result"], start="oldest")
    with listening(broker) as listener:
        with serving(settings) as (app, client):
            rounds(app, "r1", "r2")
            wait_until(lambda: len(distinct(listener)) == len(served(client)))
            copy_of(settings, tmp_path / "copy.db")
            rounds(app, "lost1", "lost2")
            wait_until(lambda: len(distinct(listener)) == len(served(client)))
            before = list(listener.of("results"))
        put_back(settings, tmp_path / "copy.db")
        with serving(settings) as (app, client):
            rounds(app, "new1", "new2", "new3")
            due = client.get("/v1/results", params={"limit": 200}).json()["results"]
            wait_until(lambda: all(each in distinct(listener) for each in due))
        (told,) = {event["id"]: event for event in listener.of("epochs")}.values()
    assert told["type"] == "houseway.epoch"
    new = [event for event in listener.of("results") if event not in before]
    assert {event["id"] for event in new}.isdisjoint(event["id"] for event in before)
    assert min(event["sequence"] for event in new) > max(event["sequence"] for event in before)
    assert {event["epoch"] for event in new} == {told["data"]["name"]}


def test_a_copy_of_a_postgresql_database_is_noticed(settings: Config, receiver: Receiver, postgresql: str) -> None:
    name, copy = f"t{uuid4().hex}", f"c{uuid4().hex}"
    server = open_database(postgresql.format(name="postgres"))

    def make(made: str, template: str = "template1") -> None:
        with server.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(f"CREATE DATABASE {made} TEMPLATE {template}"))

    make(name)
    at = settings.record.model_copy(update={"url": Address(postgresql.format(name=name))})
    settings = settings.model_copy(update={"record": at})
    with serving(settings) as (app, client):
        rounds(app, "r1", "r2")
        wait_until(lambda: len(kept_by(receiver)) == len(served(client)))
    make(copy, name)
    with serving(settings) as (app, client):
        rounds(app, "lost1", "lost2")
        wait_until(lambda: set(served(client)) <= set(kept_by(receiver)))
        before = served(client)
    at = settings.record.model_copy(update={"url": Address(postgresql.format(name=copy))})
    with serving(settings.model_copy(update={"record": at})) as (app, client):
        rounds(app, "new1", "new2", "new3")
        wait_until(lambda: set(served(client)) <= set(kept_by(receiver)))
        told = {event["id"] for event in receiver.taken if event["type"] == "houseway.epoch"}
        assert len(told) == 1
    assert set(before) <= set(kept_by(receiver))
    server.dispose()
