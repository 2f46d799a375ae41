"""Settings files: lines of faults, secrets from elsewhere, the example, and the schema."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from service.cli import app as command_line
from service.system.settings import SAMPLE_CONFIG, SECRETS, Config, config_schema, described, load_config, sections
from service.system.settings_file import ConfigError, lines_of
from tests.service.system.test_settings import GOOD, written

EXAMPLE = SAMPLE_CONFIG.with_name("example.toml")
SECRET = "a-secret-of-25-characters"  # noqa: S105
URL = f"postgresql+pg8000://user:{SECRET}@host/name"


def test_faults_are_all_told_at_once(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + "[server]\nport = -1\n[log]\n\nlevel = 'loud'\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    first, second = str(caught.value).splitlines()
    assert first.startswith(f"{path}:6: server.port: ")
    assert second.startswith(f"{path}:9: log.level: ")


def test_settings_in_another_encoding_are_refused_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "houseway.toml"
    path.write_text(GOOD, encoding="utf-16")
    with pytest.raises(ConfigError, match="cannot be read: it is not UTF-8 text; save it as UTF-8"):
        load_config(path)
    path.write_text(GOOD, encoding="utf-8-sig")
    load_config(path)


def test_a_value_from_elsewhere_is_named_by_where_it_came_from(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"server\.port \(from option --port\): "):
        load_config(written(tmp_path, GOOD + "[server]\nport = 1\n"), port=-1)


@pytest.mark.parametrize("key", SECRETS, ids=".".join)
@pytest.mark.parametrize("way", ["file", "variable", "file-in-a-variable"])
def test_secrets_come_from_files_and_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: tuple[str, ...], way: str
) -> None:
    (*above, name), variable = key, SECRETS[key]
    (tmp_path / "secret").write_text(URL + "\n")
    if way == "file":
        text = GOOD if above == ["tables", "source"] else f"{GOOD}[{above[0]}]\n"
        text += f'{name}_file = "secret"\n'
    else:
        text = GOOD
        whole = {"variable": (variable, URL), "file-in-a-variable": (f"{variable}_FILE", str(tmp_path / "secret"))}
        monkeypatch.setenv(*whole[way])
    read = load_config(written(tmp_path, text))
    value = read.record.url if above == ["record"] else read.table.watched.url
    assert value is not None
    assert value.get_secret_value() == URL
    assert SECRET not in json.dumps(read.public())


def test_no_address_is_told_with_what_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOK_SECRET", "whsec_" + 40 * "a")
    camera = f"rtsp://10.0.0.5/live?user=admin&password={SECRET}"
    hook = f"http://127.0.0.1:8161/services/T000/{SECRET}?token={SECRET}"
    text = f'[[tables]]\nname = "one"\n[tables.source]\nkind = "rtsp"\nurl = "{camera}"\n'
    text += f'[[webhooks]]\nname = "a"\nurl = "{hook}"\nsecret_env = "HOOK_SECRET"\n'
    read = load_config(written(tmp_path, text))
    assert SECRET not in json.dumps(read.public()) + repr(read)
    assert "10.0.0.5" in json.dumps(read.public())
    assert {camera, hook} <= set(read.secrets())


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "no such file"), ("\n", "is empty"), ("x" * 9000, "too long")],
    ids=["missing", "empty", "huge"],
)
def test_secret_files_that_cannot_be_used(tmp_path: Path, content: str | None, said: str) -> None:
    if content is not None:
        (tmp_path / "secret").write_text(content)
    with pytest.raises(ConfigError, match=re.escape(said)):
        load_config(written(tmp_path, GOOD + '[record]\nurl_file = "secret"\n'))


def test_a_secret_and_its_file_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r":7: record\.url_file: url is set too"):
        load_config(written(tmp_path, GOOD + f'[record]\nurl = "{URL}"\nurl_file = "secret"\n'))


_VALUES = st.sampled_from(
    [
        "1",
        '"a # [b]"',
        '"""\nx = 1\n[y]\n"""',
        "'''\n# '''",
        "[\n 1, # one\n [2],\n]",
        "{ p = 1, q.r = 2 }",
    ]
)
_BEFORE = st.sampled_from(["", "\n", "# k0 = 1\n", "\r\n"])


@given(st.lists(st.tuples(st.booleans(), _VALUES, _BEFORE), max_size=12))
def test_each_key_is_found_on_the_line_it_was_written_on(parts: list[tuple[bool, str, str]]) -> None:
    text = ""
    section: tuple[str, ...] = ()
    expected: dict[tuple[str | int, ...], int] = {}
    for number, (heading, value, before) in enumerate(parts):
        text += before
        line = text.count("\n") + 1
        if heading:
            text += f"[s{number}]\n"
            section = (f"s{number}",)
            expected[section] = line
        else:
            text += f"k{number} = {value}\n"
            expected[(*section, f"k{number}")] = line
    found = lines_of(text)
    assert {key: found[key] for key in expected} == expected


def test_the_annotated_example_holds_and_names_every_key() -> None:
    assert load_config(EXAMPLE).table.clock_needed.need_sync
    # What is commented out is said to be possible, so it is looked at as well.
    written = tomllib.loads(re.sub(r"^# (?=\w+ = |\[)", "", EXAMPLE.read_text(), flags=re.MULTILINE))
    expected: dict[tuple[str, ...], set[str]] = {(): set(Config.model_fields)}
    for path, kind in sections():
        expected.setdefault(path, set()).update(field.alias or name for name, field in kind.model_fields.items())
    # Of single sign-on an example has what is needed.
    expected = {path: names for path, names in expected.items() if path[:2] != ("accounts", "oidc")}
    assert {path: _keys(written, path) for path in expected} == expected


def _keys(written: dict[str, Any], path: tuple[str, ...]) -> set[str]:
    """The keys of a section, of all if there are several."""
    found: list[Any] = [written]
    for part in path:
        below = [each[part] for each in found if part in each]
        found = [one for each in below for one in (each if isinstance(each, list) else [each])]
    return {key for each in found for key in each}


@pytest.mark.parametrize("section", ["tables.rounds", "tables.clock", "limits", "record", "log"])
def test_what_the_example_shows_is_what_counts_when_left_out(section: str) -> None:
    shown: Any = tomllib.loads(EXAMPLE.read_text())
    for part in section.split("."):
        shown = shown[part][0] if part == "tables" else shown[part]
    plain = dict(sections())[*section.split(".")]().model_dump()
    assert {key: plain[key] for key in shown} == shown


def test_the_schema_takes_what_the_program_takes() -> None:
    schema = jsonschema_rs.validator_for(config_schema())
    for path in (EXAMPLE, SAMPLE_CONFIG):
        schema.validate(tomllib.loads(path.read_text()))
    for wrong in (GOOD + "[sever]\n", GOOD + "[server]\nport = 70000\n", '[[tables]]\ntitle = "one"\n'):
        assert not schema.is_valid(tomllib.loads(wrong))


def test_every_key_is_described() -> None:
    for _, kind in sections():
        assert described(kind).keys() == kind.model_fields.keys()


def test_the_command_checks_shows_and_describes(tmp_path: Path) -> None:
    run = CliRunner().invoke
    (tmp_path / "frames").mkdir()
    good = written(tmp_path, GOOD + f'[record]\nurl = "{URL}"\n')
    assert "Settings are valid (tables: 'one')" in run(command_line, ["config", "check", str(good)]).stdout
    shown = run(command_line, ["config", "check", str(good), "--show"]).stdout
    assert json.loads(shown)["tables"][0]["title"] == "one"
    assert SECRET not in shown


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param(GOOD + "[sever]\n", ":5: sever", id="unknown-key"),
        pytest.param(
            GOOD.replace("[tables.source]", 'rulebook = "x"\n[tables.source]'),
            ": tables 1 (one): rulebook: no House Way is called 'x'",
            id="unknown-rulebook",
        ),
    ],
)
def test_the_command_refuses(tmp_path: Path, text: str, said: str) -> None:
    refused = CliRunner().invoke(command_line, ["config", "check", str(written(tmp_path, text))])
    assert refused.exit_code == 2
    assert said in refused.stderr
