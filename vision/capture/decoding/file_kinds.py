"""File kinds by magic bytes, regardless of the name, for messages about files that are not read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

HEAD: Final = 4096
"""Number of bytes from the start needed to identify the kind."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: common name.
        advice: what to do with such a file if it was meant to be read; empty if it is neither picture nor video.
    """

    name: str
    advice: str = ""


_SAVE: Final = "Save it as JPEG or PNG"
_HEIC: Final = FileKind(
    "a HEIC picture",
    f"{_SAVE}. An iPhone takes JPEG pictures with Settings, Camera, Formats, Most Compatible",
)
_AVIF: Final = FileKind("an AVIF picture", "Call it .avif")
_RAW: Final = FileKind("a raw picture of a camera", f"{_SAVE} with the camera's own program")
_VIDEO: Final = FileKind("a video", "Give it on its own, called .mp4, .mov, .avi, .mkv or .ts")
_STARTS: Final = (
    (b"\xff\xd8\xff", FileKind("a JPEG picture", "Call it .jpg")),
    (b"\x89PNG\r\n\x1a\n", FileKind("a PNG picture", "Call it .png")),
    (b"GIF8", FileKind("a GIF picture", "Call it .gif")),
    (b"BM", FileKind("a BMP picture", "Call it .bmp")),
    (b"\xff\x0a", FileKind("a JPEG XL picture", _SAVE)),
    (b"\0\0\0\x0cJXL ", FileKind("a JPEG XL picture", _SAVE)),
    (b"\0\0\0\x0cjP  ", FileKind("a JPEG 2000 picture", _SAVE)),
    (b"8BPS", FileKind("a Photoshop document", _SAVE)),
    (b"FUJIFILMCCD-RAW", _RAW),
    (b"IIU\0", _RAW),
    (b"IIRO", _RAW),
    (b"IIRS", _RAW),
    (b"FOVb", _RAW),
    (b"\x1aE\xdf\xa3", _VIDEO),
    (b"\0\0\x01\xba", _VIDEO),
    (b"%PDF", FileKind("a PDF document", f"{_SAVE} what it shows")),
    (b"<svg", FileKind("an SVG drawing", _SAVE)),
    (b"<!DOCTYPE html", FileKind("a web page")),
    (b"<html", FileKind("a web page")),
    (b"PK\x03\x04", FileKind("a ZIP archive")),
    (b"\x1f\x8b", FileKind("a compressed file")),
)
_TIFF: Final = (b"II*\0", b"MM\0*")
_CANON_RAW: Final = b"CR"
_IN_RIFF: Final = {b"WEBP": FileKind("a WebP picture", "Call it .webp"), b"AVI ": _VIDEO}
_BRANDS: Final = (
    (frozenset({b"avif", b"avis"}), _AVIF),
    (frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}), _HEIC),
    (frozenset({b"crx "}), _RAW),
)
_TS_PACKET: Final = 188


def kind_of(head: bytes) -> FileKind | None:
    """The kind of a file by its first :data:`HEAD` bytes; None if unknown."""
    if head.startswith(_TIFF):
        return _RAW if head[8:10] == _CANON_RAW else FileKind("a TIFF picture", "Call it .tif")
    if head[4:8] == b"ftyp":
        size = int.from_bytes(head[:4], "big")
        brands = {head[at : at + 4] for at in range(8, min(size, len(head)), 4)}
        return next((kind for known, kind in _BRANDS if known & brands), _VIDEO)
    if head.startswith(b"RIFF"):
        return _IN_RIFF.get(head[8:12])
    if head[:1] == b"G" and head[_TS_PACKET : _TS_PACKET + 1] == b"G":
        return _VIDEO
    return next((kind for start, kind in _STARTS if head.startswith(start)), None)


def kind_of_file(path: Path) -> FileKind | None:
    """The kind of a file; None if unknown or unreadable."""
    try:
        with path.open("rb") as file:
            return kind_of(file.read(HEAD))
    except OSError:
        return None
