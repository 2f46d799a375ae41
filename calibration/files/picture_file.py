"""Pictures beside a file that describes them: named by their hash, verified when read."""

import hashlib
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.files.json_file import read_bounded
from calibration.files.seal import replace_file

MAX_PIXELS: Final = 100_000_000
"""Largest picture that is read: a calibration from elsewhere may name one of any size."""
_MOST_BYTES: Final = 512 * 1024 * 1024
_PNG: Final = b"\x89PNG\r\n\x1a\n"
_PNG_HEAD: Final = struct.Struct(">12s4sII")


class ChangedPictureError(ValueError):
    """A picture file that was modified, or was not written by this program."""


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture beside a file: its name, without a folder, and the hash of its content."""

    name: str
    sha256: str

    def __post_init__(self) -> None:
        """Reject, with ValueError, a name that points elsewhere."""
        if not self.name.isprintable() or {"/", "\\"} & set(self.name) or self.name[:1] in ("", "."):
            raise ValueError(f"expected the name of a file in the same folder, got {self.name!r}")


def write_picture(beside: Path, what: str, image: NDArray[np.uint8]) -> PictureFile:
    """Write a picture, (height, width, 3) uint8 BGR, as PNG beside the file that describes it.

    Its name contains its purpose and hash, so no older one is overwritten. OSError if it cannot be written.
    """
    _, encoded = cv2.imencode(".png", image)
    data = encoded.tobytes()
    sha256 = hashlib.sha256(data).hexdigest()
    picture = PictureFile(f"{beside.stem}-{what}-{sha256[:12]}.png", sha256)
    replace_file(beside.with_name(picture.name), data)
    return picture


def read_picture(beside: Path, picture: PictureFile) -> NDArray[np.uint8]:
    """Read a picture, (height, width, 3) uint8 BGR; OSError if it is unreadable, ChangedPictureError if modified."""
    data = read_bounded(beside.with_name(picture.name), _MOST_BYTES)
    width, height = png_size(data) or (0, 0)
    if hashlib.sha256(data).hexdigest() != picture.sha256 or not 0 < width * height <= MAX_PIXELS:
        raise ChangedPictureError(picture.name)
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    if image is None:  # the hash fits, but it is not a picture
        raise ChangedPictureError(picture.name)
    return np.asarray(image, np.uint8)


def png_size(data: bytes) -> tuple[int, int] | None:
    """Width and height by the header of a PNG; None if it is not one."""
    if not data.startswith(_PNG) or len(data) < _PNG_HEAD.size:
        return None
    _, kind, width, height = _PNG_HEAD.unpack_from(data)
    return (width, height) if kind == b"IHDR" else None
