"""``houseway calibrate``, as a technician types it: from paper to a checked table."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from calibration.files.calibration_file import load_calibration
from calibration.lens.lens_fit import LensFit, load_lens, save_lens
from calibration.table.places import BOX_PLACES
from calibration.table.presets import preset_layout
from service.cli import app
from tests.calibration.held import held_board
from tests.calibration.watched import SIZE, SPOTS, TRUE_LENS, Watched, shot, watched_table
from vision.networks.model_card import sha256_of

OK, FOUND, WRONG = 0, 1, 2


def run(*words: object) -> Result:
    return CliRunner().invoke(app, ["calibrate", *map(str, words)])


@pytest.fixture(scope="module")
def table() -> Watched:
    return watched_table()


@pytest.fixture(scope="module")
def bench(table: Watched, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lens file, pictures of the empty table, and the calibration made from them by the command."""
    folder = tmp_path_factory.mktemp("bench")
    save_lens(folder / "lens.json", LensFit(SIZE, TRUE_LENS, 0.09, 0.1, (("a.png", 0.09),)))
    (folder / "empty").mkdir()
    for number in range(3):
        cv2.imwrite(str(folder / "empty" / f"{number}.png"), shot(table.clean, seed=number))
    result = solve(folder)
    assert result.exit_code == OK, result.stderr
    assert "residual" in result.stdout
    return folder


def solve(folder: Path, *words: object) -> Result:
    markers = [part for spot in SPOTS for part in ("--marker", f"{spot.number}={spot.x_mm},{spot.y_mm}")]
    words = (*words, *markers)
    return run("table", folder / "empty", "--lens", folder / "lens.json", "--out", folder / "table.json", *words)


def test_targets_are_printed(tmp_path: Path) -> None:
    for what in ("board", "markers"):
        assert run("print", what, "--out", tmp_path / f"{what}.pdf").exit_code == OK
        assert (tmp_path / f"{what}.pdf").read_bytes().startswith(b"%PDF")
    refused = run("print", "board", "--out", tmp_path / "no" / "board.pdf")
    assert refused.exit_code == WRONG
    assert "No such file" in refused.stderr


def test_a_lens_from_a_folder_of_pictures(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    for number, picture in enumerate(held_board().pictures):
        cv2.imwrite(str(tmp_path / "views" / f"{number:02d}.png"), picture)
    result = run("lens", tmp_path / "views", "--out", tmp_path / "lens.json")
    assert result.exit_code == OK, result.stderr
    assert load_lens(tmp_path / "lens.json").rms_px < 0.15
    assert "Hold the board in the" in result.stderr
    assert "Enough" in result.stderr
    assert "hold-out error" in result.stdout


def test_of_a_video_only_still_new_views_of_the_board_count(tmp_path: Path) -> None:
    path = tmp_path / "held.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (768, 432))
    for picture in held_board().pictures[:3]:
        shifted = np.roll(picture, 25, axis=1)
        for frame in (shifted, picture, picture, picture, picture):
            video.write(cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR))
    video.release()
    result = run("lens", path, "--out", tmp_path / "lens.json")
    assert result.exit_code == WRONG
    taken = [line for line in result.stderr.splitlines() if line.startswith("view")]
    assert len(taken) == 3
    assert "the lens could not be calculated" in result.stderr


