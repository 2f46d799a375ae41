"""The whole of it at a running service: rounds, draw, blind answers, verdict, figures, export, check."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from service.access.roles import UserRole
from service.cli import app as houseway
from service.system.service_settings import AuditConfig
from service.table.audit import auditor as auditor_module
from service.table.audit.audit_export import export_audit
from service.table.audit.audit_log import Item
from service.table.audit.auditor import Auditor
from tests.service.stand_ins import (
    EMPTY,
    FakeReader,
    FakeSource,
    app_of,
    config,
    frames,
    person,
    signed_in,
    wait_until,
)
from tests.service.table.audit.tables import DAY, HANDS, PLAYED, AuditedTable
from vision.reading import Reading

ROUNDS = 5
FIGURES = re.compile(r"<(?:td|th)[^>]*>(.*?)</(?:td|th)>")


@pytest.fixture(scope="module")
def watched() -> Iterator[tuple[FastAPI, TestClient]]:
    """A service that has watched a table for a day, drawn from it, and a supervisor's browser."""
    says: list[Reading | Exception] = [*(PLAYED, PLAYED, EMPTY, EMPTY) * ROUNDS, EMPTY]
    settings = config().model_copy(update={"audit": AuditConfig(hands_a_day=6, throws_a_day=3)})
    app = app_of(settings, reader=FakeReader(says), open_frames=lambda _: FakeSource(frames(len(says)), live=True))
    parts = app.state.parts
    with person(app) as client:
        wait_until(lambda: len(parts.only.answering.log.entries()) == 1)  # the service planned the day automatically
        wait_until(lambda: closed(app) == ROUNDS)
        Auditor(parts.record, parts.only.answering.log, 6, 3).step(datetime.now(UTC) + DAY)
        yield app, client


def closed(app: FastAPI) -> int:
    entries = app.state.parts.record.last(("round",), count=200)
    return sum(entry.data["state"] == "closed" for entry in entries)


def answer(client: TestClient, item: Item, **changed: str) -> Any:  # noqa: ANN401  a response
    """Send the form as the page has it."""
    page = client.get("/tables/test/audit").text
    form = dict(re.findall(r'name="(draw|item|csrf_token)" value="([^"]*)"', page))
    assert form["item"] == str(item.index)
    if item.place == "dice":
        rolls = ((3, "box"), (5, "box"), (1, "box"), (2, "cut"))
        told = {
            f"die{row}.{name}": str(said)
            for row, roll in enumerate(rolls, 1)
            for name, said in zip(("value", "role"), roll, strict=True)
        }
    else:
        told = dict(zip(("low1", "low2", "high1", "high2"), HANDS[item.place].split(), strict=True))
    return client.post("/tables/test/audit/answer", data={**form, "action": "seen", **told, **changed})


def run(*words: object) -> Result:
    return CliRunner().invoke(houseway, ["audit", *map(str, words)])


def test_from_the_table_to_a_file_that_holds(watched: tuple[FastAPI, TestClient], tmp_path: Path) -> None:
    app, client = watched
    answering = app.state.parts.only.answering
    items = answering.log.history().items
    assert [item.place for item in items].count("dice") == 1  # the dice lay there since the first round
    assert [len(item.pictures) for item in items] == [2] * 7

    first = answering.question()
    shown = client.get("/tables/test/audit").text
    assert all(f"/v1/evidence/{sha256}" in shown for sha256 in first.pictures.values())
    assert client.get(f"/v1/evidence/{first.pictures['frame']}").status_code == 200
    assert "As Houseway read it" not in shown

    differing = answer(client, first, high1="2-1", high2="2-1", low1="2-1", low2="2-1").text
    assert "The answer and the reading differ" in differing
    told = dict(re.findall(r'name="(answer|csrf_token)" value="([^"]*)"', differing))
    client.post("/tables/test/audit/verdict", data={**told, "verdict": "reading_wrong"})
    second = answer(client, answering.question(), action="unseen").text
    assert "could not be seen" in second
    while (item := answering.question()) is not None:
        assert "Recorded: your answer agrees with the reading." in answer(client, item).text
    assert "No questions to answer." in client.get("/tables/test/audit").text

    figures = {each["of"]: each for each in client.get("/v1/audit").json()["figures"] if each["version"] is None}
    hands, throws = figures["hands"], figures["throws"]
    assert (hands["verified"], hands["drawn"], hands["answered"]) == (2 * ROUNDS, 6, 6)
    assert (hands["seen"]["asked"], hands["seen"]["errors"]) == (5, 1)
    assert (hands["at_worst"]["asked"], hands["at_worst"]["errors"]) == (6, 2)
    assert (throws["answered"], throws["seen"]["errors"], throws["seen"]["rate"]) == (1, 0, 0.0)
    assert {answered.answer.by for answered in answering.log.history().items} == {"ann"}

    export = client.get("/v1/audit/export")
    assert export.headers["content-type"] == "application/jsonl"
    file = tmp_path / "audit.jsonl"
    file.write_text(export.text)
    folder = app.state.parts.record.settings.folder
    found = run("check", file, "--public-key", folder / "record.pub", "--record", folder, "--json")
    assert (found.exit_code, json.loads(found.stdout)["findings"]) == (0, [])

    file.write_text(export.text.replace('"reading_wrong"', '"answer_wrong"'))
    found = run("check", file)
    assert found.exit_code == 1
    assert "WRONG: entry" in found.stdout


