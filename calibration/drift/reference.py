"""The picture of the empty table kept beside a calibration: written under its own hash, checked when read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import cv2
import numpy as np

from calibration.files.calibration_file import CalibrationError, Reference, TableCalibration

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["load_reference", "save_reference"]


def save_reference(calibration_path: Path, image: NDArray[np.uint8]) -> Reference:
    """Writes the picture beside a calibration file. Its name holds its hash, so no older one is overwritten.

    Args:
        calibration_path: the file of the calibration; it is not touched.
        image: (height, width, 3) uint8.

    Returns:
        What the calibration has to say of it.

    Raises:
        OSError: if it cannot be written.
    """
    _, encoded = cv2.imencode(".png", image)
    data = encoded.tobytes()
    sha256 = hashlib.sha256(data).hexdigest()
    path = calibration_path.with_name(f"{calibration_path.stem}-reference-{sha256[:12]}.png")
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(data)
    fresh.replace(path)
    return Reference(path.name, sha256)


def load_reference(calibration_path: Path, calibration: TableCalibration) -> NDArray[np.uint8] | None:
    """The picture of the empty table.

    Args:
        calibration_path: the file the calibration was read from.
        calibration: the calibration.

    Returns:
        (height, width, 3) uint8; None if the calibration names none.

    Raises:
        CalibrationError: if it is not there, is not the picture that was written, or has another size.
    """
    if calibration.reference is None:
        return None
    path = calibration_path.with_name(calibration.reference.name)
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise CalibrationError(f"{path}: the picture of the empty table cannot be read ({fault.strerror})") from fault
    if hashlib.sha256(data).hexdigest() != calibration.reference.sha256:
        raise CalibrationError(f"{path}: is not the picture the calibration was made with; calibrate the table again")
    image = np.asarray(cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR), np.uint8)
    calibration.check_size((image.shape[1], image.shape[0]), path.name)
    return image
