"""A House Way file wherever a House Way is named, and settings left to the dealer wherever they are shown."""

import csv
import json
from pathlib import Path

import pytest
from fastapi import FastAPI
from typer.testing import CliRunner, Result

from engine.books.house_ways import get
from engine.game.setting import Setting
from service.api.notify.notices import _house_alarms
from service.cli import app
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.judge.verdicts import captions_of
from service.system.settings import load_config
from service.system.versions import service_versions
from service.web.house_way_card import blocks, render_card
from service.words.languages import COOKIE
from tests.engine.house_way.files import HEAD, LAST
from tests.engine.house_way.test_dealers_choice import CHOICE, GONG, NEITHER, WONG
from tests.service.stand_ins import (
    DAY,
    FakeReader,
    app_of,
    config,
    hand,
    opened,
    reading,
    report_reading,
    report_round,
    rules_by,
    signed_in,
    with_table,
)
from vision.networks.model_card import sha256_of
from vision.reading import Reading

TILES = ("6-6", "4-4", "6-4", "6-3")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "own.toml"
    path.write_text(HEAD + CHOICE + LAST)
    return path


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def laid(setting: Setting) -> Reading:
    return reading(hand("house", str(setting.low), str(setting.high)))


def written(setting: Setting) -> dict[str, list[str]]:
    return {"low": [str(tile) for tile in setting.low.tiles], "high": [str(tile) for tile in setting.high.tiles]}


def table(file: Path, lies: Setting) -> FastAPI:
    settled = with_table(config(), house_way=str(file))
    made = app_of(settled, reader=FakeReader([laid(lies)] * 3), watch=False)
    parts = made.state.parts
    report = report_round(opened(laid(lies)), table="test", rules=parts.only.rules, versions={})
    parts.only.live.publish_rounds(*parts.only.ledger.revise(report))
    return made


class TestCommands:
    def test_set_names_each_setting_that_is_right(self, file: Path) -> None:
        said = json.loads(run("set", *TILES, "--rulebook", file, "--json").stdout)
        assert {"low": said["low"], "high": said["high"]} == written(GONG)
        assert said["choices"] == [written(WONG)]
        assert [one["reason"] for one in said["refused"]] == [
            "it is worse in one hand and no better in the other (test-2026 2)"
        ]
        assert f"  or    {WONG}: the dealer may choose it" in run("set", *TILES, "--rulebook", file).stdout
        assert json.loads(run("set", *TILES, "--rulebook", "crown-6.1", "--json").stdout)["choices"] == []

    def test_set_under_another_rulebook(self, file: Path) -> None:
        said = json.loads(run("set", *TILES, "--rulebook", "nz-1998", "--house-way", file, "--json").stdout)
        assert (said["rulebook"], said["house_way"], said["rule"]) == ("nz-1998", "test-2026", "test-2026 3")

    def test_export_has_a_column_for_choices(self, file: Path) -> None:
        rows = list(csv.DictReader(run("house-way", "export", "--rulebook", file).stdout.splitlines()))
        assert len(rows) == 8_130
        (row,) = (each for each in rows if each["hand"] == " ".join(TILES))
        assert (row["low"], row["choices"], row["rule"]) == (str(GONG.low), str(WONG), "test-2026 3")
        printed = run("house-way", "export", "--rulebook", "crown-6.1").stdout
        assert printed.startswith("hand,low,high,rule\n")

    def test_edge_and_diff_say_what_they_rest_on(self, file: Path) -> None:
        left = sum(deal.ways for deal, decision in get(file).decisions.items() if decision.choices)
        words = f"test-2026 leaves {left:,} of 35,960 deals to the dealer's choice; they are counted with the best low"
        assert words in run("edge", "--rulebook", file).stdout
        assert words in run("edge", "--rulebook", "crown-6.1", "--player-way", file).stdout
        assert words in json.loads(run("edge", "--rulebook", file, "--bet", "tie-a", "--json").stdout)["notes"][0]
        said = json.loads(run("house-way", "diff", "crown-6.1", file, "--json").stdout)
        assert words in said["notes"][0]
        (row,) = (each for each in said["hands"] if each["hand"] == list(TILES))
        assert row["second"]["choices"] == [written(WONG)]
        assert f"{GONG} or {WONG}; the House keeps" in run("house-way", "diff", "crown-6.1", file).stdout

    def test_the_card_lists_what_is_left_to_the_dealer(self, file: Path) -> None:
        way = get(file)
        page = render_card(way)
        assert "the dealer may choose among what is left" in page
        assert f"6-6 4-4 6-4 6-3: {GONG} or {WONG} (3)" in page
        marked = [cell for each in blocks(way) for row in each.rows for cell in row.cells if cell.high == "d"]
        assert {cell.kinds for cell in marked} == {deal.kinds for deal, one in way.decisions.items() if one.choices}
        assert "the dealer may choose" not in render_card(get("crown-6.1"))

    def test_check_names_lines_and_columns(self, file: Path) -> None:
        result = run("house-way", "check", file)
        assert (
            result.exit_code,
            "note   line 16, column 1: dealer's choice: test-2026 3 (rule 3) leaves" in result.stdout,
        ) == (0, True)
        file.write_text(HEAD + CHOICE + LAST + '[[example]]\nset = "4-4 6-4 / 6-6 6-3"\n')
        result = run("house-way", "check", file)
        assert (result.exit_code, "fault  line 30, column 1: example: " in result.stdout) == (1, True)
        (fault,) = (
            each
            for each in json.loads(run("house-way", "check", file, "--json").stdout)["findings"]
            if each["kind"] == "fault"
        )
        assert (fault["code"], fault["places"]) == ("example", [{"line": 30, "column": 1}])

    def test_check_names_every_mistake_in_a_file(self, file: Path) -> None:
        file.write_text(HEAD + CHOICE.replace("keep the pair", "kep the pair").replace("gong", "gnog") + LAST)
        result = run("house-way", "check", file)
        assert result.exit_code == 1
        assert result.stdout.splitlines()[0] == f"{file} cannot be used: 3 faults"
        assert [line.split(": ")[0] for line in result.stdout.splitlines()[1:]] == [
            "fault  line 10, column 8",
            "fault  line 19, column 24",
            "fault  line 20, column 19",
        ]
        said = json.loads(run("house-way", "check", file, "--json").stdout)
        assert [each["places"] for each in said["findings"]] == [
            [{"line": 10, "column": 8}],
            [{"line": 19, "column": 24}],
            [{"line": 20, "column": 19}],
        ]
        for words in (("edge", "--rulebook", file), ("set", *TILES, "--rulebook", file)):
            result = run(*words)
            assert (result.exit_code, "line 10, column 8" in result.stderr) == (2, True)


