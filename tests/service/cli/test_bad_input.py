"""What people and editors put into files: read right or refused in one clear line, and nothing moves a cursor."""

import codecs
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from calibration.table.points import read_points
from service.cli import app
from service.system.settings_file import SettingsFile
from service.words.wording import plain_name, printed
from tests.conftest import ROOT

GOOD = (ROOT / "docs" / "examples" / "settle" / "crown-6.1-house.toml").read_text(encoding="utf-8")
ROUND = """
rulebook = "crown-6.1"
bank = { method = "house", hand = "6-5 6-1 / 6-6 6-3" }
hands = { "2" = "1-1 1-1 / 5-5 5-5" }
wagers = [{ box = 2, player = "Ann", stake = 100 }]
"""


def settle(tmp_path: Path, text: str, *options: str, name: str = "round.toml") -> Result:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return CliRunner().invoke(app, ["settle", str(path), *options])


def refused(result: Result) -> str:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.rstrip("\n").isprintable()
    return result.stderr


def test_the_round_itself_is_settled(tmp_path: Path) -> None:
    assert settle(tmp_path, ROUND).exit_code == 0


@pytest.mark.parametrize(
    ("command", "named", "message"),
    [
        ("house-way export --rulebook nz-1998 --card", "way.pdf", "print it to a file"),
        ("house-way export --rulebook nz-1998 --card", "way", "ends in .html or .htm"),
        ("calibrate print board --out", "board.html", "ends in .pdf"),
        ("calibrate lens nowhere --out", "lens.toml", "ends in .json"),
        ("calibrate table nowhere --lens lens.json --out", "table.csv", "ends in .json"),
        ("enrol nowhere --calibration table.json --out", "own.toml", "ends in .json"),
        ("enrol nowhere --calibration table.json --marker chung=box1 --out", "markers.png", "ends in .json"),
        ("evaluate nowhere --scores", "scores.csv", "ends in .jsonl"),
    ],
)
def test_no_file_is_written_under_the_name_of_another_kind(
    tmp_path: Path, command: str, named: str, message: str
) -> None:
    assert message in refused(CliRunner().invoke(app, [*command.split(), str(tmp_path / named)]))
    assert not (tmp_path / named).exists()


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (r"Ann\nBob", "U+000A"),
        (r"Ann\u001b[2J", "U+001B"),
        (r"Ann\u202etaB", "U+202E"),
        (r"\u200fAnn", "U+200F"),
        (r"Ann\u0007", "U+0007"),
        (r"Ann\u2028", "U+2028"),
        ("  ", "names no player that can be read"),
    ],
)
def test_names_that_would_not_show_are_refused(tmp_path: Path, written: str, message: str) -> None:
    for as_json in ((), ("--json",)):
        assert message in refused(settle(tmp_path, ROUND.replace('"Ann"', f'"{written}"'), *as_json))


@pytest.mark.parametrize("name", ["Ann", "Nguyễn Thị Ánh", "陈大文", "محمد", "O'Brien-Smith 3"])
def test_names_of_all_scripts_are_names(name: str) -> None:
    assert plain_name(name) == name


def test_codes_in_keys_and_reasons_never_reach_a_terminal(tmp_path: Path) -> None:
    assert "<U+001B>" in refused(settle(tmp_path, ROUND + '"odd\\u001b[31mkey" = 1\n'))
    void = settle(tmp_path, ROUND + 'void = "power\\u001b[2J\\u202eout"\n')
    assert void.exit_code == 0
    assert "power<U+001B>[2J<U+202E>out" in void.stdout
    raw = settle(tmp_path, ROUND + 'void = "power\\u001b[2J\\u202eout"\n', "--json")
    assert raw.stdout.isascii()
    assert "\x1b" not in raw.stdout


def test_a_box_written_in_two_ways_is_one_box(tmp_path: Path) -> None:
    one = ROUND.replace('"2" = "1-1 1-1 / 5-5 5-5"', '"02" = "1-1 1-1 / 5-5 5-5"')
    assert settle(tmp_path, one).stdout == settle(tmp_path, ROUND).stdout
    two = ROUND.replace('"2" =', '"02" = "6-4 6-4 / 2-2 2-2", "2" =')
    assert "'02' and '2' belong to one box" in refused(settle(tmp_path, two))


