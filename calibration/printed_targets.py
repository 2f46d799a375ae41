"""PDF pages with the lens board and the table markers, as vector shapes with exact dimensions."""

from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas

from calibration.lens.board import Board, board_pattern
from calibration.table.markers import CARD_MM, MARKER_MM, MARKERS, marker_pattern

_A4_MM: Final = (210.0, 297.0)
_RULER_MM: Final = 100.0


def write_board(path: Path | BinaryIO, board: Board) -> None:
    """Write the board as a PDF of one page; OSError if it cannot be written."""
    width, height = board.paper_mm
    page = _page(path, board.paper_mm, "Houseway: board for the lens")
    left, top = (width - board.size_mm[0]) / 2, (height + board.size_mm[1]) / 2
    _draw(page, board_pattern(board), left, top, board.size_mm[0] / board_pattern(board).shape[1])
    page.setFont("Helvetica", 8)
    page.drawString(
        left * mm,
        (height - top) / 3 * mm,
        "Houseway lens board. Print at 100 %, not 'fit to page'; glue it flat onto something stiff, without glare.",
    )
    page.save()


def write_markers(path: Path | BinaryIO) -> None:
    """Write the markers as a PDF, two cards to a page of A4; OSError if it cannot be written."""
    page = _page(path, _A4_MM, "Houseway: markers for the table")
    for number in range(MARKERS):
        _card(page, number, top=_A4_MM[1] - 25 - (number % 2) * (CARD_MM + 30))
        if number % 2 or number == MARKERS - 1:
            _ruler(page)
            page.showPage()
    page.save()


def _page(path: Path | BinaryIO, paper_mm: tuple[float, float], title: str) -> Canvas:
    # No date or random id in the file, so that the same board gives the same file.
    page = Canvas(
        str(path) if isinstance(path, Path) else path,
        pagesize=(paper_mm[0] * mm, paper_mm[1] * mm),
        invariant=1,
        pageCompression=0,
    )
    page.setTitle(title)
    return page


def _draw(page: Canvas, black: NDArray[np.bool_], left: float, top: float, unit: float) -> None:
    """Draw a pattern (rows, columns) from its upper left corner; ``top`` is from below, lengths in millimetres."""
    page.setFillGray(0)
    for first, last, start, end in _blocks(black):
        x, y = left + start * unit, top - last * unit
        page.rect(x * mm, y * mm, (end - start) * unit * mm, (last - first) * unit * mm, stroke=0, fill=1)


def _blocks(black: NDArray[np.bool_]) -> list[tuple[int, int, int, int]]:
    """The black parts as rectangles (first row, end row, first column, end column), without hairlines between rows."""
    changes = [0, *(np.flatnonzero((black[1:] != black[:-1]).any(axis=1)) + 1).tolist(), len(black)]
    blocks: list[tuple[int, int, int, int]] = []
    for first, last in pairwise(changes):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], black[first], [False]]).astype(np.int8))).tolist()
        blocks.extend((first, last, start, end) for start, end in zip(edges[::2], edges[1::2], strict=True))
    return blocks


def _card(page: Canvas, number: int, top: float) -> None:
    """One marker on its card, with a cutting line and ticks at the middles of its sides for measuring."""
    left = (_A4_MM[0] - CARD_MM) / 2
    edge = (CARD_MM - MARKER_MM) / 2
    _draw(page, marker_pattern(number), left + edge, top - edge, MARKER_MM / 6)
    page.setStrokeGray(0.6)
    page.setLineWidth(0.3)
    page.rect(left * mm, (top - CARD_MM) * mm, CARD_MM * mm, CARD_MM * mm, stroke=1, fill=0)
    middle_x, middle_y, tick = left + CARD_MM / 2, top - CARD_MM / 2, 4.0
    for x, y, dx, dy in (
        (middle_x, top, 0, -tick),
        (middle_x, top - CARD_MM, 0, tick),
        (left, middle_y, tick, 0),
        (left + CARD_MM, middle_y, -tick, 0),
    ):
        page.line(x * mm, y * mm, (x + dx) * mm, (y + dy) * mm)
    page.setFillGray(0)
    page.setFont("Helvetica", 9)
    page.drawString(
        left * mm, (top - CARD_MM - 6) * mm, f"Houseway marker {number}: {MARKER_MM:.0f} mm, card {CARD_MM:.0f} mm"
    )
    page.drawString(left * mm, (top - CARD_MM - 11) * mm, "Measure its place from the ticks: they point to the middle.")


def _ruler(page: Canvas) -> None:
    """A line for checking the scale with a ruler."""
    left, y = (_A4_MM[0] - _RULER_MM) / 2, 30.0
    page.setStrokeGray(0)
    page.setLineWidth(0.3)
    page.line(left * mm, y * mm, (left + _RULER_MM) * mm, y * mm)
    for x in (left, left + _RULER_MM):
        page.line(x * mm, (y - 2) * mm, x * mm, (y + 2) * mm)
    page.drawString(left * mm, (y - 7) * mm, f"This line is {_RULER_MM:.0f} mm long if printed at 100 %.")
