"""The hub as witness of its tables: it co-signs checkpoints, sends them back, and compares those that tables send."""

import base64
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner, Result

from service.access.roles import UserRole
from service.cli import app as command_line
from service.hub.cosigning import all_of, key_in, newest, not_extended
from service.hub.table_proofs import prove_tables
from service.record.checkpoints.checkpoint_store import newest_note, newest_witnessed
from service.record.checkpoints.note import WitnessKey, note_of, read_note
from service.record.store.all_logs import LogsReader
from service.record.store.database_reader import DatabaseReader
from service.system.settings import Config
from tests.service.hub.feeds import RecordedFeed
from tests.service.hub.hubs import collecting, hub_config, serving_hub, unguard, written
from tests.service.hub.remote_tables import serving_feeds, serving_table, table_config
from tests.service.stand_ins import key_for, wait_until


def houseway(*words: str) -> Result:
    return CliRunner().invoke(command_line, words)


def often(config: Config) -> Config:
    """The same, with checkpoints co-signed every second."""
    return config.model_copy(update={"record": config.record.model_copy(update={"cosigned_every_s": 1.0})})


def test_checkpoints_are_co_signed_and_given_back_to_the_table(hub_url: str, tmp_path: Path) -> None:
    """A real table: what the floor signed is in the table's own record, and auditors have it from both."""
    settings = table_config("t0")
    with serving_table(settings) as (served, told):
        config = often(hub_config(hub_url, {"t0": told}))
        record = served.app.state.parts.record
        with serving_hub(config) as hub:
            wait_until(lambda: newest_witnessed(record) is not None)
            with hub.client(UserRole.AUDITOR) as auditor:
                key = WitnessKey.of_text(auditor.get("/v1/witness").json()["key"])
                note = read_note(auditor.get("/v1/tables/t0/checkpoint").text)
            given = newest_witnessed(record)
            assert given is not None
            for each in (note, given):
                (cosignature,) = each.cosignatures
                assert key.holds(each, cosignature)
                held = record.entry(each.checkpoint.seq)
                assert held.hash == each.checkpoint.hash
            with hub.client(UserRole.VIEWER) as viewer:
                assert viewer.get("/v1/tables/t0/checkpoint").status_code == 403
            before = note.checkpoint.seq
            key_for(served.app, UserRole.VIEWER)  # the record goes on

            def signed_on() -> bool:
                found = newest(hub.parts.hub.reader, "t0")
                return found is not None and found.seq > before

            wait_until(signed_on)
        path = str(written(config, tmp_path))
        said = houseway("floor", "verify", "--config", path)
        assert said.exit_code == 0, said.output
        assert "checkpoints co-signed by the hub are valid" in said.output
        (tmp_path / "seen").write_text(note.text)
    seen = ("--seen", str(tmp_path / "seen"), "--witness", key.text)
    proven = houseway("record", "verify", str(settings.record.folder), *seen)
    assert proven.exit_code == 0, proven.output
    assert f"witness {key.name}: " in proven.output


def test_a_table_that_never_ends_its_answer_delays_no_other(hub_url: str) -> None:
    feeds = {name: RecordedFeed().rounds(2) for name in ("t0", "t1")}
    with serving_feeds(feeds) as server:
        server.tables["t0"].drips = True
        config = often(hub_config(hub_url, {name: {"url": f"{server.url}/{name}"} for name in feeds}))
        with serving_hub(config):
            wait_until(lambda: bool(server.tables["t0"].given))
            for _ in range(3):
                before = len(server.tables["t1"].given)
                feeds["t1"].rounds(1)
                wait_until(lambda: len(server.tables["t1"].given) > before, 10.0)  # noqa: B023  called within the turn
            assert len(server.tables["t0"].given) == 1


def test_a_table_keeps_only_what_is_of_its_own_record() -> None:
    with serving_table(table_config("t0")) as (served, _), serving_table(table_config("t1")) as (other, _):
        key = key_for(served.app, UserRole.FLOOR)
        head = other.app.state.parts.record
        note = newest_note(head)
        assert note is not None
        with httpx2.Client(base_url=served.url, headers=key) as client:
            asked = "/v1/record/cosignature"
            assert client.post(asked, json={"checkpoint": note.text}).json()["code"] == "foreign_checkpoint"
            assert client.post(asked, json={"checkpoint": "x"}).status_code == 422
            own = newest_note(served.app.state.parts.record)
            assert own is not None
            assert client.post(asked, json={"checkpoint": own.text}).json()["witnesses"] == []
        with httpx2.Client(base_url=served.url, headers=key_for(served.app, UserRole.AUDITOR)) as client:
            assert client.post(asked, json={"checkpoint": own.text}).status_code == 403


def contradicting(feed: RecordedFeed, seq: int, signer: Any = None) -> str:  # noqa: ANN401
    """A checkpoint of an entry that the record does not have, signed as the table signs."""
    entry = feed.entries[seq - 1][0]
    by = signer or feed.signer
    made = by.sign(feed.record, seq, "ab" * 32, entry.at)
    return note_of(made, by.public).compact