@pytest.mark.parametrize("where", ["round", "wager"])
def test_an_empty_reason_is_none(tmp_path: Path, where: str) -> None:
    """Whoever writes `void = ""` means that it is void, or left it there: he is asked."""
    text = ROUND + 'void = ""\n' if where == "round" else ROUND.replace("stake = 100", 'stake = 100, void = " "')
    assert "write why it is void, or leave the key out" in refused(settle(tmp_path, text))


def test_a_chip_larger_than_the_stake(tmp_path: Path) -> None:
    """crown-6.1 8.1: no such wager is made of these chips; 9.2.3 would have paid it the double."""
    message = refused(settle(tmp_path, ROUND + "table = { smallest_chip = 250 }\n"))
    assert "is 100, and the smallest chip 250: correct the stake or the chip" in message
    assert settle(tmp_path, ROUND + "table = { smallest_chip = 100 }\n").exit_code == 0


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    mark = codecs.BOM_UTF8.decode()
    assert settle(tmp_path, mark + ROUND).stdout == settle(tmp_path, ROUND).stdout
    as_json = {"rulebook": "crown-6.1", "bank": {"method": "house"}, "wagers": []}
    assert settle(tmp_path, mark + json.dumps(as_json), name="round.json").exit_code == 0
    points = tmp_path / "points.csv"
    points.write_text(mark + "x_px,y_px,x_mm,y_mm\n1,2,3,4\n", encoding="utf-8")
    pixels, _ = read_points(points)
    assert pixels.tolist() == [[1, 2]]
    settings = tmp_path / "table.toml"
    settings.write_text(mark + (ROOT / "config" / "sample.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert "tables" in SettingsFile.read(settings).values


def test_other_encodings_are_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "round.toml"
    path.write_bytes(ROUND.encode("utf-16"))
    assert "cannot be read" in refused(CliRunner().invoke(app, ["settle", str(path)]))


def test_only_line_breaks_are_left_as_they_are() -> None:
    assert printed("a\nb\tc\x9b\x07") == "a\nb\tc<U+009B><U+0007>"
    assert printed(GOOD) == GOOD


def test_what_is_void_cites_the_rule_it_is_void_under(tmp_path: Path) -> None:
    """crown-6.1 12.7; without one crown-6.1 16.5, by which all wagers of a void outcome are refunded."""
    void = ROUND + 'void = "dealt wrongly"\n'
    for text, rule in ((void, "16.5"), (void + 'void_rule = "12.7"\n', "12.7")):
        settled = json.loads(settle(tmp_path, text, "--json").stdout)
        assert {wager["rule"] for wager in settled["wagers"]} == {f"crown-6.1 {rule}"}
        returned = [one for one in settled["postings"] if "returned" in one["why"]]
        assert {one["rule"] for one in returned} == {f"crown-6.1 {rule}"}
    assert "prints no rule '12.99'" in refused(settle(tmp_path, void + 'void_rule = "12.99"\n'))
    assert "also write why it is void" in refused(settle(tmp_path, ROUND + 'void_rule = "12.7"\n'))


def test_a_round_is_settled_by_the_version_of_its_day(tmp_path: Path) -> None:
    nz = ROUND.replace("crown-6.1", "nz-1998")
    dated = json.loads(settle(tmp_path, nz + "date = 1999-01-01\n", "--json").stdout)
    assert dated["rulebook_version"] == "1998-02-01"
    assert "no version of nz-1998 was in force on 1998-01-31" in refused(settle(tmp_path, nz + "date = 1998-01-31\n"))


DEEP = "[" * 100_000
ENDLESS = "/dev/zero"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("config check", "settings.toml"),
        ("settle", "round.toml"),
        ("settle", "round.json"),
        ("house-way check", "way.toml"),
        ("run --config", "settings.toml"),
        ("enrol nowhere --out own.json --calibration", "table.json"),
        ("read nowhere.jpg --calibration", "table.json"),
    ],
)
@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(f"a = {DEEP}", id="deep"),
        pytest.param(DEEP, id="deep-json"),
        pytest.param(ENDLESS, id="endless"),
        pytest.param("a = " + "9" * 10_000, id="a-number-that-none-holds"),
    ],
)
def test_a_file_made_to_harm_is_refused_in_one_line(tmp_path: Path, command: str, name: str, harm: str) -> None:
    path = tmp_path / name
    if harm == ENDLESS:
        path.symlink_to(ENDLESS)
    else:
        path.write_text(harm, encoding="utf-8")
    result = CliRunner().invoke(app, [*command.split(), str(path)])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in {1, 2}
    assert 0 < len(result.output) < 2_000
