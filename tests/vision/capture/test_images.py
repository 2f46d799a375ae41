import io
import re
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import PIL.Image
import PIL.ImageOps
import PIL.TiffImagePlugin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.capture.images import ImageError, decode_image, load_image, refuse_by_header

# Soft slopes of colour: every format, also the lossy ones, must give these colours back.
_Y, _X = np.mgrid[0:64, 0:96]
BGR = np.dstack([20 + 2 * _X, 230 - 3 * _Y, 40 + _X + _Y]).astype(np.uint8)
RGB = PIL.Image.fromarray(np.ascontiguousarray(BGR[..., ::-1]))
GREY = np.asarray(RGB.convert("L"))


def saved(picture: PIL.Image.Image, form: str, **options: Any) -> bytes:  # noqa: ANN401 - Pillow's own
    buffer = io.BytesIO()
    picture.save(buffer, form, **options)
    return buffer.getvalue()


def encoded(suffix: str, pixels: np.ndarray[Any, Any]) -> bytes:
    done, data = cv2.imencode(suffix, pixels)
    assert done
    return bytes(data.tobytes())


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds nothing."""

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


def close_to(image: np.ndarray[Any, Any], expected: np.ndarray[Any, Any], mean: float) -> bool:
    assert (image.dtype, image.shape) == (np.uint8, expected.shape)
    return float(np.abs(image.astype(int) - expected.astype(int)).mean()) <= mean


@pytest.mark.parametrize(
    ("data", "mean"),
    [
        pytest.param(saved(RGB, "PNG"), 0, id="png"),
        pytest.param(saved(RGB, "JPEG", quality=95), 2, id="jpeg"),
        pytest.param(saved(RGB, "JPEG", quality=95, progressive=True), 2, id="progressive"),
        pytest.param(saved(RGB.convert("CMYK"), "JPEG", quality=95), 2, id="cmyk-jpeg"),
        pytest.param(saved(RGB.convert("CMYK"), "TIFF"), 1, id="cmyk-tiff"),
        pytest.param(saved(RGB.convert("RGBA"), "PNG"), 0, id="opaque-alpha"),
        pytest.param(saved(RGB.convert("P", palette=PIL.Image.Palette.ADAPTIVE), "PNG"), 8, id="palette"),
        pytest.param(saved(RGB, "BMP"), 0, id="bmp"),
        pytest.param(saved(RGB, "WEBP", lossless=True), 0, id="webp"),
        pytest.param(saved(RGB, "AVIF", quality=95), 3, id="avif"),
        pytest.param(encoded(".png", BGR.astype(np.uint16) * 257), 0, id="16-bit-png"),
        pytest.param(encoded(".tif", BGR.astype(np.uint16) * 257), 0, id="16-bit-tiff"),
    ],
)
def test_every_form_gives_the_same_colours(data: bytes, mean: float) -> None:
    assert close_to(decode_image(data, "a"), BGR, mean)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved(RGB.convert("L"), "PNG"), id="8-bit"),
        pytest.param(encoded(".png", GREY.astype(np.uint16) * 257), id="16-bit-png"),
        pytest.param(encoded(".tif", GREY.astype(np.uint16) * 257), id="16-bit-tiff"),
        pytest.param(saved(RGB.convert("LA"), "PNG"), id="with-alpha"),
    ],
)
def test_grey_becomes_three_equal_channels(data: bytes) -> None:
    assert close_to(decode_image(data, "a"), np.dstack([GREY] * 3), 1)


def test_what_is_transparent_shows_white_paper() -> None:
    clear = RGB.copy()
    clear.putalpha(0)
    assert (decode_image(saved(clear, "PNG"), "a") == 255).all()


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_its_exif_says(form: str, orientation: int) -> None:
    exif = PIL.Image.Exif()
    exif[0x0112] = orientation
    upright = PIL.ImageOps.exif_transpose(PIL.Image.open(io.BytesIO(saved(RGB, "PNG", exif=exif))))
    image = decode_image(saved(RGB, form, quality=95, exif=exif), "a")
    assert close_to(image, np.asarray(upright.convert("RGB"))[..., ::-1], 2)


def test_exif_turns_a_picture_the_way_it_was_held() -> None:
    exif = PIL.Image.Exif()
    exif[0x0112] = 6
    image = decode_image(saved(RGB, "JPEG", quality=95, exif=exif), "a")
    assert close_to(image, np.ascontiguousarray(np.rot90(BGR, 3)), 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", "empty", id="zero-bytes"),
        pytest.param(b"GIF89a", "a GIF picture that cannot be read", id="a-header-alone"),
        pytest.param(
            b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99 99\n", "not a picture", id="postscript-never-runs"
        ),
        pytest.param(b"tile,face\n1,6-5\n", "not a picture", id="text"),
        pytest.param(png_header(1, 1), "too small", id="1x1"),
        pytest.param(png_header(31, 500), "too small", id="31-wide"),
        pytest.param(png_header(20_000, 20_000), "more than 100 megapixels", id="20000x20000"),
        pytest.param(png_header(10_001, 10_000), "more than 100 megapixels", id="just-over-100-megapixels"),
        pytest.param(png_header(40_000, 100), "no side may exceed", id="too-long"),
        pytest.param(png_header(64, 64), "cut off or damaged", id="no-pixels"),
        pytest.param(encoded(".tif", GREY.astype(np.float32)), "floating-point", id="float-tiff"),
        pytest.param(saved(PIL.Image.fromarray(GREY.astype(np.int32) * 9999), "TIFF"), "16 bits a pixel", id="32-bit"),
    ],
)
def test_what_cannot_be_read_is_refused_with_advice(data: bytes, message: str) -> None:
    with pytest.raises(ImageError, match=message) as refusal:
        decode_image(data, "picture.jpg")
    assert str(refusal.value).startswith("picture.jpg: ")


def boxed(brand: bytes, *compatible: bytes) -> bytes:
    """The head of a file of the MP4 family."""
    head = b"ftyp" + brand + bytes(4) + b"".join(compatible)
    return struct.pack(">I", 4 + len(head)) + head + bytes(200)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(boxed(b"heic", b"mif1", b"heic"), "is a HEIC picture.*Save it as JPEG", id="heic"),
        pytest.param(boxed(b"mif1", b"mif1", b"heic"), "is a HEIC picture", id="heic-by-another-brand"),
        pytest.param(boxed(b"crx "), "is a raw picture", id="canon-raw"),
        pytest.param(b"II*\0\x10\0\0\0CR\2\0" + bytes(200), "is a raw picture", id="older-canon-raw"),
        pytest.param(b"FUJIFILMCCD-RAW 0201", "is a raw picture", id="fuji-raw"),
        pytest.param(boxed(b"isom", b"avc1"), "is a video", id="mp4"),
        pytest.param((b"G" + bytes(187)) * 4, "is a video", id="transport-stream"),
        pytest.param(b"\0\0\0\x0cJXL \r\n", "is a JPEG XL picture", id="jpeg-xl"),
        pytest.param(b"%PDF-1.7\n", "is a PDF document", id="pdf"),
        pytest.param(b"PK\x03\x04" + bytes(40), "not a picture.*a ZIP archive", id="zip"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(40), "is a PNG picture that cannot be read", id="broken-png"),
        pytest.param(boxed(b"avif", b"avif", b"mif1"), "is an AVIF picture that cannot be read", id="broken-avif"),
    ],
)
def test_a_file_is_named_by_what_it_is(data: bytes, says: str) -> None:
    with pytest.raises(ImageError, match=says):
        decode_image(data, "table.jpg")


def test_the_preview_in_a_raw_file_is_not_read_for_the_picture() -> None:
    tags = PIL.TiffImagePlugin.ImageFileDirectory_v2()
    tags[254] = 1
    with pytest.raises(ImageError, match="preview"):
        decode_image(saved(RGB, "TIFF", tiffinfo=tags), "table.dng")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved(RGB, "AVIF"), id="avif"),
        pytest.param(saved(RGB, "JPEG", quality=95), id="jpeg"),
        pytest.param(saved(RGB, "JPEG", quality=95, progressive=True), id="progressive"),
        pytest.param(saved(RGB, "PNG"), id="png"),
        pytest.param(saved(RGB, "BMP"), id="bmp"),
        pytest.param(saved(RGB, "TIFF"), id="tiff"),
        pytest.param(saved(RGB, "WEBP"), id="webp"),
    ],
)
def test_a_picture_cut_off_anywhere_is_refused(data: bytes) -> None:
    # The last 24 bytes of a PNG are its checksum and trailer; without them every pixel is still there.
    for kept in range(1, len(data) - 24, 37):
        with pytest.raises(ImageError):
            decode_image(data[:kept], "a")


# Detail in every block, as a camera's noise gives it: omitted data is then noticed.
NOISY = PIL.Image.fromarray(np.random.default_rng(7).integers(0, 256, (256, 384, 3), np.uint8))
JPEGS = {
    "baseline": saved(NOISY, "JPEG", quality=80),
    "progressive": saved(NOISY, "JPEG", quality=80, progressive=True),
    "with-restarts": saved(NOISY, "JPEG", quality=80, restart_marker_rows=2),
    "grey": saved(NOISY.convert("L"), "JPEG", quality=80),
    "cmyk": saved(NOISY.convert("CMYK"), "JPEG", quality=80),
}


@pytest.mark.parametrize("kind", JPEGS)
@pytest.mark.parametrize(
    "mend",
    [
        pytest.param(lambda kept, _: kept + b"\xff\xd9", id="ended"),
        pytest.param(lambda kept, missing: kept + bytes(missing - 2) + b"\xff\xd9", id="zeros-and-ended"),
        pytest.param(lambda kept, missing: kept + bytes(missing), id="zeros"),
    ],
)
def test_a_jpeg_that_lost_its_end_is_refused(kind: str, mend: Callable[[bytes, int], bytes]) -> None:
    whole = JPEGS[kind]
    assert decode_image(whole, "a").shape == (256, 384, 3)
    for share in np.linspace(0.1, 0.98, 23):
        kept = whole[: int(share * len(whole))]
        with pytest.raises(ImageError, match="cut off or damaged"):
            decode_image(mend(kept, len(whole) - len(kept)), "a")


@pytest.mark.parametrize("kind", ["baseline", "grey"])
def test_a_jpeg_with_other_bytes_in_its_midst_is_refused(kind: str) -> None:
    whole, noise = JPEGS[kind], np.random.default_rng(11)
    for share in np.linspace(0.2, 0.9, 12):
        at = int(share * len(whole))
        for other in (b"", bytes(2000), noise.bytes(2000)):
            with pytest.raises(ImageError, match="cut off or damaged"):
                decode_image(whole[:at] + other + whole[at + 2000 :], "a")


def test_a_progressive_jpeg_without_its_last_scans_is_refused() -> None:
    whole = JPEGS["progressive"]
    scans = [found.start() for found in re.finditer(rb"\xff\xda", whole)]
    assert len(scans) > 5
    for scan in scans[1:]:
        with pytest.raises(ImageError, match="before its last scan"):
            decode_image(whole[:scan] + b"\xff\xd9", "a")


def test_a_few_bytes_before_the_end_of_a_jpeg_do_no_harm() -> None:
    whole = JPEGS["baseline"]
    image = decode_image(whole, "a")
    assert (decode_image(whole[:-2] + bytes(5) + b"\xff\xd9", "a") == image).all()
    assert (decode_image(whole + b"and after it", "a") == image).all()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_damage_never_gets_past_as_another_error(data: st.DataObject) -> None:
    whole = bytearray(data.draw(st.sampled_from([saved(RGB, form) for form in ("JPEG", "PNG", "TIFF", "BMP", "GIF")])))
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    try:
        image = decode_image(bytes(whole), "a")
    except ImageError:
        return
    assert image.dtype == np.uint8
    assert image.shape[2] == 3


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"gone\.jpg: cannot be read"):
        load_image(tmp_path / "gone.jpg")
    with pytest.raises(ImageError, match="cannot be read"):
        load_image(tmp_path)


LARGE = RGB.resize((400, 300))
EXIF = b"\xff\xe1\x00\x44Exif\0\0" + bytes(60)


def with_segments(count: int, segment: bytes = EXIF) -> bytes:
    whole = saved(LARGE, "JPEG")
    return whole[:2] + count * segment + whole[2:]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved(LARGE, "JPEG"), id="jpeg"),
        pytest.param(saved(LARGE, "JPEG", progressive=True), id="progressive-jpeg"),
        pytest.param(saved(LARGE.convert("CMYK"), "JPEG"), id="cmyk-jpeg"),
        pytest.param(saved(LARGE, "JPEG", exif=b"Exif\0\0" + bytes(60_000), icc_profile=bytes(500_000)), id="metadata"),
        pytest.param(with_segments(900), id="many-segments"),
        pytest.param(with_segments(1, b"\xff\xff" + EXIF + b"\xff\x00\xff\x01\x00"), id="bytes-between"),
        pytest.param(saved(LARGE, "PNG"), id="png"),
        pytest.param(png_header(400, 300), id="png-without-pixels"),
    ],
)
def test_a_large_picture_is_refused_by_its_header(data: bytes) -> None:
    refuse_by_header(data, "a", 120_000)
    with pytest.raises(ImageError, match=r"a: is 4\d+ x 3\d+ pixels and has more than 0.1 megapixels"):
        refuse_by_header(data, "a", 100_000)


@pytest.mark.parametrize(
    "data",
    [
        # Pillow takes many minutes for this one: it joins the segments.
        pytest.param(with_segments(500_000), id="segments-without-end"),
        pytest.param(with_segments(1, bytes(10_000_000)), id="zeros-without-end"),
        pytest.param(with_segments(1, b"\xff" * 10_000_000), id="fill-without-end"),
        pytest.param(with_segments(1, b"\xff\xe1\0\0"), id="no-length"),
        pytest.param(saved(LARGE, "JPEG")[:3], id="start-of-a-jpeg"),
        pytest.param(saved(LARGE, "JPEG")[:30], id="jpeg-cut-off"),
        pytest.param(b"\xff\xd8\xff\xd9", id="empty-jpeg"),
        pytest.param(saved(LARGE, "PNG")[:20], id="png-cut-off"),
        pytest.param(saved(LARGE, "GIF"), id="gif"),
        pytest.param(saved(LARGE, "TIFF"), id="tiff"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_takes_more_than_a_few_bytes_to_know_is_left_to_the_limited_process(data: bytes) -> None:
    refuse_by_header(data, "a", 100_000)


@pytest.mark.parametrize("where", ["before its size", "after it"])
def test_no_library_sees_a_jpeg_with_more_metadata_than_any_program_writes(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = saved(LARGE, "JPEG")
    at = 2 if where == "before its size" else whole.index(b"\xff\xc0")
    if where == "after it":
        at += 2 + int.from_bytes(whole[at + 2 : at + 4])
    monkeypatch.setattr(PIL.Image, "open", lambda *_, **__: pytest.fail("Pillow joins the segments"))
    with pytest.raises(ImageError, match="a: is cut off or damaged"):
        decode_image(whole[:at] + 500_000 * EXIF + whole[at:], "a")


@given(st.binary(max_size=200))
def test_no_header_raises_another_error(data: bytes) -> None:
    for start in (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"):
        with suppress(ImageError):
            refuse_by_header(start + data, "a", 100_000)
