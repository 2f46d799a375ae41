"""``houseway enrol --dice``: dice are learnt from pictures of throws; a throw of them is read as theirs."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from calibration.files.calibration_file import load_calibration
from service.cli import app
from vision.capture.images import load_image
from vision.enrolment.dice_file import load_dice
from vision.reader import Reader

OK, FOUND, WRONG = 0, 1, 2
PICTURE = Path(__file__).parents[2] / "data" / "tables" / "dice_0001.jpg"


def enrol(picture: Path, *words: object) -> Result:
    given = ["--calibration", str(picture.with_suffix(".json")), "--dice", *map(str, words)]
    return CliRunner().invoke(app, ["enrol", str(picture), *given])


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dice") / "dice.json"
    result = enrol(PICTURE, "--out", path)
    assert result.exit_code == OK, result.stderr
    assert "1, each of 4 dice" in result.stdout
    return path


def test_dice_are_learnt_from_one_throw_and_recognised(own: Path) -> None:
    truth = json.loads(PICTURE.with_suffix(".json").read_text())
    sizes = {each["role"]: each["size_mm"] for each in truth["objects"] if each["kind"] == "die"}
    dice = load_dice(own)
    reader = Reader.load(threads=1).throwing(dice)
    reading = reader.read(load_image(PICTURE), calibration=load_calibration(PICTURE.with_suffix(".json")))
    assert reading.versions["own_dice"] == dice.version
    assert {die.own for die in reading.dice} <= {"own", None}
    assert sorted(die.role or "" for die in reading.dice) == ["box", "box", "box", "cut"]
    assert dice.sides_mm == pytest.approx([sizes["box"], sizes["cut"]], rel=0.06)


def test_more_throws_are_added_and_the_file_replaced_is_kept(own: Path) -> None:
    result = enrol(PICTURE, "--out", own, "--add", "--json")
    written = json.loads(result.stdout)["dice"]
    assert written["throws"] == 2
    assert [kind["role"] for kind in written["kinds"]] == ["box", "cut"]
    assert len(list((own.parent / "history").iterdir())) == 1


def test_what_is_no_throw_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "none.json"
    refused = enrol(PICTURE.with_name("display_0002.jpg"), "--out", out, "--json")
    assert refused.exit_code == FOUND
    assert json.loads(refused.stdout)["dice"] is None
    marked = [enrol(PICTURE, "--out", out, "--cut-die", value).exit_code for value in range(1, 7)]
    assert FOUND in marked
    assert enrol(PICTURE).exit_code == WRONG


def test_the_answer_says_each_thing_once(tmp_path: Path) -> None:
    """A box die named as the cut die is not distinguished: only further throws help, and every line is another."""
    result = enrol(PICTURE, "--out", tmp_path / "dice.json", "--cut-die", 1)
    assert result.exit_code == OK
    lines = result.stdout.splitlines()
    assert lines[-1] == "cut die    not distinguished, so roles stay unknown: add throws"
    assert [line[:10].rstrip() for line in lines] == ["file", "throws", "box or cut", "box or cut", "cut die"]
