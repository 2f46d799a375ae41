"""A camera watched: faults hold results back at once, alarms wait until they last, and both are over by themselves."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from unittest.mock import patch

import numpy as np
import pytest

from service.table.monitor.camera_watch import LASTS_S, WELL_S, CameraWatch
from service.table.monitor.inspection import InspectionFault, Inspector
from service.words.codes import ServiceCode
from service.words.declared.all_codes import cause_of
from tests.calibration.watched import Watched, shot, watched_table
from vision.capture.images import Image
from vision.findings import Code, Finding

STEP_S = 0.2
DIM = InspectionFault(Finding.of(Code.DIM, brightness=40, limit=70))
SLEEVE = InspectionFault(Finding.of(Code.OBSTRUCTED, hidden=30, limit=25))


@pytest.fixture(scope="module")
def table() -> Watched:
    return watched_table()


@pytest.fixture
def watch(table: Watched) -> CameraWatch:
    return CameraWatch(Inspector.of(table.calibration, table.empty))


def told(watch: CameraWatch, faults: Sequence[tuple[InspectionFault, ...]]) -> list[tuple[bool, bool]]:
    """For each picture whether it is held back, and whether there is an alarm."""
    return [(bool(watch.update(each, STEP_S * n)), not watch.check.ok) for n, each in enumerate(faults)]


@pytest.mark.parametrize("fault", [DIM, SLEEVE], ids=["dim", "sleeve"])
def test_a_fault_holds_back_at_once_and_is_told_once_it_lasts(watch: CameraWatch, fault: InspectionFault) -> None:
    lasts = round(LASTS_S[fault.code] / STEP_S)
    seen = told(watch, [(), *[(fault,)] * (lasts + 2), *[()] * 12])
    assert [held for held, _ in seen].index(True) == 1
    assert [alarm for _, alarm in seen].index(True) == 1 + lasts
    # Held back for as long as the alarm stands, which is until all was well for a moment.
    over = lasts + 3 + round(WELL_S / STEP_S)
    assert seen[:over] == [(False, False), *[(True, False)] * lasts, *[(True, True)] * (over - lasts - 1)]
    assert seen[over:] == [(False, False)] * (12 - round(WELL_S / STEP_S))
    assert watch.check.findings == (Finding(ServiceCode.CAMERA_WELL),)


def test_a_passing_fault_only_holds_back_its_pictures(watch: CameraWatch) -> None:
    passing: list[tuple[InspectionFault, ...]] = [*[(SLEEVE,)] * 10, *[()] * 5]
    assert told(watch, passing * 3) == [*[(True, False)] * 10, *[(False, False)] * 5] * 3


def test_a_flicker_lasts_on_and_its_first_words_stay(watch: CameraWatch) -> None:
    flickering = [
        (InspectionFault(Finding.of(Code.DIM, brightness=n, limit=70)),) if n % 2 else () for n in range(1, 12)
    ]
    assert told(watch, flickering)[-1] == (True, True)
    assert watch.check.findings == (Finding.of(Code.DIM, brightness=1, limit=70),)


def test_another_fault_takes_the_place_of_one_that_is_over(watch: CameraWatch) -> None:
    told(watch, [(DIM,)] * 8 + [(SLEEVE,)] * 20)
    assert watch.check.findings == (SLEEVE.finding,)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("moved", "camera"),
        ("dark", "light"),
        ("covered", "covered"),
    ],
)
def test_pictures_of_a_table(table: Watched, watch: CameraWatch, change: str, word: str) -> None:
    clean = {"moved": table.seen_from(x=17.0), "dark": table.clean * 0.5, "covered": np.full_like(table.clean, 8)}[
        change
    ]
    assert watch.see(shot(table.clean, seed=2), 0.0) == ()
    for n in range(10):
        (fault,) = watch.see(shot(clean, seed=3 + n), 1 + STEP_S * n)
        assert cause_of(fault.code) == word
    assert (watch.check.ok, watch.check.findings) == (False, (fault.finding,))


def test_pictures_without_news_are_inspected_five_times_a_second(table: Watched, watch: CameraWatch) -> None:
    inspect = Inspector.inspect
    with patch.object(Inspector, "inspect", autospec=True, side_effect=inspect) as inspections:
        for n in range(30):
            assert watch.see(shot(table.clean, seed=n), n / 30 + 1e-6) == ()
    assert inspections.call_count == 5


@pytest.mark.parametrize("change", ["moved by 2 mm", "moved by 3 mm", "dark", "bright", "covered", "hidden", "glare"])
def test_a_fault_holds_back_its_first_picture_however_soon_after_an_inspection(
    table: Watched, watch: CameraWatch, change: str
) -> None:
    hidden, glare = table.clean.copy(), table.clean.copy()
    hidden[:, : hidden.shape[1] // 2] = 60
    left, top = table.clean.shape[1] // 2, table.clean.shape[0] // 2
    glare[top : top + 120, left : left + 120] = 255
    clean = {
        "moved by 2 mm": table.seen_from(x=14.5),
        "moved by 3 mm": table.seen_from(x=15.0),
        "dark": table.clean * 0.5,
        "bright": table.clean * 1.6,
        "covered": np.full_like(table.clean, 8),
        "hidden": hidden,
        "glare": glare,
    }[change]
    assert watch.see(shot(table.clean, seed=2), 0.0) == ()
    assert watch.see(shot(table.clean, seed=3), 0.01) == ()
    assert watch.see(shot(clean, seed=4), 0.02) != ()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda image: image[::-1, ::-1], ServiceCode.PICTURE_TURNED),
        (lambda image: image[:, ::-1], ServiceCode.PICTURE_MIRRORED),
    ],
    ids=["turned", "mirrored"],
)
def test_a_camera_that_is_set_to_turn_or_mirror_is_named_so(
    table: Watched, watch: CameraWatch, change: Callable[[Image], Image], code: ServiceCode
) -> None:
    for n in range(10):
        faults = watch.see(np.ascontiguousarray(change(shot(table.clean, seed=3 + n))), STEP_S * n)
        assert [fault.code for fault in faults] == [code]
    assert watch.check.findings == (Finding(code),)
    for n in range(10, 20):
        faults = watch.see(shot(table.clean, seed=3 + n), STEP_S * n)
    assert faults == ()
    assert watch.check.ok


@pytest.mark.parametrize("every_s", [1 / 30, 0.2, 0.6, 2.0, 10.0])
@pytest.mark.parametrize("code", LASTS_S)
def test_an_alarm_comes_and_goes_at_every_rate_of_pictures(watch: CameraWatch, code: StrEnum, every_s: float) -> None:
    pictures = math.ceil(max(LASTS_S[code], WELL_S) / every_s) + 2
    first = next(
        n
        for n in range(pictures)
        if not (watch.update((InspectionFault(Finding(code)),), every_s * n), watch.check.ok)[1]
    )
    assert LASTS_S[code] <= first * every_s + 1e-6 < LASTS_S[code] + every_s + 1e-6
    for n in range(pictures, 2 * pictures):
        watch.update((), every_s * n)
    assert watch.check.ok


@pytest.mark.parametrize("every_s", [0.6, 2.0, 10.0])
def test_faults_of_single_pictures_are_no_alarm(watch: CameraWatch, every_s: float) -> None:
    for n in range(18):
        watch.update((SLEEVE,) if n % 2 else (), every_s * n)
    assert watch.check.ok


def test_no_two_pictures_of_a_camera_are_the_same(table: Watched, watch: CameraWatch) -> None:
    same = shot(table.clean, seed=2)
    assert watch.see(same, 0.0) == ()
    for n in range(1, 12):
        (fault,) = watch.see(same, STEP_S * n)
        assert cause_of(fault.code) == "frozen"
    assert not watch.check.ok
    recorded = CameraWatch(watch.inspector, live=False)
    assert [recorded.see(same, STEP_S * n) for n in range(3)] == [(), (), ()]


@pytest.mark.parametrize("live", [True, False])
def test_a_camera_that_cannot_be_told_to_stand_verifies_nothing(table: Watched, *, live: bool) -> None:
    blind = CameraWatch(Inspector.of(replace(table.calibration, markers=()), None), live=live)
    assert blind.check.findings == (Finding(ServiceCode.NOT_WATCHED if live else ServiceCode.CAMERA_RECORDED),)
    assert blind.check.ok is not live
    assert bool(blind.see(shot(table.clean), 0.0)) is live
