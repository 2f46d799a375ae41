"""Settings of a service that collects remote tables: what they say, and what is refused, with its line."""

from pathlib import Path

import pytest

from service.system.section import Address
from service.system.settings import RECORD_URL_VARIABLE, load_config
from service.system.settings_file import ConfigError
from tests.conftest import ROOT

HEAD = """[service]
name = "main"

[record]
url = "postgresql+pg8000://ann:secret@db.example/floor"
folder = "floor"



[[pits]]
name = "pit4"
"""
TABLE = """
[[tables]]
name = "{name}"
pit = "pit4"
url = "http://{name}:8000/"
key_env = "KEY"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "floor.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "hwk_1")
    path = written(tmp_path, HEAD + TABLE.format(name="t1") + TABLE.format(name="t2"))
    config = load_config(path, port=8123)
    assert (config.service.title, config.pits[0].title, config.server.port) == ("main", "pit4", 8123)
    assert [(one.name, one.title, one.address) for one in config.remote] == [
        ("t1", "t1", "http://t1:8000"),
        ("t2", "t2", "http://t2:8000"),
    ]
    assert (config.record_folder, config.local) == (tmp_path / "floor", ())
    assert config.remote[0].key() == "hwk_1"
    assert {"hwk_1", "secret"} <= set(config.secrets())
    assert "secret" not in repr(config)


@pytest.mark.parametrize(
    ("url", "fine"),
    [
        ("postgresql+pg8000://ann@/floor?unix_sock=/run/postgresql/.s.PGSQL.5432", True),
        ("postgresql+pg8000:///floor?unix_sock=/run/postgresql/.s.PGSQL.5432", True),
        ("postgresql+pg8000://ann:secret@10.0.0.7:5432/floor", True),
        ("postgresql+pg8000://ann:sec@ret@db.example/floor", False),
        ("postgresql+pg8000://ann@/floor", False),
    ],
)
def test_where_the_database_may_be(tmp_path: Path, url: str, fine: bool) -> None:  # noqa: FBT001  of the table above
    text = HEAD.replace("postgresql+pg8000://ann:secret@db.example/floor", url) + TABLE.format(name="t1")
    if fine:
        assert load_config(written(tmp_path, text)).record.url == Address(url)
        return
    with pytest.raises(ConfigError, match=r"record\.url") as refused:
        load_config(written(tmp_path, text))
    assert "sec@ret" not in str(refused.value)


def test_the_example_can_be_used_once_its_secrets_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RECORD_URL_VARIABLE, "postgresql+pg8000://houseway:x@localhost/houseway")
    config = load_config(ROOT / "config" / "floor.toml")
    assert [(table.name, table.pit) for table in config.remote] == [("pit4-table1", "pit4")]
    assert config.evidence.copied == "none"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD, r"floor\.toml: tables: no \[\[tables\]\] is given"),
        (HEAD + TABLE.format(name="t1") + '[tables.source]\nkind = "camera"\n', r":13: tables 1 \(t1\): .*not both"),
        (HEAD + TABLE.format(name="t1") * 2, r":20: tables 2 \(t1\): name: a table before it has the name 't1' too"),
        (
            HEAD + TABLE.format(name="t1") + TABLE.format(name="t2").replace("//t2", "//t1"),
            r":22: tables 2 \(t2\): url: the table 't1' before it is at this address too",
        ),
        (
            HEAD + TABLE.format(name="t1").replace('pit = "pit4"', 'pit = "pit5"'),
            r":15: tables 1 \(t1\): pit: there is no pit 'pit5' in \[\[pits\]\]",
        ),
        (
            HEAD + TABLE.format(name="t1").replace("pit =", "pitt ="),
            r"pitt: unknown key; did you mean 'pit'",
        ),
        (HEAD + TABLE.format(name="t1").replace("key_env", "key_fil"), r"unknown key; did you mean 'key_file'"),
        (HEAD + TABLE.format(name="t1") + 'key_file = "x"\n', "name either key_file or key_env"),
        (HEAD + TABLE.format(name="t1").replace("http://", "ftp://"), r":16: tables 1 \(t1\): url: https://HOST"),
        (HEAD + TABLE.format(name="T1"), r":14: tables 1 \(T1\): name"),
        (HEAD.replace("postgresql+pg8000", "sqlite") + TABLE.format(name="t1"), ":5: record.url: .*PostgreSQL"),
        (
            HEAD + TABLE.format(name="t1") + '[evidence]\ncopy = "all"\n',
            r":19: evidence\.copy: .*needs a folder, or a \[bucket\]",
        ),
        (HEAD + TABLE.format(name="t1") + '[evidence]\ncopied = "all"\n', r":19: evidence\.copied: unknown key$"),
        (HEAD + TABLE.format(name="t1") + '[[pits]]\nname = "pit4"\n', r":19: pits 2 \(pit4\): name: a pit before it"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as refused:
        load_config(written(tmp_path, text))
    assert "secret" not in str(refused.value)


def test_a_fault_at_the_last_of_many_tables_has_its_line(tmp_path: Path) -> None:
    text = HEAD + "".join(TABLE.format(name=f"t{number}") for number in range(500)) + "pitt = 1\n"
    with pytest.raises(
        ConfigError, match=rf"floor\.toml:{len(text.splitlines())}: tables 500 \(t499\): pitt: unknown key"
    ):
        load_config(written(tmp_path, text))


def test_a_key_that_cannot_be_read(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, HEAD + TABLE.format(name="t1").replace("KEY", "NO_SUCH_KEY")))
    with pytest.raises(ConfigError, match="table 't1': there is no secret in the variable NO_SUCH_KEY"):
        config.secrets()
