"""Settings: read once, strictly, with messages that say which key is wrong."""

from pathlib import Path

import pytest

from service.system.settings import (
    RECORD_URL_VARIABLE,
    SAMPLE_CONFIG,
    SOURCE_URL_VARIABLE,
    load_config,
)
from service.system.settings_file import ConfigError
from service.table.audit.sampling import HANDS, THROWS

GOOD = '[[tables]]\nname = "one"\n[tables.source]\npath = "frames"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text)
    return path


def test_the_sample_table_needs_nothing_else() -> None:
    sample = load_config(SAMPLE_CONFIG)
    assert sample.server.local_only
    assert sample.table.watched.path == SAMPLE_CONFIG.parents[1] / "service" / "sample" / "film.webm"


def test_paths_are_relative_to_the_file_and_a_title_is_found(tmp_path: Path) -> None:
    read = load_config(written(tmp_path, GOOD))
    assert read.table.watched.spec == tmp_path / "frames"
    assert read.table.title == "one"


@pytest.mark.parametrize(
    ("source", "spec"),
    [
        ('kind = "camera"\ndevice = 2', "2"),
        ('kind = "picamera2"', "picamera2:0"),
        ('kind = "rtsp"\nurl = "rtsp://camera/1"', "rtsp://camera/1"),
        ('kind = "simulator"\nsimulator = "seed=4"', "simulator:seed=4"),
        ('kind = "picamera2"\ndevice = 1\nsize = [1536, 864]\nfocus = 0.8', "picamera2:1"),
    ],
)
def test_each_kind_of_source(tmp_path: Path, source: str, spec: str) -> None:
    assert (
        load_config(written(tmp_path, f'[[tables]]\nname = "one"\n[tables.source]\n{source}\n')).table.watched.spec
        == spec
    )


def test_what_is_drawn_for_the_audit_reaches_every_kind(tmp_path: Path) -> None:
    usual = load_config(written(tmp_path, GOOD)).audit
    assert (usual.hands_a_day, usual.throws_a_day) == (12, 6)
    least = load_config(written(tmp_path, GOOD + "[audit]\nhands_a_day = 4\nthrows_a_day = 3\n")).audit
    none = load_config(written(tmp_path, GOOD + "[audit]\nhands_a_day = 0\nthrows_a_day = 0\n")).audit
    assert (least.hands_a_day, least.throws_a_day, none.hands_a_day, none.throws_a_day) == (4, 3, 0, 0)
    assert (len(HANDS), len(THROWS)) == (4, 3)


def test_options_take_the_place_of_settings(tmp_path: Path) -> None:
    read = load_config(written(tmp_path, GOOD + "[server]\nport = 1\n"), host="::1", port=9000)
    assert (read.server.host, read.server.port) == ("::1", 9000)


@pytest.mark.parametrize(
    "more",
    [
        pytest.param('tls_certificate = "c.pem"\ntls_key = "k.pem"\n', id="tls"),
        pytest.param('trusted_proxies = ["10.0.0.0/24", "::1"]\n', id="behind-a-proxy"),
        pytest.param("plain_http = true\n", id="in-the-clear"),
    ],
)
def test_ways_of_listening_to_other_machines(tmp_path: Path, more: str) -> None:
    read = load_config(written(tmp_path, f'{GOOD}[server]\nhost = "0.0.0.0"\n{more}')).server
    assert not read.local_only
    assert read.tls_certificate == (tmp_path / "c.pem" if read.tls else None)
    assert "x" * 16 not in repr(read)


def test_the_record_lies_in_the_users_state_folder_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert load_config(written(tmp_path, GOOD)).record_folder == tmp_path / "state" / "houseway" / "one"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")  # to be ignored, says the specification
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_config(written(tmp_path, GOOD)).record_folder == tmp_path / ".local" / "state" / "houseway" / "one"
    told = load_config(written(tmp_path, GOOD + '[record]\nfolder = "here"\n'))
    assert told.record_folder == tmp_path / "here"


def test_the_records_url_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RECORD_URL_VARIABLE, "postgresql+pg8000://u:secret@h/n")
    read = load_config(written(tmp_path, GOOD))
    assert read.record.url is not None
    assert "secret" not in repr(read)


def test_a_service_is_called_like_its_only_table(tmp_path: Path) -> None:
    titled = GOOD.replace('"one"', '"one"\ntitle = "Table 1"')
    called = load_config(written(tmp_path, titled)).service
    assert (called.name, called.title) == ("one", "Table 1")
    called = load_config(written(tmp_path, titled + '[service]\ntitle = "Riverside"\n')).service
    assert (called.name, called.title) == ("one", "Riverside")
    two = load_config(written(tmp_path, titled + GOOD.replace("one", "two")))
    assert (two.service.name, two.service.title) == ("houseway", "Houseway")
    assert [table.name for table in two.local] == ["one", "two"]


