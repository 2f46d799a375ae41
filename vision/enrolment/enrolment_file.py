"""Enrolments on disk: one sealed file, with the pictures of the tiles as a sheet that people can view."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Final

import numpy as np
from pydantic import AfterValidator, Field

from calibration.files.json_file import FileModel, parse, read_json
from calibration.files.picture_file import ChangedPictureError, PictureFile, read_picture, write_picture
from calibration.files.seal import FileFormat, unseal, write_sealed
from engine.game.display_order import LAID
from engine.game.tiles import FULL_SET, Tile
from vision.arrays import Colour
from vision.crops import TILE_CROP_PX
from vision.enrolment.enrolment import Enrolment, OwnBacks, OwnLimits, OwnTile
from vision.enrolment.likeness import Reference

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

FORMAT: Final = FileFormat("houseway-enrolment", version=1)
_COLUMNS: Final = 8


class EnrolmentError(ValueError):
    """An enrolment that cannot be used; the message explains why and what to do."""


def _known_order(order: str) -> str:
    if order not in LAID:
        raise ValueError(f"expected {' or '.join(LAID)}, got {order!r}")
    return order


def _whole_set(names: tuple[str, ...]) -> tuple[str, ...]:
    if sorted(Tile.parse(name).index for name in names) != sorted(tile.index for tile in FULL_SET):
        raise ValueError("these are not the 32 tiles of a set")
    return names


class _BacksModel(FileModel):
    count: Annotated[int, Field(ge=0)]
    marked: bool
    colour: Colour


class _EnrolmentModel(FileModel):
    order: Annotated[str, AfterValidator(_known_order)]
    pictures: int
    calibration: str | None = None
    tiles: Annotated[tuple[str, ...], AfterValidator(_whole_set)]
    sheet: PictureFile
    felt: Colour
    sharpness: float
    backs: _BacksModel | None = None
    limits: OwnLimits | None = None


def save_enrolment(path: Path, enrolment: Enrolment) -> Enrolment:
    """Write an enrolment with date and hash; the replaced file is kept in ``history``, its pictures stay in place.

    Args:
        path: of the file; the sheet of pictures is written beside it, with its hash in the name.
        enrolment: the enrolment.

    Returns:
        The enrolment with its seal.

    Raises:
        OSError: if it cannot be written.
    """
    backs = enrolment.backs
    crops = [tile.crop for tile in enrolment.tiles]
    sheet = write_picture(path, "tiles", _sheet([*crops, *([] if backs is None else backs.crops)]))
    content: dict[str, object] = {
        "order": enrolment.order,
        "pictures": enrolment.pictures,
        "calibration": enrolment.calibration,
        "tiles": [str(tile.face) for tile in enrolment.tiles],
        "sheet": asdict(sheet),
        "felt": enrolment.felt,
        "sharpness": enrolment.sharpness,
        "backs": None
        if backs is None
        else {"count": len(backs.crops), "marked": bool(backs.references), "colour": backs.colour},
        "limits": asdict(enrolment.limits),
    }
    return replace(enrolment, seal=write_sealed(path, FORMAT, content))


def load_enrolment(path: Path) -> Enrolment:
    """Read an enrolment and its pictures.

    Raises:
        EnrolmentError: missing, not an enrolment, modified, or its pictures do not match.
    """
    if not path.is_file():
        raise EnrolmentError(f"{path}: there is no such enrolment; make one with houseway enrol")
    content, seal = unseal(read_json(path, EnrolmentError), FORMAT, path.name, EnrolmentError)
    found = parse(_EnrolmentModel, content, path.name, EnrolmentError)
    faces = [Tile.parse(name) for name in found.tiles]
    crops = _crops(path, found.sheet, len(faces) + (found.backs.count if found.backs else 0))
    backs = None
    if found.backs is not None:
        own = crops[len(faces) :]
        references = tuple(Reference.of(crop) for crop in own) if found.backs.marked else ()
        backs = OwnBacks(own, references, found.backs.colour)
    return Enrolment(
        tiles=tuple(OwnTile.of(face, crop) for face, crop in zip(faces, crops[: len(faces)], strict=True)),
        felt=found.felt,
        sharpness=found.sharpness,
        order=found.order,
        pictures=found.pictures,
        calibration=found.calibration,
        backs=backs,
        limits=found.limits or OwnLimits(),
        seal=seal,
    )


def _sheet(crops: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    width, height = TILE_CROP_PX
    rows = -(-len(crops) // _COLUMNS)
    sheet = np.zeros((rows * height, _COLUMNS * width, 3), np.uint8)
    for number, crop in enumerate(crops):
        row, column = divmod(number, _COLUMNS)
        sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = crop
    return sheet


def _crops(path: Path, sheet: PictureFile, count: int) -> NDArray[np.uint8]:
    """The crops (n, 96, 48, 3) of a sheet, checked against its hash."""
    file = path.with_name(sheet.name)
    try:
        image = read_picture(path, sheet)
    except OSError as fault:
        raise EnrolmentError(f"{file}: the pictures of the tiles cannot be read ({fault.strerror})") from fault
    except ChangedPictureError as fault:
        raise EnrolmentError(f"{file}: these are not the pictures that were enrolled; enrol the set again") from fault
    width, height = TILE_CROP_PX
    rows = -(-count // _COLUMNS)
    if image.shape != (rows * height, _COLUMNS * width, 3):
        raise EnrolmentError(f"{file}: does not hold {count} pictures; enrol the set again")
    cells = image.reshape(rows, height, _COLUMNS, width, 3).transpose(0, 2, 1, 3, 4).reshape(-1, height, width, 3)
    return np.ascontiguousarray(cells[:count])
