"""``houseway collect``: crops of a table's own tiles with known faces, kept to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from service.cli.common import Settings, attribution, plain_errors, plain_record_errors, refuse, say

if TYPE_CHECKING:
    from service.config.settings import Config
    from service.learning.collecting import Collected
    from vision.learning.kept_crops import CropFolder


def collect_command(
    folder: Annotated[
        Path | None, typer.Argument(help="Folder to keep them in. Default: learning.folder in the settings.")
    ] = None,
    config: Settings = None,
    display: Annotated[
        Path | None,
        typer.Option(help="A picture of the 32 tiles in the order of rank, taken by the table's camera."),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(help="Keep a listed tile picture: its face is right.", metavar="NAME"),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(help="Delete a listed tile picture: its face is wrong.", metavar="NAME"),
    ] = None,
    *,
    listed: Annotated[bool, typer.Option("--list", help="Only list the tile pictures that wait for a person.")] = False,
) -> None:
    """Keep pictures of tiles that a person has confirmed, to learn from.

    They are cut from the hands that people reviewed, and from a display if one is given. A tile picture whose face no
    reader can see is listed: look at it, then accept or drop it. Nothing leaves this machine. With
    learning.collect = true the service does this by itself.
    """
    from service.config.settings import SAMPLE_CONFIG, load_config
    from vision.learning.errors import LearningError
    from vision.learning.kept_crops import CropFolder

    with plain_record_errors(), plain_errors(LearningError, OSError):
        settings = load_config(config or SAMPLE_CONFIG)
        if folder is not None:
            there = settings.learning.model_copy(update={"folder": folder})
            settings = settings.model_copy(update={"learning": there})
        crops = CropFolder(settings.crops_folder, settings.learning.max_mb * 1_000_000)
        for name in accept or ():
            crops.accept(name, attribution("").by)
        for name in drop or ():
            crops.drop(name)
        if not (listed or accept or drop):
            _report(_collected(settings, display))
        _list(crops)


def _collected(settings: Config, display: Path | None) -> Collected:
    """Keep what there is to keep."""
    import hashlib
    from datetime import UTC, datetime

    from calibration.files.calibration_file import CalibrationError
    from service.learning.choice import own_tiles
    from service.learning.collecting import Collected
    from service.learning.set_up import collector_of, reviews_of
    from service.record.store.record import Record
    from service.record.store.record_settings import RecordSettings
    from service.table.source import calibration_of
    from vision.capture import SourceError
    from vision.capture.images import ImageError, decode_image
    from vision.enrolment.learning import ReadPicture
    from vision.networks.model_card import ModelError
    from vision.reader import Reader

    with plain_errors(CalibrationError, SourceError, ModelError, ImageError):
        calibration = calibration_of(settings)
        if calibration is None:
            _no_calibration()
        collector = collector_of(settings)
        reader = Reader.load(settings.models.weights, tiles=own_tiles(settings.models_folder))
        found = Collected()
        if display is not None:
            data = display.read_bytes()
            image = decode_image(data, display.name)
            shot = ReadPicture(image, reader.read(image, calibration=calibration, name=display.name))
            at = datetime.fromtimestamp(display.stat().st_mtime, UTC)
            found = collector.display(shot, at, hashlib.sha256(data).hexdigest())
            if not found.kept and not found.aside:
                say(f"{display}: nothing new: no complete display in order of rank, or already kept", err=True)
        if (settings.record_folder / "record.db").exists() or settings.record.url is not None:
            with Record(RecordSettings.of(settings), claim=False) as record:
                reviewed = reviews_of(settings, record, collector, reader, calibration).collect()
            found.kept, found.aside = found.kept + reviewed.kept, found.aside + reviewed.aside
            found.left.update(reviewed.left)
    return found


def _no_calibration() -> NoReturn:
    refuse("the tiles of a place are found with the camera's calibration: give table.calibration in the settings")


def _report(found: Collected) -> None:
    say(f"kept {found.kept} new crops, put {found.aside} aside")
    for reason, count in sorted(found.left.items()):
        say(f"skipped: {count} reviewed hands, for {reason}")


def _list(folder: CropFolder) -> None:
    """Print how much is kept, and what waits for a person."""
    say(f"{len(folder.files())} crops in {folder.path}")
    for file in folder.aside():
        say(f"to decide: {file.stem}  {file}")