def test_too_few_views_make_no_lens_file(tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    cv2.imwrite(str(tmp_path / "views" / "0.png"), held_board().pictures[0])
    cv2.imwrite(str(tmp_path / "views" / "1.png"), np.full((432, 768), 90, np.uint8))
    result = run("lens", tmp_path / "views", "--out", tmp_path / "lens.json")
    assert result.exit_code == WRONG
    assert "the lens could not be calculated" in result.stderr
    assert "1.png: the board is not seen" in result.stderr
    assert not (tmp_path / "lens.json").exists()


def test_the_table_is_solved_and_dated(bench: Path, table: Watched) -> None:
    calibration = load_calibration(bench / "table.json")
    assert calibration.dealer_side == "bottom of image"
    assert calibration.seal is not None
    assert calibration.quality is not None
    assert calibration.quality.residual_mm < 1.0
    assert calibration.reference is not None
    assert (bench / calibration.reference.name).is_file()
    assert np.linalg.norm(calibration.pose.camera_mm - table.pose.camera_mm) < 8
    assert calibration.layout.zone(BOX_PLACES[7]) is not None


def test_points_in_place_of_markers(bench: Path, table: Watched) -> None:
    places = np.array([(-900, 400), (900, 420), (880, -450), (-910, -430), (0, 300.0)])
    pixels = table.calibration.project(np.column_stack([places, np.zeros(5)]))
    rows = [",".join(f"{each:.2f}" for each in (*px, *mm)) for px, mm in zip(pixels, places, strict=True)]
    (bench / "points.csv").write_text("x_px,y_px,x_mm,y_mm\n" + "\n".join(rows) + "\n")
    words = ("table", bench / "empty", "--lens", bench / "lens.json", "--out", bench / "other.json", "--json")
    result = run(*words, "--points", bench / "points.csv")
    assert result.exit_code == OK, result.stderr
    assert json.loads(result.stdout)["left_out_mm"] < 0.5
    both = run(*words, "--points", bench / "points.csv", "--marker", "0=1,2")
    assert (both.exit_code, both.stderr.count("\n")) == (WRONG, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--marker", "5:1,2"], "--marker 5:1,2: expected N=X,Y"),
        (["--marker", "5=1"], "expected 2 or 3 numbers"),
        (["--marker", "5=one,2"], "expected numbers with commas"),
        (["--marker", "0=5,5"], "marker 0 has two places"),
        (["--preset", "macau"], "unknown preset; choose one of crown-a"),
    ],
)
def test_what_is_typed_wrongly_is_said_in_one_line(bench: Path, words: list[str], message: str) -> None:
    before = (bench / "table.json").read_bytes()
    result = solve(bench, *words)
    assert result.exit_code == WRONG
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert (bench / "table.json").read_bytes() == before


def test_zones_are_shown_changed_and_drawn(bench: Path, tmp_path: Path) -> None:
    path = bench / "zones.json"
    path.write_bytes((bench / "table.json").read_bytes())
    shown = run("zones", path)
    assert shown.exit_code == OK
    assert [line.split()[0] for line in shown.stdout.splitlines()[1:4]] == ["house", "box1", "box2"]
    changed = run(
        "zones", path, "--set", "dice=500,-250", "--remove", "box8", "--draw", tmp_path / "zones.png", "--json"
    )
    assert changed.exit_code == OK, changed.stderr
    places = {place["name"]: place for place in json.loads(changed.stdout)}
    assert places["dice"]["center_mm"] == [500, -250]
    assert "box8" not in places
    assert load_calibration(path).layout.zone(BOX_PLACES[7]) is None
    drawn = cv2.imread(str(tmp_path / "zones.png"))
    assert drawn is not None
    assert drawn.shape[:2] == SIZE[::-1]
    assert list((bench / "history").glob("zones-*.json"))
    anew = run("zones", path, "--preset", "uk", "--shape", "straight", "--from-left", "--json")
    names = [place["name"] for place in json.loads(anew.stdout)]
    assert names == ["house", *(f"box{n}" for n in range(1, 8)), "discard", "dice", "float", "display"]


