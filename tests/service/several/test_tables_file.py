"""The settings of several tables: what holds for all, what is each one's, and what does not go together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from service.config.settings import accounts_table, config_of, load_config
from service.config.settings_file import ConfigError, SettingsFile
from service.config.tables_file import is_tables_file, load_tables
from service.http.cookies import cookie_of

if TYPE_CHECKING:
    from pathlib import Path

_SOURCE = '[source]\nkind = "simulator"\n'


def table(folder: Path, name: str, more: str = _SOURCE) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(f'[table]\nname = "{name}"\n{more}', encoding="utf-8")
    return path


def tables(folder: Path, *entries: str, more: str = "") -> Path:
    path = folder / "tables.toml"
    path.write_text(more + "".join(f"[[tables]]\n{entry}\n" for entry in entries), encoding="utf-8")
    return path


def named(*names: str) -> list[str]:
    return [f'settings = "{name}.toml"' for name in names]


def test_each_has_its_own_file_and_a_port_after_that_of_all(tmp_path: Path) -> None:
    for name in ("pit4-1", "pit4-2", "pit4-3"):
        table(tmp_path, name)
    entries = named("pit4-1", "pit4-2", "pit4-3")
    entries[1] += "\nport = 9000"
    path = tables(tmp_path, *entries, more='[server]\nport = 8100\nsession_hours = 3\nhost = "127.0.0.9"\n')
    assert is_tables_file(path)
    known = load_tables(path)
    assert [(one.name, one.port, one.config.server.port) for one in known.each] == [
        ("pit4-1", 8101, 8101),
        ("pit4-2", 9000, 9000),
        ("pit4-3", 8103, 8103),
    ]
    assert {(one.config.server.session_hours, one.config.server.host) for one in known.each} == {(3, "127.0.0.9")}
    assert [one.config.accounts.of for one in known.each] == [None, *[tmp_path / "pit4-1.toml"] * 2]


def test_all_share_the_cookie_of_the_first(tmp_path: Path) -> None:
    for name in ("one", "two"):
        table(tmp_path, name)
    known = load_tables(tables(tmp_path, *named("one", "two")))
    assert {cookie_of(one.config) for one in known.each} == {"houseway_one"}


def test_options_take_the_place_of_the_file(tmp_path: Path) -> None:
    table(tmp_path, "one")
    known = load_tables(tables(tmp_path, *named("one")), port=8200, host="127.0.0.2")
    assert (known.config.server.port, known.each[0].port) == (8200, 8201)
    assert known.each[0].config.server.host == "127.0.0.2"


def test_a_table_that_is_not_there_yet_is_set_up_in_the_page(tmp_path: Path) -> None:
    table(tmp_path, "one", '[source]\nkind = "camera"\n')
    known = load_tables(tables(tmp_path, *named("one", "two")))
    assert [(one.name, one.chosen) for one in known.each] == [("one", True), ("two", False)]


_CAMERA = '[source]\nkind = "camera"\ndevice = {}\n'
_RTSP = '[source]\nkind = "rtsp"\nurl = "rtsp://ann:secret@camera.example/1"\n'


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (_CAMERA.format(0), _CAMERA.format('"/dev/video0"'), "reads the camera /dev/video0"),
        (_RTSP, _RTSP, "reads the camera rtsp://camera.example"),
        ('[record]\nfolder = "r"\n' + _SOURCE, '[record]\nfolder = "./r"\n' + _SOURCE, "keeps its record in"),
    ],
)
def test_what_two_tables_cannot_both_have(tmp_path: Path, first: str, second: str, said: str) -> None:
    table(tmp_path, "one", first)
    table(tmp_path, "two", second)
    path = tables(tmp_path, *named("one", "two"))
    with pytest.raises(ConfigError) as refused:
        load_tables(path)
    assert f"{path}:3: tables.1: the table 'two' {said}" in str(refused.value)
    assert "'one'" in str(refused.value)
    assert "secret" not in str(refused.value)


def test_two_tables_of_one_name(tmp_path: Path) -> None:
    table(tmp_path, "one")
    (tmp_path / "other.toml").write_text(f'[table]\nname = "one"\n{_SOURCE}', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"tables.toml:3: .*has the name 'one'"):
        load_tables(tables(tmp_path, *named("one", "other")))


def test_one_file_twice(tmp_path: Path) -> None:
    table(tmp_path, "one")
    with pytest.raises(ConfigError, match="is read from the settings file"):
        load_tables(tables(tmp_path, *named("one", "one")))


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (['settings = "one.toml"\nport = 8000'], "tables.toml:1: .*port 8000 is that of the page of all tables"),
        (['settings = "one.toml"\nport = 8002', 'settings = "two.toml"'], "tables.toml:4: .*has its page at port 8002"),
        (['setings = "one.toml"'], "tables.toml:2: tables.0.setings: unknown key; did you mean 'settings'"),
        ([f'settings = "{name}.toml"' for name in "abcde"], "at most 4"),
    ],
)
def test_what_the_file_of_all_cannot_say(tmp_path: Path, entries: list[str], said: str) -> None:
    for name in ("one", "two"):
        table(tmp_path, name)
    with pytest.raises(ConfigError, match=said):
        load_tables(tables(tmp_path, *entries))


def test_a_fault_of_one_table_names_both_files(tmp_path: Path) -> None:
    one = table(tmp_path, "one", "[source]\nkind = 5\n")
    with pytest.raises(ConfigError, match=rf"tables.toml:2: tables.0.settings: {one}:4: source.kind"):
        load_tables(tables(tmp_path, *named("one")))


def test_where_one_table_is_meant_several_are_refused(tmp_path: Path) -> None:
    table(tmp_path, "one")
    with pytest.raises(ConfigError, match=r"tables.toml:1: tables: names the settings files of several tables"):
        load_config(tables(tmp_path, *named("one")))
    assert not is_tables_file(tmp_path / "one.toml")
    assert not is_tables_file(tmp_path / "none.toml")


def test_accounts_are_not_lent_on(tmp_path: Path) -> None:
    table(tmp_path, "one")
    two = table(tmp_path, "two", f'[accounts]\nof = "one.toml"\n{_SOURCE}')
    assert accounts_table(tmp_path / "one.toml").table.name == "one"
    assert cookie_of(config_of(SettingsFile.read(two))) == "houseway_one"
    with pytest.raises(ConfigError, match="it can lend none"):
        accounts_table(two)
