"""Versions of a House Way: rules of its file that are in force from a day, or until one."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from engine.analysis.house_way_check import check
from engine.books.registry import BOOKS
from engine.books.versions import Amendment, versions_of
from tests.engine.house_way.files import HEAD, LAST, mistakes, written

DAY = date(2025, 3, 1)
BEFORE = DAY - timedelta(days=1)
NINES = '\n[[rule]]\nnumber = "1"\nname = "nines"\npair = "nines"\nset = "{0}"\n{1}\n'
AMENDED = NINES.format("split the pair", f"until = {DAY}") + NINES.format("keep the pair", f"from = {DAY}") + LAST


def test_a_rule_is_in_force_between_its_days() -> None:
    way = written(AMENDED)
    (later,) = way.later
    assert (way.in_force, later.in_force) == (None, DAY)
    assert (way.on(BEFORE), way.on(DAY), way.on(date(2030, 1, 1))) == (way, later, later)
    assert [rule.text for rule in (way.rules[0], later.rules[0])] == [
        "Pair of nines: split the pair.",
        "Pair of nines: keep the pair.",
    ]
    assert len(way.rules) == len(later.rules)


def test_versions_have_their_own_names_and_hashes() -> None:
    way = written(AMENDED)
    (later,) = way.later
    assert (way.source.revision, later.source.revision) == ("2026-03", "2026-03, amended 2025-03-01")
    assert len({way.sha256, later.sha256}) == 2


def test_a_version_keeps_its_hash_when_a_later_one_is_written_behind_it() -> None:
    once, again = written(NINES.format("split the pair", "") + LAST), written(AMENDED)
    assert once.sha256 == again.sha256
    third = '\n[[rule]]\nnumber = "2"\npair = "eights"\nset = "keep the pair"\nfrom = 2026-01-01\n'
    assert written(AMENDED + third).later[0].sha256 == again.later[0].sha256
    assert written(NINES.format("keep the pair", "") + LAST).sha256 != once.sha256


def test_an_example_may_hold_for_one_version() -> None:
    example = '\n[[example]]\nset = "5-4 1-1 / 6-3 6-6"\nrule = "1"\nuntil = 2025-03-01\n'
    way = written(AMENDED + example)
    assert [len(each.examples) for each in (way, *way.later)] == [1, 0]


def test_the_check_checks_every_version() -> None:
    wrong = '\n[[example]]\nset = "5-4 1-1 / 6-3 6-6"\nrule = "1"\nfrom = 2025-03-01\n'
    before = {each.words for each in check(written(AMENDED)).faults}
    (found,) = (each for each in check(written(AMENDED + wrong)).faults if each.words not in before)
    assert found.words.startswith("from 2025-03-01 on: ")


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ('from = "2025-03-01"', "from must be a day, without quotes"),
        ("from = 2025-03-01T00:00:00", "from must be a day, without quotes"),
        ("from = 2025-03-01\nuntil = 2025-03-01", "until is the first day on which it is no longer in force"),
    ],
)
def test_days_that_are_none_are_refused(days: str, message: str) -> None:
    (found,) = mistakes(HEAD + AMENDED + NINES.replace('"nines"\npair', '"more"\npair').format("split the pair", days))
    assert message in found


def test_some_rule_is_in_force_on_every_day() -> None:
    (found,) = mistakes(HEAD + NINES.format("split the pair", "from = 2025-03-01"))
    assert "no rule is in force before the first day of a rule" in found
    (found,) = mistakes(HEAD + NINES.format("split the pair", "until = 2025-03-01"))
    assert "no rule is in force on 2025-03-01" in found


def test_an_amendment_of_the_book_changes_the_hash_of_its_house_way() -> None:
    way = replace(BOOKS["star-2024"].house_way(), later=())
    book, rules = replace(BOOKS["star-2024"], way=way), way.rules
    first, second = versions_of(book, (Amendment("amended", DAY, {"way.rules": rules[1:]}),))
    assert first.house_way().sha256 != second.house_way().sha256
    assert second.house_way().in_force == DAY
    (_, other) = versions_of(book, (Amendment("amended", DAY, {"play.players_a_box": book.play.players_a_box}),))
    assert other.house_way().sha256 == first.house_way().sha256
    assert other.source.sha256 != first.source.sha256
