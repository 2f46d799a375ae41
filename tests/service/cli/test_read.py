"""``houseway read``: pictures, folders, videos, and what becomes of bad ones."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from calibration.drift.reference import save_reference
from calibration.files.calibration_file import save_calibration
from engine.vocabulary.play import Lie
from service.cli import app
from service.rounds.served import PictureOut
from tests.conftest import ROOT
from tests.sample import CALIBRATION, EMPTY
from tests.sample import HOUSE_WRONG as IN_PLAY
from tests.service.api.test_http import calibration_of
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, FakeReader, as_recorded, die, picture
from vision.capture.images import load_image
from vision.reading import Reading

Run = Callable[..., Result]


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> FakeReader:
    fake = FakeReader()
    monkeypatch.setattr("vision.reader.Reader.load", lambda *_, **__: fake)
    return fake


@pytest.fixture
def run(reader: FakeReader) -> Run:
    """Type ``houseway read ...``."""
    assert reader

    def typed(*arguments: object) -> Result:
        return CliRunner().invoke(app, ["read", *map(str, arguments)])

    return typed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two good pictures and a bad one between them."""
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("a.jpg", "c.png"):
        cv2.imwrite(str(pictures / name), picture())
    (pictures / "b.jpg").write_bytes(b"")
    (pictures / "notes.txt").write_text("not asked for")
    return pictures


def test_a_bar_on_the_terminal_never_swallows_the_results(folder: Path) -> None:
    """Standard error is a terminal here, standard output is not: as in ``houseway read ... --json > file``."""
    script = (
        "from service.cli import app; from vision.reader import Reader; "
        "from tests.service.stand_ins import FakeReader; Reader.load = lambda *_, **__: FakeReader(); app()"
    )
    terminal, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", script, "read", "--json", str(folder / "a.jpg"), str(folder / "c.png")],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        text=True,
    )
    os.close(theirs)
    drawn = os.read(terminal, 10_000).decode()
    os.close(terminal)
    assert len(done.stdout.splitlines()) == 2
    assert "a.jpg" in drawn or "reading" in drawn


def _lines(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_one_json_object_a_picture(run: Run, folder: Path) -> None:
    result = run(folder / "a.jpg", "--json")
    (said,) = _lines(result)
    assert (said["image"], said["size"], said["rulebook"]) == ("a.jpg", [640, 360], "crown-6.1")
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_bad_file_does_not_stop_the_rest(run: Run, folder: Path) -> None:
    result = run(folder, "--json")
    good, bad, also_good = _lines(result)
    assert (good["image"], also_good["image"]) == ("a.jpg", "c.png")
    assert bad.keys() == {"image", "error"}
    assert bad["image"] == "b.jpg"
    assert "empty" in str(bad["error"])
    assert result.exit_code == 1
    assert result.stderr.count("b.jpg") == 1


def test_a_folder_says_what_it_passes_over(run: Run, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.jpg"), picture())
    (tmp_path / "a.json").write_text("{}")
    assert run(tmp_path).exit_code == 0
    heic = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + bytes(100)
    (tmp_path / "b.HEIC").write_bytes(heic)
    (tmp_path / "c.heic").write_bytes(heic)
    (tmp_path / "clip.mp4").write_bytes(b"\0\0\0\x14ftypisom\0\0\0\0avc1" + bytes(100))
    result = run(tmp_path, "--json")
    told, good = _lines(result)
    assert good["image"] == "a.jpg"
    assert "3 files were not read (b.HEIC, c.heic: a HEIC picture." in str(told["error"])
    assert "clip.mp4: a video." in result.stderr
    assert "a.json" not in result.stderr
    assert result.exit_code == 1


def test_a_path_that_is_not_there(run: Run, folder: Path) -> None:
    result = run(folder / "none.jpg", folder / "a.jpg", "--json")
    missing, good = _lines(result)
    assert "no such file" in str(missing["error"])
    assert "tiles" in good
    assert result.exit_code == 1


def test_the_rules_and_models_are_named_once_a_picture_is_read(run: Run, folder: Path) -> None:
    assert run(folder / "none.jpg").stdout == ""
    found = run(folder / "none.jpg", folder / "a.jpg", folder / "a.jpg").stdout
    assert found.count("House Way of") == found.count("Tile model") == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        pytest.param("text.jpg", b"hello", id="not-a-picture"),
        pytest.param("cut.jpg", cv2.imencode(".jpg", picture())[1].tobytes()[:300], id="truncated"),
        pytest.param("dot.png", cv2.imencode(".png", picture(1, 1))[1].tobytes(), id="one-pixel"),
        pytest.param("clip.mp4", b"not a video", id="not-a-video"),
    ],
)
def test_bad_pictures_are_named_with_a_reason(run: Run, tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    result = run(tmp_path / name)
    assert result.exit_code == 1
    assert name in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(picture()[:, :, 0], id="grey"),
        pytest.param(picture().astype(np.uint16) * 257, id="16-bit"),
        pytest.param(np.dstack([picture(), np.full((360, 640), 255, np.uint8)]), id="alpha"),
    ],
)
def test_odd_pictures_are_read_all_the_same(run: Run, reader: FakeReader, tmp_path: Path, made: np.ndarray) -> None:
    cv2.imwrite(str(tmp_path / "odd.png"), made)
    assert run(tmp_path / "odd.png").exit_code == 0
    assert reader.pictures == [(360, 640)]


