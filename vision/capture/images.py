"""Decoding of picture files and bytes to a common form: 8-bit blue-green-red, upright, without transparency.

Input is untrusted. The header is checked before any pixel is decoded, and a truncated picture is rejected: a decoder
that silently fills the missing part with grey would show a table that never existed.
"""

import io
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

import cv2
import numpy as np
import PIL.ExifTags
import PIL.Image
import PIL.ImageOps
from numpy.typing import NDArray

from calibration.files.picture_file import png_size
from vision.capture.decoding.file_kinds import HEAD, kind_of
from vision.capture.decoding.jpeg import START as JPEG
from vision.capture.decoding.jpeg import JpegUnknownError, decode_jpeg, has_short_header, size_in_header

Image: TypeAlias = NDArray[np.uint8]
"""(height, width, 3) uint8, blue-green-red, rotated according to its EXIF data."""

MIN_SIDE_PX: Final = 32
"""Minimum side of a picture: a tile needs more."""
MAX_PIXELS: Final = 100_000_000
"""Largest picture that a person gives, unless the caller sets a smaller limit."""
MAX_SIDE_PX: Final = 32_000
"""Longest side: OpenCV's warps count pixels in 16 bits."""

FORMATS: Final = ("JPEG", "PNG", "TIFF", "BMP", "WEBP", "AVIF", "GIF", "PPM")
_SUBFILE_TYPE: Final = 254
_SAVE: Final = "Save it as JPEG or PNG with the camera's own program"
_MODES_16_BIT: Final = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N"})
_WHITE: Final = (255, 255, 255, 255)
_UPRIGHT: Final[Mapping[int, Callable[[Image], NDArray[np.uint8]]]] = {
    2: lambda image: image[:, ::-1],
    3: lambda image: image[::-1, ::-1],
    4: lambda image: image[::-1],
    5: lambda image: image.transpose(1, 0, 2),
    6: lambda image: image.transpose(1, 0, 2)[:, ::-1],
    7: lambda image: image[::-1, ::-1].transpose(1, 0, 2),
    8: lambda image: image.transpose(1, 0, 2)[::-1],
}
"""Transformations to upright by EXIF orientation."""


class ImageError(ValueError):
    """A picture that cannot be read; the message explains why and what to do."""


def load_image(path: Path) -> Image:
    """Read the picture in a file; ImageError if it cannot be read or is not a usable picture."""
    try:
        data = path.read_bytes()
    except OSError as fault:
        raise ImageError(f"{path}: cannot be read ({fault.strerror}). Check the name and the permissions.") from fault
    return decode_image(data, path.name)


def decode_image(data: bytes, name: str, max_pixels: int = MAX_PIXELS) -> Image:
    """Decode the bytes of a picture file.

    Args:
        data: the bytes.
        name: of the picture, for messages.
        max_pixels: the size limit, checked against the header.

    Raises:
        ImageError: it is not a usable picture.
    """
    if not data:
        raise ImageError(f"{name}: is empty (0 bytes). Copy or record it again.")
    with warnings.catch_warnings():
        # Pillow's warnings (large pictures, odd metadata) are either handled below or harmless.
        warnings.filterwarnings("ignore", module=r"PIL\.")
        warnings.simplefilter("ignore", PIL.Image.DecompressionBombWarning)
        return _decode(data, name, max_pixels)


def refuse_by_header(data: bytes, name: str, max_pixels: int) -> None:
    """Refuse a JPEG or PNG that is too small or too large without decoding it.

    This is called where no limit of time or memory holds, so only a few bytes are read, and none by a library. Every
    other file is left to :func:`decode_image`.

    Raises:
        ImageError: it is too small or too large.
    """
    size = size_in_header(data) if data.startswith(JPEG) else png_size(data)
    if size is not None:
        _check_size(size, name, max_pixels)


def exif_orientation(file: Path | bytes) -> int:
    """The EXIF orientation of a picture, 1 to 8; 1 (upright as stored) if it has none."""
    try:
        with PIL.Image.open(file if isinstance(file, Path) else io.BytesIO(file), formats=FORMATS) as picture:
            return int(picture.getexif().get(PIL.ExifTags.Base.Orientation, 1))
    except Exception:  # noqa: BLE001 - decoders raise anything at all on broken data
        return 1


