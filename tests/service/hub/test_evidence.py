"""Pictures of remote tables: fetched on request, verified by their hash, and copied by policy."""

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engine.game.box_order import FROM_RIGHT
from service.access.roles import UserRole
from service.cli import app as command_line
from service.hub.checking import extend
from service.record.ledger import Evidence
from service.record.store.entries import Picture
from service.record.store.stored_logs import UNKNOWN, NamedPicture
from service.rounds.judge.rules_in_force import TableRules
from service.system.settings import Config
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import ServedHub, hub_config, hub_program, serving_hub, written
from tests.service.hub.remote_tables import serving_table, table_config
from tests.service.serving import Served
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, new_folder, opened, report_round, wait_until
from vision.reading import Reading


@pytest.fixture
def table() -> Iterator[tuple[Served, dict[str, Any]]]:
    with serving_table(table_config("t0")) as made:
        yield made


def played(served: Served, reading: Reading, round_id: str, picture: Picture) -> None:
    table = served.app.state.parts.only
    rules = TableRules.of("crown-6.1")
    report = report_round(opened(reading, round_id), table="t0", rules=rules, versions={}, box_order=FROM_RIGHT)
    table.live.publish_rounds(*table.ledger.revise(report, [Evidence("house", "frame", picture)]))


def some_picture(name: str) -> Picture:
    return Picture(b"\xff\xd8 what was seen of " + name.encode())


def settings_of(url: str, told: dict[str, Any], copy: str = "none") -> Config:
    config = hub_config(url, {"t0": told})
    evidence = type(config.evidence).model_validate(
        {"copy": copy, "folder": new_folder() / "pictures", "min_free_mb": 0}
    )
    return config.model_copy(update={"evidence": evidence})


def has_all(hub: ServedHub, served: Served) -> bool:
    head = served.app.state.parts.record.head()
    return bool(hub.parts.hub.writer.known["t0"].hash == head.hash)


def kept(config: Config) -> set[str]:
    folder = config.evidence.folder
    return {path.name for path in Path(str(folder)).glob("*/*") if len(path.name) == 64}


def test_it_is_fetched_from_the_table_that_has_it(hub_url: str, table: tuple[Served, dict[str, Any]]) -> None:
    served, told = table
    picture = some_picture("r1")
    played(served, HOUSE_RIGHT, "r1", picture)
    with serving_hub(settings_of(hub_url, told)) as hub, hub.client(UserRole.INTEGRATOR) as client:
        wait_until(lambda: has_all(hub, served))
        path = f"/v1/evidence/{picture.sha256}"
        answer = client.get(path)
        assert (answer.content, answer.headers["content-type"]) == (picture.data, "image/jpeg")
        assert client.get(path, headers={"If-None-Match": answer.headers["etag"]}).status_code == 304
        unknown = client.get(f"/v1/evidence/{'0' * 64}", headers={"If-None-Match": "*"})
        assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_picture")
        assert client.get("/v1/evidence/x").status_code == 422
        with hub.client(UserRole.VIEWER) as viewer:
            assert viewer.get(path).status_code == 403
        # What somebody put in its place at the table is not handed on.
        served.app.state.parts.record.evidence.path(picture.sha256).write_bytes(b"\xff\xd8 something else")
        assert client.get(path).status_code == 404
        served.stop()
        wait_until(lambda: client.get(path).status_code == 503)
        assert client.get(path).json()["code"] == "table_unreachable"


@pytest.mark.parametrize(("copy", "copied"), [("alarms", {"wrong"}), ("all", {"right", "wrong"})])
def test_it_is_copied_by_policy_and_served_without_the_table(
    hub_url: str, table: tuple[Served, dict[str, Any]], copy: str, copied: set[str]
) -> None:
    served, told = table
    pictures = {name: some_picture(name) for name in ("right", "wrong")}
    played(served, HOUSE_RIGHT, "r1", pictures["right"])
    played(served, HOUSE_WRONG, "r2", pictures["wrong"])
    config = settings_of(hub_url, told, copy)
    due = {pictures[name].sha256 for name in copied}
    with serving_hub(config) as hub, hub.client() as client:
        wait_until(lambda: kept(config) == due)
        wait_until(lambda: hub.parts.hub.reader.table("t0").copied > 0)  # type: ignore[union-attr]
        later = some_picture("later")
        played(served, HOUSE_WRONG, "r3", later)
        wait_until(lambda: kept(config) == due | {later.sha256})
        served.stop()
        for name in copied:
            assert client.get(f"/v1/evidence/{pictures[name].sha256}").content == pictures[name].data
        assert "houseway_hub_evidence_full 0.0" in client.get("/metrics").text