def test_zones_show_and_change_from_which_end_boxes_count(bench: Path) -> None:
    path = bench / "numbered.json"
    path.write_bytes((bench / "table.json").read_bytes())
    assert run("zones", path).stdout.splitlines()[-2:] == [
        "counter-clockwise, from the dealer's right to the left: 1 2 3 4 5 6 7 8",
        "numbered from the dealer's right; the dealer is at the bottom of image",
    ]
    left = run("zones", path, "--from-left")
    assert left.stdout.splitlines()[-2:] == [
        "counter-clockwise, from the dealer's right to the left: 8 7 6 5 4 3 2 1",
        "numbered from the dealer's left; the dealer is at the bottom of image",
    ]
    layout = load_calibration(path).layout
    assert layout.box1_at_dealers_right is False
    assert layout == preset_layout("crown-a", box1_at_right=False)
    turns = {one["name"]: one["counter_clockwise"] for one in json.loads(run("zones", path, "--json").stdout)}
    assert (turns["box8"], turns["box1"], turns["house"]) == (1, 8, None)
    refused = run("zones", path, "--set", "box8=-812,230", "--set", "box1=812,230")
    assert refused.exit_code == WRONG
    assert "are not in order: from the dealer's right to the left they are 1, 7, 6, 5, 4, 3, 2, 8" in refused.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "dice=120,-250"], "House and Dice overlap"),
        (["--set", "bar=1,2"], "there is no place 'bar'"),
        (["--set", "dice"], "expected NAME=X,Y"),
        (["--remove", "box9"], "the table has no such place"),
        (["--remove", "house"], "there is no House place"),
        (["--preset", "uk", "--table", "0,5"], "above zero"),
        (["--draw", "zones.gif"], "ends in .jpg or .jpeg or .png"),
    ],
)
def test_zones_that_cannot_be_leave_the_file_alone(bench: Path, words: list[str], message: str) -> None:
    before = (bench / "table.json").read_bytes()
    result = run("zones", bench / "table.json", *words)
    assert result.exit_code == WRONG
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert (bench / "table.json").read_bytes() == before


def test_presets_are_listed_with_their_rules(bench: Path) -> None:
    listed = run("zones", bench / "table.json", "--presets")
    assert listed.exit_code == OK
    assert "crown-6.1 2.2, 8.8.2" in listed.stdout
    assert "7 boxes" in listed.stdout


@pytest.mark.parametrize("name", ["unchanged", "moved", "soft", "dim", "covered"])
def test_check_finds_what_changed(bench: Path, table: Watched, tmp_path: Path, name: str) -> None:
    clean, code = {
        "unchanged": (table.clean, None),
        "moved": (table.seen_from(x=17.0), "drifted"),
        "soft": (cv2.GaussianBlur(table.clean, (0, 0), 2.0), "defocused"),
        "dim": (table.clean * 0.5, "dim"),
        "covered": (table.clean * 0 + 10, "covered"),
    }[name]
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), shot(clean, seed=20 + number))
    out = tmp_path / "shown.jpg"
    result = run("check", bench / "table.json", tmp_path, "--picture", out, "--json")
    told = json.loads(result.stdout)
    codes = [fault["code"] for fault in told["faults"]]
    assert result.exit_code == (FOUND if code else OK), result.output
    assert code in codes if code else codes == []
    assert told["calibration"] == sha256_of(bench / "table.json")
    assert cv2.imread(str(out)) is not None


def test_a_picture_that_one_frame_alone_shows_is_not_reported(bench: Path, table: Watched, tmp_path: Path) -> None:
    for number in range(3):
        clean = table.clean * 0.4 if number == 1 else table.clean
        cv2.imwrite(str(tmp_path / f"{number}.png"), shot(clean, seed=number))
    result = run("check", bench / "table.json", tmp_path)
    assert result.exit_code == OK
    assert "all checks OK" in result.stdout


def test_a_reference_that_is_another_picture_is_refused(bench: Path, tmp_path: Path) -> None:
    calibration = load_calibration(bench / "table.json")
    assert calibration.reference is not None
    (tmp_path / "table.json").write_bytes((bench / "table.json").read_bytes())
    gone = run("check", tmp_path / "table.json", bench / "empty")
    assert "cannot be read" in gone.stderr
    (tmp_path / calibration.reference.name).write_bytes(b"another")
    other = run("check", tmp_path / "table.json", bench / "empty")
    assert (other.exit_code, gone.exit_code) == (WRONG, WRONG)
    assert "is not the picture" in other.stderr
