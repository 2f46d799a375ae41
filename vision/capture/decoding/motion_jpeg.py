"""Motion JPEG: video consisting of individual JPEGs, obtained from OpenCV undecoded.

OpenCV's own decoders silently fill missing parts of a picture: for local cameras with grey, for network cameras with
the previous picture.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.decoding.jpeg import JpegDamagedError, JpegUnknownError, decode_jpeg

_FORMATS: Final = frozenset(cv2.VideoWriter.fourcc(*name) for name in ("MJPG", "mjpg", "JPEG", "jpeg"))
_AS_SENT: Final = -1


def take_as_sent(video: cv2.VideoCapture, *, local: bool = False) -> bool:
    """Make OpenCV return undecoded pictures; call before the first is read.

    Args:
        video: opened, with its final settings.
        local: whether it is a local camera.

    Returns:
        Whether it works; False for video that is not Motion JPEG.
    """
    if int(video.get(cv2.CAP_PROP_FOURCC)) not in _FORMATS:
        return False
    as_sent = (cv2.CAP_PROP_CONVERT_RGB, 0) if local else (cv2.CAP_PROP_FORMAT, _AS_SENT)
    return video.set(*as_sent)


def decode_sent(sent: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode an undecoded picture from OpenCV.

    Returns:
        (height, width, 3) uint8, blue-green-red.

    Raises:
        JpegDamagedError: if any pixel is missing.
    """
    try:
        return decode_jpeg(sent.tobytes())
    except JpegUnknownError as fault:
        image = cv2.imdecode(sent.reshape(-1), cv2.IMREAD_COLOR)
        if image is None:
            raise JpegDamagedError(str(fault)) from None
        return np.asarray(image, np.uint8)
