"""Each document walked rule by rule, and the pages that are built of it."""

import re
from pathlib import Path

import pytest

from engine.books.registry import BOOKS
from service.cli.compliance.coverage import Decider, RuleState, coverage, rules_seen
from service.cli.compliance.coverage_page import page
from tests.engine.observed.test_observed_rounds import MISTAKES, _rounds
from tests.engine.observed.test_sequences import BOOKS as SEQUENCES


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
def test_what_counts_as_tested_is_cited_where_something_is_tried(book: str) -> None:
    """In a test or its table, or in a row of golden data: not in passing, in the docstring of a module."""
    for row in coverage(BOOKS[book]).of(RuleState.IMPLEMENTED):
        tried = (at for at in row.tests if at.path.endswith(".csv") or ("/test_" in at.path and at.name))
        assert row.rule.leads_in or any(tried), row.rule.number


@pytest.mark.parametrize("book", BOOKS)
def test_the_page_lists_every_rule_and_its_links_lead_to_files(book: str, tmp_path: Path) -> None:
    text = page(coverage(BOOKS[book]), tmp_path)
    listed = re.findall(r"^\| (?!rule \|)([^|]+) \| [^|]+ \| [^|]* \| [^|]* \| [^|]* \|$", text, re.MULTILINE)
    assert [number.strip("*") for number in listed if number != "---"] == list(BOOKS[book].contents.numbers)
    links = set(re.findall(r"\]\(([^)]+)\)", text))
    assert len(links) > 5
    assert all((tmp_path / link).is_file() for link in links)


@pytest.mark.parametrize("book", BOOKS)
def test_every_rule_says_what_decides_it(book: str) -> None:
    """What is outside is for persons or nobody; what code cites decides something."""
    for row in coverage(BOOKS[book]).rows:
        outside = set(row.deciders) & {Decider.NOBODY, Decider.PERSON}
        if row.state is RuleState.OUTSIDE:
            assert set(row.deciders) == outside, row.rule.number
            assert len(outside) == 1, row.rule.number
        elif row.state is RuleState.IMPLEMENTED:
            assert set(row.deciders) - {Decider.PERSON}, row.rule.number
            assert Decider.NOBODY not in row.deciders, row.rule.number


SEEN_IN = re.compile(
    r"tests/(engine/(observed|house_way|books)|vision|datasets|rereading|service/(rounds|table|web|api))/"
)
"""Tests that start from what lies on the table."""


@pytest.mark.parametrize("book", BOOKS)
def test_what_the_camera_is_said_to_decide_is_tried_on_what_it_sees(book: str) -> None:
    """In a sequence by hand with its findings and remedies, in a test of what is seen, or in those of a House Way."""
    contents = BOOKS[book].contents
    tried: set[str] = set()
    for case in (*SEQUENCES[book].LAWFUL, *SEQUENCES[book].MISTAKES):
        tried.update(contents.leading(case.rules)[0])
        seen = case.observed(book)
        for found in seen.departures:
            cites = [found.rule, *(each.rule for each in found.unless)]
            cites += [cite for each in seen.remedies(found) for one in each.options for cite in (one.cite, *one.also)]
            tried.update(number for cite in cites for number in contents.leading(cite.section)[0])
    for row in coverage(BOOKS[book]).rows:
        if Decider.CAMERA not in row.deciders or row.rule.leads_in or row.rule.number in tried:
            continue
        of_house_way = any("house_way" in at.path for at in row.code)
        assert of_house_way or any(SEEN_IN.match(at.path) for at in row.tests), row.rule.number


@pytest.mark.parametrize("book", BOOKS)
def test_the_camera_tells_no_rule_that_it_is_said_not_to_decide(book: str) -> None:
    """Each departure of every kind that a played round of the book can be given."""
    contents, seen, told = BOOKS[book].contents, rules_seen(BOOKS[book]), set()
    for bank in BOOKS[book].banking.methods.value:
        for played in _rounds(book, bank, 0):
            made = (mistake(played) for mistake in MISTAKES.values())
            told |= {(each.kind, each.rule) for one in made if one is not None for each in one.departures}
    assert len({kind for kind, _ in told}) > len(MISTAKES) // 2
    for kind, rule in told:
        assert set(contents.named(rule.section)) <= seen, (kind, rule)
