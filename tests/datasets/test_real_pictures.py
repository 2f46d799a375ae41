"""Real pictures as ground and as windows in which nothing lies, from a small folder like the one that is fetched."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.generate import SOURCES_FILE
from datasets.generate import bank as make_bank
from datasets.labels.label_files import read_labels
from datasets.real_pictures import INDEX, RealPicturesError, piece, read_index, training_files

COLOURS = {"leaf": (40, 160, 60), "brick": (50, 70, 170), "kept": (200, 40, 200)}
HELD_OUT = "kept"


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """Three pictures of one colour each; the last is held out of training."""
    entries = []
    for name, colour in COLOURS.items():
        cv2.imwrite(str(tmp_path / f"{name}.jpg"), np.full((420, 640, 3), colour, np.uint8))
        about = {"package": "wallpapers", "version": "1", "path": f"usr/{name}.jpg", "licence": "CC0-1.0"}
        entries.append({"file": f"{name}.jpg", "held_out": name == HELD_OUT, **about})
    (tmp_path / INDEX).write_text(json.dumps(entries), encoding="utf-8")
    return tmp_path


def test_pictures_held_out_are_not_trained_on(pictures: Path) -> None:
    assert {path.stem for path in training_files(pictures)} == set(COLOURS) - {HELD_OUT}
    assert len(read_index(pictures)) == len(COLOURS)


def test_a_missing_index_says_how_to_fetch_the_pictures(tmp_path: Path) -> None:
    with pytest.raises(RealPicturesError, match=r"python -m datasets\.real_pictures"):
        read_index(tmp_path / "none")


@pytest.mark.parametrize("size", [(384, 384), (200, 90), (900, 700)])
def test_a_piece_has_the_size_asked_for(pictures: Path, size: tuple[int, int]) -> None:
    cut = piece(pictures / "leaf.jpg", size, np.random.default_rng(1))
    assert cut.shape == (size[1], size[0], 3)
    assert np.abs(cut.astype(int) - COLOURS["leaf"]).max() < 8


def test_windows_of_real_pictures_hold_nothing(pictures: Path, tmp_path: Path) -> None:
    out = tmp_path / "bank"
    make_bank(out, count=6, seed=2, workers=1, pictures=pictures, real=1.0)
    windows = sorted(out.glob("w*.json"))
    assert len(windows) == 6
    for window in windows:
        assert read_labels(window).objects == ()
        shown = np.asarray(cv2.imread(str(window.with_suffix(".jpg")))).reshape(-1, 3).mean(0)
        assert min(np.abs(shown - np.array(COLOURS[name])).max() for name in COLOURS if name != HELD_OUT) < 8
    sources = json.loads((out / SOURCES_FILE).read_text(encoding="utf-8"))
    assert sources == {"wallpapers": {"version": "1", "licence": "CC0-1.0", "pictures": 2}}
