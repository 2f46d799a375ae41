"""Tiles dealt to a box are counted as dealt: a shadow does not count, and spread-out tiles are not more."""

from dataclasses import replace

import pytest

from engine.game.box_order import FROM_RIGHT
from engine.observed.observations import HandOpened, StacksSeen, TilesCounted, TilesDealt
from tests.vision.tracking.laid_tables import HOUSE, STEP_S, THROWN, Table, die, discards, hand, tile
from vision.hand_grouping import Conventions
from vision.reading import TileReading
from vision.tracking.phases import Phase

STACKS = [tile(None, None, -100.0 + 27.0 * n, -60.0, 90.0) for n in range(8)]


def pile(box: int, count: int = 2) -> list[TileReading]:
    return [tile(None, f"box{box}", (4.5 - box) * 220.0 + 26.0 * n, 260.0, 90.0) for n in range(count)]


def dealt_to(boxes: int, **more: list[TileReading]) -> Table:
    """The stacks, then two tiles in sight at one box after the other, with more at a box as it gets its own."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see(STACKS, 10)
    lying: list[TileReading] = []
    for box in range(1, boxes + 1):
        lying += pile(box) + more.get(f"box{box}", [])
        table.see([*STACKS[box:], *lying], 5)
    return table


def counted(table: Table) -> list[int]:
    return [each.box for _, each in table.watch.seen.observed if isinstance(each, TilesCounted)]


def beside(box: int, *, sure: bool = True) -> list[TileReading]:
    return [tile(None, f"box{box}", (4.5 - box) * 220.0 - 26.0, 260.0, 90.0, sure=sure)]


def test_stacks_are_known_in_rare_pictures_that_an_arm_crosses() -> None:
    """Every other picture shows a closed tile more, which is not known to be still."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    mixed = [tile(None, None, -380.0 + 94.0 * (n % 8), -100.0 + 76.0 * (n // 8), 40.0 * n) for n in range(16)]
    table.see(mixed, 4)
    table.see(STACKS, 1)
    for number in range(3):
        table.see(STACKS, 1)
        table.see([*STACKS, tile(None, None, 300.0 + 60.0 * number, -60.0, 90.0)], 1)
    assert Phase.STACKS in {step.phase for step in table.watch.seen.steps}


def test_one_tile_too_many_is_reported() -> None:
    table = dealt_to(5, box3=beside(3))
    assert counted(table) == [3]
    assert sum(isinstance(each, TilesDealt) for _, each in table.watch.seen.observed) == 5


def test_rare_pictures_show_a_tile_too_many_after_the_delivery() -> None:
    """Three of them last longer than players usually leave their tiles as dealt."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    table.see(STACKS, 4)
    for boxes in (2, 4, 6, 8):
        lying = [each for box in range(1, boxes + 1) for each in pile(box)] + (beside(8) if boxes == 8 else [])
        table.see([*STACKS[boxes:], *lying], 1)
    table.see(lying, 4)
    assert counted(table) == [8]


def test_rare_pictures_show_places_dealt_to_after_a_gap() -> None:
    """Two places in one picture, and the next one two pictures later."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    table.see(STACKS, 4)
    for boxes in (2, 2, 3, 4, 5):
        lying = [each for box in range(1, boxes + 1) for each in pile(box)] + beside(2)
        table.see([*STACKS[boxes:], *lying], 1)
    table.see(lying, 4)
    assert counted(table) == [2]


def test_a_shadow_beside_the_tiles_is_none() -> None:
    assert counted(dealt_to(5, box3=beside(3, sure=False))) == []


@pytest.mark.parametrize("box", [1, 3])
def test_tiles_that_are_spread_out_are_no_more(box: int) -> None:
    table = dealt_to(5)
    others = [each for other in range(1, 6) if other != box for each in pile(other)]
    x = (4.5 - box) * 220.0
    spread = [tile(None, f"box{box}", x + 32.0 * (n - 1.5), 262.0, 90.0) for n in range(4)]
    table.see([*STACKS[5:], *others, *spread], 8)
    assert counted(table) == []


def test_a_tile_that_is_added_later_is_reported() -> None:
    table = dealt_to(5)
    lying = [each for box in range(1, 6) for each in pile(box)]
    table.see([*STACKS[5:], *lying, *beside(2)], 8)
    assert counted(table) == [2]


