"""``houseway enrol --marker`` learns the house's own markers, and refuses what it could not find again."""

import json
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from calibration.files.calibration_file import load_calibration
from service.cli import app
from tests.vision.markers.drawn_markers import Drawn, box, marker
from vision.markers.finder import MarkerFinder
from vision.markers.markers_file import MarkersError, load_markers


@pytest.fixture(scope="module")
def drawn() -> Drawn:
    return Drawn.of(11)


@pytest.fixture
def shot(drawn: Drawn, tmp_path: Path) -> Path:
    image = drawn.picture(marker("chung", drawn.spot(2)), marker("off_button", drawn.spot(6)))
    cv2.imwrite(str(tmp_path / "shot.png"), image)
    (tmp_path / "table.json").write_text(json.dumps(drawn.scene.calibration()), encoding="utf-8")
    return tmp_path / "shot.png"


def enrol(shot: Path, *more: str) -> Result:
    given = ("enrol", str(shot), "--calibration", str(shot.with_name("table.json")), *more)
    return CliRunner().invoke(app, given)


@pytest.mark.slow
def test_markers_are_learnt_added_and_found_again(shot: Path, drawn: Drawn) -> None:
    out = shot.with_name("markers.json")
    first = enrol(shot, "--out", str(out), "--marker", "chung=box2", "--json")
    assert first.exit_code == 0, first.output
    assert [each["marker"] for each in json.loads(first.output)["markers"]] == ["chung"]
    assert enrol(shot, "--out", str(out), "--marker", "off_button=box6", "--add").exit_code == 0
    own = load_markers(out)
    assert [str(each.meaning) for each in own.markers] == ["chung", "off_button"]
    table = load_calibration(shot.with_name("table.json"))
    image = drawn.picture(marker("chung", drawn.spot(4), 2.0), marker("off_button", drawn.spot(8), 1.0))
    found = MarkerFinder(own).find(image, table)
    assert {(str(each.kind), each.place, each.status) for each in found} == {
        ("chung", box(4), "verified"),
        ("off_button", box(8), "verified"),
    }


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (("--marker", "chung=box4"), "no round marker"),
        (("--marker", "bank=box2"), "no marker"),
        (("--marker", "chung=box9"), "box9"),
        (("--marker", "plus_minus=box2"), "has a value"),
    ],
)
def test_what_cannot_be_learnt_is_refused_in_one_line(shot: Path, more: tuple[str, ...], why: str) -> None:
    out = shot.with_name("markers.json")
    refused = enrol(shot, "--out", str(out), *more)
    assert refused.exit_code == 2
    assert why in refused.output
    assert not out.exists()


def test_markers_that_were_changed_or_are_not_there_are_refused(shot: Path) -> None:
    out = shot.with_name("markers.json")
    with pytest.raises(MarkersError, match="no such markers"):
        load_markers(out)
    enrol(shot, "--out", str(out), "--marker", "chung=box2")
    (sheet,) = shot.parent.glob("markers-markers-*.png")
    sheet.write_bytes(b"other")
    with pytest.raises(MarkersError, match="not the picture"):
        load_markers(out)
    out.write_text(out.read_text(encoding="utf-8").replace('"chung"', '"off_button"'), encoding="utf-8")
    with pytest.raises(MarkersError, match="changed"):
        load_markers(out)
