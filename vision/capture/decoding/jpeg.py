"""Strict JPEG decoding: complete or not at all.

Most decoders fill missing parts of a JPEG with grey, and video decoders with earlier content: both show a table that
never existed, with at most a warning. Here such a warning is an error. OpenCV's own decoders do so too, so Motion JPEG,
video of individual JPEGs, is taken from OpenCV undecoded.
"""

import re
import struct
from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
import simplejpeg
from numpy.typing import NDArray

START: Final = b"\xff\xd8\xff"
"""Start of every JPEG."""
CAMERA_PIXELS: Final = 50_000_000
"""Largest picture that a camera may give."""
_OTHER_KIND: Final = re.compile("colou?r|subsampling|revision", re.IGNORECASE)
"""Decoder errors for intact pictures of an unsupported kind."""
_PADDING: Final = re.compile(r"(\d+) extraneous bytes before marker 0xd9")
_MAX_PADDING: Final = 16
"""Some cameras insert a few harmless bytes between the last pixel and the end."""
_MARKER: Final = re.compile(rb"\xff[\x02-\xcf\xd8-\xfe]")
"""A marker before a segment: not one of those that stand alone, such as restart markers between pixels."""
_END, _SCAN = 0xD9, 0xDA
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_MOST_SEGMENTS: Final = 1000
"""Cameras and programs write some ten, a few hundred with a large colour profile."""
_MOST_BETWEEN: Final = 1000
"""Bytes between two segments; some programs insert a few."""
_LENGTH: Final = struct.Struct(">H")
"""Length of a segment, itself included."""
_SIZE: Final = struct.Struct(">xHH")
"""Height and width in a frame header, after the bits of a sample."""
_COEFFICIENTS: Final = 64
_NOT_SENT: Final = 99
_MOTION_JPEG: Final = frozenset(cv2.VideoWriter.fourcc(*name) for name in ("MJPG", "mjpg", "JPEG", "jpeg"))
_AS_SENT: Final = -1


class JpegDamagedError(ValueError):
    """A JPEG with missing or damaged parts; the text says which."""


class JpegUnknownError(ValueError):
    """An unsupported kind of JPEG; the text says which."""


def decode_jpeg(data: bytes, max_pixels: int = CAMERA_PIXELS) -> NDArray[np.uint8]:
    """Decode a JPEG as stored, ignoring its EXIF orientation.

    Args:
        data: from its first byte; data after its end is ignored.
        max_pixels: the size limit, checked against the header.

    Returns:
        (height, width, 3) uint8, blue-green-red.

    Raises:
        JpegDamagedError: if any pixel is missing, or there are too many.
        JpegUnknownError: if it cannot be decoded for another reason, such as unusual chroma subsampling.
    """
    if _is_unfinished(data):
        raise JpegDamagedError("it ends before its last scan")
    _check_size(data, max_pixels)
    try:
        return np.asarray(simplejpeg.decode_jpeg(data, "BGR"), np.uint8)
    except ValueError as fault:
        message = str(fault)
    padding = _PADDING.search(message)
    if padding is not None and int(padding[1]) <= _MAX_PADDING:
        return np.asarray(simplejpeg.decode_jpeg(data, "BGR", strict=False), np.uint8)
    if _OTHER_KIND.search(message):
        raise JpegUnknownError(message)
    raise JpegDamagedError(message)


def _check_size(data: bytes, max_pixels: int) -> None:
    """Refuse a picture by the size in its header; one without a header is left to the decoder."""
    try:
        height, width = simplejpeg.decode_jpeg_header(data, strict=False)[:2]
    except ValueError:
        return
    _refuse_larger((width, height), max_pixels)


def _refuse_larger(size: tuple[int, int], max_pixels: int) -> None:
    width, height = size
    if width * height > max_pixels:
        raise JpegDamagedError(f"it is {width} x {height} pixels; at most {max_pixels / 1e6:g} megapixels are decoded")


def _is_unfinished(data: bytes) -> bool:
    """Whether a progressive picture ends before all coefficients were sent completely.

    Such a picture is complete but coarse, or without colour; no decoder warns about it.
    """
    bits_left: dict[int, list[int]] = {}
    at = len(START) - 1
    try:
        while (found := _MARKER.search(data, at)) is not None and (marker := data[found.end() - 1]) != _END:
            (length,) = struct.unpack_from(">H", data, found.end())
            segment = data[found.end() + 2 : found.end() + length]
            if marker in _FRAMES:
                bits_left = {component: [_NOT_SENT] * _COEFFICIENTS for component in segment[6::3][: segment[5]]}
            elif marker == _SCAN:
                sent, components = segment[-3:], segment[1 : 1 + 2 * segment[0] : 2]
                first, last, left = sent[0], sent[1], sent[2] & 0xF
                for component in components:
                    bits_left[component][first : last + 1] = [left] * (last + 1 - first)
                if not any(map(any, bits_left.values())):
                    return False
            at = found.end() + length
    except (IndexError, KeyError, struct.error):
        return False  # leave errors about non-JPEG data to the decoder
    return any(map(any, bits_left.values()))


def take_as_sent(video: cv2.VideoCapture, *, local: bool = False) -> bool:
    """Make OpenCV return undecoded pictures; call before the first is read.

    Args:
        video: opened, with its final settings.
        local: whether it is a local camera.

    Returns:
        Whether it works; False for video that is not Motion JPEG.
    """
    if int(video.get(cv2.CAP_PROP_FOURCC)) not in _MOTION_JPEG:
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
        size = size_in_header(sent.tobytes())
        if size is not None:
            _refuse_larger(size, CAMERA_PIXELS)
        image = None if size is None else cv2.imdecode(sent.reshape(-1), cv2.IMREAD_COLOR)
        if image is None:
            raise JpegDamagedError(str(fault)) from None
        return np.asarray(image, np.uint8)


def size_in_header(data: bytes) -> tuple[int, int] | None:
    """Width and height by the first frame header; None if it is not where it should be."""
    for marker, at in _segments(data):
        if marker in _FRAMES and len(data) >= at + _SIZE.size:
            height, width = _SIZE.unpack_from(data, at)
            return (width, height) if width and height else None
    return None


def has_short_header(data: bytes) -> bool:
    """Whether the pixels start after at most ``_MOST_SEGMENTS`` segments.

    Pillow joins the segments before them in a time that grows with the square of their number: a file of a few
    megabytes can take it a minute.
    """
    return any(marker == _SCAN for marker, _ in _segments(data))


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Marker and position of the content of each segment up to the first scan; none is read."""
    at = len(START) - 1
    for _ in range(_MOST_SEGMENTS):
        found = _MARKER.search(data, at, at + _MOST_BETWEEN)
        if found is None or (marker := data[found.end() - 1]) == _END or len(data) < found.end() + _LENGTH.size:
            return
        yield marker, found.end() + _LENGTH.size
        (length,) = _LENGTH.unpack_from(data, found.end())
        if marker == _SCAN or length < _LENGTH.size:
            return
        at = found.end() + length
