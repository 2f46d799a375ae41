"""``houseway webhook``: dead letters are listed, sent again, or deleted."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from service.api.notify.webhooks import check_webhooks
from service.cli import app as command
from service.system.settings import load_config
from service.words.diagnoses import DiagnosisCode
from tests.service.api.notify.receiver import receiving
from tests.service.api.notify.test_webhooks import serving, shown, with_webhook
from tests.service.api.test_http import play
from tests.service.stand_ins import HOUSE_WRONG, wait_until


def run(*told: str) -> Result:
    return CliRunner().invoke(command, ["webhook", *told])


def test_laid_aside_sent_again_and_let_go(tmp_path: Path) -> None:
    with receiving() as receiver:
        receiver.answers = lambda _: 400
        settings = with_webhook(receiver, attempts=1)
        path = tmp_path / "table.toml"
        path.write_text(
            f'[[tables]]\nname = "test"\n[tables.source]\npath = "x"\n[record]\nfolder = "{settings.record_folder}"\n'
            f'[[webhooks]]\nname = "one"\nurl = "{receiver.url}"\nsecret_env = "TEST_SECRET"\n'
            'networks = ["127.0.0.1/32"]\n'
        )
        with serving(settings) as (app, client):
            play(app, HOUSE_WRONG)
            wait_until(lambda: "2 events" in shown(client)["message"])
            listed = json.loads(run("list", "--json", "--config", str(path)).stdout)["one"]
            assert [(each["attempts"], each["error"]) for each in listed] == [(1, "it answered 400")] * 2
            assert listed[0]["id"] in run("list", "--config", str(path)).stdout
            refused = run("resend", "one", "--config", str(path))
            assert (refused.exit_code, len(receiver.taken)) == (1, 0)
            assert run("resend", "one", "--drop", listed[0]["id"], "--config", str(path)).exit_code == 0
            assert run("resend", "one", "--drop", listed[0]["id"], "--config", str(path)).exit_code == 2
            receiver.answers = lambda _: 204
            assert run("resend", "one", "--config", str(path)).exit_code == 0
            assert receiver.ids == [listed[1]["id"]]
            assert json.loads(run("list", "--json", "--config", str(path)).stdout) == {"one": []}
            wait_until(lambda: shown(client)["ok"])


def test_a_stopped_one_is_told_and_begun_again(tmp_path: Path) -> None:
    with receiving() as receiver:
        receiver.answers = lambda _: 410
        settings = with_webhook(receiver, kinds=["result"])
        path = tmp_path / "table.toml"
        path.write_text(
            f'[[tables]]\nname = "test"\n[tables.source]\npath = "x"\n[record]\nfolder = "{settings.record_folder}"\n'
            f'[[webhooks]]\nname = "one"\nurl = "{receiver.url}"\nsecret_env = "TEST_SECRET"\n'
            '[[webhooks]]\nname = "two"\nurl = "https://10.0.0.9/"\nsecret_env = "TEST_SECRET"\n'
            '[[webhooks]]\nname = "three"\nurl = "https://9.9.9.9/"\nsecret_env = "TEST_SECRET"\n'
        )
        with serving(settings) as (app, client):
            assert [each.level for each in check_webhooks(load_config(path))] == ["warn", "warn", "ok"]
            assert run("resend", "one", "--reason", "x", "--config", str(path)).exit_code == 2
            play(app)
            wait_until(lambda: "answered 410" in shown(client)["message"])
            stopped, private, _ = check_webhooks(load_config(path))
            assert (stopped.code, private.code) == (DiagnosisCode.WEBHOOK_STOPPED, DiagnosisCode.WEBHOOK_REFUSED)
            assert "stopped on" in run("list", "--config", str(path)).stdout
            receiver.answers = lambda _: 204
            assert run("resend", "one", "--reason", "it is back", "--config", str(path)).exit_code == 0
            wait_until(lambda: len(receiver.taken) == 1)
            wait_until(lambda: shown(client)["ok"])


@pytest.mark.parametrize("folder", [None, "none"])
def test_what_is_not_there(tmp_path: Path, folder: str | None) -> None:
    path = tmp_path / "table.toml"
    if folder is not None:
        path.write_text(f'[[tables]]\nname = "test"\n[tables.source]\npath = "x"\n[record]\nfolder = "{folder}"\n')
    said = run("list", "--config", str(path))
    assert said.exit_code == 2
    assert len(said.stderr.splitlines()) == 1
