"""The five documents are found by id."""

import pytest

from engine.books.house_ways import way_under
from engine.books.registry import BOOKS, rulebook
from engine.errors import UnknownRulebookError
from engine.vocabulary.citations import SOURCES


def test_every_document_has_its_book() -> None:
    assert {name: book.source for name, book in BOOKS.items()} == SOURCES


@pytest.mark.parametrize("name", [name for name in SOURCES if name != "uk-poster"])
def test_a_book_that_prints_a_house_way_plays_it(name: str) -> None:
    assert rulebook(name).house_way().source is SOURCES[name]


def test_a_book_without_a_house_way_wants_one_named() -> None:
    book = rulebook("uk-poster")
    assert not book.prints_house_way
    with pytest.raises(UnknownRulebookError, match="name the one this table uses"):
        book.house_way()
    assert way_under(book, "nz-1998").rulebook == "nz-1998"


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(UnknownRulebookError, match=r"did you mean star-2024\?.*crown-6.1"):
        rulebook("star-2025")
