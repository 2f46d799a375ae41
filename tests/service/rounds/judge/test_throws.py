"""What a throw decides when nobody could tell which die is the cut die."""

from typing import Literal

import pytest

from datasets.simulator.layouts import fitting
from datasets.simulator.script import Options, script
from engine.books.registry import BOOKS
from engine.game.box_order import FROM_RIGHT, BoxOrder
from service.rounds.judge.throws import decided
from service.rounds.reports import DieReport
from service.words.codes import ServiceCode
from tests.amount import amount
from vision.hand_grouping import box_order


def die(value: int | None, role: Literal["box", "cut"] | None = None, *, cocked: bool = False) -> DieReport:
    where = ((0.0, 0.0),) * 4
    return DieReport(
        value=value,
        role=role,
        colour="red",
        cocked=cocked,
        polygon=where,
        confidence=1.0,
        status="verified",
    )


@pytest.mark.parametrize(
    ("book", "dice", "total", "first_box"),
    [
        pytest.param("nz-1998", [die(3), die(5), die(2)], 10, 2, id="no cut die: all are box dice"),
        pytest.param("nz-1998", [die(3, "box"), die(5, "box"), die(2, "box")], 10, 2, id="told as box dice"),
        pytest.param("nz-1998", [die(3), die(5)], None, None, id="one hidden"),
        pytest.param("nz-1998", [die(3), die(5), die(2), die(1)], None, None, id="one too many"),
        pytest.param("nz-1998", [die(3), die(5), die(None)], None, None, id="one unread"),
        pytest.param("crown-6.1", [die(3), die(5), die(2), die(1)], None, None, id="which is the cut die is not told"),
        pytest.param("crown-6.1", [die(3), die(5), die(2)], None, None, id="three, of which one may be the cut die"),
    ],
)
def test_dice_that_were_not_distinguished(
    book: str, dice: list[DieReport], total: int | None, first_box: int | None
) -> None:
    said = decided(dice, BOOKS[book], FROM_RIGHT)
    assert (said.total, said.first_box) == (total, first_box)
    assert said.status == ("uncertain" if total is None else "verified")


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        pytest.param(
            [die(3), die(5), die(2), die(1)], ServiceCode.CUT_DIE_UNKNOWN, id="which is the cut die is not told"
        ),
        pytest.param(
            [die(3, "box"), die(None, "box"), die(2, "box"), die(1, "cut")], ServiceCode.DIE_NOT_READ, id="unread"
        ),
    ],
)
def test_why_a_throw_decides_nothing(dice: list[DieReport], why: ServiceCode) -> None:
    doubts = decided(dice, BOOKS["crown-6.1"], FROM_RIGHT).doubts
    assert doubts is not None
    assert [doubt.code for doubt in doubts] == [why]


def test_fewer_or_more_box_dice_than_the_book_throws_are_reported_by_its_rule() -> None:
    """nz-1998 3.3(b); star-2024 2.5.1; star-classic 2.3."""
    for book, rule in (("nz-1998", "3.3(b)"), ("star-2024", "2.5.1"), ("star-classic", "2.3")):
        doubts = decided([die(3, "box"), die(5, "box")], BOOKS[book], FROM_RIGHT).doubts
        assert doubts is not None
        assert [(doubt.code, doubt.params["rule"]) for doubt in doubts] == [
            (ServiceCode.BOX_DICE_COUNT, f"{book} {rule}")
        ]


def test_a_leaning_die_is_shaken_again_whatever_it_is_for() -> None:
    said = decided([die(3), die(5), die(2, cocked=True)], BOOKS["nz-1998"], FROM_RIGHT)
    assert (said.status, said.first_box) == ("uncertain", None)
    assert said.rule is not None


CROWN_DICE = [die(1, "box"), die(1, "box"), die(1, "box"), die(6, "cut")]
SEVEN = [die(1, "box"), die(3, "box"), die(3, "box"), die(6, "cut")]