def _decode(data: bytes, name: str, max_pixels: int) -> Image:
    """Decode a picture, header first."""
    if data.startswith(JPEG) and not has_short_header(data):
        raise ImageError(f"{name}: {_cut_off('no pixels where its header ends')}")
    try:
        picture = PIL.Image.open(io.BytesIO(data), formats=FORMATS)
    except PIL.Image.DecompressionBombError as fault:
        raise ImageError(f"{name}: {_too_large(max_pixels)}") from fault
    except Exception as fault:  # decoders raise arbitrary exceptions on broken data
        raise ImageError(f"{name}: {_not_read(data)}") from fault
    with picture:
        if _is_preview(picture):
            raise ImageError(f"{name}: holds a small preview before the picture, as raw files of cameras do. {_SAVE}.")
        _check_size(picture.size, name, max_pixels)
        try:
            if data.startswith(JPEG) and (image := _from_jpeg(data, picture, max_pixels)) is not None:
                return image
            picture.load()
            PIL.ImageOps.exif_transpose(picture, in_place=True)
        except MemoryError:
            raise
        except Exception as fault:  # decoders raise arbitrary exceptions on broken data
            raise ImageError(f"{name}: {_cut_off(str(fault))}") from fault
        return _as_bgr(picture, name)


def _cut_off(why: str) -> str:
    return f"is cut off or damaged ({why}). Copy or record it again; the part that is left is not read."


def _not_read(data: bytes) -> str:
    """What kind of file it is instead of a picture, and advice."""
    kind = kind_of(data[:HEAD])
    if kind is None or not kind.advice:
        what = "" if kind is None else f" but {kind.name}"
        return f"is not a picture this program reads{what}. Give a JPEG, PNG, TIFF, BMP, WebP, AVIF, GIF or PPM file."
    if kind.name.endswith("picture") and kind.advice.startswith("Call"):
        return f"is {kind.name} that cannot be read: it is cut off or damaged. Copy or record it again."
    return f"is {kind.name}, which this program does not read as a picture. {kind.advice}."


def _is_preview(picture: PIL.Image.Image) -> bool:
    """Whether the first image of a TIFF file is marked as a reduced version of a later one."""
    tags = getattr(picture, "tag_v2", {})
    return bool(int(tags.get(_SUBFILE_TYPE, 0)) & 1)


def _from_jpeg(data: bytes, opened: PIL.Image.Image, max_pixels: int) -> Image | None:
    """A complete JPEG, upright; None if Pillow must decode it; JpegDamagedError if it is incomplete."""
    try:
        image = decode_jpeg(data, max_pixels)
    except JpegUnknownError:
        return None
    if opened.mode == "CMYK":
        return None  # complete, but only Pillow knows how each program writes its inks
    turn = _UPRIGHT.get(opened.getexif().get(PIL.ExifTags.Base.Orientation, 1))
    return image if turn is None else np.ascontiguousarray(turn(image))


def _too_large(max_pixels: int) -> str:
    most = f"{max_pixels / 1e6:g} megapixels"
    return f"has more than {most}. Scale it down; 2304 x 1296 is enough for a whole table."


def _check_size(size: tuple[int, int], name: str, max_pixels: int) -> None:
    """Refuse a picture that is too small or too large, by the size in its header."""
    width, height = size
    if min(size) < MIN_SIDE_PX:
        raise ImageError(
            f"{name}: is too small to read, {width} x {height} pixels. A tile needs some 40 pixels of length; "
            f"no side may be below {MIN_SIDE_PX}."
        )
    if width * height > max_pixels:
        raise ImageError(f"{name}: is {width} x {height} pixels and {_too_large(max_pixels)}")
    if max(size) > MAX_SIDE_PX:
        raise ImageError(f"{name}: is {width} x {height} pixels; no side may exceed {MAX_SIDE_PX}. Scale or crop it.")


def _as_bgr(picture: PIL.Image.Image, name: str) -> Image:
    """Convert pixels of any mode: palette, grey, 16 bit, transparency, CMYK."""
    if picture.mode in _MODES_16_BIT:
        deep = np.asarray(picture)
        if deep.min() < 0 or deep.max() > 0xFFFF:
            raise ImageError(f"{name}: has more than 16 bits a pixel. Save it with 8 or 16 bits.")
        return _from_grey((deep >> 8).astype(np.uint8))
    if picture.mode == "F":
        raise ImageError(f"{name}: holds floating-point numbers. Save it with 8 or 16 bits a channel.")
    if picture.has_transparency_data:
        page = PIL.Image.new("RGBA", picture.size, _WHITE)
        picture = PIL.Image.alpha_composite(page, picture.convert("RGBA"))
    if picture.mode in ("1", "L"):
        return _from_grey(np.asarray(picture.convert("L")))
    colours = np.asarray(picture if picture.mode == "RGB" else picture.convert("RGB"))
    picture.close()  # limit the number of copies of a large picture held at once
    return np.asarray(cv2.cvtColor(colours, cv2.COLOR_RGB2BGR), np.uint8)


def _from_grey(grey: NDArray[np.uint8]) -> Image:
    return np.asarray(cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR), np.uint8)
