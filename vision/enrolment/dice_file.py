"""A table's own dice on disk: one sealed file, with the pictures of the dice as a sheet that people can view."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import Field

from calibration.files.json_file import FileModel, Pair, parse, read_json
from calibration.files.picture_file import ChangedPictureError, PictureFile, read_picture, write_picture
from calibration.files.seal import FileFormat, unseal, write_sealed
from vision.arrays import Colour
from vision.crops import DIE_CROP_PX
from vision.dice.die_look import DieLook
from vision.enrolment.own_dice import MOST_THROWS, THROWN, OwnDice, OwnThrow

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = FileFormat("houseway-dice", version=1)
_SIDE: Final = DIE_CROP_PX[0]


class DiceError(ValueError):
    """Enrolled dice that cannot be used; the message explains why and what to do."""


class _DieModel(FileModel):
    side_mm: Annotated[float, Field(gt=0)]
    foot: Pair
    felt: Colour
    value: Annotated[int, Field(ge=1, le=6)] | None = None


class _ThrowModel(FileModel):
    dice: Annotated[tuple[_DieModel, ...], Field(min_length=1, max_length=THROWN)]
    cut: Annotated[int, Field(ge=0, lt=THROWN)] | None = None


class _DiceModel(FileModel):
    throws: Annotated[tuple[_ThrowModel, ...], Field(min_length=1, max_length=MOST_THROWS)]
    calibration: str | None = None
    sheet: PictureFile


def save_dice(path: Path, own: OwnDice) -> OwnDice:
    """Write dice with date and hash; the replaced file is kept in ``history``.

    Args:
        path: of the file; the sheet of pictures, one throw in a row, is written beside it.
        own: the dice.

    Returns:
        The dice with their seal.

    Raises:
        OSError: if they cannot be written.
    """
    sheet = np.zeros((len(own.throws) * _SIDE, THROWN * _SIDE, 3), np.uint8)
    for row, throw in enumerate(own.throws):
        for column, die in enumerate(throw.dice):
            sheet[row * _SIDE : (row + 1) * _SIDE, column * _SIDE : (column + 1) * _SIDE] = die.crop
    content: dict[str, object] = {
        "throws": [
            {
                "dice": [
                    {"side_mm": die.side_mm, "foot": die.foot.tolist(), "felt": die.felt, "value": die.value}
                    for die in throw.dice
                ],
                "cut": throw.cut,
            }
            for throw in own.throws
        ],
        "calibration": own.calibration,
        "sheet": asdict(write_picture(path, "dice", sheet)),
    }
    return replace(own, seal=write_sealed(path, FORMAT, content))


def load_dice(path: Path) -> OwnDice:
    """Read enrolled dice and their pictures.

    Raises:
        DiceError: missing, not enrolled dice, modified, or their pictures do not match.
    """
    if not path.is_file():
        raise DiceError(f"{path}: there are no such dice; learn them with houseway enrol --dice")
    content, seal = unseal(read_json(path, DiceError), FORMAT, path.name, DiceError)
    found = parse(_DiceModel, content, path.name, DiceError)
    file = path.with_name(found.sheet.name)
    try:
        sheet = read_picture(path, found.sheet)
    except OSError as fault:
        raise DiceError(f"{file}: the pictures of the dice cannot be read ({fault.strerror})") from fault
    except ChangedPictureError as fault:
        raise DiceError(f"{file}: these are not the pictures that were enrolled; enrol the dice again") from fault
    if sheet.shape != (len(found.throws) * _SIDE, THROWN * _SIDE, 3):
        raise DiceError(f"{file}: does not hold {len(found.throws)} throws; enrol the dice again")
    throws = []
    for row, throw in enumerate(found.throws):
        band = sheet[row * _SIDE : (row + 1) * _SIDE]
        dice = (
            DieLook(
                np.ascontiguousarray(band[:, n * _SIDE : (n + 1) * _SIDE]),
                np.array(die.foot, np.float32),
                die.side_mm,
                die.felt,
                die.value,
            )
            for n, die in enumerate(throw.dice)
        )
        throws.append(OwnThrow(tuple(dice), throw.cut))
    return OwnDice(tuple(throws), found.calibration, seal)
