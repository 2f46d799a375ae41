"""A House Way named under another rulebook: every way of naming it, and whose remedies hold (rulings 12 and 33)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from typer.testing import CliRunner, Result

from engine.books.registry import BOOKS
from engine.errors import UnknownRulebookError
from service.cli import app
from service.rounds.judge.rules_in_force import TableRules
from service.system.settings import load_config
from tests.service.stand_ins import (
    DAY,
    HOUSE_WRONG,
    FakeReader,
    app_of,
    config,
    hand,
    opened,
    picture,
    reading,
    report_reading,
    report_round,
    signed_in,
    with_table,
)

NAMED = ("--rulebook", "uk-poster", "--house-way", "crown-6.1")
MISSING = "uk-poster prints no House Way (it says that it is displayed near the table; ruling 12): name the one"
JPEG = cv2.imencode(".jpg", np.zeros((36, 64, 3), np.uint8))[1].tobytes()
TILES = ["6-6", "6-3", "6-1", "5-3"]
WRONG = {"low": ["6-1", "5-3"], "high": ["6-6", "6-3"]}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def table(**settings: str) -> FastAPI:
    return app_of(with_table(config(), **settings), reader=FakeReader([HOUSE_WRONG] * 9), watch=False)


@pytest.fixture
def uk() -> Iterator[TestClient]:
    with signed_in(table(rulebook="uk-poster", house_way="crown-6.1")) as client:
        yield client


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("named", ["crown-6.1", "nz-1998", "star-2024", "star-classic"])
def test_remedies_are_those_of_the_rulebook(book: str, named: str) -> None:
    way = TableRules.of(book, named).on(DAY).house_way
    assert (way.rulebook, way.played_under) == (named, book)
    assert way.irregularities is BOOKS[book].irregularities


def test_none_named() -> None:
    with pytest.raises(UnknownRulebookError, match="ruling 12"):
        TableRules.of("uk-poster")
    assert TableRules.of("nz-1998").on(DAY).rulebook == "nz-1998"
    with pytest.raises(UnknownRulebookError, match=r"no rulebook is called 'own\.py'"):
        TableRules.of("own.py", "crown-6.1")


class TestEdge:
    def test_the_way_is_counted_and_the_book_judges(self) -> None:
        own, under = (run("edge", "--rulebook", *named, "--json") for named in (("crown-6.1",), NAMED[1:]))
        assert json.loads(under.stdout) == json.loads(own.stdout)
        said = run("edge", *NAMED, "--commission", "3%").stdout
        assert ", played under uk-poster: " in said.splitlines()[0]
        assert "only a what-if under uk-poster" in said

    def test_side_bets_are_the_books(self) -> None:
        assert "uk-poster does not offer tie-a" in run("edge", *NAMED, "--bet", "tie-a").stderr
        crowns = run("edge", "--rulebook", "crown-6.1", "--house-way", "nz-1998", "--bet", "big-small")
        assert "house edge 2.7778%" in crowns.stdout

    def test_none_named(self) -> None:
        assert MISSING in run("edge", "--rulebook", "uk-poster").stderr


def test_a_named_way_is_exported_and_printed(tmp_path: Path) -> None:
    crown = ("--rulebook", "crown-6.1")
    assert run("house-way", "export", *NAMED).stdout == run("house-way", "export", *crown).stdout
    page = tmp_path / "card.html"
    assert run("house-way", "export", *NAMED, "--card", page).exit_code == 0
    assert "crown-6.1" in page.read_text(encoding="utf-8")
    for card in ((), ("--card", page)):
        assert MISSING in run("house-way", "export", "--rulebook", "uk-poster", *card).stderr


class TestSet:
    def test_both_are_named(self) -> None:
        assert ", played under uk-poster" in run("set", *TILES, *NAMED).stdout.splitlines()[0]
        said = json.loads(run("set", *TILES, *NAMED, "--json").stdout)
        assert (said["rulebook"], said["house_way"], said["rule"]) == ("uk-poster", "crown-6.1", "crown-6.1 7.4.2")
        assert "played under" not in run("set", *TILES, "--rulebook", "crown-6.1").stdout

    def test_none_named(self) -> None:
        result = run("set", *TILES, "--rulebook", "uk-poster")
        assert result.exit_code == 2
        assert MISSING in result.stderr

    def test_a_file_of_ones_own(self, tmp_path: Path) -> None:
        (tmp_path / "own.py").write_text("from engine.books.nz.house_way import HOUSE_WAY\n")
        said = json.loads(
            run("set", *TILES, "--rulebook", "crown-6.1", "--house-way", tmp_path / "own.py", "--json").stdout
        )
        assert (said["rulebook"], said["house_way"]) == ("crown-6.1", "nz-1998")


class TestRead:
    @pytest.fixture(autouse=True)
    def _reader(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vision.reader.Reader.load", lambda *_, **__: FakeReader([HOUSE_WRONG]))

    def test_the_remedy_is_the_posters(self, tmp_path: Path) -> None:
        cv2.imwrite(str(tmp_path / "a.jpg"), picture())
        result = run("read", tmp_path / "a.jpg", *NAMED, "--json")
        said = json.loads(result.stdout)
        assert (said["rulebook"], said["house_way"]) == ("uk-poster", "crown-6.1")
        judged = said["hands"][0]["house_way"]
        assert (judged["verdict"], judged["rule"]) == ("wrong", "crown-6.1 7.4.2")
        assert "uk-poster point 29" in judged["remedy"]
        assert "crown-6.1" not in judged["remedy"]

    def test_the_text_names_both(self, tmp_path: Path) -> None:
        cv2.imwrite(str(tmp_path / "a.jpg"), picture())
        assert run("read", tmp_path / "a.jpg", *NAMED).stdout.startswith(
            "House Way of crown-6.1, played under uk-poster"
        )

    def test_none_named(self, tmp_path: Path) -> None:
        result = run("read", tmp_path / "a.jpg", "--rulebook", "uk-poster")
        assert (result.exit_code, MISSING in result.stderr) == (2, True)


ROUND = """
rulebook = "uk-poster"
[bank]
method = "house"
hand = "6-5 6-4 5-2 4-1"
[hands]
2 = "6-6 6-3 5-4 2-1"
[[wagers]]
box = 2
player = "Ann"
stake = 1000
"""


class TestSettle:
    def test_named_on_the_command_line_or_in_the_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(ROUND)
        (tmp_path / "b.toml").write_text('house_way = "crown-6.1"' + ROUND)
        named = run("settle", tmp_path / "a.toml", "--house-way", "crown-6.1", "--json")
        written = run("settle", tmp_path / "b.toml", "--json")
        assert named.exit_code == 0
        assert json.loads(named.stdout) == json.loads(written.stdout)

    def test_the_command_line_takes_the_files_place(self, tmp_path: Path) -> None:
        (tmp_path / "b.toml").write_text('house_way = "macau"' + ROUND)
        assert run("settle", tmp_path / "b.toml").exit_code == 2
        assert run("settle", tmp_path / "b.toml", "--house-way", "nz-1998").exit_code == 0

    def test_none_named(self, tmp_path: Path) -> None:
        (tmp_path / "a.toml").write_text(ROUND)
        result = run("settle", tmp_path / "a.toml")
        assert (result.exit_code, MISSING in result.stderr) == (2, True)


class TestSettings:
    def test_an_id_or_a_file_beside_the_settings(self, tmp_path: Path) -> None:
        file = tmp_path / "table.toml"
        for written, meant in (("crown-6.1", "crown-6.1"), ("own.py", str(tmp_path / "own.py"))):
            file.write_text(
                f'[[tables]]\nname = "one"\nrulebook = "uk-poster"\nhouse_way = "{written}"\n'
                '[tables.source]\npath = "frames"\n'
            )
            assert load_config(file).table.house_way == meant

    def test_none_named(self) -> None:
        with pytest.raises(UnknownRulebookError, match="ruling 12"):
            table(rulebook="uk-poster")


class TestHttp:
    def test_the_table_names_both(self, uk: TestClient) -> None:
        said = uk.get("/v1/tables/test").json()["local"]
        assert (said["rulebook"], said["house_way"]) == ("uk-poster", "crown-6.1")
        assert "played under <strong>uk-poster</strong>" in uk.get("/").text

    @pytest.mark.parametrize(
        ("asked", "book", "way"),
        [
            ({}, "uk-poster", "crown-6.1"),
            ({"rulebook": "uk-poster"}, "uk-poster", "crown-6.1"),
            ({"house_way": "nz-1998"}, "uk-poster", "nz-1998"),
            ({"rulebook": "crown-6.1"}, "crown-6.1", "crown-6.1"),
            ({"rulebook": "star-2024", "house_way": "nz-1998"}, "star-2024", "nz-1998"),
        ],
    )
    def test_what_a_request_names(self, uk: TestClient, asked: dict[str, str], book: str, way: str) -> None:
        """The remedy is that of the book at the table; of a picture by form and by address alike."""
        remedies = {}
        said = uk.post("/v1/house-way", json={"tiles": TILES, "setting": WRONG, **asked}).json()
        remedies["house-way"] = said["verdict"]["remedy"]
        answers = [said]
        answers.append(uk.post("/v1/read", files={"picture": ("a.jpg", JPEG)}, data=asked).json())
        answers.append(uk.post("/v1/read", params=asked, content=JPEG, headers={"content-type": "image/jpeg"}).json())
        for each in answers:
            assert (each["rulebook"], each["house_way"]) == (book, way)
        for each in answers[1:]:
            remedies[str(id(each))] = each["hands"][0]["house_way"]["remedy"]
        for remedy in remedies.values():
            assert f"({book} " in remedy

    @pytest.mark.parametrize(
        ("asked", "says"),
        [
            ({"rulebook": "uk-poster"}, "ruling 12"),
            ({"rulebook": "uk-poster", "house_way": "macau"}, "no House Way is called 'macau'"),
            ({"rulebook": "uk-poster", "house_way": "/tmp/way.py"}, "no House Way is called"),  # noqa: S108
            ({"rulebook": "macau", "house_way": "nz-1998"}, "no rulebook is called 'macau'"),
        ],
    )
    def test_what_cannot_be_named(self, asked: dict[str, str], says: str) -> None:
        with signed_in(table()) as client:
            for answer in (
                client.post("/v1/house-way", json={"tiles": TILES, **asked}),
                client.post("/v1/read", files={"picture": ("a.jpg", JPEG)}, data=asked),
            ):
                assert (answer.status_code, answer.json()["code"]) == (422, "unknown_rulebook")
                assert says in answer.json()["detail"]

    def test_a_round_of_the_table_is_the_posters(self) -> None:
        app = table(rulebook="uk-poster", house_way="crown-6.1")
        seen = reading(hand("house", "6-1 5-3", "6-6 6-3"), hand("box2", "1-1 4-3", "4-4 5-5"))
        parts = app.state.parts
        report = report_round(opened(seen), table="test", rules=parts.only.rules, versions={})
        parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
        assert (report.rulebook, report.house_way) == ("uk-poster", "crown-6.1")
        sent: dict[str, Any] = {"bank": {"method": "house"}, "wagers": [{"box": 2, "player": "Ann", "stake": 1000}]}
        with signed_in(app) as client:
            said = client.post("/v1/rounds/r1/settlement", json=sent).json()
        assert said["rulebook"] == "uk-poster"
        assert said["order_rule"].startswith("uk-poster ")
        assert any("not the House Way" in note and "crown-6.1 7.4.2" in note for note in said["notes"])


def test_ones_own_way_takes_remedies_of_the_book_it_names(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text(
        "from dataclasses import replace\n"
        "from engine.books.nz.house_way import HOUSE_WAY as NZ\n"
        "from engine.vocabulary.citations import Source\n"
        'HOUSE_WAY = replace(NZ, source=Source("example-2026", "Example", "2026"))\n'
    )
    report = report_reading(HOUSE_WRONG, TableRules.of(str(own)).on(DAY).house_way)
    assert (report.rulebook, report.house_way) == ("nz-1998", "example-2026")
