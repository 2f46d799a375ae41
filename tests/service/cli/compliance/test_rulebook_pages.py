"""Each document walked rule by rule, and the pages that are built of it."""

import re
from pathlib import Path

import pytest

from datasets.simulator.script import Options, script
from engine.books.registry import BOOKS
from service.cli.compliance.coverage import Decider, RuleState, coverage, rules_seen
from service.cli.compliance.coverage_page import page
from tests.service.rounds.followed import followed

SEEN = ("exposed-before-bank", "wrong-first-box", "wrong-delivery-order", "exposed-out-of-turn", "bank-away-early")


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


@pytest.mark.parametrize("book", BOOKS)
def test_the_camera_tells_no_rule_that_it_is_said_not_to_decide(book: str) -> None:
    made = script(31, Options(rulebook=book, rounds=len(SEEN), mistakes=SEEN, in_turn=SEEN, mistake_rate=1.0))
    told = {(each.code, str(each.rule)) for report in followed(made) for each in report.departures}
    assert len({code for code, _ in told}) > 1
    contents, seen = BOOKS[book].contents, rules_seen(BOOKS[book])
    for code, rule in told:
        assert set(contents.named(rule.partition(" ")[2])) <= seen, (code, rule)
