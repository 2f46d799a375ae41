"""Windows about what deceives the networks."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the train extra")

from datasets.generate import WINDOW_PX
from models.mined import MOST_OF_A_PICTURE, mine
from models.training_bank import open_bank
from vision.networks.runtime import default_weights


def pictures(folder: Path) -> Path:
    """Two pictures of white spots on black blocks, of which one is held out, and a plain one."""
    folder.mkdir()
    spots = np.full((700, 900, 3), (40, 90, 30), np.uint8)
    for x in range(40, 860, 75):
        for y in range(40, 660, 110):
            cv2.rectangle(spots, (x, y), (x + 40, y + 40), (20, 20, 160), -1)
            cv2.circle(spots, (x + 20, y + 20), 7, (240, 240, 240), -1, cv2.LINE_AA)
    index = []
    for name, picture, held_out in (("a", spots, False), ("b", spots[::-1], True), ("c", spots[:40, :300], False)):
        cv2.imwrite(str(folder / f"{name}.jpg"), picture)
        kept = {"file": f"{name}.jpg", "package": "p", "version": "1", "path": name, "licence": "CC0-1.0"}
        index.append({**kept, "held_out": held_out})
    (folder / "index.json").write_text(json.dumps(index))
    return folder


def test_windows_are_cut_about_what_is_taken_for_a_die(tmp_path: Path) -> None:
    shown = pictures(tmp_path / "pictures")
    count = mine(shown, tmp_path / "bank", default_weights(), workers=1)
    names = sorted(path.stem for path in (tmp_path / "bank").glob("*.jpg"))
    assert 0 < count == len(names) <= MOST_OF_A_PICTURE
    assert all(name.startswith("m00000_") for name in names)
    bank = open_bank(tmp_path / "bank")
    assert bank.pixels.shape == (count, WINDOW_PX, WINDOW_PX, 3)
    assert len(bank.kind) == 0
    assert bank.pictures == {"p": {"version": "1", "licence": "CC0-1.0", "pictures": 2}}
    again = mine(shown, tmp_path / "again", default_weights(), workers=1)
    assert again == count
    assert (tmp_path / "again" / f"{names[0]}.jpg").read_bytes() == (tmp_path / "bank" / f"{names[0]}.jpg").read_bytes()
