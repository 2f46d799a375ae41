"""Releases made, signed and verified; what may be given out; and models that must read as well as those in use."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from service.cli import app
from service.config.learning_settings import ModelsConfig
from service.record.store.signing import PublicKey, Signer
from service.release.check import check_models
from service.release.given_out import GIVEN_OUT, given_of, read_settings, shared_digest, with_settings
from service.release.making import make
from service.release.manifest import MANIFEST, SIGNATURE, ReleaseError, read_signed, verified_folder
from tests.service.learning.tables import worse
from tests.service.release.releases import WHY, copied_models, release, signer
from tests.service.stand_ins import config
from vision.networks.classifier import TILE_MODEL
from vision.networks.model_card import card_path
from vision.networks.runtime import default_weights

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_commands_make_sign_and_verify(tmp_path: Path) -> None:
    def houseway(*arguments: object) -> tuple[int, str]:
        done = CliRunner().invoke(app, ["release", *map(str, arguments)])
        return done.exit_code, done.output

    settings, key, out = tmp_path / "part.toml", tmp_path / "release.key", tmp_path / "out"
    settings.write_text("[record]\nkeep_days = 30\n")
    status, public = houseway("key", key)
    assert (status, houseway("key", key)) == (0, (0, public))
    assert key.stat().st_mode & 0o077 == 0
    what = ("--name", "may-1", "--number", 3, "--reason", "less is kept", "--settings", settings)
    assert houseway("make", out, *what)[0] == 0
    assert houseway("verify", out, "--public-key", public.strip())[0] == 2
    assert houseway("sign", out, "--key", key)[0] == 0
    status, said = houseway("verify", out, "--public-key", public.strip())
    assert (status, "record.keep_days = 30" in said, "signed and complete" in said) == (0, True, True)
    other = Signer.make(tmp_path / "other").public.hex
    status, said = houseway("verify", out, "--public-key", other)
    assert (status, "it is not signed with the release key that is expected" in said) == (2, True)
    assert houseway("make", out, *what)[0] == 2  # it is there already
    (out / "settings.toml").write_text("[record]\nkeep_days = 1\n")
    assert houseway("verify", out, "--public-key", public.strip())[0] == 2
    assert houseway("sign", out, "--key", key)[0] == 2


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[record]\nfolder = "/tmp"\n', "record.folder"),
        ('[record]\nurl = "postgresql://x"\n', "record.url"),
        ("[source]\ndevice = 1\n", "source.device"),
        ('[table]\nrulebook = "nz-1998"\n', "table.rulebook"),
        ('[table]\ncalibration = "c.json"\n', "table.calibration"),
        ("[accounts]\npassword_days = 1\n", "accounts.password_days"),
        ("[server]\nport = 1\n", "server.port"),
        ('[models]\nweights = "/tmp"\n', "models.weights"),
        ('[fleet]\nrelease_key = "00"\n', "fleet.release_key"),
        ('[[webhooks]]\nname = "x"\n', "webhooks"),
        ("rounds = 3\n", "rounds"),
    ],
)
def test_secrets_places_camera_and_what_is_played_stay_the_tables_own(text: str, key: str) -> None:
    with pytest.raises(ReleaseError, match=f"^{key} cannot be in a release"):
        read_settings(text)


def test_all_that_may_be_given_out_is_a_setting() -> None:
    made = config()
    for section, keys in GIVEN_OUT.items():
        assert set(keys) <= set(type(getattr(made, section)).model_fields)


def test_settings_are_held_against_those_of_the_table() -> None:
    made = config()
    changed = with_settings(made, read_settings("[audit]\nhands_a_day = 5\n[rounds]\nkeep = 9\n"))
    assert (changed.audit.hands_a_day, changed.rounds.keep) == (5, 9)
    assert changed.rounds.settle_frames == made.rounds.settle_frames
    assert changed.record == made.record
    assert shared_digest(changed) != shared_digest(made) == shared_digest(config())
    with pytest.raises(ReleaseError, match="hands_a_day"):
        with_settings(made, read_settings("[audit]\nhands_a_day = 2\n"))


def test_models_are_given_out_all_together() -> None:
    folder = release(1, models=copied_models(), settings=None)
    manifest = verified_folder(folder, signer().public)
    assert dict(given_of(folder, manifest)) == {("models", "weights"): (str(folder / "models"), "release release-1")}
    assert ModelsConfig(weights=folder / "models").weights == folder / "models"
    lacking = copied_models()
    (lacking / "dice.onnx").unlink()
    with pytest.raises(FileNotFoundError):
        make(folder.with_name("other"), name="x", number=1, why=WHY, models=lacking)
    with pytest.raises(ReleaseError, match="neither models nor settings"):
        make(folder.with_name("other"), name="x", number=1, why=WHY)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda said: said["files"][0].update(path="../../etc/passwd"), "cannot be in a release"),
        (lambda said: said["files"].append(said["files"][0]), "named twice"),
        (lambda said: said["files"].pop(0), "is missing: a release has all four models"),
        (lambda said: said.update(number=0), "number"),
        (lambda said: said.update(format=2), "format"),
        (lambda said: said.update(more=1), "unknown key"),
    ],
)
def test_a_manifest_that_is_signed_but_none(change: Callable[[dict[str, object]], object], says: str) -> None:
    folder = release(1, models=copied_models(), settings=None)
    said = json.loads((folder / MANIFEST).read_text())
    change(said)
    (folder / MANIFEST).write_text(json.dumps(said))
    with pytest.raises(ReleaseError, match="not signed"):
        verified_folder(folder, signer().public)
    statement = read_signed(folder).statement
    (folder / SIGNATURE).write_text(signer().sign_bytes(statement).hex())
    with pytest.raises(ReleaseError, match=says):
        verified_folder(folder, signer().public)


def test_a_signature_of_something_else_is_none_of_a_release() -> None:
    folder = release(1)
    (folder / SIGNATURE).write_text(signer().sign_bytes((folder / MANIFEST).read_bytes()).hex())
    with pytest.raises(ReleaseError, match="not signed"):
        verified_folder(folder, PublicKey.of_hex(signer().public.hex))


def test_models_that_cannot_be_used_or_read_worse(tmp_path: Path) -> None:
    used = default_weights()
    broken = copied_models()
    (broken / "dice.onnx").write_bytes(b"nothing")
    with pytest.raises(ReleaseError, match="a model of it cannot be used"):
        check_models(broken, used, None)
    blind = copied_models()
    taught = worse(tmp_path / "worse")
    for file in (taught / TILE_MODEL, card_path(taught / TILE_MODEL)):
        (blind / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ReleaseError, match=r"in the bundled pictures it verifies|which is not read there now"):
        check_models(blind, used, None)
    check_models(copied_models(), used, None)
