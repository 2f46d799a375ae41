"""Checkpoints as notes, and a record held against those that somebody kept."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from service.cli import app
from service.record.checkpoints.checkpoint_store import keep_cosignature, newest_note, note_at
from service.record.checkpoints.note import NoteError, WitnessKey, body_of, cosign, read_note, read_notes
from service.record.checkpoints.seen import read_seen
from service.record.store.record import Record
from service.record.store.record_settings import KEY, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey
from service.record.store.stored_logs import cursor_of
from tests.service.record.store.test_record import draft

WITNESS = Ed25519PrivateKey.generate()
NAME = "surveillance.example/w1"


@pytest.fixture
def record(tmp_path: Path) -> Record:
    made = Record(RecordSettings(tmp_path / "state"))
    for number in range(6):
        made.append(draft(number, round_id=f"r{number}"))
    return made


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["record", "verify", *map(str, arguments)])
    return result.exit_code, result.output


def test_a_note_has_the_form_of_c2sp_and_is_read_back(record: Record) -> None:
    note = newest_note(record)
    head = record.head()
    assert note is not None
    assert head is not None
    lines = note.text.split("\n")
    assert lines[0] == f"houseway-record-chain/v1/{record.id}"
    assert lines[1] == str(head.seq)
    assert lines[3] == ""
    assert lines[4].startswith(f"\N{EM DASH} {lines[0]} ")
    assert lines[5:] == [""]
    assert read_note(note.text) == read_note(note.compact) == note
    assert note.checkpoint == record.checkpoint(record.id, head)
    assert PublicKey.load(record.settings.folder / PUBLIC_KEY).holds(note.checkpoint)
    assert newest_note(record) == note  # the same bytes whenever it is asked for
    assert read_notes(f"# a file\n{note.text}\n\n{note.text}houseway-record-chain/v1/cut") == (note, note)


def test_a_witness_signs_and_is_known_by_its_key(record: Record) -> None:
    note = newest_note(record)
    assert note is not None
    signed = note.cosigned(cosign(note.checkpoint, NAME, WITNESS, 1_700_000_000))
    (cosignature,) = read_note(signed.text).cosignatures
    key = WitnessKey.of_text(WitnessKey(NAME, PublicKey(WITNESS.public_key())).text)
    assert cosignature.at == 1_700_000_000
    assert key.holds(signed, cosignature)
    other = note_at(record, record.entry(3))
    assert other is not None
    assert not key.holds(other, cosignature)
    assert not key.holds(signed, replace(cosignature, at=1_700_000_001))
    # As C2SP tlog-cosignature says it, so that other programs can check it.
    message = f"cosignature/v1\ntime 1700000000\n{body_of(note.checkpoint)}".encode()
    WITNESS.public_key().verify(cosignature.signature, message)
    with pytest.raises(NoteError, match="mistyped"):
        WitnessKey.of_text(key.text.replace("+" + key.id.hex(), "+00000000"))


@given(text=st.text(max_size=300))
def test_what_is_no_note_is_refused(text: str) -> None:
    with pytest.raises(NoteError):
        read_note(text)
    assert read_notes(text) == ()


def test_the_record_extends_what_was_kept_in_any_form(record: Record, tmp_path: Path) -> None:
    third, head = record.entry(3), record.head()
    assert third is not None
    assert head is not None
    old, new = note_at(record, third), newest_note(record)
    assert old is not None
    assert new is not None
    file = tmp_path / "share.checkpoints"
    file.write_text(f"\n{old.text}\n{new.text}")
    journal = tmp_path / "results.jsonl"
    journal.write_text(json.dumps({"cursor": cursor_of(3, third.hash)}) + "\n")
    record.close()
    kept = [file, old.text, new.compact, cursor_of(3, third.hash), journal]
    code, said = _run("--record", tmp_path / "state", *(part for each in kept for part in ("--seen", each)))
    assert code == 0, said
    assert f"6 checkpoints from elsewhere, up to entry {head.seq}: extended" in said
    code, said = _run("--record", tmp_path / "state", "--seen", "nonsense")
    assert code == 2
    assert "neither a checkpoint nor a cursor" in said


@pytest.mark.parametrize("how", ["cut", "rewritten"])
def test_a_record_rolled_back_or_written_anew_with_the_key_is_found(record: Record, tmp_path: Path, how: str) -> None:
    notes = [note_at(record, record.entry(seq)) for seq in range(1, 8)]
    kept = [note.text for note in notes if note is not None]
    record.close()
    state, forged = tmp_path / "state", tmp_path / "forged"
    forged.mkdir()
    shutil.copy(state / KEY, forged / KEY)
    identity = read_note(kept[0]).checkpoint
    forge(state, forged, keep=4, then=0 if how == "cut" else 5)
    code, said = _run("--record", forged)
    assert code == 0, said  # by itself it is whole
    code, said = _run("--record", forged, *(part for each in kept for part in ("--seen", each)))
    assert code == 1
    assert "4 checkpoints from elsewhere, up to entry 4: extended" in said
    assert "they diverge after entry 4" in said
    assert ("the record ends before it" if how == "cut" else "another entry of this number") in said
    assert identity.record in said


def forge(state: Path, forged: Path, *, keep: int, then: int) -> None:
    """Write a record anew with its key: the first entries as they were, then others."""
    with closing(sqlite3.connect(state / "record.db")) as database:
        database.execute("VACUUM INTO ?", (str(forged / "record.db"),))
    with closing(sqlite3.connect(forged / "record.db", isolation_level=None)) as database:
        guards = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            database.execute(f"DROP TRIGGER {name}")
        for table, column in (("record_pictures", "position"), ("record_replies", "seq"), ("record_entries", "seq")):
            database.execute(f"DELETE FROM {table} WHERE {column} > ?", (keep,))  # noqa: S608  names of this test
        for _, sql in guards:
            database.execute(sql)
    made = Record(RecordSettings(forged))
    assert made.state.ok, made.state.message
    for number in range(then):
        made.append(draft(100 + number, round_id=f"x{number}"))
    made.close()


def test_signatures_of_witnesses_are_kept_exported_and_checked(record: Record, tmp_path: Path) -> None:
    key = WitnessKey(NAME, PublicKey(WITNESS.public_key())).text
    other = WitnessKey(NAME, PublicKey(Ed25519PrivateKey.generate().public_key())).text
    note = note_at(record, record.entry(5))
    assert note is not None
    keep_cosignature(record, 5, NAME, cosign(note.checkpoint, NAME, WITNESS, 1_700_000_000))
    record.close()
    export = tmp_path / "export"
    done = CliRunner().invoke(app, ["record", "export", "--record", str(tmp_path / "state"), "--out", str(export)])
    assert done.exit_code == 0, done.output
    for where in (["--record", tmp_path / "state"], [export]):
        code, said = _run(*where, "--witness", key)
        assert code == 0, said
        assert f"witness {NAME}: 1 valid signatures" in said
        assert _run(*where, "--witness", other)[0] == 1  # it signed nothing
    (seen,) = read_seen(str(export / "witnessed.txt"))
    assert seen.seq == 5
