"""``houseway demo``: what Houseway reads in a bundled picture, and what to try next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from service.cli.common import plain_errors, refuse, say
from service.cli.table.read import drawn, in_words, read_frame

PICTURE = "house-wrong.jpg"
_NEXT = """
Try next:
  houseway read YOUR.jpg    read a picture of your own
  make run                  watch a recorded table in your browser
"""


def demo_command(
    out: Annotated[
        Path, typer.Option(help="Where to save the picture with the reading drawn on it (.png or .jpg).")
    ] = Path("houseway-demo.png"),
    *,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file if it exists.")] = False,
) -> None:
    """Read a bundled picture of a table, to see what Houseway does. Needs no camera and no settings."""
    from calibration.files.calibration_file import CalibrationError
    from service.config.settings import SAMPLE_CONFIG, SAMPLE_PICTURES, load_config
    from service.config.settings_file import ConfigError
    from service.judge.house_way_choice import house_way_of
    from service.monitor.inspection import Inspector
    from service.table.source import calibration_of
    from vision.capture import Frame, SourceError
    from vision.capture.sources import open_source
    from vision.networks.model_card import ModelError
    from vision.reader import Reader

    if out.suffix.lower() not in (".png", ".jpg"):
        refuse(f"{out}: choose a name that ends in .png or .jpg", "houseway demo")
    if out.exists() and not overwrite:
        refuse(f"{out} already exists: replace it with --overwrite, or choose another with --out FILE", "houseway demo")
    with plain_errors(ConfigError, ModelError, CalibrationError, SourceError, OSError, program="houseway demo"):
        settings = load_config(SAMPLE_CONFIG)
        way, file = house_way_of(settings.table.rulebook, settings.table.house_way), settings.table.calibration
        calibration = calibration_of(settings)
        inspector = None if file is None or calibration is None else Inspector.load(file, calibration)
        (frame,) = open_source(SAMPLE_PICTURES / PICTURE)
        if not isinstance(frame, Frame):
            refuse(f"{SAMPLE_PICTURES / PICTURE} cannot be read: install Houseway again", "houseway demo")
        reading, report = read_frame(Reader.load(), way, inspector, frame, PICTURE)
        out.write_bytes(drawn(frame, reading, report, out.suffix))
    say(f"This is a picture of a table that was drawn by a computer, read by the House Way of {way.rulebook}.")
    say(in_words(report))
    say(f"\nThe same, drawn on the picture: {out.resolve()}")
    say(_NEXT.rstrip())
