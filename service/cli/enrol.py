"""``houseway enrol``: check the displayed set, and learn its tiles and the house's own markers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.common import named_as, plain_errors, refuse, say
from service.cli.options import AsJson, Source, TableSettings
from vision.addresses import shown_address

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from calibration.files.calibration_file import TableCalibration
    from service.table.learning.tile_model import TileModel
    from vision.capture.images import Image
    from vision.enrolment.display_check import DisplayFault
    from vision.enrolment.enrolment import Enrolment
    from vision.enrolment.learning import ReadPicture
    from vision.markers.own_markers import OwnMarkers

_PICTURES: Final = 5
_INTERVAL_S: Final = 2.0
"""Between pictures of a camera or video, so that light and noise differ."""


def enrol_command(
    source: Source,
    calibration: Annotated[
        Path | None, typer.Option(help="The camera's calibration file. Default: the one named in --config.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The enrolment file to write. The one it replaces is kept in the folder history."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(help="Write nothing; check whether the tiles shown are the set of this enrolment file."),
    ] = None,
    marker: Annotated[
        list[str] | None,
        typer.Option(
            help="Learn a marker instead, from the first picture, such as chung=box1, plus_minus+4=dice or "
            "off_button=700,200,760,260 (corners in pixels). May be repeated.",
            metavar="MEANING=PLACE",
        ),
    ] = None,
    config: TableSettings = None,
    *,
    add: Annotated[bool, typer.Option("--add", help="Keep the markers that are already in the --out file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a displayed set of tiles, and learn how this table's tiles look.

    Lay all 32 tiles face up in the order of rank. A folder may also have pictures of the set face down and of the
    dice in the open cup: then the backs and the dice are learnt too. A tile that is missing, foreign, swapped or
    unreadable is named with its place, and nothing is written.

    With --marker the house's own markers are learnt: chung (also chung_house, chung_co_bank), off_button, and
    plus_minus-4 to plus_minus+4, each face that is used.

    Exit status: 0 if the set is right, 1 if it is not, 2 if it could not be checked.
    """
    from service.system.settings import load_table
    from service.system.settings_file import ConfigError

    with plain_errors(ConfigError):
        settings = None if config is None else load_table(config)
    calibration = calibration or (None if settings is None else settings.table.calibration)
    if calibration is None:
        refuse("the calibration of the camera is needed: --calibration FILE, or settings that name it: --config FILE")
    if marker:
        enrol_markers(source, calibration, out, marker, add=add, as_json=as_json)
        return
    from calibration.files.calibration_file import CalibrationError, load_calibration
    from service.table.learning.tile_model import TileModel
    from service.words.findings import words_of
    from vision.capture import SourceError
    from vision.enrolment.enrolment_file import EnrolmentError, load_enrolment, save_enrolment
    from vision.enrolment.learning import NotEnrolled, check_display, enrol
    from vision.learning.errors import LearningError
    from vision.networks.model_card import ModelError

    if out is not None:
        named_as(out, ".json")
    if (out is None) == (check is None):
        refuse("give either --out FILE to enrol the set, or --check FILE to compare it with an enrolment")
    with plain_errors(CalibrationError, EnrolmentError, SourceError, ModelError, LearningError, OSError):
        model = TileModel.of(settings)
        table = load_calibration(calibration)
        own = None if check is None else load_enrolment(check)
        shots = _shots(source, table, model)
        if own is not None:
            shown = [shot for shot in shots if shot.shows_faces]
            if not shown:
                refuse(f"{shown_address(source)}: no picture shows the tiles laid out face up")
            faults, reason = check_display(shown, own), ""
        elif isinstance(learnt := enrol(shots, table), NotEnrolled):
            faults, reason = learnt.faults, str(words_of(learnt.reason))
        elif out is not None:
            _print_enrolment(out, save_enrolment(out, learnt), model, as_json=as_json)
            return
    _print_faults(faults, reason, model, as_json=as_json)
    if faults or reason:
        raise typer.Exit(1)


def _shots(source: str, table: TableCalibration, model: TileModel) -> list[ReadPicture]:
    """Read all pictures of a folder, or the first ones of a camera or video, with an interval between them."""
    from service.words.findings import words_of
    from vision.capture import BadFrame
    from vision.capture.sources import open_source
    from vision.enrolment.learning import ReadPicture
    from vision.reader import Reader

    frames = open_source(Path(source) if Path(source).exists() else source)
    reader = Reader.load(model.weights, tiles=model.folder)
    shots: list[ReadPicture] = []
    last: datetime | None = None
    try:
        for seen in frames:
            if isinstance(seen, BadFrame):
                say(words_of(seen.finding), err=True)
                continue
            if seen.path is None:
                if last is not None and (seen.captured_at - last).total_seconds() < _INTERVAL_S:
                    continue
                if len(shots) == _PICTURES:
                    break
            last = seen.captured_at
            shots.append(ReadPicture(seen.image, reader.read(seen.image, calibration=table, name=seen.name)))
    finally:
        frames.close()
    return shots


def _print_enrolment(path: Path, learnt: Enrolment, model: TileModel, *, as_json: bool) -> None:
    """Print what was learnt."""
    backs, dice, seal = learnt.backs, learnt.dice, learnt.seal
    if seal is None:
        raise ValueError("what was written has a seal")
    if as_json:
        enrolled = {"path": str(path), "sha256": seal.sha256}
        say(json.dumps({"enrolment": enrolled, "reason": None, "faults": [], "tile_model": f"sha256:{model.sha256}"}))
        return
    say(f"enrolment  {path}, sha256 {seal.sha256[:12]}, {seal.made_at:%Y-%m-%d %H:%M} UTC")
    say(f"tile model {model}")
    say(f"tiles      32 of 32, in the order of rank ({learnt.order}), from {learnt.pictures} pictures")
    if backs is None:
        say("backs      not shown: add a picture of the set face down, so that backs are not confused with felt")
    else:
        say(f"backs      learnt, {'with a mark' if backs.references else 'by their colour'}")
    say("dice       not shown with a cut die" if dice is None else "dice       box dice and cut die by colour")


def _print_faults(faults: tuple[DisplayFault, ...], reason: str, model: TileModel, *, as_json: bool) -> None:
    """Print what is wrong with the set, tile by tile."""
    from service.words.findings import words_of

    listed = [
        {"code": each.code, "message": str(words_of(each.finding)), "places": list(each.places)} for each in faults
    ]
    if as_json:
        report = {"enrolment": None, "reason": reason or None, "faults": listed, "tile_model": f"sha256:{model.sha256}"}
        say(json.dumps(report))
        return
    say(f"tile model {model}")
    for each in listed:
        say(f"{each['code']:17} {each['message']}")
    if reason:
        say(f"not enrolled: {reason}")
    elif not faults:
        say("the set is the one that was enrolled: 32 of 32 tiles in their places")


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
    _print_markers(out, own, as_json=as_json)


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


def _print_markers(path: Path, own: OwnMarkers, *, as_json: bool) -> None:
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
