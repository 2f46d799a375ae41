"""What ``houseway read --json`` says of the sample's pictures and of some of the reference material beside this."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Final

from service.system.settings import SAMPLE_PICTURES
from tests.conftest import ROOT
from tests.frozen.common import houseway_apart, put_json, steady

_SHARED: Final = Path(os.environ.get("HOUSEWAY_SHARED") or ROOT.parent / "shared")
_PICTURES: Final[dict[str, tuple[str, ...]]] = {
    "frames": ("dev_00_round.jpg", "dev_01_dice.jpg", "dev_02_hard.jpg", "dev_04_display.jpg"),
    "frames2": ("d27_chip_cocked.jpg", "z46_sideways.jpg"),
    "photos/tiles_loose": ("asymetry.jpg", "dice.jpg"),
    "photos/foreign": ("western_0.jpg", "chips_0.jpg"),
    "cases": ("chip_print_read_as_4-4.png", "dice_3_read_as_1.png", "dice_transparent_red.png"),
}
"""Pictures of the reference material, those of ``frames`` and ``frames2`` with a calibration beside each."""
_CALIBRATED: Final = frozenset({"frames", "frames2"})


def write(out: Path) -> None:
    """Write ``read``: one file for each picture."""
    calibration = SAMPLE_PICTURES.with_name("calibration.json")
    _read(out / "read" / "sample", "--calibration", str(calibration), str(SAMPLE_PICTURES))
    for name, pictures in _PICTURES.items():
        paths = [str(_SHARED / name / each) for each in pictures if (_SHARED / name / each).exists()]
        if paths:
            more = ["--calibration", str(_SHARED / name)] if name in _CALIBRATED else []
            _read(out / "read" / name, *more, *paths)
    turned = _SHARED / "cases" / "upside_down_verified_correct.jpg"
    if turned.exists():
        _read(out / "read" / "cases", "--calibration", str(turned.with_name("table.json")), str(turned))


def _read(folder: Path, *words: str) -> None:
    for line in houseway_apart("read", "--json", *words).splitlines():
        said = json.loads(line)
        put_json(folder / f"{Path(said['image']).name}.json", steady(said))
