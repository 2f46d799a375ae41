"""Enrolments on disk: one sealed file, and beside it the pictures of the tiles as one sheet that people can look at."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from calibration.files.fields import Fields, read_object
from calibration.files.seal import read_seal, write_sealed
from engine.errors import TileError
from engine.game.display_order import LAID
from engine.game.tiles import FULL_SET, Tile
from vision.crops import TILE_CROP_PX
from vision.enrolment.enrolment import Enrolment, OwnBacks, OwnDice, OwnLimits, OwnTile
from vision.enrolment.likeness import Reference

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from vision.arrays import Colour

FORMAT: Final = "houseway-enrolment"
VERSION: Final = 1
_COLUMNS: Final = 8


class EnrolmentError(ValueError):
    """An enrolment that cannot be used; the message says what is wrong with it and what to do."""


def save_enrolment(path: Path, enrolment: Enrolment) -> Enrolment:
    """Write an enrolment with date and hash; the file it replaces is kept in ``history``, its pictures where they are.

    Args:
        path: of the file; the sheet of pictures is written beside it under a name that holds its hash.
        enrolment: what to write.

    Returns:
        The enrolment with its seal.

    Raises:
        OSError: if it cannot be written.
    """
    crops = [tile.crop for tile in enrolment.tiles]
    backs = enrolment.backs
    _, encoded = cv2.imencode(".png", _sheet([*crops, *([] if backs is None else backs.crops)]))
    data = encoded.tobytes()
    sha256 = hashlib.sha256(data).hexdigest()
    sheet = path.with_name(f"{path.stem}-tiles-{sha256[:12]}.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = sheet.with_name(f".{sheet.name}.new")
    fresh.write_bytes(data)
    fresh.replace(sheet)
    content: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "order": enrolment.order,
        "pictures": enrolment.pictures,
        "calibration": enrolment.calibration,
        "tiles": [str(tile.face) for tile in enrolment.tiles],
        "sheet": {"name": sheet.name, "sha256": sha256},
        "felt": enrolment.felt,
        "sharpness": enrolment.sharpness,
        "backs": None
        if backs is None
        else {"count": len(backs.crops), "marked": bool(backs.references), "colour": backs.colour},
        "limits": {"stretch": enrolment.limits.stretch, "gain": enrolment.limits.gain},
        "dice": None if enrolment.dice is None else {"box": enrolment.dice.box, "cut": enrolment.dice.cut},
    }
    return replace(enrolment, seal=write_sealed(path, content), _by_face={})


def load_enrolment(path: Path) -> Enrolment:
    """Read an enrolment and its pictures.

    Raises:
        EnrolmentError: it is not there, is not an enrolment, was changed, or its pictures are others.
    """
    if not path.is_file():
        raise EnrolmentError(f"{path}: there is no such enrolment; make one with houseway enrol")
    fields = read_object(path, EnrolmentError)
    if (name := fields.text("format")) != FORMAT:
        raise fields.fail("format", f"expected {FORMAT!r}, got {name!r}")
    if (version := fields.integer("version")) != VERSION:
        raise fields.fail("version", f"this program reads version {VERSION}, the file is version {version}")
    seal = read_seal(fields)
    order = fields.text("order")
    if order not in LAID:
        raise fields.fail("order", f"expected {' or '.join(LAID)}, got {order!r}")
    faces = _faces(fields)
    backs = fields.section("backs") if "backs" in fields else None
    count = 0 if backs is None else backs.integer("count")
    crops = _crops(path, fields.section("sheet"), len(faces) + count)
    found = Enrolment(
        tiles=tuple(OwnTile.of(face, crop) for face, crop in zip(faces, crops[: len(faces)], strict=True)),
        felt=_colour(fields, "felt"),
        sharpness=fields.number("sharpness"),
        order=order,
        pictures=fields.integer("pictures"),
        calibration=fields.maybe_text("calibration"),
        backs=None if backs is None else _backs(backs, crops[len(faces) :]),
        dice=_dice(fields.section("dice")) if "dice" in fields else None,
        limits=_limits(fields.section("limits")) if "limits" in fields else OwnLimits(),
        seal=seal,
    )
    fields.raw("backs"), fields.raw("dice")
    fields.close()
    return found


def _sheet(crops: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Crops in rows of eight."""
    width, height = TILE_CROP_PX
    rows = -(-len(crops) // _COLUMNS)
    sheet = np.zeros((rows * height, _COLUMNS * width, 3), np.uint8)
    for number, crop in enumerate(crops):
        row, column = divmod(number, _COLUMNS)
        sheet[row * height : (row + 1) * height, column * width : (column + 1) * width] = crop
    return sheet


def _crops(path: Path, named: Fields, count: int) -> NDArray[np.uint8]:
    """The crops (n, 96, 48, 3) of a sheet, checked against its hash."""
    name, sha256 = named.text("name"), named.text("sha256")
    named.close()
    if "/" in name or "\\" in name or name.startswith("."):
        raise named.fail("name", f"expected the name of a file beside the enrolment, got {name!r}")
    sheet = path.with_name(name)
    try:
        data = sheet.read_bytes()
    except OSError as fault:
        raise EnrolmentError(f"{sheet}: the pictures of the tiles cannot be read ({fault.strerror})") from fault
    if hashlib.sha256(data).hexdigest() != sha256:
        raise EnrolmentError(f"{sheet}: these are not the pictures that were enrolled; enrol the set again")
    image = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    width, height = TILE_CROP_PX
    rows = -(-count // _COLUMNS)
    if image.shape != (rows * height, _COLUMNS * width, 3):
        raise named.fail("name", f"{sheet.name} does not hold {count} pictures")
    cells = image.reshape(rows, height, _COLUMNS, width, 3).transpose(0, 2, 1, 3, 4).reshape(-1, height, width, 3)
    return np.ascontiguousarray(cells[:count])


def _faces(fields: Fields) -> list[Tile]:
    try:
        faces = [Tile.parse(str(each)) for each in fields.items("tiles")]
    except TileError as fault:
        raise fields.fail("tiles", str(fault)) from fault
    if sorted(faces, key=lambda tile: tile.index) != sorted(FULL_SET, key=lambda tile: tile.index):
        raise fields.fail("tiles", "these are not the 32 tiles of a set")
    return faces


def _backs(fields: Fields, crops: NDArray[np.uint8]) -> OwnBacks:
    references = tuple(Reference.of(crop) for crop in crops) if fields.flag("marked") else ()
    backs = OwnBacks(crops, references, _colour(fields, "colour"))
    fields.close()
    return backs


def _dice(fields: Fields) -> OwnDice:
    dice = OwnDice(_colour(fields, "box"), _colour(fields, "cut") if "cut" in fields else None)
    fields.raw("cut")
    fields.close()
    return dice


def _limits(fields: Fields) -> OwnLimits:
    return OwnLimits(fields.number("stretch"), fields.number("gain"))


def _colour(fields: Fields, key: str) -> Colour:
    blue, green, red = fields.numbers(key, 3)
    return blue, green, red
