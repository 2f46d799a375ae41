"""Pictures beside a file that describes them: named by their hash, verified when read."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.files.seal import replace_file


class ChangedPictureError(ValueError):
    """A picture file that was modified."""


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
    data = beside.with_name(picture.name).read_bytes()
    if hashlib.sha256(data).hexdigest() != picture.sha256:
        raise ChangedPictureError(picture.name)
    return np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