def test_copying_goes_on_after_the_hub_was_killed(
    hub_url: str, table: tuple[Served, dict[str, Any]], tmp_path: Path
) -> None:
    served, told = table
    pictures = [some_picture(f"r{number}") for number in range(60)]
    for number, picture in enumerate(pictures):
        played(served, HOUSE_WRONG, f"r{number}", picture)
    config = settings_of(hub_url, told, "all")
    path = written(config, tmp_path)
    with hub_program(path) as hub:
        wait_until(lambda: len(kept(config)) > 5, 60)
        hub.kill()
    assert len(kept(config)) < 60
    with hub_program(path):
        wait_until(lambda: kept(config) == {picture.sha256 for picture in pictures}, 60)
    proven = CliRunner().invoke(command_line, ["floor", "verify", "--config", str(path)])
    assert (proven.exit_code, "60 pictures are intact in" in proven.output) == (0, True), proven.output
    name = pictures[7].sha256
    (Path(str(config.evidence.folder)) / name[:2] / name).write_bytes(b"something else")
    proven = CliRunner().invoke(command_line, ["floor", "verify", "--config", str(path)])
    assert (proven.exit_code, f"CHANGED: {name}" in proven.output) == (1, True), proven.output


def test_a_full_folder_is_told_and_collecting_goes_on(hub_url: str, table: tuple[Served, dict[str, Any]]) -> None:
    served, told = table
    config = settings_of(hub_url, told, "all")
    bounded = config.evidence.model_copy(update={"max_mb": 1})
    large = Picture(b"\xff\xd8" + bytes(700_000))
    with serving_hub(config.model_copy(update={"evidence": bounded})) as hub, hub.client() as client:
        played(served, HOUSE_WRONG, "r1", large)
        wait_until(lambda: kept(config) == {large.sha256})
        other = Picture(b"\xff\xd8" + bytes(600_000))
        played(served, HOUSE_WRONG, "r2", other)
        wait_until(lambda: "houseway_hub_evidence_full 1.0" in client.get("/metrics").text)
        wait_until(lambda: has_all(hub, served))
        assert client.get(f"/v1/evidence/{other.sha256}").content == other.data
        assert kept(config) == {large.sha256}


def test_two_tables_may_have_the_same_picture(hub_url: str) -> None:
    picture = some_picture("both")
    with ExitStack() as work:
        tables = {name: work.enter_context(serving_table(table_config(name))) for name in ("t0", "t1")}
        for served, _ in tables.values():
            played(served, HOUSE_WRONG, "r1", picture)
        config = hub_config(hub_url, {name: told for name, (_, told) in tables.items()})
        hub = work.enter_context(serving_hub(config))
        wait_until(lambda: len(hub.parts.hub.reader.pictures(picture.sha256)) == 2)
        tables["t1"][0].stop()
        with hub.client() as client:
            assert client.get(f"/v1/evidence/{picture.sha256}").content == picture.data
            tables["t0"][0].stop()
            wait_until(lambda: client.get(f"/v1/evidence/{picture.sha256}").status_code == 503)


@pytest.mark.parametrize(
    ("evidence", "count"),
    [
        ([{"sha256": "ab" * 32, "bytes": 3, "media_type": "image/jpeg", "role": "frame"}], 1),
        ([{"sha256": "../x", "bytes": 3, "media_type": "image/jpeg"}], 0),
        ([{"sha256": "ab" * 32, "bytes": -3, "media_type": "image/jpeg"}], 0),
        ([{"sha256": "ab" * 32, "bytes": 2**70, "media_type": "image/jpeg"}], 0),
        ([{"sha256": "ab" * 32, "bytes": 3, "media_type": 7}], 0),
        ([3, None, []], 0),
        ({"sha256": "ab" * 32}, 0),
        ("x", 0),
    ],
)
def test_what_is_not_named_as_pictures_are_is_none(evidence: object, count: int) -> None:
    feed = RecordedFeed()
    feed.append("round", {"evidence": evidence})
    found = extend(UNKNOWN, feed.given(), feed.trusted)
    assert found.extension is not None
    assert found.extension.entries[1].pictures == (NamedPicture("ab" * 32, 3, "image/jpeg"),) * count


def test_what_a_table_calls_a_page_is_none(hub_url: str, table: tuple[Served, dict[str, Any]]) -> None:
    """With a table's key anything can be named as evidence: it is not served under that media type."""
    served, told = table
    picture = Picture(b"<script>alert(1)</script>", "text/html")
    played(served, HOUSE_WRONG, "r1", picture)
    assert hashlib.sha256(picture.data).hexdigest() == picture.sha256
    with serving_hub(settings_of(hub_url, told)) as hub, hub.client() as client:
        wait_until(lambda: has_all(hub, served))
        answer = client.get(f"/v1/evidence/{picture.sha256}")
        assert (answer.status_code, answer.headers["content-type"]) == (200, "application/octet-stream")
        assert answer.headers["x-content-type-options"] == "nosniff"
