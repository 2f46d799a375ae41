"""Markers count once they lie still; one that is moved, covered or doubled says nothing, never something else."""

from dataclasses import replace

import pytest

from calibration.table.places import BOX_PLACES
from engine.vocabulary.facts import Bank
from tests.vision.tracking.laid_tables import reading
from vision.findings import Code, Finding
from vision.markers.marker_kinds import MarkerKind
from vision.reading import MarkerReading
from vision.tracking import TableWatch
from vision.tracking.marker_watch import MarkersSeen, MarkerWatch

STEP_S = 0.2
CHUNG, HOUSE, CO, OFF, PLUS = (
    MarkerKind.CHUNG,
    MarkerKind.CHUNG_HOUSE,
    MarkerKind.CHUNG_CO_BANK,
    MarkerKind.OFF_BUTTON,
    MarkerKind.PLUS_MINUS,
)


def lying(kind: MarkerKind, box: int | None, off_mm: float = 0.0, value: int | None = None) -> MarkerReading:
    place = None if box is None else BOX_PLACES[box - 1]
    at = (200.0 * (box or 0) + off_mm, 400.0)
    return MarkerReading(kind, value, at, at, (at, at, at), 50.0, 0.95, "verified", (), place)


def doubtful(marker: MarkerReading) -> MarkerReading:
    return replace(marker, status="uncertain", doubts=(Finding(Code.MARKER_PARTLY_HIDDEN),))


class Follow:
    def __init__(self) -> None:
        self.watch, self.t_s = MarkerWatch(), 0.0

    def see(self, *markers: MarkerReading, times: int = 1, trusted: bool = True) -> MarkersSeen:
        for _ in range(times):
            self.t_s += STEP_S
            seen = self.watch.update(markers, self.t_s, trusted=trusted)
        assert seen is not None
        return seen


def test_a_chung_counts_once_it_lay_still_in_three_pictures() -> None:
    follow = Follow()
    assert [follow.see(lying(CHUNG, 3)).banker for _ in range(4)] == [None, None, BOX_PLACES[2], BOX_PLACES[2]]


@pytest.mark.parametrize(("kind", "held"), [(CHUNG, None), (HOUSE, Bank.HOUSE), (CO, Bank.CO_BANK)])
def test_how_the_bank_is_held_only_the_chungs_face_says(kind: MarkerKind, held: Bank | None) -> None:
    seen = Follow().see(lying(kind, 1), times=3)
    assert (seen.banker, seen.held) == (BOX_PLACES[0], held)


@pytest.mark.parametrize(
    "then",
    [
        (),
        (lying(CHUNG, 3, 30.0),),
        (lying(CHUNG, 4),),
        (doubtful(lying(CHUNG, 3)),),
        (lying(CHUNG, 3), doubtful(lying(CHUNG, 6))),
        (lying(CHUNG, 3), lying(CO, 6)),
        (lying(CHUNG, None),),
    ],
)
def test_moved_covered_or_doubled_the_banker_is_not_known(then: tuple[MarkerReading, ...]) -> None:
    follow = Follow()
    assert follow.see(lying(CHUNG, 3), times=5).banker == BOX_PLACES[2]
    assert follow.see(*then).banker is None


def test_carried_from_box_to_box_no_box_in_between_ever_banks() -> None:
    follow = Follow()
    follow.see(lying(CHUNG, 2), times=4)
    way = [follow.see(lying(CHUNG, 2 + n // 2, 25.0 * n)).banker for n in range(1, 9)]
    assert way == [None] * 8
    assert follow.see(lying(CHUNG, 6), times=3).banker == BOX_PLACES[5]


def test_pictures_at_the_same_moment_count_once() -> None:
    watch = MarkerWatch()
    seen = [watch.update([lying(CHUNG, 3)], 1.0 + n * 0.01, trusted=True) for n in range(10)]
    assert {each.banker for each in seen if each is not None} == {None}


def test_a_picture_that_is_not_trusted_says_nothing() -> None:
    follow = Follow()
    follow.see(lying(CHUNG, 3), lying(OFF, 5), times=4)
    assert follow.see(lying(CHUNG, 3), lying(OFF, 5), trusted=False) == MarkersSeen()
    assert follow.see(lying(CHUNG, 3), lying(OFF, 5)).banker is None


def test_off_and_plus_buttons_count_like_the_chung() -> None:
    follow = Follow()
    laid = lying(OFF, 5), lying(OFF, 2), lying(OFF, None, 33.0), lying(PLUS, None, -90.0, value=-4)
    assert follow.see(*laid).out_of_play == ()
    seen = follow.see(*laid, times=3)
    assert (seen.out_of_play, seen.adjusted) == ((BOX_PLACES[1], BOX_PLACES[4]), -4)
    two = follow.see(*laid, lying(PLUS, None, 300.0, value=4), times=3)
    assert two.adjusted is None


def test_where_nobody_looks_nothing_is_reported() -> None:
    assert MarkerWatch().update(None, 1.0, trusted=True) is None


def test_the_watch_of_the_table_tells_markers_and_doubts_glare() -> None:
    watch, table = TableWatch(), reading([])
    for n in range(1, 5):
        seen = watch.see(replace(table, image=str(n), markers=(lying(CHUNG, 3),)), n * STEP_S)
    assert seen.markers is not None
    assert seen.markers.banker == BOX_PLACES[2]
    glare = replace(reading([], wrong="glare"), markers=(lying(CHUNG, 3),))
    assert watch.see(glare, 2.0).markers == MarkersSeen()
    assert watch.see(reading([]), 3.0).markers is None
