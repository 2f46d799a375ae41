"""Each document walked rule by rule: nothing is in neither list or in both, and the pages say what is."""

from __future__ import annotations

import pytest

from engine.books.registry import BOOKS
from service.compliance.coverage import State, coverage
from service.compliance.coverage_page import FOLDER, page
from tests.conftest import ROOT


@pytest.mark.parametrize("book", BOOKS)
def test_no_rule_is_in_neither_list(book: str) -> None:
    """What is left is listed by ``houseway rulebook coverage ID --missing``."""
    assert [f"{row.rule.number}: {row.rule.words}" for row in coverage(BOOKS[book]).of(State.OPEN)] == []


@pytest.mark.parametrize("book", BOOKS)
def test_no_rule_is_in_both_lists(book: str) -> None:
    """Take a rule that is cited out of ``outside.py``."""
    assert [(row.rule.number, row.code) for row in coverage(BOOKS[book]).contradictions] == []


@pytest.mark.parametrize("book", BOOKS)
def test_the_page_is_up_to_date(book: str) -> None:
    """``make rulebooks`` writes it anew."""
    assert (ROOT / FOLDER / f"{book}.md").read_text() == page(coverage(BOOKS[book]))


def test_every_page_is_listed_and_is_of_a_book() -> None:
    pages = {path.stem for path in (ROOT / FOLDER).glob("*.md")} - {"README"}
    index = (ROOT / FOLDER / "README.md").read_text()
    assert pages == set(BOOKS)
    assert all(f"[{book}]({book}.md)" in index for book in BOOKS)
