"""Every entry over HTTP, as the floor service collects it: provable, from any cursor on, restored records told."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from service.access.roles import UserRole
from service.record.checkpoints.note import read_note
from service.record.store.entries import NO_HASH, Entry, check_link
from service.record.store.record_settings import RecordSettings
from service.record.store.signing import Checkpoint, named_by
from tests.service.api.notify.test_epochs import copy_of, put_back
from tests.service.api.test_http import play, problem_of
from tests.service.stand_ins import FakeReader, app_of, config, key_for, signed_in


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with signed_in(app, UserRole.FLOOR, raise_server_exceptions=False) as client:
        yield client


def poll(client: TestClient, since: str | None = None, **query: str | float) -> dict[str, Any]:
    asked = {name: value for name, value in {"since": since, **query}.items() if value is not None}
    answer = client.get("/v1/record/entries", params=asked)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said


def test_the_whole_record_can_be_proven_from_what_is_given(app: FastAPI, client: TestClient) -> None:
    for number in range(4):
        play(app, round_id=f"r{number}")
    lines, since, said = [], None, poll(client, limit=3)
    while said["entries"]:
        lines += said["entries"]
        since = said["next"]
        said = poll(client, since, limit=3)
    record = app.state.parts.record
    seq, previous, key = 0, NO_HASH, None
    for each in lines:
        entry = Entry.of_line(each["line"])
        check_link(entry, seq, previous)
        seq, previous = entry.seq, entry.hash
        key = named_by(entry) or key
        assert key is not None
        assert key.holds(Checkpoint(said["record"], entry.seq, entry.hash, entry.at, each["signature"]))
    assert [each["line"] for each in lines] == [entry.line() for entry in record.all_entries()]
    assert (said["record"], said["next"], said["more"]) == (record.id, since, False)
    assert said["epoch"] == said["epochs"][0]["name"] == f"1-{record.entry(1).hash[:16]}"
    newest = read_note(said["checkpoint"]).checkpoint
    assert (newest.seq, newest.hash) == (seq, previous)


def test_a_page_ends_early_where_entries_are_large(
    app: FastAPI, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.record.feed._PAGE_CHARACTERS", 1)
    for number in range(2):
        play(app, round_id=f"r{number}")
    whole, since = list(app.state.parts.record.all_entries()), None
    for entry in whole:
        said = poll(client, since, limit=200)
        assert [each["line"] for each in said["entries"]] == [entry.line()]
        assert said["more"] == (entry is not whole[-1])
        since = said["next"]


def test_waiting_ends_with_any_entry() -> None:
    app = app_of(config(max_wait_s=60.0), reader=FakeReader(), watch=False)
    with signed_in(app, UserRole.FLOOR) as client:
        since = poll(client)["next"]
        assert poll(client, since, wait=0.05)["entries"] == []
        threading.Timer(0.1, key_for, (app,)).start()
        (entry,) = poll(client, since, wait=300)["entries"]
        assert Entry.of_line(entry["line"]).kind == "key"


def test_a_restored_record_is_told_with_where_to_go_on(tmp_path: Path) -> None:
    settings = config()
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app, UserRole.FLOOR) as client:
        play(app, round_id="r1")
        copy_of(settings, tmp_path / "copy.db")
        common = poll(client)
        play(app, round_id="lost")
        lost = poll(client)
    put_back(settings, tmp_path / "copy.db")
    RecordSettings.of(settings).mark_file.unlink()  # so that the table does not know
    app = app_of(settings, reader=FakeReader(), watch=False)
    with signed_in(app, UserRole.FLOOR) as client:
        play(app, round_id="new")
        asked = {"since": lost["next"]}
        assert problem_of(client.get("/v1/record/entries", params=asked))["code"] == "foreign_cursor"
        shown = client.post("/v1/record/seen", json={"checkpoint": lost["checkpoint"]}).json()
        told = problem_of(client.get("/v1/record/entries", params=asked))
        assert (told["status"], told["code"]) == (409, "record_restored")
        assert told["go_on"] == shown["entries_go_on"] == shown["go_on"]  # alike while no table is followed
        said = poll(client, shown["entries_go_on"])
        assert [epoch["name"] for epoch in said["epochs"]] == [common["epoch"], said["epoch"]]
        (epoch,) = (
            entry for entry in map(Entry.of_line, (each["line"] for each in said["entries"])) if entry.kind == "epoch"
        )
        last = said["epochs"][-1]
        assert (last["first"], last["since"]) == (
            {"seq": epoch.seq, "hash": epoch.hash},
            epoch.data["common"]["seq"],
        )


@pytest.mark.parametrize("query", [{"sinse": "x"}, {"limit": 0}, {"limit": 201}, {"wait": -1}])
def test_an_invalid_query(client: TestClient, query: dict[str, str | float]) -> None:
    assert problem_of(client.get("/v1/record/entries", params=query))["status"] == 422


def test_an_invalid_cursor(client: TestClient) -> None:
    said = problem_of(client.get("/v1/record/entries", params={"since": "x"}))
    assert (said["status"], said["code"]) == (422, "not_a_cursor")