class TestTable:
    def test_settings_name_a_file_beside_them(self, file: Path, tmp_path: Path) -> None:
        settings = tmp_path / "table.toml"
        settings.write_text('[[tables]]\nname = "one"\nhouse_way = "own.toml"\n[tables.source]\npath = "frames"\n')
        table = load_config(settings).table
        assert table.house_way == str(file)
        way = TableRules.of(table.rulebook, table.house_way).on(DAY).house_way
        assert (way.rulebook, way.played_under) == ("test-2026", "crown-6.1")
        versions = service_versions(load_config(settings))
        assert versions["house_way_file"] == f"sha256:{sha256_of(file)}"

    @pytest.mark.parametrize(("lies", "verdict"), [(GONG, "correct"), (WONG, "correct"), (NEITHER, "wrong")])
    def test_any_of_the_dealers_settings_is_correct(self, file: Path, lies: Setting, verdict: str) -> None:
        said = report_reading(laid(lies), get(file)).hands[0].house_way
        assert said is not None
        assert said.verdict == verdict
        assert said.expected is not None
        assert [(one.low, one.high) for one in (said.expected, *said.choices)] == [
            tuple(map(tuple, written(one).values())) for one in (GONG, WONG)
        ]
        if verdict == "correct":
            assert ", one of 2 settings that the dealer may choose. test-2026 3: " in said.explanation
        else:
            assert f"The dealer may choose: {GONG.describe()}; or {WONG.describe()}." in said.explanation
            assert said.remedy is not None

    def test_the_picture_and_the_alarm_name_each(self, file: Path) -> None:
        hands = report_reading(laid(NEITHER), get(file)).hands
        (caption,) = captions_of(hands).values()
        right = " or ".join(f"low {one.low}, high {one.high}" for one in (GONG, WONG))
        assert caption.text == f"Set wrongly: should be {right} (test-2026 3)"
        report = report_round(opened(laid(NEITHER)), table="test", rules=TableRules.of(str(file)), versions={})
        (alarm,) = _house_alarms(report, None, rules_by(get(file)))
        assert [one.model_dump(mode="json") for one in alarm.choices] == [written(WONG)]

    def test_the_page_shows_each_in_both_languages(self, file: Path) -> None:
        with signed_in(table(file, NEITHER)) as client:
            page = client.get("/tables/test/rounds/r1").text
            assert "or, as the dealer chooses" in page
            client.cookies.set(COOKIE, "zh-Hant")
            page = client.get("/tables/test/rounds/r1").text
            assert "或由荷官選擇擺為" in page
            assert "荷官可選擇" in page
        with signed_in(table(file, WONG)) as client:
            assert "one of 2 settings that the dealer may choose" in client.get("/tables/test/rounds/r1").text
            client.cookies.set(COOKIE, "zh-Hant")
            assert "是荷官可選擇的 2 種擺法之一" in client.get("/tables/test/rounds/r1").text

    def test_whoever_asks_is_told_each(self, file: Path) -> None:
        with signed_in(table(file, GONG)) as client:
            said = client.post("/v1/house-way", json={"tiles": TILES, "setting": written(WONG)}).json()
            assert (said["setting"], said["choices"]) == (written(GONG), [written(WONG)])
            assert said["verdict"]["verdict"] == "correct"
            refused = client.post("/v1/house-way", json={"tiles": TILES, "house_way": str(file)})
            assert (refused.status_code, refused.json()["code"]) == (422, "unknown_rulebook")
            assert "no House Way is called" in refused.json()["detail"]
