"""``houseway floor`` and the commands for records, on a hub."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from service.cli import app
from service.record.store.all_logs import LogsReader
from service.record.store.signing import save_public_key
from tests.service.hub.feeds import RecordedFeed, play
from tests.service.hub.hubs import collecting, hub_config, unguard, written
from tests.service.hub.remote_tables import serving_feeds
from tests.service.stand_ins import wait_until


def houseway(*words: str) -> Result:
    return CliRunner().invoke(app, words)


@pytest.fixture
def feeds() -> dict[str, RecordedFeed]:
    return {name: RecordedFeed().rounds(12) for name in ("t0", "t1")}


def test_what_is_collected_is_proven(postgresql_url: str, feeds: dict[str, RecordedFeed], tmp_path: Path) -> None:
    with serving_feeds(feeds) as server:
        server.tables["t1"].status = 503
        config = hub_config(postgresql_url, {name: {"url": f"{server.url}/{name}"} for name in feeds})
        path = str(written(config, tmp_path))
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feeds["t0"]))
            server.tables["t1"].status = None
            wait_until(lambda: hub.has("t1", feeds["t1"]))
            said = houseway("floor", "verify", "--config", path)  # while it runs
            assert said.exit_code == 0, said.output
            assert f"table t0: 13 entries are valid; the last is 13, {feeds['t0'].head.hash}" in said.output
    proof = json.loads(houseway("floor", "verify", "--config", path, "--json").output)
    assert proof["floor"]["holds"]
    assert [(table["name"], table["entries"], table["holds"]) for table in proof["tables"]] == [
        ("t0", 13, True),
        ("t1", 13, True),
    ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE record_entries SET body = '{\"number\":99}' WHERE position = 5", "do not match its hash"),
        ("UPDATE record_entries SET signature = repeat('0', 128) WHERE position = 5", "not made with the record's key"),
        ("DELETE FROM record_entries WHERE position = 5", "NOT AS RECORDED"),
        ("UPDATE record_entries SET gone = 'x' WHERE position = 5", "hash of the entry before it"),
        ("UPDATE logs SET seq = 4", "is not the one that this service's database names"),
        (
            "UPDATE logs SET key = repeat('0', 64), record = repeat('0', 32)",
            "is not the one that this service's database names",
        ),
    ],
)
def test_what_was_changed_in_the_database_is_found(
    postgresql_url: str, tmp_path: Path, statement: str, said: str
) -> None:
    feeds = {"t0": RecordedFeed().rounds(9)}
    with serving_feeds(feeds) as server:
        config = hub_config(postgresql_url, {"t0": {"url": f"{server.url}/t0"}})
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feeds["t0"]))
    with LogsReader(postgresql_url) as reader, reader.database.begin() as connection:
        unguard(connection, "record_entries")
        connection.exec_driver_sql(statement)
    found = houseway("floor", "verify", "--config", str(written(config, tmp_path)))
    assert found.exit_code == 1, found.output
    assert said in " ".join(found.output.split())


def test_what_is_shown_otherwise_than_recorded_is_found_and_made_anew(postgresql_url: str, tmp_path: Path) -> None:
    feed = RecordedFeed()
    play(feed, "doubt", "r1")
    with serving_feeds({"t0": feed}) as server:
        config = hub_config(postgresql_url, {"t0": {"url": f"{server.url}/t0"}})
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feed))
    path = str(written(config, tmp_path))
    rebuilt = houseway("record", "verify", "--rebuild", "--config", path)
    assert rebuilt.exit_code == 0, rebuilt.output
    assert rebuilt.stderr == "rounds and alarms derived again from 4 entries\n"
    with LogsReader(postgresql_url) as reader, reader.database.begin() as connection:
        connection.exec_driver_sql("UPDATE rounds SET status = 'verified'")
        connection.exec_driver_sql("DELETE FROM alarms")
    found = houseway("floor", "verify", "--config", path)
    assert found.exit_code == 1
    assert "1 rounds and 1 alarms differ from the entries" in " ".join(found.output.split())
    assert houseway("record", "verify", "--rebuild", "--config", path).exit_code == 0
    assert houseway("floor", "verify", "--config", path).exit_code == 0


def test_a_record_that_was_begun_anew_is_accepted_on_somebodys_word(
    postgresql_url: str, feeds: dict[str, RecordedFeed], tmp_path: Path
) -> None:
    with serving_feeds(feeds) as server:
        config = hub_config(postgresql_url, {name: {"url": f"{server.url}/{name}"} for name in feeds})
        path = str(written(config, tmp_path))
        with collecting(config) as hub:
            wait_until(lambda: all(hub.has(name, feed) for name, feed in feeds.items()))
            nothing = houseway("floor", "trust", "t1", "--config", path, "--reason", "x")
            assert (nothing.exit_code, "nothing to accept" in nothing.output) == (2, True)
            anew = server.tables["t1"].feed = RecordedFeed().rounds(5)
            wait_until(lambda: hub.now("t1").now.value == "refused")
            wait_until(lambda: bool(hub.reader.refused("t1")))
            said = houseway("floor", "trust", "t1", "--config", path, "--reason", "the computer was replaced")
            assert said.exit_code == 0, said.output
            assert anew.record in said.output
            assert anew.first_key in said.output
            wait_until(lambda: hub.has("t1", anew))
        proof = houseway("floor", "verify", "--config", path)
        assert proof.exit_code == 0, proof.output
        assert "table t1: 19 entries are valid, 13 of them no longer in its record; the last is 6" in proof.output
        assert houseway("floor", "trust", "t9", "--config", path, "--reason", "x").exit_code == 2


def test_another_key_is_accepted_from_its_file(
    postgresql_url: str, feeds: dict[str, RecordedFeed], tmp_path: Path
) -> None:
    with serving_feeds(feeds) as server:
        config = hub_config(postgresql_url, {name: {"url": f"{server.url}/{name}"} for name in feeds})
        path = str(written(config, tmp_path))
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t1", feeds["t1"]))
            feeds["t1"].signer = RecordedFeed().signer
            feeds["t1"].rounds(4)
            save_public_key(tmp_path / "record.pub", feeds["t1"].signer.public)
            asked = ("floor", "trust", "t1", "--config", path, "--public-key", str(tmp_path / "record.pub"))
            wait_until(lambda: hub.now("t1").now.value == "refused")
            wait_until(lambda: bool(hub.reader.refused("t1")))
            said = houseway(*asked, "--reason", "the key was lost")
            assert said.exit_code == 0, said.output
            assert "from entry 14 on" in said.output
            wait_until(lambda: hub.has("t1", feeds["t1"]))
        assert houseway("floor", "verify", "--config", path).exit_code == 0
        log = houseway("record", "verify", "--config", path)
        assert log.exit_code == 0, log.output


def test_settings_are_checked(tmp_path: Path) -> None:
    config = hub_config("postgresql+pg8000://ann@db.example/floor", {"t0": {"url": "http://127.0.0.1:9"}})
    path = written(config, tmp_path)
    said = houseway("config", "check", str(path))
    assert (said.exit_code, "Settings are valid (tables: 't0')" in said.output) == (0, True)
    shown = json.loads(houseway("config", "check", "--show", str(path)).output)
    assert shown["tables"][0]["name"] == "t0"
    (file,) = (table.key_file for table in config.remote)
    assert file is not None
    file.unlink()
    lacking = houseway("config", "check", str(path))
    assert (lacking.exit_code, "table 't0': its secret cannot be read" in lacking.output) == (2, True)


@pytest.mark.parametrize("command", [("floor", "verify"), ("floor", "trust", "t0", "--reason", "x"), ("run",)])
def test_settings_that_cannot_be_used_are_told_in_a_line(tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "floor.toml").write_text('[service]\nnam = 1\n[[tables]]\nname = "t0"\nurl = "http://localhost:1"\n')
    said = houseway(*command, "--config", str(tmp_path / "floor.toml"))
    assert said.exit_code == 2
    assert "unknown key; did you mean 'name'?" in said.output
    assert "Traceback" not in said.output
