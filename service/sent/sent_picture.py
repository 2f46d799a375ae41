"""A picture that somebody sent, with the calibration of its camera if that was sent too, and how it is read."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration.drift.reference import load_reference
from calibration.files.calibration_file import CalibrationError, calibration_from
from service.monitor.inspection import Inspector
from service.monitor.stand import held_against_table
from vision.capture.images import decode_image, exif_orientation

if TYPE_CHECKING:
    from pathlib import Path

    from vision.reading import PictureReader, Reading


@dataclass(frozen=True, slots=True)
class SentPicture:
    """What somebody sent to be read: the bytes of files.

    Attributes:
        name: of the picture, for messages.
        picture: the picture.
        calibration: of its camera; None for a plain photograph.
        reference: the picture of the empty table that the calibration names; None where the table has it.
    """

    name: str
    picture: bytes
    calibration: bytes | None = None
    reference: bytes | None = None


def read_sent(reader: PictureReader, sent: SentPicture, most_pixels: int, own: Path | None) -> Reading:
    """Read a picture that was sent.

    Args:
        reader: what reads it.
        sent: the picture.
        most_pixels: the largest picture that is decoded.
        own: the file of the table's own calibration, beside which its picture of the empty table lies.

    Raises:
        ImageError: it is no picture that can be read, or is too large.
        CalibrationError: its calibration is none, or does not fit it.
    """
    inspector = None if sent.calibration is None else _inspector(sent, sent.calibration, most_pixels, own)
    image = decode_image(sent.picture, sent.name, most_pixels)
    if inspector is None:
        return reader.read(image, name=sent.name)
    exif = exif_orientation(sent.picture)
    inspector.check_size(image, sent.name, exif)
    reading = reader.read(image, calibration=inspector.calibration, empty=inspector.empty, name=sent.name)
    return held_against_table(inspector, image, reading, exif)


def _inspector(sent: SentPicture, data: bytes, most_pixels: int, own: Path | None) -> Inspector:
    """The calibration with its picture of the empty table: the one sent with it, or the table's own."""
    calibration = calibration_from(data, "calibration")
    named = calibration.reference
    if named is None:
        return Inspector.of(calibration, None)
    if sent.reference is not None:
        if hashlib.sha256(sent.reference).hexdigest() != named.sha256:
            raise CalibrationError(f"The reference is not the picture the calibration was made with, {named.name}.")
        empty = decode_image(sent.reference, named.name, most_pixels)
        calibration.check_size((empty.shape[1], empty.shape[0]), named.name)
        return Inspector.of(calibration, empty)
    with suppress(CalibrationError):  # the table's own file is another, or gone
        return Inspector.of(calibration, None if own is None else load_reference(own, calibration))
    return Inspector.of(calibration, None)
