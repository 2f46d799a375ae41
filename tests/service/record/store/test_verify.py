"""Proving a chain: whatever is changed, removed or moved is found, and the first entry that does not hold is named."""

import errno
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from typer.testing import CliRunner

from service.cli import app
from service.record.integrity.verify import CHECKPOINTS, ENTRIES, MANIFEST, PICTURES, verify_database, verify_export
from service.record.integrity.verify import PUBLIC_KEY as PUBLIC_KEY_FILE
from service.record.store.database import writing
from service.record.store.entries import Draft, Entry, Picture
from service.record.store.files import write_durably
from service.record.store.record import Record
from service.record.store.record_settings import KEY, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey, Signer
from tests.service.record.store.test_record import draft

ROUNDS = 8


def _run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["record", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of some rounds, and an export of it."""
    folder = tmp_path_factory.mktemp("kept")
    record = Record(RecordSettings(folder / "state"))
    for number in range(ROUNDS):
        picture = Picture(f"picture {number // 2}".encode())
        record.append(draft(number, pictures=(picture,), round_id=f"r{number}"), pictures=(picture,))
    record.append(Draft("start", {"versions": {"table": "Tisch \N{LATIN SMALL LETTER U WITH DIAERESIS}ber 1.5e-7"}}))
    record.close()
    assert _run("export", "--record", folder / "state", "--out", folder / "export")[0] == 0
    return folder


@pytest.fixture
def export(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept / "export", tmp_path / "export"))


def test_an_export_proves_itself_and_ends_with_its_mark(kept: Path) -> None:
    proof = verify_export(kept / "export")
    assert proof.holds
    assert proof.complete
    assert (proof.first, proof.last, proof.pictures) == (1, ROUNDS + 3, ROUNDS // 2)
    code, said, _ = _run("verify", kept / "export", "--public-key", kept / "state" / PUBLIC_KEY)
    assert code == 0
    assert f"entries 1 to {ROUNDS + 3} are unchanged; the last has hash {proof.hash}" in said


def test_the_record_itself_is_proven_the_same(kept: Path) -> None:
    code, said, _ = _run("verify", "--record", kept / "state", "--json")
    proof = json.loads(said)
    assert (code, proof["holds"], proof["last"]) == (0, True, ROUNDS + 3)
    assert proof["hash"] == verify_export(kept / "export").hash
    assert _run("verify", kept / "state" / "record.db")[0] == 0


def _lines(folder: Path) -> list[str]:
    return (folder / ENTRIES).read_text().splitlines()


def _write(folder: Path, lines: list[str]) -> None:
    (folder / ENTRIES).write_text("".join(f"{line}\n" for line in lines))


@given(data=st.data())
@settings(max_examples=120, deadline=None)
def test_any_change_of_an_exported_line_is_found(data: st.DataObject, kept: Path) -> None:
    """A byte anywhere; an entry gone, doubled or elsewhere. Nothing behind the first change is said to hold."""
    lines = _lines(kept / "export")
    at = data.draw(st.integers(0, len(lines) - 1), label="line")
    how = data.draw(st.sampled_from(["edit", "remove", "double", "move", "blank"]), label="how")
    if how == "edit":
        place = data.draw(st.integers(0, len(lines[at]) - 1), label="place")
        other = data.draw(
            st.characters(min_codepoint=32, max_codepoint=126).filter(lambda one: one != lines[at][place])
        )
        changed = [*lines[:at], lines[at][:place] + other + lines[at][place + 1 :], *lines[at + 1 :]]
    elif how == "remove":
        changed = [*lines[:at], *lines[at + 1 :]]
    elif how == "double":
        changed = [*lines[:at], lines[at], *lines[at:]]
    elif how == "move":
        to = data.draw(st.integers(0, len(lines) - 1).filter(lambda one: one != at), label="to")
        changed = [*lines[:at], *lines[at + 1 :]]
        changed.insert(to, lines[at])
        at = min(at, to)
    else:
        changed = [*lines[:at], "", *lines[at + 1 :]]
    (kept / "changed").mkdir(exist_ok=True)
    for name in (p.name for p in (kept / "export").iterdir() if p.is_file() and p.name != ENTRIES):
        shutil.copy(kept / "export" / name, kept / "changed" / name)
    if not (kept / "changed" / PICTURES).exists():
        (kept / "changed" / PICTURES).symlink_to(kept / "export" / PICTURES)
    _write(kept / "changed", changed)
    proof = verify_export(kept / "changed")
    assert not proof.holds
    assert proof.broken == at + 1 + (how == "double")
    assert proof.last == proof.broken - 1


def test_a_chain_hashed_anew_is_found_by_its_signatures(export: Path) -> None:
    """Who can write everything but has no key: an entry changed, and every later hash made right again."""
    entries = [Entry.of_line(line) for line in _lines(export)]
    forged = replace(entries[3], body=entries[3].body.replace('"number":2', '"number":7')).sealed()
    assert forged.hash != entries[3].hash
    chain = [*entries[:3], forged]
    for entry in entries[4:]:
        chain.append(replace(entry, previous=chain[-1].hash).sealed())
    _write(export, [entry.line() for entry in chain])
    proof = verify_export(export)
    assert (proof.broken, proof.last) == (4, 3)
    assert "signature" in proof.why


def test_a_record_forged_whole_needs_the_key_to_be_told(kept: Path, export: Path, tmp_path: Path) -> None:
    other = Record(RecordSettings(tmp_path / "other"))
    other.append(draft())
    other.close()
    assert _run("export", "--record", tmp_path / "other", "--out", tmp_path / "forged")[0] == 0
    assert verify_export(tmp_path / "forged").holds
    key = kept / "state" / PUBLIC_KEY
    assert verify_export(tmp_path / "forged", key=PublicKey.load(key)).broken == 1
    code, said, _ = _run("verify", tmp_path / "forged", "--public-key", key)
    assert code == 1
    assert "BROKEN at entry 1" in said
    assert Signer.load(kept / "state" / KEY).public.hex == verify_export(export).key


@pytest.mark.parametrize(
    ("spoil", "broken", "says"),
    [
        pytest.param(lambda picture: picture.write_bytes(b"other"), True, "was changed", id="changed"),
        pytest.param(lambda picture: picture.unlink(), True, "is missing", id="missing"),
        pytest.param(lambda picture: picture.with_name("note").write_text("x"), False, "", id="a-stranger"),
    ],
)
def test_pictures_are_proven_too(export: Path, spoil: Callable[[Path], object], broken: bool, says: str) -> None:  # noqa: FBT001
    picture = export / PICTURES
    name = Picture(b"picture 2").sha256
    spoil(picture / name[:2] / name)
    proof = verify_export(export)
    assert proof.broken == (6 if broken else None)
    assert says in proof.why


def test_an_end_that_was_cut_off(export: Path) -> None:
    lines = _lines(export)
    _write(export, lines[:-2])
    assert "cut off" in verify_export(export).why
    manifest = json.loads((export / MANIFEST).read_text())
    (export / MANIFEST).write_text(json.dumps({**manifest, "last": len(lines) - 2}))
    proof = verify_export(export)
    assert proof.holds
    assert not proof.complete
    assert "may be missing at its end" in _run("verify", export)[1]


def test_what_goes_around_the_guards_is_found(kept: Path, tmp_path: Path) -> None:
    """Somebody with the database file drops the triggers first."""
    shutil.copytree(kept / "state", tmp_path / "state")
    record = Record(RecordSettings(tmp_path / "state"))
    with writing(record.database) as connection:
        connection.execute(text("DROP TRIGGER record_entries_no_update"))
        connection.execute(text("UPDATE record_entries SET body = replace(body, '1', '2') WHERE seq = 5"))
    proof = verify_database(record, record.evidence.folder)
    assert (proof.broken, proof.last) == (5, 4)
    record.close()
    again = Record(RecordSettings(tmp_path / "state"))
    assert "something else has changed" in again.state.message
    again.close()


def test_exporting_again_goes_on_where_the_last_ended(kept: Path, tmp_path: Path) -> None:
    shutil.copytree(kept / "state", tmp_path / "state")
    record = Record(RecordSettings(tmp_path / "state"))
    record.append(draft(99, round_id="r99"))
    record.close()
    where = ("--record", tmp_path / "state")
    assert _run("export", *where, "--since", "last", "--out", tmp_path / "next")[0] == 0
    proof = verify_export(tmp_path / "next")
    assert (proof.holds, proof.first, proof.last) == (True, ROUNDS + 3, ROUNDS + 5)
    assert _run("export", *where, "--out", tmp_path / "next")[0] == 2  # the folder is in use


def test_an_export_without_a_manifest_is_not_noted(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exported pictures may be removed: they must not be before the export proves itself."""
    shutil.copytree(kept / "state", tmp_path / "state")

    def full(path: Path, data: bytes) -> None:
        if path.name == MANIFEST:
            raise OSError(errno.ENOSPC, "no space left on device")
        write_durably(path, data)

    monkeypatch.setattr("service.record.integrity.export.write_durably", full)
    assert _run("export", "--record", tmp_path / "state", "--out", tmp_path / "half")[0] == 2
    proof = json.loads(_run("verify", "--record", tmp_path / "state", "--json")[1])
    assert proof["last"] == ROUNDS + 3  # nothing was added


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("verify", "--record", "nowhere"), "no record here"),
        (("verify", "nowhere"), "no record here"),
        (("verify", "table.toml"), "give a table's settings as --config table.toml"),
        (("verify", "--record", "oddbase://x"), "not the URL of a database"),
        (("verify", "--config", "none.toml"), "no such settings file"),
        (("export", "--record", "nowhere", "--out", "x"), "no record here"),
    ],
)
def test_what_is_no_record_is_refused_in_one_line(arguments: tuple[str, ...], says: str) -> None:
    code, _, said = _run(*arguments)
    assert (code, len(said.splitlines())) == (2, 1)
    assert says in said