def test_an_answer_to_something_else_is_refused(watched: tuple[FastAPI, TestClient]) -> None:
    _, client = watched
    sent = client.post("/tables/test/audit/answer", data={"draw": "1", "item": "0", "action": "unseen"})
    assert (sent.status_code, "is not open yet" in sent.text) == (409, True)
    sent = client.post("/tables/test/audit/verdict", data={"answer": "1", "verdict": "answer_wrong"})
    assert (sent.status_code, "already given this verdict" in sent.text) == (409, True)
    assert client.post("/tables/test/audit/verdict", data={"answer": "1", "verdict": "both"}).status_code == 422


def test_who_may_answer_and_who_may_look(watched: tuple[FastAPI, TestClient]) -> None:
    app, _ = watched
    sent = {"draw": "1", "item": "0", "action": "unseen"}
    for role, looks, answers in (
        (UserRole.VIEWER, 403, 403),
        (UserRole.TECHNICIAN, 200, 403),
        (UserRole.AUDITOR, 200, 409),
        (UserRole.ADMIN, 200, 409),
    ):
        other = person(app, role, role.value)
        assert other.get("/tables/test/audit").status_code == looks
        assert other.get("/v1/audit").status_code == looks
        assert other.post("/tables/test/audit/answer", data=sent).status_code == answers
        other.headers.pop("X-CSRF-Token")
        assert other.post("/tables/test/audit/answer", data=sent).status_code == 403
    machine = signed_in(app, UserRole.ADMIN)
    assert machine.post("/tables/test/audit/answer", data=sent).json()["code"] == "only_for_persons"


@pytest.mark.parametrize("month", ["2026", "2026-13", "x"])
def test_what_is_no_month_is_refused(watched: tuple[FastAPI, TestClient], month: str) -> None:
    _, client = watched
    assert client.get("/v1/audit/export", params={"month": month}).status_code == 422


@pytest.fixture
def table() -> Iterator[AuditedTable]:
    """All hands drawn of a day were answered, and no throw."""
    made = AuditedTable(hands=30, throws=3)
    made.day(0, 20)
    made.answer(count=30)
    yield made
    made.record.close()


class TestCommands:
    def test_an_export_is_recomputed(self, table: AuditedTable, tmp_path: Path) -> None:
        out, where = tmp_path / "audit.jsonl", ("--record", table.record.settings.folder)
        out.write_text("".join(f"{line}\n" for line in export_audit(table.record, table.log)))
        done = run("check", out, *where)
        assert (done.exit_code, "Everything is correct." in done.stdout) == (0, True)
        assert done.stdout.splitlines()[1:4] == [
            "table test: 3 to answer, 0 need a verdict",
            "hands: 40 verified, 30 drawn, 30 answered",
            "  0 silent errors of 30 seen: 0.00%, at most 9.50%; at worst 0 of 30, at most 9.50%",
        ]
        assert "too few for a rate" in done.stdout
        head = table.record.head()
        assert head is not None
        assert f"up to its entry {head.seq}, {head.at}" in done.stdout
        table.answer()
        assert "audit entries added to the record since: 1" in run("check", out, *where).stdout

    def test_what_cannot_be_checked(self, tmp_path: Path) -> None:
        (tmp_path / "text").write_text("no export")
        for words in ((tmp_path / "text",), (tmp_path / "none",), (tmp_path / "text", "--public-key", tmp_path)):
            found = run("check", *words)
            assert (found.exit_code, found.stderr.startswith("houseway")) == (2, True)


def test_a_record_that_is_away_is_waited_for(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The plan is recorded once the record is back, and the reason for the delay logged once."""
    table = AuditedTable()
    monkeypatch.setattr(auditor_module, "_EVERY_S", 0.01)
    folder = table.record.settings.folder
    away = folder.with_name("away")

    async def work() -> None:
        table.record.database.dispose()
        folder.rename(away)
        async with table.auditor.running():
            await asyncio.to_thread(wait_until, waits)
            assert not folder.exists() or not (folder / "record.db").exists()
            table.record.database.dispose()
            away.rename(folder)
            table.record._next_try = 0.0
            await asyncio.to_thread(wait_until, planned)

    def planned() -> bool:
        return (folder / "record.db").exists() and bool(table.log.record.last(("audit",)))

    def waits() -> bool:
        return "the audit waits" in caplog.text

    with caplog.at_level(logging.WARNING):
        asyncio.run(work())
    assert caplog.text.count("the audit waits") == 1
    table.record.close()
