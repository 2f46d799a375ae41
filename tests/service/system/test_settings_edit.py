"""Settings changed in the page: put where they belong, everything else as it was written."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.system.settings import begun_config, config_of
from service.system.settings_edit import edited, write_secret, write_text
from service.system.settings_file import ConfigError, SettingsFile

TABLE = ("tables", 0)
SOURCE = (*TABLE, "source")
WRITTEN = """\
# pit 4
[[tables]]
name = "one"   # in addresses

[tables.source]       # the camera
kind = "rtsp"
url_file = "address"

[[webhooks]]
name = "floor"
"""


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        pytest.param({TABLE: {"title": "Pit 4"}}, ['name = "one"   # in addresses', 'title = "Pit 4"'], id="new-key"),
        pytest.param({TABLE: {"name": "two"}}, ['name = "two"   # in addresses'], id="another-value"),
        pytest.param(
            {SOURCE: {"url_file": None, "url": None}}, ["[tables.source]       # the camera"], id="taken-away"
        ),
        pytest.param({("page",): {"time_zone": "UTC"}}, ["[page]", 'time_zone = "UTC"'], id="new-section"),
        pytest.param({SOURCE: {"size": [640, 360]}}, ["size = [640, 360]"], id="a-list"),
        pytest.param({("record",): {"folder": None}}, ["# pit 4"], id="nothing-to-take-away"),
    ],
)
def test_what_is_not_changed_stays_as_it_was_written(
    changes: dict[tuple[str | int, ...], dict[str, str | list[int] | None]], lines: list[str]
) -> None:
    text = edited(WRITTEN, changes)
    for line in lines:
        assert line in text.splitlines()
    assert "# pit 4" in text
    assert "[[webhooks]]" in text
    values, before = tomllib.loads(text), tomllib.loads(WRITTEN)
    for path, keys in changes.items():
        for key, value in keys.items():
            assert _section(values, path).get(key) == value
            _section(values, path).pop(key, None)
            _section(before, path).pop(key, None)
    assert [values[name] for name in values if values[name]] == [before[name] for name in before if before[name]]


def _section(values: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    return SettingsFile(Path(), "", values).section(path)


def test_a_section_is_put_into_its_table() -> None:
    """Whatever stands after that table in the file."""
    text = edited('[[tables]]\nname = "one"\n[page]\n[[tables]]\nname = "two"\n', {SOURCE: {"kind": "camera"}})
    first, second = tomllib.loads(text)["tables"]
    assert (first, second) == ({"name": "one", "source": {"kind": "camera"}}, {"name": "two"})


def test_without_a_change_the_text_is_the_same() -> None:
    assert edited(WRITTEN, {TABLE: {"name": "one"}, SOURCE: {"kind": "rtsp"}}) == WRITTEN


@pytest.mark.parametrize(
    "text",
    ["[table", 'tables = "one"\n', 'tables = [{ name = "one" }]\n'],
    ids=["not-toml", "no-section", "in-one-line"],
)
def test_a_file_that_cannot_be_changed(text: str) -> None:
    with pytest.raises(ConfigError, match="cannot be changed"):
        edited(text, {TABLE: {"title": "Pit 4"}, SOURCE: {"kind": "camera"}})


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40))
def test_any_text_comes_back(title: str) -> None:
    assert tomllib.loads(edited("", {TABLE: {"title": title}})) == {"tables": [{"title": title}]}


def test_files_are_written_in_one_step_with_their_rights(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text("old")
    path.chmod(0o640)
    write_text(path, "new")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    write_secret(tmp_path / "secret", "s3cret")
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == ["one.toml", "secret"]
    with pytest.raises(FileNotFoundError):
        write_text(tmp_path / "no" / "one.toml", "new")


@pytest.mark.parametrize(
    ("name", "text", "table"),
    [
        ("Pit 4 (new).toml", "", "pit-4-new"),
        ("x.toml", '[[tables]]\nname = "one"\n', "one"),
        ("---.toml", "#\n", "table"),
    ],
)
def test_a_table_without_a_source_is_set_up(tmp_path: Path, name: str, text: str, table: str) -> None:
    path = tmp_path / name
    if text:
        path.write_text(text)
    file = SettingsFile.read_or_new(path)
    started = begun_config(file, port=0).table
    assert (started.name, started.source) == (table, None)
    assert not path.exists() or path.read_text() == text


def test_a_new_file_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        SettingsFile.read_or_new(tmp_path / "no" / "one.toml")
    with pytest.raises(ConfigError, match="tables"):
        config_of(SettingsFile.read_or_new(tmp_path / "one.toml"))
