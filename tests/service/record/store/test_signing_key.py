"""The signing key: changed on record, and kept in a token (SoftHSM)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.codes import RecordCode
from service.record.changes import Attribution
from service.record.rotation import rotate
from service.record.store.record import Record
from service.record.store.record_settings import KEY, KEY_NEXT, PUBLIC_KEY, RecordSettings, TokenKey
from service.record.store.signers import put_in_place
from service.record.store.signing import KeyFileError, PublicKey, Signer
from service.record.verify import verify_database, verify_export
from tests.service.record.store.test_record import draft

_BECAUSE = Attribution("the tests", "the old one may be known")
LIBRARIES = ("/usr/lib/softhsm/libsofthsm2.so", "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so")


def _run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    return result.exit_code, result.output


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Settings of a table with a record of some entries."""
    path = tmp_path / "table.toml"
    path.write_text(
        f'[table]\nname = "test"\n[source]\nkind = "path"\npath = "."\n[record]\nfolder = "{tmp_path / "state"}"\n'
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


def test_the_key_of_before_is_refused(tmp_path: Path) -> None:
    settings = RecordSettings(tmp_path / "state")
    record = Record(settings)
    shutil.copy(settings.folder / KEY, tmp_path / "old.key")
    rotate(record, Signer.make(settings.folder / KEY_NEXT).public, _BECAUSE)
    put_in_place(settings)
    record.close()
    shutil.copy(tmp_path / "old.key", settings.folder / KEY)
    refused = Record(settings)
    assert refused.state.finding.code is RecordCode.KEY_OF_ANOTHER_RECORD
    refused.close()


@pytest.fixture
def token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TokenKey:
    library = next((each for each in LIBRARIES if Path(each).exists()), None)
    if library is None or shutil.which("softhsm2-util") is None:
        pytest.skip("no SoftHSM on this machine; install Debian's package softhsm2")
    pytest.importorskip("pkcs11", reason="install houseway[token]")
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm2.conf").write_text(f"directories.tokendir = {tmp_path}/tokens\nlog.level = ERROR\n")
    monkeypatch.setenv("SOFTHSM2_CONF", str(tmp_path / "softhsm2.conf"))
    label = f"houseway-{tmp_path.name}"[:32]
    made = ["softhsm2-util", "--init-token", "--free", "--label", label, "--pin", "1234", "--so-pin", "5678"]
    subprocess.run(made, check=True, capture_output=True)
    (tmp_path / "pin").write_text("1234\n")
    return TokenKey(f"pkcs11:token={label};object=record?module-path={library}", tmp_path / "pin")


def test_a_record_is_signed_by_a_token(table: Path, token: TokenKey, tmp_path: Path) -> None:
    """One test, for the library keeps the tokens that it saw first."""
    state = tmp_path / "state"
    assert token.pin_file is not None
    # With a wrong PIN nothing is recorded, and it says why.
    token.pin_file.write_text("9999\n")
    refused = Record(RecordSettings(tmp_path / "refused", token=token))
    assert refused.state.finding.code is RecordCode.TOKEN_FAILED
    refused.close()
    token.pin_file.write_text("1234\n")
    code, said = _run(
        *("record", "rotate-key", "--config", table, "--reason", "into the token"),
        *("--to", token.uri, "--pin-file", token.pin_file),
    )
    assert code == 0, said
    assert "key_uri" in said
    # The settings do not name the token yet: the file's key no longer signs.
    refused = Record(RecordSettings(state))
    assert refused.state.finding.code is RecordCode.KEY_OF_ANOTHER_RECORD
    refused.close()
    settings = RecordSettings(state, token=token)
    append(settings, 3)
    assert _run("record", "export", "--record", state, "--out", tmp_path / "export")[0] == 0
    proof = verify_export(tmp_path / "export", key=PublicKey.load(tmp_path / "first.pub"))
    assert (proof.holds, proof.complete) == (True, False)  # its mark cannot be signed without the token
    with Record(settings) as record:
        assert verify_database(record, state / "evidence").holds
    # A new record begins in the token.
    fresh = RecordSettings(tmp_path / "fresh", token=token)
    append(fresh, 2)
    assert not (tmp_path / "fresh" / KEY).exists()


@pytest.mark.parametrize(
    "uri", ["pkcs11:", "pkcs11:token=a", "pkcs11:token=a;object=b", "pkcs11:object=b?module-path=/x"]
)
def test_what_names_no_key_is_refused(uri: str) -> None:
    with pytest.raises(KeyFileError, match="module-path"):
        pytest.importorskip("service.record.store.token").TokenSigner.open(TokenKey(uri, None))
