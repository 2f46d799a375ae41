"""Pictures beside a calibration: whoever wrote the file chose the picture and its hash."""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from calibration.files.picture_file import ChangedPictureError, PictureFile, read_picture, write_picture
from calibration.files.seal import replace_file
from tests.vision.capture.test_images import png_header


def test_a_picture_is_read_as_it_was_written(tmp_path: Path) -> None:
    image = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)
    made = write_picture(tmp_path / "table.json", "reference", image)
    assert np.array_equal(read_picture(tmp_path / "table.json", made), image)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(png_header(30_000, 30_000), id="900-megapixels"),
        pytest.param(png_header(0, 30_000), id="no-pixel"),
        pytest.param(png_header(64, 64)[:33], id="a-header-alone"),
        pytest.param(b"\x89PNG\r\n\x1a\n", id="a-start-alone"),
        pytest.param(b"no picture", id="text"),
    ],
)
def test_what_is_no_picture_is_refused_before_it_is_decoded(tmp_path: Path, data: bytes) -> None:
    named = PictureFile("other.png", hashlib.sha256(data).hexdigest())
    (tmp_path / named.name).write_bytes(data)
    with pytest.raises(ChangedPictureError):
        read_picture(tmp_path / "table.json", named)


def test_a_file_that_two_programs_replace_at_once_is_one_of_theirs(tmp_path: Path) -> None:
    """Each writes beside it under a name of its own, and leaves nothing."""
    path = tmp_path / "set.json"
    contents = [bytes([number]) * 100_000 for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        for written in [pool.submit(replace_file, path, data) for data in contents * 20]:
            written.result()
    assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]