def test_a_tile_too_many_that_an_arm_hid_for_a_moment_is_reported() -> None:
    """It lies at box 4 before that box gets its own tiles, and is out of sight while it does."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see(STACKS, 10)
    for dealt in range(1, 8):
        lying = [each for box in range(1, dealt + 1) for each in pile(box)]
        if dealt == 3:
            table.see([*STACKS[dealt:], *lying, *beside(4)], 3)
            table.see([*STACKS[dealt:], *lying], 4)
        else:
            table.see([*STACKS[dealt:], *lying, *(beside(4) if dealt > 3 else [])], 4)
    assert counted(table) == [4]


def test_tiles_out_of_play_are_seen_where_pictures_are_rare() -> None:
    """The first picture of the dice shows tiles dealt, and the one after it no stacks."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=2.0)
    table.see(STACKS, 3, THROWN[:0])
    table.see([*STACKS[:4], *(each for box in range(1, 5) for each in pile(box))], 1, THROWN)
    lying = [each for box in range(1, 9) for each in pile(box)]
    shown = [tile("6-4", "discard", -600.0, -280.0, 90.0)]
    seen = table.see([*lying, *shown], 5, THROWN)
    assert {"delivery-ended", "unused-open"} <= {each.kind for _, each in seen.observed}


def test_tiles_out_of_play_are_seen_while_the_last_stacks_lie() -> None:
    """On a table of six places two stacks are left, too few to be seen as stacks."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=2.0)
    table.see(STACKS, 3)
    table.see([*STACKS[4:], *(each for box in range(1, 4) for each in pile(box))], 1, THROWN)
    lying = [*STACKS[6:], *(each for box in range(1, 7) for each in pile(box))]
    seen = table.see([*lying, tile("6-4", "discard", -600.0, -280.0, 90.0)], 4, THROWN)
    assert "unused-open" in {each.kind for _, each in seen.observed}


def test_tiles_turned_before_they_lay_still_were_dealt_when_first_seen() -> None:
    """The player has them turned across at once; a picture a second shows them as dealt only once."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    table.see(STACKS, 4)
    for boxes in (2, 4, 6):
        lying = [each for box in range(1, boxes + 1) for each in pile(box)]
        table.see([*STACKS[boxes:], *lying], 1)
    others = [*lying, *pile(8)]
    table.see([*others, *pile(7)], 1)
    table.see(others, 1)
    x = (4.5 - 7) * 220.0
    table.see([*others, *(tile(None, "box7", x + 13.0, 246.0 + 27.0 * n, 0.0) for n in range(2))], 4)
    last = [each.boxes for _, each in table.watch.seen.observed if isinstance(each, TilesDealt)][-1]
    assert {7, 8} <= set(last)


def gone(hidden: set[int], pictures: int) -> set[int]:
    """Stacks seen to be gone, while these are hidden and the first box has its tiles."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see(STACKS, 10)
    seen = table.see([*(each for n, each in enumerate(STACKS, 1) if n not in hidden), *pile(1)], pictures)
    return {stack for _, each in seen.observed if isinstance(each, StacksSeen) for stack in each.gone}


@pytest.mark.parametrize(
    ("hidden", "pictures", "found"),
    [
        pytest.param({8}, 20, {8}, id="gone"),
        pytest.param({1, 8}, 20, {1, 8}, id="gone at both ends"),
        pytest.param({8}, 11, set(), id="under an arm while three places are dealt to"),
        pytest.param({7, 8}, 30, {7, 8}, id="one gone after the other"),
        pytest.param({4, 5}, 20, {4, 5}, id="both in the middle gone"),
        pytest.param({5, 6, 7, 8}, 30, set(), id="an arm over half of them"),
    ],
)
def test_a_stack_is_gone_only_where_those_on_both_sides_are_seen(
    hidden: set[int], pictures: int, found: set[int]
) -> None:
    assert gone(hidden, pictures) == found


@pytest.mark.parametrize(("step_s", "groups"), [(0.2, 4), (0.3, 4), (0.6, 1), (1.0, 1)])
def test_where_pictures_are_rare_no_order_is_known(step_s: float, groups: int) -> None:
    """An arm may hide in the one picture between what was dealt before it."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=step_s)
    table.see(STACKS, 12)
    pictures = max(1, round(0.75 / step_s))
    lying: list[TileReading] = []
    for dealt, box in enumerate((1, 3, 2, 4), start=1):
        lying += pile(box)
        table.see([*STACKS[dealt:], *lying], pictures)
    table.see([*STACKS[4:], *lying], 3)
    assert sum(isinstance(each, TilesDealt) for _, each in table.watch.seen.observed) == groups


def test_a_tile_carried_past_a_box_does_not_say_when_that_box_was_dealt_to() -> None:
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see(STACKS, 12)
    lying: list[TileReading] = []
    for dealt, box in enumerate((1, 3, 2, 4), start=1):
        carried = [tile(None, "box2", 2.5 * 220.0 + 40.0, 250.0, 146.0)] if box == 3 else []
        table.see([*STACKS[dealt:], *lying, *carried], 1)
        lying += pile(box)
        table.see([*STACKS[dealt:], *lying], 4)
    table.see([*STACKS[4:], *lying], 3)
    boxes = [each.boxes for _, each in table.watch.seen.observed if isinstance(each, TilesDealt)]
    assert boxes == [(1,), (3,), (2,), (4,)]