DEEP = "[" * 100_000
ENDLESS = Path("/dev/zero")


def _refused(export: Path) -> None:
    result = CliRunner().invoke(app, ["record", "verify", str(export)])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in {1, 2}
    assert 0 < len(result.output) < 2_000


@pytest.mark.parametrize("name", [MANIFEST, ENTRIES, CHECKPOINTS, PUBLIC_KEY_FILE])
@pytest.mark.parametrize("harm", [DEEP, "{}", "7", "null", '{"last":1e999}', ENDLESS], ids=lambda harm: str(harm)[:20])
def test_an_export_made_to_harm_is_refused_in_one_line(export: Path, name: str, harm: str | Path) -> None:
    if isinstance(harm, Path):
        (export / name).unlink()
        (export / name).symlink_to(harm)
    else:
        (export / name).write_text(harm)
    _refused(export)


@pytest.mark.parametrize(
    "manifest",
    [
        {"last": 1e400},
        {"first": 10**400},
        {"rotations": 7},
        {"rotations": [7]},
        {"rotations": [{"entry": DEEP, "signature": ""}]},
        {"record": None, "previous": []},
    ],
    ids=lambda manifest: str(manifest)[:20],
)
def test_a_manifest_made_to_harm(export: Path, manifest: dict[str, object]) -> None:
    told = json.loads((export / MANIFEST).read_text())
    (export / MANIFEST).write_text(json.dumps({**told, **manifest}))
    _refused(export)


def test_a_picture_that_never_ends_is_a_changed_one(export: Path) -> None:
    picture = next(each for each in (export / PICTURES).rglob("*") if each.is_file())
    picture.unlink()
    picture.symlink_to(ENDLESS)
    proof = verify_export(export)
    assert not proof.holds
