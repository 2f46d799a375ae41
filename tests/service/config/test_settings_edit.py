"""Settings changed in the page: put where they belong, everything else as it was written."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.config.settings import begun_config, config_of, names_source
from service.config.settings_edit import edited, write_secret, write_text
from service.config.settings_file import ConfigError, SettingsFile

if TYPE_CHECKING:
    from pathlib import Path

WRITTEN = """\
# pit 4
[table]
name = "one"   # in addresses

[source]       # the camera
kind = "rtsp"
url_file = "address"

[[webhooks]]
name = "floor"
"""


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        pytest.param({"table": {"title": "Pit 4"}}, ['name = "one"   # in addresses', 'title = "Pit 4"'], id="new-key"),
        pytest.param({"table": {"name": "two"}}, ['name = "two"   # in addresses'], id="another-value"),
        pytest.param({"source": {"url_file": None, "url": None}}, ["[source]       # the camera"], id="taken-away"),
        pytest.param({"page": {"time_zone": "UTC"}}, ["[page]", 'time_zone = "UTC"'], id="new-section"),
        pytest.param({"source": {"size": [640, 360]}}, ["size = [640, 360]"], id="a-list"),
        pytest.param({"record": {"folder": None}}, ["# pit 4"], id="nothing-to-take-away"),
    ],
)
def test_what_is_not_changed_stays_as_it_was_written(
    changes: dict[str, dict[str, str | list[int] | None]], lines: list[str]
) -> None:
    text = edited(WRITTEN, changes)
    for line in lines:
        assert line in text.splitlines()
    assert "# pit 4" in text
    assert "[[webhooks]]" in text
    values, before = tomllib.loads(text), tomllib.loads(WRITTEN)
    for section, keys in changes.items():
        for key, value in keys.items():
            assert values.get(section, {}).get(key) == value
            values.get(section, {}).pop(key, None)
            before.get(section, {}).pop(key, None)
    assert [values[name] for name in values if values[name]] == [before[name] for name in before if before[name]]


def test_without_a_change_the_text_is_the_same() -> None:
    assert edited(WRITTEN, {"table": {"name": "one"}, "source": {"kind": "rtsp"}}) == WRITTEN


@pytest.mark.parametrize("text", ["[table", 'table = "one"\n'], ids=["not-toml", "no-section"])
def test_a_file_that_cannot_be_changed(text: str) -> None:
    with pytest.raises(ConfigError, match="cannot be changed"):
        edited(text, {"table": {"title": "Pit 4"}})


@given(st.text(st.characters(blacklist_categories=["Cs", "Cc"]), max_size=40))
def test_any_text_comes_back(title: str) -> None:
    assert tomllib.loads(edited("", {"table": {"title": title}})) == {"table": {"title": title}}


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
    [("Pit 4 (new).toml", "", "pit-4-new"), ("x.toml", '[table]\nname = "one"\n', "one"), ("---.toml", "#\n", "table")],
)
def test_a_table_without_a_source_is_set_up(tmp_path: Path, name: str, text: str, table: str) -> None:
    path = tmp_path / name
    if text:
        path.write_text(text)
    file = SettingsFile.read_or_new(path)
    assert not names_source(file)
    assert begun_config(file, port=0).table.name == table
    assert not path.exists() or path.read_text() == text


def test_a_new_file_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such settings file"):
        SettingsFile.read_or_new(tmp_path / "no" / "one.toml")
    with pytest.raises(ConfigError, match="source"):
        config_of(SettingsFile.read_or_new(tmp_path / "one.toml"))
