"""Settings: read once, strictly, with messages that say which key is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config import RECORD_URL_VARIABLE, SAMPLE_CONFIG, TOKEN_VARIABLE, ConfigError, load_config

if TYPE_CHECKING:
    from pathlib import Path

GOOD = '[table]\nname = "one"\n[source]\npath = "frames"\n'


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)


def _write(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text)
    return path


def test_the_sample_table_needs_nothing_else() -> None:
    sample = load_config(SAMPLE_CONFIG)
    assert sample.server.local_only
    assert sample.source.path == SAMPLE_CONFIG.parents[1] / "service" / "sample" / "frames"


def test_paths_are_relative_to_the_file_and_a_title_is_found(tmp_path: Path) -> None:
    read = load_config(_write(tmp_path, GOOD))
    assert read.source.spec == tmp_path / "frames"
    assert read.table.title == "one"


@pytest.mark.parametrize(
    ("source", "spec"),
    [
        ('kind = "camera"\ndevice = 2', "2"),
        ('kind = "picamera2"', "picamera2:0"),
        ('kind = "rtsp"\nurl = "rtsp://camera/1"', "rtsp://camera/1"),
    ],
)
def test_each_kind_of_source(tmp_path: Path, source: str, spec: str) -> None:
    assert load_config(_write(tmp_path, f'[table]\nname = "one"\n[source]\n{source}\n')).source.spec == spec


def test_options_take_the_place_of_settings(tmp_path: Path) -> None:
    read = load_config(_write(tmp_path, GOOD + "[server]\nport = 1\n"), host="::1", port=9000)
    assert (read.server.host, read.server.port) == ("::1", 9000)


def test_the_token_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN_VARIABLE, "x" * 16)
    read = load_config(_write(tmp_path, GOOD), host="0.0.0.0")  # noqa: S104  that a token allows it is the test
    assert read.server.token is not None
    assert "x" * 16 not in repr(read)


def test_the_record_lies_in_the_users_state_folder_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert load_config(_write(tmp_path, GOOD)).record_folder == tmp_path / "state" / "houseway" / "one"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")  # to be ignored, says the specification
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_config(_write(tmp_path, GOOD)).record_folder == tmp_path / ".local" / "state" / "houseway" / "one"
    told = load_config(_write(tmp_path, GOOD + '[record]\nfolder = "here"\n'))
    assert told.record_folder == tmp_path / "here"


def test_the_records_url_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RECORD_URL_VARIABLE, "postgresql+pg8000://u:secret@h/n")
    read = load_config(_write(tmp_path, GOOD))
    assert read.record.url is not None
    assert "secret" not in repr(read)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[table", "not TOML", id="not-toml"),
        pytest.param('[table]\nname = "one"\n', "source: Field required", id="no-source"),
        pytest.param(GOOD + "[sever]\n", "sever: unknown key", id="unknown-section"),
        pytest.param(GOOD.replace("path", "pth"), "source.pth: unknown key", id="unknown-key"),
        pytest.param(GOOD.replace('"one"', '"Table 1"'), "table.name", id="bad-name"),
        pytest.param(GOOD.replace('path = "frames"', 'kind = "rtsp"'), "needs url", id="rtsp-without-url"),
        pytest.param(GOOD.replace('path = "frames"', 'kind = "path"'), "needs path", id="path-without-path"),
        pytest.param(GOOD + "[server]\nport = 70000\n", "server.port", id="bad-port"),
        pytest.param(GOOD + '[server]\nhost = "0.0.0.0"\n', "a token of at least 16", id="open-without-token"),
        pytest.param(GOOD + '[server]\ntoken = "short"\n', "server.token", id="short-token"),
        pytest.param(GOOD + '[page]\ntime_zone = "Atlantis"\n', "there is no time zone 'Atlantis'", id="no-zone"),
        pytest.param(GOOD + '[page]\ntime_zone = "../etc"\n', "there is no time zone", id="zone-is-a-path"),
        pytest.param(GOOD + '[page]\nlanguage = "tlh"\n', "page.language", id="no-language"),
        pytest.param(GOOD + '[[shifts]]\nname = "Day"\nbegins = 25\n', "shifts.0.begins", id="no-time"),
        pytest.param(GOOD + '[[shifts]]\nname = "D"\nbegins = "06:00+01:00"\n', "page.time_zone", id="offset"),
        pytest.param(
            GOOD + 2 * '[[shifts]]\nname = "D"\nbegins = "06:00"\n', "begin at the same time", id="shifts-at-once"
        ),
        pytest.param("server = 3\n" + GOOD, "server", id="server-is-no-section"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        load_config(tmp_path / "none.toml")
