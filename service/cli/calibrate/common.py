"""What the calibration commands share: their source of pictures, numbers as typed, errors in one line."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from service.cli.common import named_as, plain_errors, refuse
from vision.addresses import shown_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibration.table.zones import Layout
    from vision.capture import Frame
    from vision.capture.images import Image

Paper = Literal["a3", "a4"]


@contextmanager
def refuse_errors() -> Iterator[None]:
    """Leave with one line and status 2 on an expected error, instead of a traceback."""
    from calibration.files.calibration_file import CalibrationError
    from vision.capture import SourceError

    try:
        with plain_errors(CalibrationError, SourceError):
            yield
    except OSError as error:
        refuse(f"{error.filename}: {error.strerror}. Check the folder and its permissions")


def pictures_of(source: str, count: int | None = None) -> Iterator[tuple[Frame, bool]]:
    """Pictures of a source, and whether it is a camera or a video; bad pictures are named on standard error.

    Leaves with status 2 if there is not one good picture.
    """
    from service.words.findings import words_of
    from vision.capture import BadFrame
    from vision.capture.sources import StillSource, open_source

    opened = open_source(source)
    given = 0
    fault = "contains no picture"
    try:
        for seen in opened:
            if isinstance(seen, BadFrame):
                fault = str(words_of(seen.finding))
                typer.echo(f"{seen.name}: {fault}", err=True)
                continue
            given += 1
            yield seen, not isinstance(opened, StillSource)
            if given == count:
                break
    finally:
        opened.close()
    if not given:
        refuse(f"{shown_address(source)}: {fault}")


def typed_numbers(option: str, text: str, counts: tuple[int, ...]) -> tuple[float, ...]:
    """Numbers typed with commas between them; leaves with status 2 if they are not."""
    try:
        numbers = tuple(float(each) for each in text.split(","))
    except ValueError:
        refuse(f"{option} {text}: expected numbers with commas between them")
    if len(numbers) not in counts or not all(abs(each) < 1e6 for each in numbers):
        refuse(f"{option} {text}: expected {' or '.join(map(str, counts))} numbers, in millimetres")
    return numbers


def preset_named(
    name: str,
    table_mm: tuple[float, ...] | None = None,
    shape: Literal["straight", "arc"] = "arc",
    *,
    box1_at_right: bool = True,
) -> Layout:
    """A preset layout by name; leaves with status 2 if there is none, or the table has no size."""
    from calibration.table.presets import PRESETS, preset_layout
    from calibration.table.sizes import TABLE_MM

    if name not in PRESETS:
        refuse(f"--preset {name}: unknown preset; choose one of {', '.join(PRESETS)}")
    wide, deep = table_mm or TABLE_MM
    if min(wide, deep) <= 0:
        refuse(f"--table {wide:g},{deep:g}: expected width and depth above zero")
    return preset_layout(name, table_mm=(wide, deep), shape=shape, box1_at_right=box1_at_right)


def write_picture(path: Path, image: Image) -> None:
    """Write a JPEG or PNG; leaves with status 2 if the name is neither's."""
    import cv2

    named_as(path, ".jpg", ".jpeg", ".png")
    _, encoded = cv2.imencode(path.suffix.lower(), image)
    path.write_bytes(encoded.tobytes())
