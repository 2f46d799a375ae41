"""The PDFs hold what is found again, where it should be: their rectangles are drawn and looked at."""

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.lens.board import BOARDS, BoardView, find_board
from calibration.printed_targets import write_board, write_markers
from calibration.table.markers import CARD_MM, MARKER_MM, MARKERS, find_markers

POINTS_A_MM = 72 / 25.4
PX_A_MM = 4


def drawn_pages(path: Path) -> list[NDArray[np.uint8]]:
    """Every page with its filled rectangles, as a printer lays them down; four pixels a millimetre."""
    text = path.read_bytes().decode("latin-1")
    (size,) = set(re.findall(r"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", text))
    width, height = (float(each) / POINTS_A_MM for each in size)
    pages = []
    for stream in re.findall(r"stream\r?\n(.*?)endstream", text, re.DOTALL):
        page = np.full((round(height * PX_A_MM), round(width * PX_A_MM)), 255, np.uint8)
        for found in re.findall(r"(?<!\S)(\S+) (\S+) (\S+) (\S+) re\sf", stream):
            x, y, wide, deep = (float(each) / POINTS_A_MM * PX_A_MM for each in found)
            top, bottom = page.shape[0] - (y + deep), page.shape[0] - y
            page[round(top) : round(bottom), round(x) : round(x + wide)] = 0
        pages.append(page)
    return pages


@pytest.mark.parametrize("paper", BOARDS)
def test_the_printed_board_is_found_whole_and_true_to_scale(tmp_path: Path, paper: str) -> None:
    board = BOARDS[paper]
    write_board(tmp_path / "board.pdf", board)
    (page,) = drawn_pages(tmp_path / "board.pdf")
    assert page.shape == pytest.approx((board.paper_mm[1] * PX_A_MM, board.paper_mm[0] * PX_A_MM), abs=1)
    view = find_board(page, board)
    assert isinstance(view, BoardView)
    assert len(view.points_px) == (board.columns - 1) * (board.rows - 1)
    margin = (np.array(board.paper_mm) - board.size_mm) / 2
    assert margin.min() >= 8, "printers leave a margin"
    assert np.abs((view.points_px + 0.5) / PX_A_MM - margin - view.points_mm).max() < 0.3


def test_the_printed_markers_are_found_true_to_scale(tmp_path: Path) -> None:
    write_markers(tmp_path / "markers.pdf")
    found = [find_markers(page) for page in drawn_pages(tmp_path / "markers.pdf")]
    assert [sorted(each) for each in found] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert sum(map(len, found)) == MARKERS
    for corners in (corners for each in found for corners in each.values()):
        sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1) / PX_A_MM
        assert sides == pytest.approx([MARKER_MM] * 4, abs=0.6)
    assert CARD_MM > MARKER_MM


def test_the_same_target_is_the_same_file(tmp_path: Path) -> None:
    for name in ("one.pdf", "two.pdf"):
        write_markers(tmp_path / name)
    assert (tmp_path / "one.pdf").read_bytes() == (tmp_path / "two.pdf").read_bytes()