def test_a_video_is_read_once_a_second(run: Run, reader: FakeReader, tmp_path: Path) -> None:
    path = tmp_path / "clip.avi"
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (640, 360))
    for _ in range(25):
        video.write(picture())
    video.release()
    result = run(path, "--json")
    assert [said["image"] for said in _lines(result)] == [f"{path.name}#{frame}" for frame in (0, 10, 20)]
    assert len(reader.pictures) == 3


def test_a_video_whose_times_start_anew_is_read_to_its_end(run: Run, tmp_path: Path) -> None:
    part, path = tmp_path / "part.ts", tmp_path / "joined.ts"
    video = cv2.VideoWriter(str(part), cv2.VideoWriter.fourcc(*"mp4v"), 10, (640, 360))
    for _ in range(20):
        video.write(picture())
    video.release()
    path.write_bytes(2 * part.read_bytes())
    assert [said["image"] for said in _lines(run(path, "--json"))] == [
        f"{path.name}#{frame}" for frame in (0, 10, 20, 30)
    ]


def test_overlays_are_written_and_never_over_each_other(run: Run, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    cv2.imwrite(str(other / "a.jpg"), picture())
    drawn = tmp_path / "new" / "drawn"
    assert run(folder / "a.jpg", other / "a.jpg", "--overlay", drawn).exit_code == 0
    assert sorted(path.name for path in drawn.iterdir()) == ["a-2.jpg", "a.jpg"]


@pytest.mark.parametrize(("typed", "lies"), [([], "vertical"), (["--low-hand", "horizontal"], "horizontal")])
def test_which_lay_is_low_reaches_the_reader(
    monkeypatch: pytest.MonkeyPatch, folder: Path, typed: list[str], lies: str
) -> None:
    loaded: dict[str, object] = {}
    monkeypatch.setattr("vision.reader.Reader.load", lambda _, **how: loaded.update(how) or FakeReader())
    assert CliRunner().invoke(app, ["read", str(folder / "a.jpg"), *typed]).exit_code == 0
    assert loaded == {"low_hand": Lie(lies), "tiles": None}


def test_one_calibration_for_all(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "camera.json").write_bytes(calibration_of(640, 360))
    (said,) = _lines(run(folder / "a.jpg", "--json", "--calibration", tmp_path / "camera.json"))
    assert said["calibrated"] is True


def test_a_folder_of_calibrations(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(calibration_of(640, 360))
    result = run(folder / "a.jpg", folder / "c.png", "--json", "--calibration", tmp_path)
    calibrated, without = _lines(result)
    assert calibrated["calibrated"] is True
    assert "c.json" in str(without["error"])
    assert result.exit_code == 1


@pytest.mark.parametrize(
    ("turned", "status", "codes"), [(False, "verified", []), (True, "uncertain", ["picture_turned"])]
)
def test_a_picture_is_held_against_the_empty_table(
    run: Run, reader: FakeReader, tmp_path: Path, *, turned: bool, status: str, codes: list[str]
) -> None:
    image = load_image(IN_PLAY)
    cv2.imwrite(str(tmp_path / "a.png"), image[::-1, ::-1] if turned else image)
    file = tmp_path / "table.json"
    empty = save_reference(file, load_image(EMPTY))
    save_calibration(file, replace(CALIBRATION, reference=empty))
    said = PictureOut.model_validate_json(run(tmp_path / "a.png", "--json", "--calibration", file).stdout)
    assert [found.code for found in said.findings] == codes
    assert {hand.status for hand in said.hands} == {status}
    assert [None if each is None else each.shape for each in reader.empties] == [image.shape]
    (tmp_path / empty.name).unlink()
    result = run(tmp_path / "a.png", "--calibration", file)
    assert result.exit_code == 2
    assert empty.name in result.stderr


def test_a_picture_turned_by_a_quarter_is_named_so(run: Run, tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), picture(360, 640))
    (tmp_path / "camera.json").write_bytes(calibration_of(640, 360))
    result = run(tmp_path / "a.png", "--calibration", tmp_path / "camera.json")
    assert result.exit_code == 1
    assert "90 degrees" in result.stderr


def test_a_calibration_of_another_size(run: Run, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "camera.json").write_bytes(calibration_of(2304, 1296))
    result = run(folder / "a.jpg", "--calibration", tmp_path / "camera.json")
    assert result.exit_code == 1
    assert "2304" in result.stderr
    assert "640" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("--calibration", "none.json"), "no such calibration", id="no-calibration"),
        pytest.param(("--rulebook", "macau"), "crown-6.1", id="unknown-rulebook"),
        pytest.param(("--rulebook", "uk-poster"), "prints no House Way", id="uk-poster"),
    ],
)
def test_what_nothing_can_be_done_without(run: Run, folder: Path, arguments: tuple[str, ...], says: str) -> None:
    result = run(folder / "a.jpg", *arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("seen", "says"),
    [(HOUSE_RIGHT, "CORRECT"), (HOUSE_WRONG, "WRONG")],
    ids=["right", "wrong"],
)
def test_in_words(run: Run, reader: FakeReader, folder: Path, seen: Reading, says: str) -> None:
    reader.says = [seen]
    result = run(folder / "a.jpg")
    assert result.stdout.startswith("House Way of crown-6.1\n")
    assert says in result.stdout
    assert "7.4.2" in result.stdout


def test_doubts_of_all_dice_are_said_once(run: Run, reader: FakeReader, folder: Path) -> None:
    doubts = (("all alike",), ("all alike", "a pip too many"), ())
    dice = tuple(
        replace(die(value), status="uncertain" if reasons else "verified", doubts=as_recorded(*reasons))
        for value, reasons in zip((3, 4, 5), doubts, strict=True)
    )
    reader.says = [replace(HOUSE_RIGHT, dice=dice)]
    said = [line.strip() for line in run(folder / "a.jpg").stdout.splitlines()]
    about = said.index("dice   box 3 (uncertain), box 4 (uncertain), box 5")
    assert said[about + 1 : about + 3] == ["- all alike", "- box 4: a pip too many"]


def test_without_a_path_the_bundled_picture_is_read(run: Run, reader: FakeReader) -> None:
    reader.says = [HOUSE_WRONG]
    done = run()
    assert done.exit_code == 0, done.output
    assert "house-wrong.jpg (1920x1080, calibrated" in done.stdout
    assert "WRONG" in done.stdout
    assert "houseway read YOUR.jpg" in done.stdout
    (line,) = run("--json").stdout.splitlines()
    assert json.loads(line)["image"] == "house-wrong.jpg"