def test_a_tile_that_is_found_late_does_not_say_when_its_box_was_dealt_to() -> None:
    """Box 1 shows its third tile once the boxes after it have theirs."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see(STACKS, 10)
    lying: list[TileReading] = []
    for box in range(1, 6):
        lying += pile(box, 2 if box == 1 else 3)
        table.see([*STACKS[box:], *lying], 5)
    table.see([*STACKS[5:], *lying, *pile(1, 3)[2:]], 5)
    assert [each.boxes for _, each in table.watch.seen.observed if isinstance(each, TilesDealt)] == [(1, 2, 3, 4, 5)]


@pytest.mark.parametrize(("thrown", "before"), [(False, True), (True, False)])
def test_tiles_dealt_while_the_dice_lie_as_in_the_round_before(*, thrown: bool, before: bool) -> None:
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=STEP_S)
    table.see([], 5, THROWN)
    table.see(hand("house", HOUSE), 5, THROWN)
    table.see(discards(4), 8, THROWN)
    mixed = [tile(None, None, -380.0 + 94.0 * (n % 8), -100.0 + 76.0 * (n // 8), 40.0 * n) for n in range(16)]
    for lying in (mixed, STACKS):
        table.see(lying, 10, THROWN)
    now = [die(2, 300), die(2, 360), die(1, 420), die(2, 480, "cut")] if thrown else THROWN
    table.see(STACKS, 10, now)
    for boxes in range(1, 6):
        lying = [each for box in range(1, boxes + 1) for each in pile(box)]
        table.see([*STACKS[boxes:], *lying], 5, now)
    kinds = [each.kind for _, each in table.watch.seen.observed]
    assert ("old-dice-left" in kinds) is before
    assert ("dice-seen" in kinds) is thrown


def test_other_dice_where_a_doubtful_throw_lay_are_not_those_of_the_round_before() -> None:
    """A die leaned then, and of the others one shows by chance what it showed."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    before = [die(3, 0), replace(die(4, 60, cocked=True), surely_cocked=True), die(1, 120)]
    table.see([], 5, before)
    table.see(hand("house", HOUSE), 5, before)
    table.see(discards(4), 8, before)
    mixed = [tile(None, None, -380.0 + 94.0 * (n % 8), -100.0 + 76.0 * (n // 8), 40.0 * n) for n in range(16)]
    table.see(mixed, 10)
    table.see(STACKS, 10)
    now = [die(2, 4), die(2, 66), die(1, 124)]
    table.see(STACKS, 5, now)
    for boxes in range(1, 6):
        lying = [each for box in range(1, boxes + 1) for each in pile(box)]
        table.see([*STACKS[boxes:], *lying], 5, now)
    assert "old-dice-left" not in {each.kind for _, each in table.watch.seen.observed}


def test_tiles_that_an_arm_crossed_as_a_hand_was_opened_still_lie_as_dealt() -> None:
    table = dealt_to(5)
    lying = [each for box in range(1, 6) for each in pile(box)]
    seen = table.see(lying, 10)
    assert any(step.phase is Phase.SETTING for step in seen.steps)
    others = [each for box in (1, 2, 4, 5) for each in pile(box)]
    crossed = [replace(each, status="uncertain") for each in pile(3)]
    table.see([*others, *crossed, *hand("house", HOUSE)], 3)
    seen = table.see([*lying, *hand("house", HOUSE)], 3)
    (opened,) = [each for _, each in seen.observed if isinstance(each, HandOpened)]
    assert opened.as_dealt == (1, 2, 3, 4, 5)


def test_a_tile_that_an_arm_hid_for_long_still_lies_as_dealt_beside_another() -> None:
    table = dealt_to(5)
    lying = [each for box in range(1, 6) for each in pile(box)]
    table.see(lying, 10)
    table.see([each for each in lying if each not in pile(3)[1:]], 40)
    table.see(lying, 10)
    seen = table.see([*lying, *hand("house", HOUSE)], 3)
    (opened,) = [each for _, each in seen.observed if isinstance(each, HandOpened)]
    assert opened.as_dealt == (1, 2, 3, 4, 5)


def test_tiles_left_as_dealt_count_from_the_picture_that_shows_the_bank_open() -> None:
    """In rare pictures a hand is known to be open one later, when the next may be taken up."""
    table = Table(conventions=Conventions(order=FROM_RIGHT), step_s=1.0)
    table.see(STACKS, 4)
    for boxes in (2, 4, 6):
        table.see([*STACKS[boxes:], *(each for box in range(1, boxes + 1) for each in pile(box))], 2)
    lying = [each for box in range(1, 7) for each in pile(box)]
    table.see(lying, 3)
    table.see([*lying, *hand("house", HOUSE)], 1)
    seen = table.see([*lying[2:], *hand("house", HOUSE)], 2)
    (opened,) = [each for _, each in seen.observed if isinstance(each, HandOpened)]
    assert 1 in opened.as_dealt