@pytest.mark.parametrize(
    ("book", "dice", "order", "first_box"),
    [
        ("crown-6.1", CROWN_DICE, BoxOrder(8), 3),
        # crown-6.1 10.3.1(a), 4.4.2: the House's chung is furthest to the dealer's right, there on box 8.
        ("crown-6.1", CROWN_DICE, BoxOrder(8, box1_at_dealers_right=False), 6),
        ("crown-6.1", CROWN_DICE, BoxOrder(6, box1_at_dealers_right=False), 4),
        # nz-1998 11.1(a), 9.9: it is on box number 1, at the dealer's left, and box 8 is next counter-clockwise.
        ("nz-1998", [die(1), die(1), die(1)], BoxOrder(8, box1_at_dealers_right=False), 7),
        # The book has eight boxes, also where the layout has no places for the last two.
        ("nz-1998", [die(1), die(1), die(1)], BoxOrder(6, box1_at_dealers_right=False), 7),
        # uk-poster point 3: the second position to the dealer's right; 9 is the dealer himself.
        ("uk-poster", [die(1), die(1), die(1)], BoxOrder(7, box1_at_dealers_right=False), 6),
        ("uk-poster", [die(3), die(3), die(3)], BoxOrder(7, box1_at_dealers_right=False), 8),
    ],
)
def test_the_first_box_is_counted_at_this_table(
    book: str, dice: list[DieReport], order: BoxOrder, first_box: int
) -> None:
    assert decided(dice, BOOKS[book], order).first_box == first_box


@pytest.mark.parametrize(
    ("dice", "order", "code"),
    [
        pytest.param(CROWN_DICE, None, ServiceCode.BOX_ORDER_UNKNOWN, id="numbered nobody knows how"),
        pytest.param(SEVEN, BoxOrder(6), ServiceCode.COUNTED_PAST_BOXES, id="six boxes, a total of 7"),
    ],
)
def test_a_first_box_that_cannot_be_named_is_not(
    dice: list[DieReport], order: BoxOrder | None, code: ServiceCode
) -> None:
    said = decided(dice, BOOKS["crown-6.1"], order)
    assert (said.total, said.first_box, said.cut) == (sum(one.value or 0 for one in dice[:3]), None, "chee-yee")
    assert [doubt.code for doubt in said.doubts or ()] == [code]


TABLES = [(book, layout) for book in BOOKS for layout in fitting(BOOKS[book])][:: amount(2, 1)]


@pytest.mark.parametrize(("book", "layout"), TABLES)
@pytest.mark.slow
def test_the_first_box_of_simulated_rounds(book: str, layout: str) -> None:
    made = script(21, Options(rulebook=book, layout=layout, rounds=4))
    order = box_order(made.table_calibration().layout)
    for truth in made.rounds:
        dealt = truth.course.dealt
        throw = dealt.throws[-1]
        dice = [die(value, "box") for value in throw.box_dice]
        dice += [] if throw.cut_die is None else [die(throw.cut_die, "cut")]
        said = decided(dice, BOOKS[book], order)
        # A total that counts past the boxes of a smaller table is left to the dealer, and not told.
        assert said.first_box in {dealt.first_box, None}
        assert (said.first_box is None) == any(one.code == "counted_past_boxes" for one in said.doubts or ())


@pytest.mark.parametrize(
    ("dice", "why"),
    [
        pytest.param([*CROWN_DICE[:3], die(None, "cut")], ServiceCode.DIE_NOT_READ, id="cut die unread"),
        pytest.param(CROWN_DICE[:3], ServiceCode.CUT_DIE_MISSING, id="cut die out of sight"),
    ],
)
@pytest.mark.parametrize("book", ["crown-6.1", "star-2024"])
def test_an_unread_cut_die_leaves_the_cut_unknown_not_the_box(
    book: str, dice: list[DieReport], why: ServiceCode
) -> None:
    """crown-6.1 4.4.2, star-2024 8.4.1, ruling 47."""
    said = decided(dice, BOOKS[book], FROM_RIGHT)
    assert (said.total, said.first_box, said.cut, said.status) == (3, 3, None, "uncertain")
    assert 47 in said.rulings
    assert [doubt.code for doubt in said.doubts] == [why]
    leaning = [die(1, "box"), die(1, "box"), die(2, "box", cocked=True), *dice[3:]]
    assert decided(leaning, BOOKS[book], FROM_RIGHT).first_box is None
