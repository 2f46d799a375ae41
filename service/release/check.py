"""A release held against this table before it is used: its settings, its models, and what they read."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING, Final

from service.codes import ReleaseCode
from service.ops.limited_process import LimitedProcess, ProcessLimits, WorkStoppedError
from service.release.given_out import settings_in, with_settings
from service.release.manifest import MODELS_FOLDER, ReleaseError, check_files

if TYPE_CHECKING:
    from pathlib import Path

    from service.config.settings import Config
    from service.release.manifest import Manifest
    from vision.reading import Reading

_LIMITS: Final = ProcessLimits(memory_bytes=900_000_000, work_s=300.0, idle_s=0.1, waiting=1)
_LEAST_SHARE: Final = 0.9
"""Of what is verified in the bundled pictures now, so much must be with the models of a release."""


async def check_release(folder: Path, manifest: Manifest, config: Config, tiles: Path | None) -> None:
    """Hold a release against a table's settings, and let its models read in a process of their own; ReleaseError.

    Args:
        folder: where it lies.
        manifest: its manifest, verified.
        config: the table's settings, as they are in use.
        tiles: folder of the tile model that the table has of its own; None without one.
    """
    await asyncio.to_thread(check_files, folder, manifest)
    with_settings(config, await asyncio.to_thread(settings_in, folder, manifest))
    if not manifest.has_models:
        return
    process = LimitedProcess("a release", _LIMITS)
    try:
        await asyncio.wrap_future(process.submit(check_models, folder / MODELS_FOLDER, config.weights_folder, tiles))
    except WorkStoppedError as error:
        raise ReleaseError.of(ReleaseCode.CHECK_ENDED, why=error.why) from None
    finally:
        await asyncio.to_thread(process.close)


def check_models(models: Path, used: Path, tiles: Path | None) -> None:
    """Read the bundled pictures with the models of a release and with those in use; ReleaseError.

    What the new ones verify must be what is read now, and they must verify nearly as much.
    """
    from calibration.files.calibration_file import load_calibration  # noqa: PLC0415  in the process for it
    from service.config.settings import SAMPLE_PICTURES  # noqa: PLC0415
    from vision.capture.images import decode_image  # noqa: PLC0415
    from vision.networks.model_card import ModelError  # noqa: PLC0415
    from vision.reader import Reader  # noqa: PLC0415

    calibration = load_calibration(SAMPLE_PICTURES.with_name("calibration.json"))
    try:
        new = Reader.load(models, threads=1, tiles=tiles, sparing=True)
        old = Reader.load(used, threads=1, tiles=tiles, sparing=True)
        verified, before = 0, 0
        for file in sorted(SAMPLE_PICTURES.glob("*.jpg")):
            image = decode_image(file.read_bytes(), file.name)
            seen = new.read(image, calibration=calibration)
            known = old.read(image, calibration=calibration)
            if strange := _seen(seen, sure=True) - _seen(known, sure=False):
                raise ReleaseError.of(ReleaseCode.READS_OTHERWISE, file=file.name, face=next(iter(strange)))
            verified += _seen(seen, sure=True).total()
            before += _seen(known, sure=True).total()
    except ModelError as error:
        raise ReleaseError.of(ReleaseCode.MODEL_UNUSABLE, why=str(error)) from None
    if verified < _LEAST_SHARE * before:
        raise ReleaseError.of(ReleaseCode.READS_FEWER, before=before, after=verified)


def _seen(reading: Reading, *, sure: bool) -> Counter[str]:
    """Faces of tiles and values of dice, all of them or those that are verified."""
    tiles = (str(each.face) for each in reading.tiles if each.face and (each.status == "verified" or not sure))
    dice = (f"die {each.value}" for each in reading.dice if each.value and (each.status == "verified" or not sure))
    return Counter((*tiles, *dice))
