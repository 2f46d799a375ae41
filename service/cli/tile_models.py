"""``houseway collect``, ``models`` and ``train tiles --with``: refine the tile model from a table's own tiles."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from service.cli.common import attribution, plain_errors, plain_record_errors, record_of, refuse, say
from service.cli.options import Reason, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from service.system.settings import Config
    from service.table.learning.table_learning import Collected
    from vision.learning.candidate import Candidate
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
    """Keep pictures of tiles that a person has confirmed, for training.

    They are cut from the hands that people reviewed, and from a display if one is given. A tile picture whose face no
    reader can see is listed: look at it, then accept or drop it. Nothing leaves this machine. With
    learning.collect = true the service does this automatically.
    """
    from service.system.settings import SAMPLE_CONFIG, load_table
    from vision.learning.errors import LearningError
    from vision.learning.kept_crops import CropFolder

    with plain_record_errors(), plain_errors(LearningError, OSError):
        settings = load_table(config or SAMPLE_CONFIG)
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
    """Keep all new tile pictures."""
    import hashlib
    from datetime import UTC, datetime

    from calibration.files.calibration_file import CalibrationError
    from service.table.learning.table_learning import Collected, collector_of, reviews_of
    from service.table.learning.tile_model import own_tiles
    from service.table.source import calibration_of
    from vision.capture import SourceError
    from vision.capture.images import ImageError, decode_image
    from vision.enrolment.learning import ReadPicture
    from vision.networks.model_card import ModelError
    from vision.reader import Reader

    with plain_errors(CalibrationError, SourceError, ModelError, ImageError):
        calibration = calibration_of(settings)
        if calibration is None:
            refuse(
                "tiles are found at their places with the camera's calibration: give the table's calibration in the "
                "settings"
            )
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
            with record_of(settings) as record:
                reviewed = reviews_of(settings, record, collector, reader, calibration).collect()
            found.kept, found.aside = found.kept + reviewed.kept, found.aside + reviewed.aside
            found.skipped.update(reviewed.skipped)
    return found


def _report(found: Collected) -> None:
    say(f"kept {found.kept} new crops, put {found.aside} aside")
    for reason, count in sorted(found.skipped.items()):
        say(f"skipped: {count} reviewed hands, for {reason}")


def _list(folder: CropFolder) -> None:
    """Print the number of crops, and those that wait for a person."""
    say(f"{len(folder.files())} crops in {folder.path}")
    for file in folder.aside():
        say(f"to decide: {file.stem}  {file}")


@contextmanager
def _settings(config: Path | None) -> Iterator[Config]:
    from service.system.settings import SAMPLE_CONFIG, load_table
    from vision.learning.errors import LearningError
    from vision.networks.model_card import ModelError

    with plain_record_errors(), plain_errors(LearningError, ModelError, OSError, program="houseway models"):
        yield load_table(config or SAMPLE_CONFIG)


def list_models(config: Settings = None) -> None:
    """List the tile model in use and those before it.

    Also shows how good the candidate of models.shadow is.
    """
    from service.table.learning.shadow_reading import read_report
    from service.table.learning.tile_model import ModelChoice
    from vision.networks.classifier import TILE_MODEL
    from vision.networks.model_card import sha256_of

    with _settings(config) as settings:
        choice = ModelChoice(settings.models_folder)
        say(f"shipped    {sha256_of(settings.weights_folder / TILE_MODEL)[:12]}")
        for each in choice.adoptions():
            say(f"put in use {each.sha256[:12]} {each.at:%Y-%m-%d %H:%M} UTC by {each.by}: {each.reason}")
        used = sha256_of((choice.in_use() or settings.weights_folder) / TILE_MODEL)
        say(f"in use     {used[:12]}, from the next start of the service on")
        if settings.models.shadow is not None:
            candidate = sha256_of(settings.models.shadow / TILE_MODEL)
            report = read_report(settings.models_folder, settings.table.name, candidate, used)
            if report is None:
                say(f"candidate  {candidate[:12]} has not read any tiles yet")
                return
            old, new = report.used_figures, report.candidate_figures
            say(f"candidate  {candidate[:12]} in {report.watched_s / 3600:.1f} hours, {new.crops} tiles:")
            say(f"           right {old.right} -> {new.right}, sure {old.sure} -> {new.sure}")
            verdict = "worse" if report.worse else "not worse"
            say(f"           surely wrong {old.surely_wrong} -> {new.surely_wrong}, {verdict}")


def take_model(
    folder: Annotated[
        Path | None, typer.Argument(help="The candidate's folder, from houseway train tiles.", show_default=False)
    ] = None,
    *,
    reason: Reason,
    previous: Annotated[bool, typer.Option("--previous", help="Use the previous model again instead.")] = False,
    config: Settings = None,
) -> None:
    """Put a candidate model in use, if it is no worse; or the previous model again.

    A candidate must be no worse than the model in use on all stored tile pictures and on the shipped ones, and must
    have read in parallel for models.shadow_hours without being worse. The service uses the model after its next start;
    the change is recorded.
    """
    from service.table.learning.adoption import adopt, revert

    if previous == (folder is not None):
        refuse("give either the folder of a candidate or --previous", "houseway models")
    with _settings(config) as settings, record_of(settings) as record:
        if folder is None:
            before = revert(settings, record, attribution(reason))
            which = "the shipped model" if before is None else before.sha256[:12]
            say(f"{which} is in use from the next start of the service on")
            return
        taken = adopt(settings, record, folder, settings.weights_folder, attribution(reason))
    say(f"{taken.sha256[:12]} is in use from the next start of the service on; models take --previous undoes it")


_SETS: Final = {
    "kept": "all crops kept",
    "held_out": "the same, cross-validated",
    "shipped": "shipped crops",
}


def refine(crops: Path, out: Path, config: Path | None, *, as_json: bool) -> None:
    """Refine the tile model from a table's own crops, and compare it with the one in use.

    The candidate is written only if it is no worse on all crops and better in cross-validation; else the exit status is
    1. It is not used before houseway models take. Exit status 2: training was not possible.

    Args:
        crops: folder of crops.
        out: new folder for the candidate.
        config: the table's settings, whose model in use it is compared with; None for the shipped model.
        as_json: whether to print JSON.
    """
    from service.system.settings import load_table
    from service.system.settings_file import ConfigError
    from service.table.learning.tile_model import own_tiles
    from vision.learning.candidate import refine as refined
    from vision.learning.candidate import write_candidate
    from vision.learning.errors import LearningError
    from vision.learning.kept_crops import CropFolder
    from vision.learning.shipped_set import read_shipped
    from vision.networks.model_card import ModelError
    from vision.networks.runtime import default_weights

    with plain_errors(ConfigError, LearningError, ModelError, OSError, program="houseway train tiles"):
        if out.exists():
            raise LearningError(f"{out}: already exists; name a new folder")
        settings = None if config is None else load_table(config)
        in_use = None if settings is None else own_tiles(settings.models_folder)
        weights = default_weights() if settings is None else settings.weights_folder
        found = refined(CropFolder(crops).read(), read_shipped(), weights, in_use)
        taken = found.gains and not found.worse_on
        if taken:
            write_candidate(found, out)
    _print_candidate(found, out if taken else None, as_json=as_json)
    if not taken:
        raise typer.Exit(1)


def _print_candidate(found: Candidate, written: Path | None, *, as_json: bool) -> None:
    """Print the comparison, and where the candidate was written."""
    if as_json:
        report = {
            "candidate": None if written is None else {"path": str(written), "sha256": found.card.sha256},
            "sets": {name: asdict(each) for name, each in found.sets.items()},
            "worse_on": list(found.worse_on),
            "left_out": [each.origin.name for each in found.left_out],
            "minutes": found.card.training["minutes"],
        }
        say(json.dumps(report))
        return
    say(f"learnt from {found.card.data['kept_crops']} crops in {found.card.training['minutes']} minutes")
    for name, words in _SETS.items():
        before, after = found.sets[name].before, found.sets[name].after
        right = f"right {before.right} -> {after.right}, sure {before.sure} -> {after.sure}"
        wrong = f"wrong {before.wrong} -> {after.wrong}, surely {before.surely_wrong} -> {after.surely_wrong}"
        say(f"{words:<32} {after.crops:5} crops: {right}; {wrong}")
    for each in found.left_out:
        say(f"left out: {each.face} of {each.origin.name}.png, no reader sees that face in it", err=True)
    if written is not None:
        say(f'candidate {written}, sha256 {found.card.sha256[:12]}; try it with models.shadow = "{written}"')
    elif found.worse_on:
        say(f"not written: the candidate is worse on {', '.join(_SETS[name] for name in found.worse_on)}")
    else:
        say("not written: the candidate is no better in cross-validation")
