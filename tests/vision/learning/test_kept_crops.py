"""The folder of kept crops: each tells its origin, each rest is kept once, nothing is there by half."""

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

from engine.game.tiles import Tile
from tests.conftest import ROOT
from tests.vision.capture.test_images import png_header
from vision.learning.errors import LearningError
from vision.learning.kept_crops import CropFolder, KeptCrop, Origin, decoded, digest_of

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)


def _crop(number: int = 1, face: str = "6-5", **origin: object) -> KeptCrop:
    fields = {
        "kind": "display",
        "table": "t",
        "at": AT,
        "number": number,
        "picture": "0" * 64,
        "versions": {"tiles": "a"},
    }
    pixels = np.random.default_rng(number).integers(0, 256, (96, 48, 3), np.uint8)
    return KeptCrop(pixels, Tile.parse(face), Origin.model_validate({**fields, **origin}))


def _review(revision: int, face: str) -> KeptCrop:
    return _crop(1, face, kind="review", round="r1", revision=revision, place="house", by="A. Supervisor")


def test_a_crop_is_read_as_it_was_kept(tmp_path: Path) -> None:
    folder = CropFolder(tmp_path)
    assert folder.keep([_crop(1), _crop(2, "1-1", by="A. Person")]) == 2
    found = {each.origin.number: each for each in folder.read()}
    assert found[2].face is Tile.DAY
    assert found[2].origin == _crop(2, "1-1", by="A. Person").origin
    assert np.array_equal(found[1].crop, _crop(1).crop)
    assert digest_of(folder.read()) == digest_of([_crop(2, "1-1"), _crop(1)])


def test_the_same_tile_at_the_same_rest_is_kept_once(tmp_path: Path) -> None:
    folder = CropFolder(tmp_path)
    assert folder.keep([_crop(1), _crop(1)]) == 1
    assert folder.keep([_review(2, "6-5"), _review(3, "6-5")]) == 1
    assert folder.keep([_crop(1)], aside=True) == 0
    assert folder.keep([_crop(1, at=AT + timedelta(days=1))]) == 1
    assert len(folder.files()) == 3


def test_a_later_review_takes_the_place_of_an_earlier_one(tmp_path: Path) -> None:
    folder = CropFolder(tmp_path)
    folder.keep([_review(2, "6-5")])
    assert folder.keep([_review(3, "6-4")]) == 1
    assert [each.face for each in folder.read()] == [Tile.LOW_10]
    assert folder.keep([_review(2, "6-5")]) == 0


def test_a_changed_picture_is_refused(tmp_path: Path) -> None:
    folder = CropFolder(tmp_path)
    folder.keep([_crop(1), _crop(2)])
    one, other = folder.files()
    data = bytearray(one.read_bytes())
    data[-40] ^= 1
    one.write_bytes(bytes(data))
    with pytest.raises(LearningError, match=one.name):
        folder.read()
    one.write_bytes(other.read_bytes()[:200])
    with pytest.raises(LearningError, match=one.name):
        folder.read()


def test_a_picture_without_origin_is_refused(tmp_path: Path) -> None:
    from PIL import Image  # noqa: PLC0415

    (tmp_path / "6-5").mkdir()
    Image.fromarray(_crop().crop).save(tmp_path / "6-5" / "mine.png")
    with pytest.raises(LearningError, match="does not tell what it shows"):
        CropFolder(tmp_path).read()
    with pytest.raises(LearningError, match="no such folder"):
        CropFolder(tmp_path / "none").read()


def test_a_person_decides_about_what_was_put_aside(tmp_path: Path) -> None:
    folder = CropFolder(tmp_path)
    folder.keep([_crop(1), _crop(2)], aside=True)
    first, second = (file.stem for file in folder.aside())
    assert folder.read() == []
    accepted = folder.accept(first, "A. Person")
    folder.drop(second)
    assert accepted.origin.accepted_by == "A. Person"
    assert [each.origin for each in folder.read()] == [accepted.origin]
    assert folder.aside() == []
    assert folder.keep([_crop(1), _crop(2)]) == 0
    with pytest.raises(LearningError, match="there is no"):
        folder.drop(second)


def test_the_oldest_of_the_commonest_face_makes_room(tmp_path: Path) -> None:
    size = 14_500
    folder = CropFolder(tmp_path, max_bytes=4 * size)
    for number in range(1, 6):
        folder.keep([_crop(number, "6-5")])
    folder.keep([_crop(9, "1-1")])
    left = folder.read()
    assert sum(file.stat().st_size for file in folder.files()) <= 4 * size
    assert Tile.DAY in {each.face for each in left}
    assert 1 not in {each.origin.number for each in left}


def test_a_write_that_fails_leaves_nothing_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = CropFolder(tmp_path)
    folder.keep([_crop(1)])

    def full(self: Path, target: Path) -> None:
        del self, target
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.replace", full)
        with pytest.raises(OSError, match="No space"):
            folder.keep([_crop(2)])
    assert [each.origin.number for each in folder.read()] == [1]
    assert folder.keep([_crop(2)]) == 1
    assert decoded(folder.files()[0]).crop.shape == (96, 48, 3)


_KEEP_FOR_EVER = """
import sys
from datetime import timedelta
from itertools import count
from pathlib import Path
from tests.vision.learning.test_kept_crops import AT, _crop
from vision.learning.kept_crops import CropFolder
for day in count():
    CropFolder(Path(sys.argv[1])).keep([_crop(1, at=AT + timedelta(days=day))])
"""


def test_a_killed_program_leaves_whole_crops_only(tmp_path: Path) -> None:
    keeping = subprocess.Popen([sys.executable, "-c", _KEEP_FOR_EVER, str(tmp_path)], cwd=ROOT)
    folder, deadline = CropFolder(tmp_path), time.monotonic() + 30
    while len(folder.files()) < 20 and time.monotonic() < deadline:
        time.sleep(0.005)
    keeping.kill()
    keeping.wait()
    assert len(folder.read()) >= 20
    assert all(np.array_equal(each.crop, _crop(1).crop) for each in folder.read())


@pytest.mark.parametrize("side", [200, 14_000], ids=["another size", "more than Pillow opens"])
def test_a_crop_of_another_size_is_refused_by_its_header(tmp_path: Path, side: int) -> None:
    file = tmp_path / "a.png"
    file.write_bytes(png_header(side, side))
    with pytest.raises(LearningError, match="take it away"):
        decoded(file)
