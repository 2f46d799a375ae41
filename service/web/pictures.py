"""Pictures as pages show them."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np
from fastapi.responses import Response

if TYPE_CHECKING:
    from vision.capture.images import Image

_QUALITY: Final = 88
_SHOWN_PX: Final = 1600


def jpeg(image: Image) -> Response:
    """A picture of this moment, (height, width, 3) uint8 BGR."""
    return Response(encoded(image), media_type="image/jpeg", headers={"Cache-Control": "no-store"})


def inline(image: Image) -> str:
    """A picture no wider than the page needs, as an address that holds it."""
    height, width = image.shape[:2]
    size = (_SHOWN_PX, round(height * _SHOWN_PX / width))
    shown = cv2.resize(image, size, interpolation=cv2.INTER_AREA) if width > _SHOWN_PX else image
    return f"data:image/jpeg;base64,{base64.b64encode(encoded(np.asarray(shown, np.uint8))).decode()}"


def encoded(image: Image) -> bytes:
    """A picture as a JPEG."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    return data.tobytes()
