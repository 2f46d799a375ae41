"""Each document walked rule by rule, and the pages that are built of it."""

import re
from pathlib import Path

import pytest

from engine.books.registry import BOOKS
from service.cli.compliance.coverage import RuleState, coverage
from service.cli.compliance.coverage_page import page


@pytest.mark.parametrize("book", BOOKS)
def test_every_rule_is_implemented_or_outside(book: str) -> None:
    """``houseway rulebook coverage ID --missing`` lists the rest."""
    assert [f"{row.rule.number}: {row.rule.words}" for row in coverage(BOOKS[book]).of(RuleState.OPEN)] == []


@pytest.mark.parametrize("book", BOOKS)
def test_no_rule_is_implemented_and_outside(book: str) -> None:
    """Take a rule that is cited out of ``outside.py``."""
    assert [(row.rule.number, row.code) for row in coverage(BOOKS[book]).contradictions] == []


@pytest.mark.parametrize("book", BOOKS)
def test_every_implemented_rule_is_cited_by_a_test(book: str) -> None:
    assert [row.rule.number for row in coverage(BOOKS[book]).untested] == []


@pytest.mark.parametrize("book", BOOKS)
def test_the_page_lists_every_rule_and_its_links_lead_to_files(book: str, tmp_path: Path) -> None:
    text = page(coverage(BOOKS[book]), tmp_path)
    listed = re.findall(r"^\| (?!rule \|)([^|]+) \| [^|]+ \| [^|]* \| [^|]* \|$", text, re.MULTILINE)
    assert [number.strip("*") for number in listed if number != "---"] == list(BOOKS[book].contents.numbers)
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    assert len(links) > 5
    assert all((tmp_path / link).is_file() for link in links)
