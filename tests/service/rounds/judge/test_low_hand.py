"""Which lay is low: the table's word, else its rulebook's (ruling 39)."""

from __future__ import annotations

import pytest

from engine.books.registry import BOOKS
from engine.vocabulary.play import Lie
from service.rounds.judge.low_hand import low_hand_of


@pytest.mark.parametrize("book", BOOKS)
def test_every_book_here_lays_it_upright(book: str) -> None:
    """crown-6.1 10.2.8, star-2024 13.1.4, star-classic 13.1.4; the others are silent."""
    assert BOOKS[book].play.low_hand.value is Lie.VERTICAL
    assert (39 in BOOKS[book].play.low_hand.rulings) is (book in {"nz-1998", "uk-poster"})


@pytest.mark.parametrize(("said", "lies"), [(None, Lie.VERTICAL), *((each, each) for each in Lie)])
def test_the_tables_word_goes_before_the_books(said: Lie | None, lies: Lie) -> None:
    assert low_hand_of(said, BOOKS["crown-6.1"]) is lies
