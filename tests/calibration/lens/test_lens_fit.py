"""Rendered views of the board give the lens back; bad ones give no lens."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.codes import CalibrationCode
from calibration.files.calibration_file import CalibrationError
from calibration.finding import NotSolved
from calibration.lens.board import BOARDS, BoardView, board_pattern, find_board
from calibration.lens.lens_fit import LensFit, load_lens, save_lens, solve_lens
from calibration.lens.view_coverage import coverage, is_new, is_still
from tests.calibration.held import Board3
from tests.calibration.views import LENS, SIZE


@pytest.fixture(scope="module")
def fit(held: Board3) -> LensFit:
    solved = solve_lens(held.views)
    assert isinstance(solved, LensFit), solved
    return solved


def test_the_lens_is_found_again(fit: LensFit) -> None:
    assert fit.rms_px < 0.15
    assert fit.hold_out_px < 0.15
    assert fit.good
    assert fit.size == SIZE
    x, y = np.meshgrid(np.linspace(0, SIZE[0] - 1, 9), np.linspace(0, SIZE[1] - 1, 7))
    pixels = np.column_stack([x.ravel(), y.ravel()])
    # Where the same rays fall through the lens found, to within what a board can tell: middle and pose trade places.
    off = fit.lens.image_from_rays(LENS.rays_from_image(pixels)) - pixels
    assert np.linalg.norm(off - off.mean(axis=0), axis=1).max() < 0.8
    assert np.linalg.norm(off.mean(axis=0)) < 0.8
    assert fit.lens.matrix[0, 0] == pytest.approx(LENS.matrix[0, 0], rel=3e-3)


def test_corners_are_where_the_camera_puts_them(held: Board3) -> None:
    """Every corner is seen to within a third of a pixel of where the fit of all puts it."""
    fit = solve_lens(held.views)
    assert fit
    assert max(error for _, error in fit.per_view_px) < 0.33


def test_too_few_views_or_views_of_one_kind_give_no_lens(held: Board3) -> None:
    few = solve_lens(held.views[:5])
    assert isinstance(few, NotSolved)
    assert not few
    assert "lower left" in str(few.reason)
    assert not solve_lens([])
    flat = [view for index, view in enumerate(held.views) if index % 5 == 4]
    one_kind = solve_lens([held.views[4]] * 10 + flat)
    assert isinstance(one_kind, NotSolved)


def test_an_error_above_a_pixel_names_the_worst_view(held: Board3) -> None:
    rng = np.random.default_rng(3)
    bent = [replace(v, points_px=v.points_px + rng.normal(0, 1.2, v.points_px.shape)) for v in held.views]
    bent[6] = replace(bent[6], points_px=bent[6].points_px + rng.normal(0, 6, bent[6].points_px.shape))
    refused = solve_lens(bent)
    assert isinstance(refused, NotSolved)
    assert dict(refused.reason.params)["limit"] == "1.0"
    assert dict(refused.reason.params)["worst"] == "view06.png"


def test_pictures_of_two_sizes_are_refused(held: Board3) -> None:
    other = replace(held.views[0], size=(640, 480))
    refused = solve_lens([*held.views, other])
    assert isinstance(refused, NotSolved)
    assert "640 x 480" in str(refused.reason)


def test_advice_leads_to_enough(held: Board3) -> None:
    taken: list[BoardView] = []
    advice = []
    for view in held.views:
        taken.append(view)
        advice.append(coverage(taken).advice)
    assert advice[0].code is CalibrationCode.HOLD_BOARD_IN
    assert advice[-1].code is CalibrationCode.VIEWS_ENOUGH
    assert coverage(taken).enough
    assert coverage([]).missing[0] == "upper left"


def test_leaning_is_distinguished_from_facing(held: Board3) -> None:
    facing = coverage([view for index, view in enumerate(held.views) if index % 5 == 4])
    leaning = coverage([view for index, view in enumerate(held.views) if index % 5 != 4])
    assert facing.sideways + facing.forward == 0
    assert leaning.forward >= 3
    assert leaning.sideways >= 3


def test_a_board_held_still_is_one_view(held: Board3) -> None:
    first, second = held.views[:2]
    again = replace(first, points_px=first.points_px + 0.3)
    assert is_still(again, first)
    assert not is_new(again, [first])
    assert is_new(second, [first])
    assert not is_still(second, first)


def test_a_picture_without_a_board_has_none() -> None:
    grey = np.full((400, 600), 120, np.uint8)
    assert isinstance(find_board(grey, BOARDS["a4"], "empty.png"), NotSolved)
    assert "empty.png" in str(find_board(grey, BOARDS["a4"], "empty.png"))


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_board_as_drawn_is_found_to_the_millimetre(paper: str) -> None:
    board = BOARDS[paper]
    unit_px = 4
    pixels = np.where(np.kron(board_pattern(board), np.ones((unit_px, unit_px))), 0, 255).astype(np.uint8)
    view = find_board(np.pad(pixels, 40, constant_values=255), board)
    assert isinstance(view, BoardView)
    assert len(view.points_px) == (board.columns - 1) * (board.rows - 1)
    expected = view.points_mm / (board.square_mm / 20) * unit_px + 40 - 0.5
    assert np.abs(view.points_px - expected).max() < 0.6


def test_a_lens_file_reads_back_and_keeps_the_one_before(tmp_path: Path, fit: LensFit) -> None:
    path = tmp_path / "lens.json"
    seal = save_lens(path, fit)
    again = load_lens(path)
    assert again.seal == seal
    assert np.array_equal(again.lens.matrix, fit.lens.matrix)
    assert (again.rms_px, again.hold_out_px, again.per_view_px) == (fit.rms_px, fit.hold_out_px, fit.per_view_px)
    first = path.read_bytes()
    save_lens(path, replace(fit, rms_px=0.3))
    kept = list((tmp_path / "history").iterdir())
    assert [each.read_bytes() for each in kept] == [first]
    assert load_lens(path).rms_px == 0.3


def test_a_lens_file_changed_by_hand_or_too_bad_is_refused(tmp_path: Path, fit: LensFit) -> None:
    path = tmp_path / "lens.json"
    save_lens(path, fit)
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"rms_px": 0.01}))
    with pytest.raises(CalibrationError, match="changed by hand"):
        load_lens(path)
    save_lens(path, replace(fit, hold_out_px=1.7))
    with pytest.raises(CalibrationError, match=r"above 1\.0"):
        load_lens(path)
