"""``houseway enrol --marker``: the house's own chung and buttons, learnt from one picture."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from service.cli.common import named_as, plain_errors, refuse
from vision.addresses import shown_address

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.capture.images import Image
    from vision.markers.own_markers import OwnMarkers


def enrol_markers(
    source: str, calibration: Path, out: Path | None, marked: Sequence[str], *, add: bool, as_json: bool
) -> None:
    """Learn markers from the first picture of a source, and write them; exit status 2 if one cannot be learnt."""
    from calibration.files.calibration_file import CalibrationError, load_calibration
    from vision.capture import SourceError
    from vision.markers.learning import NotAMarkerError, Pointed, learn_marker
    from vision.markers.markers_file import MarkersError, load_markers, save_markers
    from vision.markers.own_markers import OwnMarkers

    if out is None:
        refuse("give --out FILE to write the markers to")
    named_as(out, ".json")
    with plain_errors(CalibrationError, MarkersError, NotAMarkerError, SourceError, OSError, ValueError):
        pointed = [Pointed.parse(each) for each in marked]
        table = load_calibration(calibration)
        known = load_markers(out).markers if add and out.exists() else ()
        image = _first_picture(source)
        table.check_size((image.shape[1], image.shape[0]), source)
        learnt = tuple(learn_marker(image, table, each) for each in pointed)
        made_with = None if table.seal is None else table.seal.sha256
        own = save_markers(out, replace(OwnMarkers((*known, *learnt)), calibration=made_with))
    _print(out, own, as_json=as_json)


def _first_picture(source: str) -> Image:
    from service.words.findings import words_of
    from vision.capture import BadFrame
    from vision.capture.sources import open_source

    frames = open_source(Path(source) if Path(source).exists() else source)
    image = None
    try:
        for seen in frames:
            if not isinstance(seen, BadFrame):
                image = seen.image
                break
            typer.echo(words_of(seen.finding), err=True)
    finally:
        frames.close()
    if image is None:
        refuse(f"{shown_address(source)}: gives no picture")
    return image


def _print(path: Path, own: OwnMarkers, *, as_json: bool) -> None:
    if own.seal is None:
        raise ValueError("what was written has a seal")
    listed = [
        {"marker": str(each.meaning), "diameter_mm": each.diameter_mm, "height_mm": each.height_mm}
        for each in own.markers
    ]
    if as_json:
        typer.echo(json.dumps({"path": str(path), "sha256": own.seal.sha256, "markers": listed}))
        return
    typer.echo(f"markers    {path}, sha256 {own.seal.sha256[:12]}, {own.seal.made_at:%Y-%m-%d %H:%M} UTC")
    for each in own.markers:
        typer.echo(f"{each.meaning!s:<16} {each.diameter_mm:.0f} mm across")
