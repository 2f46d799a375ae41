"""The dice of a throw as an observation of the round."""

from dataclasses import replace
from typing import Literal

import pytest

from calibration.table.places import Place, PlaceKind
from engine.game.box_order import FROM_RIGHT
from engine.observed.observations import DiceSeen, HandOpened
from tests.vision.tracking.laid_tables import THROWN, Table
from vision.hand_grouping import Conventions
from vision.reading import DieReading
from vision.tracking.observed import observation_log
from vision.tracking.observed.delivery import _Pile
from vision.tracking.throws import Throw

_CORNERS = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def _die(
    value: int | None, role: Literal["box", "cut"] | None, status: Literal["verified", "uncertain"] = "verified"
) -> DieReading:
    return DieReading(value, role, "red", cocked=False, polygon=_CORNERS, confidence=1.0, status=status)


BOX = [_die(value, "box") for value in (1, 2, 4)]


@pytest.mark.parametrize(
    ("dice", "seen"),
    [
        pytest.param([*BOX, _die(6, "cut")], DiceSeen((1, 2, 4), 6), id="all read"),
        pytest.param([*BOX, _die(None, "cut", "uncertain")], DiceSeen((1, 2, 4)), id="cut die unread"),
        pytest.param([*BOX, _die(6, "cut", "uncertain")], DiceSeen((1, 2, 4)), id="cut die in doubt"),
        pytest.param([*BOX[:2], _die(4, "box", "uncertain"), _die(6, "cut")], DiceSeen(()), id="box die in doubt"),
        pytest.param([*BOX[:2], _die(6, "cut", "uncertain"), _die(6, "cut")], DiceSeen(()), id="two cut dice"),
        pytest.param([*BOX, _die(6, None, "uncertain")], DiceSeen(()), id="a die of unknown use"),
        pytest.param(
            [_die(value, None) for value in (1, 2, 4)], DiceSeen((1, 2, 4), distinguished=False), id="of unknown use"
        ),
        pytest.param([_die(value, None) for value in (1, 2)], DiceSeen(()), id="two, as some are out of sight"),
    ],
)
def test_the_box_dice_count_without_the_cut_die(dice: list[DieReading], seen: DiceSeen) -> None:
    """Ruling 47: they alone decide the first box, if they are certain."""
    spots = tuple((float(number), 0.0) for number in range(len(dice)))
    assert observation_log._dice(Throw(tuple(dice), spots, 0.0)) == seen


def test_two_dice_are_a_throw_where_no_more_are_thrown() -> None:
    """crown-6.1 14.3.1: a box die and a cut die, which nobody tells apart."""
    dice = tuple(_die(value, None) for value in (1, 2))
    throw = Throw(dice, ((0.0, 0.0), (20.0, 0.0)), 0.0, fewest=2)
    assert observation_log._dice(throw) == DiceSeen((1, 2), distinguished=False)


def test_the_dice_of_a_table_with_two_are_verified_with_time() -> None:
    dice = [replace(each, role=None) for each in THROWN[:2]]
    usual, two = (Table(conventions=Conventions(order=FROM_RIGHT, fewest_dice=fewest)) for fewest in (3, 2))
    thrown = [table.see([], 8, dice).throw for table in (usual, two)]
    assert [each is not None and each.verified for each in thrown] == [False, True]


def test_learnt_roles_do_not_count_where_a_single_box_die_is_thrown() -> None:
    """Crown Pai Gow: the box die may be under the cup, and what was learnt as a box die be that of Big and Small."""
    table = Table(conventions=Conventions(order=FROM_RIGHT, fewest_dice=2))
    throw = table.see([], 8, [replace(THROWN[0], role="box"), replace(THROWN[1], role="cut")]).throw
    assert throw is not None
    assert throw.verified
    assert [die.role for die in throw.dice] == [None, None]


def test_dice_first_seen_as_the_first_places_have_tiles_were_left_as_thrown() -> None:
    """Pictures two seconds apart show them no earlier; they are shaken again only after the last place."""
    log = observation_log.ObservationLog()
    log._hands.append((20.0, HandOpened(None)))
    log.delivery._piles = {Place(PlaceKind.BOX, box): _dealt(float(box)) for box in range(1, 9)}
    log.throw(Throw(tuple(BOX), ((0.0, 0.0), (20.0, 0.0), (40.0, 0.0)), since_s=2.0), 20.0, still=True)
    assert log._left_s == 20.0


def _dealt(since_s: float) -> _Pile:
    return _Pile(lay_s=[since_s, since_s], steady=2, sure=2)
