"""The signing key: changed on record."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.cli.record_upkeep import _put_aside
from service.record.changes import Attribution, rotate
from service.record.integrity.verify import verify_database
from service.record.store.record import Record
from service.record.store.record_settings import DATABASE, KEY, KEY_NEXT, PUBLIC_KEY, RecordSettings
from service.record.store.signing import PublicKey, Signer, put_in_place
from service.words.codes import RecordCode
from tests.service.record.store.test_record import draft

_BECAUSE = Attribution("the tests", "the old one may be known")


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Settings of a table with a record of some entries."""
    path = tmp_path / "table.toml"
    path.write_text(
        f'[[tables]]\nname = "test"\n[tables.source]\nkind = "path"\npath = "."\n'
        f'[record]\nfolder = "{tmp_path / "state"}"\n'
    )
    append(RecordSettings(tmp_path / "state"), 3)
    shutil.copy(tmp_path / "state" / PUBLIC_KEY, tmp_path / "first.pub")
    return path


def append(settings: RecordSettings, count: int) -> None:
    record = Record(settings)
    assert record.state.ok, record.state.message
    for number in range(count):
        record.append(draft(number, round_id=f"r{number}"))
    record.close()


def test_a_key_is_changed_on_record_and_every_proof_follows(table: Path, tmp_path: Path) -> None:
    state, settings = tmp_path / "state", RecordSettings(tmp_path / "state")
    assert _run("record", "export", "--record", state, "--out", tmp_path / "before")[0] == 0
    code, said = _run("record", "rotate-key", "--config", table, "--reason", "a technician left")
    assert code == 0, said
    new = PublicKey.load(state / PUBLIC_KEY)
    first = PublicKey.load(tmp_path / "first.pub")
    assert new.hex in said
    assert Signer.load(state / KEY).public.hex == new.hex != first.hex
    append(settings, 2)
    assert _run("record", "rotate-key", "--config", table, "--reason", "once more")[0] == 0
    append(settings, 2)
    third = tmp_path / "third.pub"
    shutil.copy(state / PUBLIC_KEY, third)
    stranger = tmp_path / "stranger.pub"
    stranger.write_bytes(Signer.make(tmp_path / "stranger.key").public.pem)
    assert _run("record", "export", "--record", state, "--out", tmp_path / "all")[0] == 0
    assert _run("record", "export", "--record", state, "--out", tmp_path / "since", "--since", "9")[0] == 0
    for where in (["--record", state], [tmp_path / "all"], [tmp_path / "since"]):
        for key, code in ((None, 0), (tmp_path / "first.pub", 0), (third, 0), (stranger, 1)):
            options = [] if key is None else ["--public-key", key]
            done, said = _run("record", "verify", *where, *options)
            assert done == code, (where, key, said)


def test_a_change_that_the_old_key_did_not_sign_is_found(table: Path, tmp_path: Path) -> None:
    assert _run("record", "rotate-key", "--config", table, "--reason", "x")[0] == 0
    state = tmp_path / "state"
    append(RecordSettings(state), 2)
    assert _run("record", "export", "--record", state, "--out", tmp_path / "since", "--since", "6")[0] == 0
    manifest = tmp_path / "since" / "manifest.json"
    told = manifest.read_text()
    signature = told.partition('"signature": "')[2][:128]
    manifest.write_text(told.replace(signature, "0" * 128))
    assert _run("record", "verify", tmp_path / "since")[0] != 0


def test_the_power_may_go_before_the_new_key_is_in_place(tmp_path: Path) -> None:
    settings = RecordSettings(tmp_path / "state")
    record = Record(settings)
    following = Signer.make(settings.folder / KEY_NEXT)
    rotate(record, following.public, _BECAUSE)
    record.close()
    append(settings, 1)
    assert Signer.load(settings.folder / KEY).public.hex == following.public.hex
    assert not (settings.folder / KEY_NEXT).exists()
    with Record(settings) as again:
        assert verify_database(again, settings.folder / "evidence").holds


def test_the_key_of_an_interrupted_change_is_kept_while_the_record_cannot_be_opened(
    table: Path, tmp_path: Path
) -> None:
    settings = RecordSettings(tmp_path / "state")
    record = Record(settings)
    following = Signer.make(settings.folder / KEY_NEXT)
    rotate(record, following.public, _BECAUSE)  # and the power went
    record.close()
    database, away = settings.folder / DATABASE, settings.folder / "away"
    database.rename(away)
    code, _ = _run("record", "rotate-key", "--config", table, "--reason", "once more")
    assert code == 2
    away.rename(database)
    append(settings, 1)
    assert Signer.load(settings.folder / KEY).public.hex == following.public.hex


def test_the_public_key_that_a_crash_left_is_replaced(table: Path, tmp_path: Path) -> None:
    """The key was in place, and the power went before its public half was."""
    settings = RecordSettings(tmp_path / "state")
    assert _run("record", "rotate-key", "--config", table, "--reason", "x")[0] == 0
    shutil.copy(tmp_path / "first.pub", settings.folder / PUBLIC_KEY)
    append(settings, 1)
    assert PublicKey.load(settings.folder / PUBLIC_KEY).hex == Signer.load(settings.folder / KEY).public.hex


def test_a_lost_record_is_named_also_at_the_second_try(table: Path, tmp_path: Path) -> None:
    """The power went after the files of the lost one were put aside."""
    settings = RecordSettings(tmp_path / "state")
    lost = PublicKey.load(tmp_path / "first.pub").hex
    (settings.folder / DATABASE).unlink()
    _put_aside(settings, lost[:8])
    assert _run("record", "accept", "--lost", "--config", table, "--reason", "x")[0] == 0
    with Record(settings) as record:
        first = record.entry(1)
    assert first is not None
    assert first.data["instead_of"] == lost
    assert PublicKey.load(settings.folder / PUBLIC_KEY).hex == first.data["public_key"]
    assert PublicKey.load(settings.folder / f"{PUBLIC_KEY}.{lost[:8]}").hex == lost


def test_the_key_of_before_is_refused(tmp_path: Path) -> None:
    settings = RecordSettings(tmp_path / "state")
    record = Record(settings)
    shutil.copy(settings.folder / KEY, tmp_path / "old.key")
    rotate(record, Signer.make(settings.folder / KEY_NEXT).public, _BECAUSE)
    put_in_place(settings.folder)
    record.close()
    shutil.copy(tmp_path / "old.key", settings.folder / KEY)
    refused = Record(settings)
    assert refused.state.finding.code is RecordCode.KEY_OF_ANOTHER_RECORD
    refused.close()
