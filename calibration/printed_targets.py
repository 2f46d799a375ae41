"""PDF pages with the lens board and the table markers, as vector shapes with exact dimensions."""

from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import pydyf
from numpy.typing import NDArray

from calibration.lens.board import Board, board_pattern
from calibration.table.markers import CARD_MM, MARKER_MM, MARKERS, marker_pattern

_A4_MM: Final = (210.0, 297.0)
_RULER_MM: Final = 100.0
_POINTS_A_MM: Final = 72 / 25.4


def write_board(path: Path | BinaryIO, board: Board) -> None:
    """Write the board as a PDF of one page; OSError if it cannot be written."""
    width, height = board.paper_mm
    page = _Page()
    left, top = (width - board.size_mm[0]) / 2, (height + board.size_mm[1]) / 2
    page.pattern(board_pattern(board), left, top, board.size_mm[0] / board_pattern(board).shape[1])
    page.text(
        left,
        (height - top) / 3,
        8,
        "Houseway lens board. Print at 100 %, not 'fit to page'; glue it flat onto something stiff, without glare.",
    )
    _write(path, "Houseway: board for the lens", board.paper_mm, [page])


def write_markers(path: Path | BinaryIO) -> None:
    """Write the markers as a PDF, two cards to a page of A4; OSError if it cannot be written."""
    pages = []
    for first in range(0, MARKERS, 2):
        page = _Page()
        for number in range(first, min(first + 2, MARKERS)):
            _card(page, number, top=_A4_MM[1] - 25 - (number % 2) * (CARD_MM + 30))
        _ruler(page)
        pages.append(page)
    _write(path, "Houseway: markers for the table", _A4_MM, pages)


class _Page:
    """What is drawn on a page; all lengths are millimetres from its lower left corner."""

    def __init__(self) -> None:
        self.stream = pydyf.Stream()

    def pattern(self, black: NDArray[np.bool_], left: float, top: float, unit: float) -> None:
        """Fill the black of a pattern (rows, columns); `left` and `top` are its upper left corner."""
        self.stream.set_color_rgb(0, 0, 0)
        for first, last, start, end in _blocks(black):
            self._rectangle(left + start * unit, top - last * unit, (end - start) * unit, (last - first) * unit)
            self.stream.fill()

    def frame(self, left: float, bottom: float, side: float) -> None:
        self._rectangle(left, bottom, side, side)
        self.stream.stroke()

    def line(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.stream.move_to(*_points(*start))
        self.stream.line_to(*_points(*end))
        self.stream.stroke()

    def pen(self, grey: float) -> None:
        """Choose a grey, from 0 for black to 1 for white, for all thin lines that follow."""
        self.stream.set_color_rgb(grey, grey, grey, stroke=True)
        self.stream.set_line_width(0.3)

    def text(self, left: float, bottom: float, size: float, text: str) -> None:
        """Write a line of ASCII text, its size in points."""
        self.stream.set_color_rgb(0, 0, 0)
        self.stream.begin_text()
        self.stream.set_font_size("Font", size)
        self.stream.set_text_matrix(1, 0, 0, 1, *_points(left, bottom))
        self.stream.show_text_string(text)
        self.stream.end_text()

    def _rectangle(self, left: float, bottom: float, width: float, height: float) -> None:
        self.stream.rectangle(*_points(left, bottom, width, height))


def _points(*lengths_mm: float) -> list[float]:
    return [length * _POINTS_A_MM for length in lengths_mm]


def _write(path: Path | BinaryIO, title: str, paper_mm: tuple[float, float], pages: list[_Page]) -> None:
    # Neither date nor random id in the file: the same board is the same file.
    pdf = pydyf.PDF()
    pdf.info["Title"] = pydyf.String(title)
    font = pydyf.Dictionary({"Type": "/Font", "Subtype": "/Type1", "BaseFont": "/Helvetica"})
    pdf.add_object(font)
    for page in pages:
        pdf.add_object(page.stream)
        described = {
            "Type": "/Page",
            "Parent": pdf.pages.reference,
            "MediaBox": pydyf.Array([0, 0, *_points(*paper_mm)]),
            "Contents": page.stream.reference,
            "Resources": pydyf.Dictionary({"Font": pydyf.Dictionary({"Font": font.reference})}),
        }
        pdf.add_page(pydyf.Dictionary(described))
    made = BytesIO()
    pdf.write(made)
    if isinstance(path, Path):
        path.write_bytes(made.getvalue())
    else:
        path.write(made.getvalue())


def _blocks(black: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """The black parts as rectangles (first row, end row, first column, end column), without hairlines between rows."""
    changes = [0, *(np.flatnonzero((black[1:] != black[:-1]).any(axis=1)) + 1).tolist(), len(black)]
    blocks: list[tuple[int, int, int, int]] = []
    for first, last in pairwise(changes):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], black[first], [False]]).astype(np.int8))).tolist()
        blocks.extend((first, last, start, end) for start, end in zip(edges[::2], edges[1::2], strict=True))
    return blocks


def _card(page: _Page, number: int, top: float) -> None:
    """One marker on its card, with a cutting line and ticks at the middles of its sides for measuring."""
    left = (_A4_MM[0] - CARD_MM) / 2
    edge = (CARD_MM - MARKER_MM) / 2
    page.pattern(marker_pattern(number), left + edge, top - edge, MARKER_MM / 6)
    page.pen(0.6)
    page.frame(left, top - CARD_MM, CARD_MM)
    middle_x, middle_y, tick = left + CARD_MM / 2, top - CARD_MM / 2, 4.0
    for x, y, dx, dy in (
        (middle_x, top, 0, -tick),
        (middle_x, top - CARD_MM, 0, tick),
        (left, middle_y, tick, 0),
        (left + CARD_MM, middle_y, -tick, 0),
    ):
        page.line((x, y), (x + dx, y + dy))
    page.text(left, top - CARD_MM - 6, 9, f"Houseway marker {number}: {MARKER_MM:.0f} mm, card {CARD_MM:.0f} mm")
    page.text(left, top - CARD_MM - 11, 9, "Measure its place from the ticks: they point to the middle.")


def _ruler(page: _Page) -> None:
    """A line for checking the scale with a ruler."""
    left, y = (_A4_MM[0] - _RULER_MM) / 2, 30.0
    page.pen(0)
    page.line((left, y), (left + _RULER_MM, y))
    for x in (left, left + _RULER_MM):
        page.line((x, y - 2), (x, y + 2))
    page.text(left, y - 7, 9, f"This line is {_RULER_MM:.0f} mm long if printed at 100 %.")
