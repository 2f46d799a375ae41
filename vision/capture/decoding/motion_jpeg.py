"""Motion JPEG: video whose every picture is a JPEG of its own, taken from OpenCV as it was sent.

OpenCV's own decoders fill what is missing of a picture, from a camera on this computer with grey and from the network
with the picture before it, and say nothing.
"""

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.capture.decoding.jpeg import JpegDamagedError, JpegUnknownError, decode_jpeg

_FORMATS: Final = frozenset(cv2.VideoWriter.fourcc(*name) for name in ("MJPG", "mjpg", "JPEG", "jpeg"))
_AS_SENT: Final = -1


def take_as_sent(video: cv2.VideoCapture, *, local: bool = False) -> bool:
    """Have OpenCV hand over pictures as they were sent, before the first is read.

    Args:
        video: opened, and set as it is to stay.
        local: whether it is a camera of this computer.

    Returns:
        Whether it does; False for video that is not Motion JPEG.
    """
    if int(video.get(cv2.CAP_PROP_FOURCC)) not in _FORMATS:
        return False
    as_sent = (cv2.CAP_PROP_CONVERT_RGB, 0) if local else (cv2.CAP_PROP_FORMAT, _AS_SENT)
    return video.set(*as_sent)


def decode_sent(sent: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Decode what was handed over in place of a picture.

    Returns:
        (height, width, 3) uint8, blue-green-red.

    Raises:
        JpegDamagedError: if not every pixel is there.
    """
    try:
        return decode_jpeg(sent.tobytes())
    except JpegUnknownError as fault:
        image = cv2.imdecode(sent.reshape(-1), cv2.IMREAD_COLOR)
        if image is None:
            raise JpegDamagedError(str(fault)) from None
        return np.asarray(image, np.uint8)
