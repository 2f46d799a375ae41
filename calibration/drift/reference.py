"""The picture of the empty table stored beside a calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibration.files.calibration_file import CalibrationError, TableCalibration
from calibration.files.picture_file import ChangedPictureError, PictureFile, read_picture, write_picture

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray


def save_reference(calibration_path: Path, image: NDArray[np.uint8]) -> PictureFile:
    """Write the picture, (height, width, 3) uint8 BGR, beside a calibration file, which is not touched.

    Raises:
        OSError: it cannot be written.
    """
    return write_picture(calibration_path, "reference", image)


def load_reference(calibration_path: Path, calibration: TableCalibration) -> NDArray[np.uint8] | None:
    """Read the picture of the empty table.

    Args:
        calibration_path: the file the calibration was read from.
        calibration: the calibration.

    Returns:
        (height, width, 3) uint8 BGR; None if the calibration names none.

    Raises:
        CalibrationError: it is missing, was modified, or has another size.
    """
    if calibration.reference is None:
        return None
    path = calibration_path.with_name(calibration.reference.name)
    try:
        image = read_picture(calibration_path, calibration.reference)
    except OSError as fault:
        raise CalibrationError(f"{path}: the picture of the empty table cannot be read ({fault.strerror})") from fault
    except ChangedPictureError as fault:
        raise CalibrationError(
            f"{path}: is not the picture the calibration was made with; calibrate the table again"
        ) from fault
    calibration.check_size((image.shape[1], image.shape[0]), path.name)
    return image
