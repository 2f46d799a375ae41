"""``houseway enrol``: check the displayed set, and learn its tiles, the house's own markers and its dice."""

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
    from vision.enrolment.own_dice import OwnDice
    from vision.markers.own_markers import OwnMarkers
    from vision.reading import Role

_PICTURES: Final = 5
_KINDS: Final[dict[Role | None, str]] = {"box": "box dice", "cut": "cut die", None: "box or cut"}
_PICTURES_OF_DICE: Final = 60
"""Pictures of a camera or video: of the set at rest, and of throws over two minutes."""
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
    dice: Annotated[
        bool, typer.Option("--dice", help="Learn the house's dice instead, from pictures of a few throws.")
    ] = False,
    cut_die: Annotated[
        int | None,
        typer.Option(
            help="With --dice: what the cut die shows in the first throw. Default: find it out.", min=1, max=6
        ),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep the markers or throws that are already in the --out file.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check a displayed set of tiles, and learn how this table's tiles look.

    Lay all 32 tiles face up in the order of rank. A folder may also have pictures of the set face down: then the backs
    are learnt too. A tile that is missing, foreign, swapped or unreadable is named with its place, and nothing is
    written.

    With --marker the house's own markers are learnt: chung (also chung_house, chung_co_bank), off_button, and
    plus_minus-4 to plus_minus+4, each face that is used.

    With --dice the house's dice are learnt: throw all of them a few times, lift the cup, and take your hands away.
    From a camera this takes two minutes. If the cut die is hardly different from the others, say what it shows in the
    first throw: --cut-die 5.

    Exit status: 0 if the set is right, 1 if it is not, 2 if it could not be checked.
    """
    from service.system.settings import load_table
    from service.system.settings_file import ConfigError
    from service.table.learning.tile_model import TileModel
    from vision.learning.errors import LearningError
    from vision.networks.model_card import ModelError

    with plain_errors(ConfigError):
        settings = None if config is None else load_table(config)
    calibration = calibration or (None if settings is None else settings.table.calibration)
    if calibration is None:
        refuse("the calibration of the camera is needed: --calibration FILE, or settings that name it: --config FILE")
    if marker:
        enrol_markers(source, calibration, out, marker, add=add, as_json=as_json)
        return
    with plain_errors(LearningError, ModelError):
        model = TileModel.of(settings)
    if dice:
        enrol_dice(source, calibration, out, model, cut_die, add=add, as_json=as_json)
    else:
        enrol_tiles(source, calibration, out, check, model, as_json=as_json)


def enrol_tiles(
    source: str, calibration: Path, out: Path | None, check: Path | None, model: TileModel, *, as_json: bool
) -> None:
    """Check the displayed set, and learn it or compare it with an enrolment; exit status 1 if it is not right."""
    from calibration.files.calibration_file import CalibrationError, load_calibration
    from service.words.findings import words_of
    from vision.capture import SourceError
    from vision.enrolment.enrolment_file import EnrolmentError, load_enrolment, save_enrolment
    from vision.enrolment.learning import NotEnrolled, check_display, enrol
    from vision.networks.model_card import ModelError

    if out is not None:
        named_as(out, ".json")
    if (out is None) == (check is None):
        refuse("give either --out FILE to enrol the set, or --check FILE to compare it with an enrolment")
    with plain_errors(CalibrationError, EnrolmentError, SourceError, ModelError, OSError):
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


def _shots(source: str, table: TableCalibration, model: TileModel, pictures: int = _PICTURES) -> list[ReadPicture]:
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
                if len(shots) == pictures:
                    break
            last = seen.captured_at
            shots.append(ReadPicture(seen.image, reader.read(seen.image, calibration=table, name=seen.name)))
    finally:
        frames.close()
    return shots


def _print_enrolment(path: Path, learnt: Enrolment, model: TileModel, *, as_json: bool) -> None:
    """Print what was learnt."""
    backs, seal = learnt.backs, learnt.seal
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


def enrol_dice(
    source: str,
    calibration: Path,
    out: Path | None,
    model: TileModel,
    cut_die: int | None,
    *,
    add: bool,
    as_json: bool,
) -> None:
    """Learn the house's dice from the throws of a source, and write them; exit status 1 if no throw is seen."""
    from calibration.files.calibration_file import CalibrationError, load_calibration
    from service.words.findings import words_of
    from vision.capture import SourceError
    from vision.enrolment.dice_file import DiceError, load_dice, save_dice
    from vision.enrolment.learning import NotEnrolled, learn_dice
    from vision.networks.model_card import ModelError

    if out is None:
        refuse("give --out FILE to write the dice to")
    named_as(out, ".json")
    with plain_errors(CalibrationError, DiceError, SourceError, ModelError, OSError):
        table = load_calibration(calibration)
        known = load_dice(out) if add and out.exists() else None
        shots = _shots(source, table, model, _PICTURES_OF_DICE)
        learnt = learn_dice(shots, table, cut_die)
        if isinstance(learnt, NotEnrolled):
            reason = str(words_of(learnt.reason))
            say(json.dumps({"dice": None, "reason": reason}) if as_json else f"not enrolled: {reason}")
            raise typer.Exit(1)
        if known is not None:
            learnt = known.with_throws(learnt.throws)
        _print_dice(out, save_dice(out, learnt), marked=cut_die is not None, as_json=as_json)


def _print_dice(path: Path, own: OwnDice, *, marked: bool, as_json: bool) -> None:
    """Print what was learnt about dice; ``marked`` if somebody named the value of the cut die."""
    if own.seal is None:
        raise ValueError("what was written has a seal")
    kinds = tuple(zip(own.roles, own.sides_mm, own.values, strict=True))
    if as_json:
        listed = [{"role": role, "side_mm": round(side, 1), "values": sorted(seen)} for role, side, seen in kinds]
        written = {"path": str(path), "sha256": own.seal.sha256, "throws": len(own.throws), "kinds": listed}
        say(json.dumps({"dice": written, "reason": None}))
        return
    say(f"file       {path}, sha256 {own.seal.sha256[:12]}, {own.seal.made_at:%Y-%m-%d %H:%M} UTC")
    say(f"throws     {len(own.throws)}, each of {len(own.throws[0].dice)} dice")
    for role, side_mm, seen in kinds:
        values = " ".join(map(str, sorted(seen))) or "none yet"
        say(f"{_KINDS[role]:<10} {side_mm:.1f} mm, values seen: {values}")
    if own.cuts is None:
        advice = "add throws" if marked else "add throws, or name its value with --cut-die"
        say(f"cut die    not distinguished, so roles stay unknown: {advice}")


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