def test_a_table_that_shows_another_checkpoint_is_refused_until_a_person_decides(hub_url: str, tmp_path: Path) -> None:
    feed = RecordedFeed().rounds(5)
    with serving_feeds({"t0": feed}) as server:
        config = hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}})
        path = str(written(config, tmp_path))
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feed))
            server.tables["t0"].bend = lambda page: {**page, "checkpoint": contradicting(feed, 3)}
            feed.rounds(1)
            wait_until(lambda: hub.now("t0").now.value == "refused")
            wait_until(lambda: bool(hub.reader.refused("t0")))
            (kept,) = hub.reader.refused("t0")
            assert kept.fault.finding.code == "hub_checkpoint_contradicted"
            assert read_note(kept.line.decode()).checkpoint.seq == 3
            server.tables["t0"].bend = lambda page: page
            feed.rounds(3)
        with collecting(config) as hub:  # it is not forgotten
            wait_until(lambda: hub.now("t0").now.value == "refused")
            assert not hub.has("t0", feed)
            said = houseway("floor", "trust", "t0", "--config", path, "--reason", "looked into it")
            assert (said.exit_code, "checkpoint of entry 3" in said.output) == (0, True), said.output
            wait_until(lambda: hub.has("t0", feed))
            wait_until(lambda: hub.now("t0").now.value == "well")
        assert houseway("floor", "verify", "--config", path).exit_code == 0


def test_a_checkpoint_ahead_of_what_is_collected_is_held_against_it_later(hub_url: str) -> None:
    whole = RecordedFeed().rounds(9)
    feed = whole.copy()
    del feed.entries[6:]
    with serving_feeds({"t0": feed}) as server:
        ahead = contradicting(whole, 8)
        server.tables["t0"].bend = lambda page: {**page, "checkpoint": ahead}
        config = hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}})
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feed))
            wait_until(lambda: hub.now("t0").now.value == "well")
            server.tables["t0"].bend = lambda page: page
            feed.entries += whole.entries[6:]
            wait_until(lambda: hub.now("t0").now.value == "refused")
            wait_until(lambda: bool(hub.reader.refused("t0")))
            assert [each.fault.finding.code for each in hub.reader.refused("t0")] == ["hub_checkpoint_contradicted"]


def test_what_the_table_did_not_sign_disputes_nothing(hub_url: str) -> None:
    feed = RecordedFeed().rounds(5)
    with serving_feeds({"t0": feed}) as server:
        config = hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}})
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feed))
            forged = contradicting(feed, 3, RecordedFeed().signer)
            server.tables["t0"].bend = lambda page: {**page, "checkpoint": forged}
            feed.rounds(1)
            wait_until(lambda: hub.now("t0").now.value == "unreachable")
            server.tables["t0"].bend = lambda page: page
            wait_until(lambda: hub.now("t0").now.value == "well")
            assert hub.reader.refused("t0") == ()


def test_a_restored_table_disputes_nothing(hub_url: str) -> None:
    feed = RecordedFeed().rounds(9)
    old = note_of(feed.signer.sign(feed.record, 9, feed.entries[8][0].hash, feed.entries[8][0].at), feed.signer.public)
    with serving_feeds({"t0": feed}) as server:
        config = hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}})
        with collecting(config) as hub:
            wait_until(lambda: hub.has("t0", feed))
            feed.clock = timedelta(minutes=1)  # the copy is restored after the checkpoint was signed
            restored = feed.restored(6).rounds(5)
            server.tables["t0"].feed = restored
            wait_until(lambda: hub.has("t0", restored))
            server.tables["t0"].bend = lambda page: {**page, "checkpoint": old.compact}
            for _ in range(2):  # the second is taken once the checkpoint that came with the first was looked at
                restored.rounds(1)
                wait_until(lambda: hub.has("t0", restored))
            assert hub.now("t0").disputed is None


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE log_cosignatures SET hash = 'other' WHERE id = 1", "hub_cosigned_entry_missing"),
        ("UPDATE log_cosignatures SET seq = 3 WHERE id = 1", "hub_cosigned_entry_missing"),
        ("UPDATE log_cosignatures SET line = :line WHERE id = 1", "hub_cosignature_invalid"),
    ],
)
def test_what_was_changed_of_it_in_the_database_is_found(hub_url: str, statement: str, code: str) -> None:
    feed = RecordedFeed().rounds(5)
    with serving_feeds({"t0": feed}) as server:
        config = often(hub_config(hub_url, {"t0": {"url": f"{server.url}/t0"}}))
        with serving_hub(config) as hub:
            wait_until(lambda: newest(hub.parts.hub.reader, "t0") is not None)
            known = hub.parts.hub.writer.known["t0"]
            wait_until(lambda: len(server.tables["t0"].given) == 1)
    key = key_in(config.record_folder, "main")
    with LogsReader(hub_url) as reader, DatabaseReader(reader.database) as own:
        (cosigned,) = all_of(reader, "t0")
        assert (cosigned.seq, cosigned.hash) == (known.seq, known.hash)
        assert not_extended(reader, "t0", cosigned) is None
        (proof,) = prove_tables(reader, own, key)
        assert (proof.faults, proof.cosigned) == ((), 1)
        raw = bytearray(base64.b64decode(cosigned.line.split()[-1]))
        raw[-1] ^= 1
        line = f"{cosigned.line.rpartition(' ')[0]} {base64.b64encode(bytes(raw)).decode()}"
        with pytest.raises(DBAPIError, match="append-only"), reader.database.begin() as connection:
            connection.execute(text("DELETE FROM log_cosignatures"))
        with reader.database.begin() as connection:
            unguard(connection, "log_cosignatures")
            connection.execute(text(statement), {"line": line} if ":line" in statement else {})
        (proof,) = prove_tables(reader, own, key)
        assert [fault.finding.code for fault in proof.faults] == [code]
