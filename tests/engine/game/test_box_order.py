"""What is counter-clockwise at tables numbered from either end, worked by hand from the texts."""

import pytest

from engine.books.registry import BOOKS
from engine.game.box_order import FROM_RIGHT, BoxOrder
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank

FROM_LEFT = BoxOrder(box1_at_dealers_right=False)


def test_the_boxes_from_the_dealers_right_to_his_left() -> None:
    assert FROM_RIGHT.numbers == (1, 2, 3, 4, 5, 6, 7, 8)
    assert FROM_LEFT.numbers == (8, 7, 6, 5, 4, 3, 2, 1)
    assert BoxOrder(6, box1_at_dealers_right=False).starting_at(2) == (2, 1, 7, 8, 6, 5, 4, 3)
    assert FROM_LEFT.starting_at(3) == (3, 2, 1, 8, 7, 6, 5, 4)
    assert [FROM_LEFT.steps(box, 3) for box in (3, 2, 8, 4)] == [0, 1, 3, 7]


@pytest.mark.parametrize(
    ("book", "boxes", "dice", "chung", "first", "order"),
    [
        # crown-6.1 10.3.1(a): the chung lies furthest to the dealer's right, on box 8; 4.4.2: it counts as 1 and 9.
        ("crown-6.1", 8, (1, 1, 1), 8, 6, (6, 5, 4, 3, 2, 1, 8, 7)),
        ("crown-6.1", 8, (3, 3, 3), 8, 8, (8, 7, 6, 5, 4, 3, 2, 1)),
        # nz-1998 11.1(a), star-2024 6.10, star-classic 6.9: it lies on box number 1, at the dealer's left.
        ("nz-1998", 8, (1, 1, 1), 1, 7, (7, 6, 5, 4, 3, 2, 1, 8)),
        ("star-2024", 8, (1, 1, 2), 1, 6, (6, 5, 4, 3, 2, 1, 8, 7)),
        ("star-classic", 8, (3, 3, 3), 1, 1, (1, 8, 7, 6, 5, 4, 3, 2)),
        # uk-poster point 3: 3 is the second position to the right of the banker, who is the dealer.
        ("uk-poster", 7, (1, 1, 1), 8, 6, (6, 5, 4, 3, 2, 1, 8, 7)),
    ],
)
def test_the_first_box_where_the_house_banks(
    book: str, boxes: int, dice: tuple[int, ...], chung: int, first: int, order: tuple[int, ...]
) -> None:
    cup = Cup(dice, None if BOOKS[book].cuts.by_die is None else 1)
    thrown = BOOKS[book].dice.read(cup, Bank.HOUSE, order=BoxOrder(boxes, box1_at_dealers_right=False))
    assert isinstance(thrown, Thrown)
    assert (thrown.chung, thrown.first_box, thrown.boxes) == (chung, first, order)


@pytest.mark.parametrize("book", ["crown-6.1", "nz-1998", "star-2024", "star-classic"])
def test_the_first_box_counts_from_a_players_chung(book: str) -> None:
    cup = Cup((1, 2, 2), None if BOOKS[book].cuts.by_die is None else 1)
    thrown = BOOKS[book].dice.read(cup, Bank.PLAYER, 3, order=FROM_LEFT)
    assert isinstance(thrown, Thrown)
    assert thrown.first_box == 7  # 3, 2, 1, 8, 7


@pytest.mark.parametrize(
    ("book", "chung", "box"),
    [("crown-6.1", 8, 6), ("nz-1998", 1, 7), ("star-2024", 1, 7), ("star-classic", 1, 7)],
)
def test_the_box_taken_out_counts_from_the_houses(book: str, chung: int, box: int) -> None:
    """A total of 3 (crown-6.1 12.6.2, nz-1998 12.10, star-2024 15.9.3, star-classic 15.10); a 9 is the House's."""
    removal = BOOKS[book].irregularities
    assert removal.remove_box((1, 1, 1), Bank.HOUSE, chung, FROM_LEFT).box == box
    assert removal.remove_box((3, 3, 3), Bank.HOUSE, chung, FROM_LEFT).box is None
