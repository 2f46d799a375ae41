"""Every rule that a page of `docs/rulebooks` lists as implemented is named by a test."""

from __future__ import annotations

import pytest

from engine.books.registry import BOOKS, rulebook
from service.compliance.coverage import coverage


@pytest.mark.parametrize("book", BOOKS)
def test_implemented_rules_are_named_by_a_test(book: str) -> None:
    unnamed = [row.rule.number for row in coverage(rulebook(book)).untested]
    assert unnamed == [], "implemented, but no test names them: write one"
