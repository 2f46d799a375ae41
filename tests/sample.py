"""The bundled sample: its calibration, the picture of its empty table, and pictures of play."""

from dataclasses import replace
from typing import Final

from calibration.files.calibration_file import load_calibration
from service.system.settings import SAMPLE_CONFIG, SAMPLE_PICTURES, load_config

SETTINGS: Final = load_config(SAMPLE_CONFIG)
FILE: Final = SAMPLE_PICTURES.with_name("calibration.json")
_WHOLE: Final = load_calibration(FILE)
CALIBRATION: Final = replace(_WHOLE, reference=None)
"""It names no picture of the empty table: that lies beside the sample's own file."""
EMPTY: Final = FILE.with_name("" if _WHOLE.reference is None else _WHOLE.reference.name)
DISPLAY: Final = SAMPLE_PICTURES / "display.jpg"
DEALT: Final = SAMPLE_PICTURES / "dealt.jpg"
HOUSE_WRONG: Final = SAMPLE_PICTURES / "house-wrong.jpg"
LEANING_DIE: Final = SAMPLE_PICTURES / "leaning-die.jpg"