def test_the_address_in_the_environment_is_of_the_first_table_with_a_camera(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "second").write_text("rtsp://camera/2")
    remote = '[[tables]]\nname = "far"\nurl = "http://far:1"\nkey_env = "KEY"\n'
    first = '[[tables]]\nname = "a"\n[tables.source]\nkind = "rtsp"\n'
    second = '[[tables]]\nname = "b"\n[tables.source]\nkind = "rtsp"\nurl_file = "second"\n'
    record = '[record]\nurl = "postgresql+pg8000://u:p@h/n"\n'
    monkeypatch.setenv(SOURCE_URL_VARIABLE, "rtsp://camera/1")
    read = load_config(written(tmp_path, remote + first + second + record))
    assert [table.watched.spec for table in read.local] == ["rtsp://camera/1", "rtsp://camera/2"]
    assert [table.name for table in read.remote] == ["far"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("[table", "not TOML", id="not-toml"),
        pytest.param(
            GOOD.replace("[tables.source]", 'enrolment = "own.json"\n[tables.source]'),
            ":1: tables 1 (one): enrolment needs the calibration",
            id="enrolled-but-not-calibrated",
        ),
        pytest.param('[[tables]]\nname = "one"\n', ":1: tables 1 (one): a [tables.source] is needed", id="no-source"),
        pytest.param("[server]\nport = 1\n", "table.toml: tables: no [[tables]] is given", id="no-table"),
        pytest.param('[tables]\nname = "a"\n', ":1: tables: write [[tables]]", id="single-brackets"),
        pytest.param("tables = []\n", ":1: tables: no [[tables]] is given", id="no-tables"),
        pytest.param(
            GOOD * 2, ":6: tables 2 (one): name: a table before it has the name 'one' too", id="one-name-twice"
        ),
        pytest.param(
            "".join(GOOD.replace('"one"', f'"t{number}"') for number in range(5)),
            ":17: tables 5 (t4): at most 4 tables may have a camera",
            id="too-many-cameras",
        ),
        pytest.param(
            "".join(f'[[tables]]\nname = "{name}"\n[tables.source]\nkind = "camera"\n' for name in "ab"),
            ":7: tables 2 (b): source: the table 'a' before it has this camera too",
            id="one-camera-twice",
        ),
        pytest.param(GOOD + "[sever]\n", ":5: sever: unknown key; did you mean 'server'?", id="unknown-section"),
        pytest.param(
            GOOD.replace("path", "pth"),
            ":4: tables 1 (one): source.pth: unknown key; did you mean 'path'?",
            id="unknown-key",
        ),
        pytest.param(GOOD.replace('"one"', '"Table 1"'), ":2: tables 1 (Table 1): name: ", id="bad-name"),
        pytest.param(
            GOOD.replace('path = "frames"', 'kind = "rtsp"'),
            ":3: tables 1 (one): source: a source of kind 'rtsp' needs url",
            id="rtsp-without-url",
        ),
        pytest.param(GOOD.replace('path = "frames"', 'kind = "path"'), "needs path", id="path-without-path"),
        pytest.param(
            GOOD + "gain = 2.0\n", "gain can be set for a source of kind camera or picamera2", id="gain-of-a-file"
        ),
        pytest.param(
            GOOD.replace('path = "frames"', 'kind = "camera"\ncolour_gains = [2.0, 1.5]'),
            "colour_gains can be set for a source of kind picamera2",
            id="colour-gains-of-usb",
        ),
        pytest.param(GOOD + "frame_timeout_s = 0\n", "source.frame_timeout_s", id="no-deadline"),
        pytest.param(GOOD + "[server]\nport = 70000\n", ":6: server.port: 65535 or less is needed", id="bad-port"),
        pytest.param(GOOD + '[server]\nport = "eighty"\n', ":6: server.port: a whole number is needed", id="no-number"),
        pytest.param("server = 3\n" + GOOD, ":1: server: ", id="server-is-no-section"),
        pytest.param(
            "[[tables]]\n" + GOOD[GOOD.index("[tables.source]") :], ":1: tables 1: name: it is missing", id="no-name"
        ),
        pytest.param(GOOD + "[tables.clock]\nsettle_s = 0\n", ":6: tables 1 (one): clock.settle_s: ", id="bad-clock"),
        pytest.param(GOOD + '[server]\nhost = "0.0.0.0"\n', "in the clear", id="open-in-the-clear"),
        pytest.param(GOOD + '[server]\ntls_key = "k.pem"\n', "are needed together", id="key-without-certificate"),
        pytest.param(GOOD + '[server]\ntrusted_proxies = ["*"]\n', "neither an address", id="any-proxy"),
        pytest.param(
            GOOD + "[audit]\nhands_a_day = 3\n",
            "hands_a_day = 3 leaves some of the 4 kinds without a draw: set 0, or 4 or more",
            id="too-few-hands",
        ),
        pytest.param(
            GOOD + "[audit]\nthrows_a_day = 2\n", "throws_a_day = 2 leaves some of the 3", id="too-few-throws"
        ),
        pytest.param(GOOD + "[audit]\nthrows_a_day = -1\n", ":6: audit.throws_a_day: ", id="less-than-none"),
        pytest.param(GOOD + "[limits]\nburst = 0\n", "limits.burst", id="no-burst"),
        pytest.param(GOOD + '[page]\ntime_zone = "Atlantis"\n', "there is no time zone 'Atlantis'", id="no-zone"),
        pytest.param(GOOD + '[page]\ntime_zone = "../etc"\n', "there is no time zone", id="zone-is-a-path"),
        pytest.param(GOOD + '[page]\nlanguage = "tlh"\n', "page.language", id="no-language"),
        pytest.param(
            GOOD + '[[page.shifts]]\nname = "Day"\nstarts = 25\n', "page.shifts 1 (Day): starts", id="no-time"
        ),
        pytest.param(GOOD + '[[page.shifts]]\nname = "D"\nstarts = "06:00+01:00"\n', "page.time_zone", id="offset"),
        pytest.param(
            GOOD + 2 * '[[page.shifts]]\nname = "D"\nstarts = "06:00"\n', "start at the same time", id="shifts-at-once"
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        load_config(tmp_path / "none.toml")
