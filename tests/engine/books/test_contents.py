"""The lists of rules hold what the documents print, and citations are read by them."""

from pathlib import Path

import pytest

from engine.books.contents import Contents, Outside
from engine.books.registry import BOOKS
from engine.errors import UnknownRuleError
from engine.vocabulary.citations import Source
from tests.engine.printed import TEXTS

SOURCE = Source("invented", "Invented rules", revision="1")
INVENTED = """
1 | Dice:
  1.1 | three
    1.1(a) | red
    1.1(b) | dotted
  1.2 | thrown
2 | Tiles
Table 1 | of pairs
Appendix 1 | Way:
  Appendix 1: 1 | pairs
  Appendix 1: 2.1 | points
  Appendix 1: 2.10 | high tiles
"""


@pytest.mark.parametrize("book", BOOKS)
def test_the_list_is_what_the_text_prints(book: str, shared: Path) -> None:
    name, printed = TEXTS[book]
    text = (shared / "rulebooks" / name).read_text()
    assert list(printed(text)) == list(BOOKS[book].contents.numbers)


@pytest.mark.parametrize("book", BOOKS)
def test_numbers_are_unique_and_words_few(book: str) -> None:
    contents = BOOKS[book].contents
    assert contents.source is BOOKS[book].source
    assert len(set(contents.numbers)) == len(contents.numbers)
    assert all(rule.words and len(rule.words) < 100 for rule in contents.rules)


@pytest.mark.parametrize("book", BOOKS)
def test_only_what_has_parts_leads_in(book: str) -> None:
    contents = BOOKS[book].contents
    assert [rule.number for rule in contents.rules if rule.leads_in and rule.number not in contents.parts] == []


@pytest.mark.parametrize("book", BOOKS)
def test_what_is_outside_is_printed_and_has_a_reason(book: str) -> None:
    contents = BOOKS[book].contents
    assert set(contents.reasons) <= set(contents.numbers)
    assert all(each.why.endswith(".") and len(each.why) > 20 for each in contents.outside)


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_is_outside_for_two_reasons(book: str) -> None:
    contents = BOOKS[book].contents
    texts = [
        number for each in contents.outside for number in Contents(contents.source, contents.rules, (each,)).reasons
    ]
    assert len(texts) == len(set(texts))


@pytest.fixture
def invented() -> Contents:
    return Contents.read(SOURCE, INVENTED)


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ("1.1", ["1.1"]),
        ("1.1(b)", ["1.1(b)"]),
        ("1.2, Table 1", ["1.2", "Table 1"]),
        ("1.1 and 2", ["1.1", "2"]),
        ("1.1 to 1.2", ["1.1", "1.1(a)", "1.1(b)", "1.2"]),
        ("1 to 2", ["1", "1.1", "1.1(a)", "1.1(b)", "1.2", "2"]),
        ("Appendix 1: 1 and 2.1", ["Appendix 1: 1", "Appendix 1: 2.1"]),
        ("Appendix 1: 2.10", ["Appendix 1: 2.10"]),
        ("Appendix 1: 1; 1.2", ["Appendix 1: 1", "1.2"]),
    ],
)
def test_what_a_citation_names(invented: Contents, section: str, named: list[str]) -> None:
    assert list(invented.named(section)) == named


@pytest.mark.parametrize("section", ["", "1.3", "1.1(c)", "1.1, 9", "1.1 of", "Table 2", "Appendix 1: 2.11"])
def test_a_citation_of_what_is_not_printed(invented: Contents, section: str) -> None:
    with pytest.raises(UnknownRuleError, match="invented has no rule"):
        invented.named(section)


@pytest.mark.parametrize("line", ["    1.1 | two steps down", "   1.1 | an odd step"])
def test_a_line_indented_under_nothing_is_refused(line: str) -> None:
    with pytest.raises(UnknownRuleError, match="indented"):
        Contents.read(SOURCE, f"# our own words\n1 | Dice\n{line}")


def test_what_a_text_begins_with(invented: Contents) -> None:
    assert invented.leading("1.1, 1.2; three dice") == (("1.1", "1.2"), "; three dice")
    assert invented.leading("three dice") == ((), "three dice")


def test_parts_are_outside_with_their_rule_unless_excepted() -> None:
    outside = (Outside("Words only.", "1, Table 1", "nobody", but="1.1(b)"),)
    contents = Contents.read(SOURCE, INVENTED, outside)
    assert list(contents.reasons) == ["1", "1.1", "1.1(a)", "1.2", "Table 1"]


ANOTHER = Source("another", "Another edition", revision="2")


def test_rules_of_another_edition_are_taken_with_their_parts(invented: Contents) -> None:
    text = """
1 =
3 to 4 = 1.1 to 1.2
Appendix 1 | Way:
  Appendix 1: 7 = Appendix 1: 1
"""
    taken = Contents.read(ANOTHER, text, like=invented, renumber=lambda number: number.replace("(a)", "(i)"))
    assert [(rule.number, rule.words, rule.depth, rule.within) for rule in taken.rules] == [
        ("1", "Dice:", 0, ""),
        ("1.1", "three", 1, "1"),
        ("1.1(i)", "red", 2, "1.1"),
        ("1.1(b)", "dotted", 2, "1.1"),
        ("1.2", "thrown", 1, "1"),
        ("3", "three", 0, ""),
        ("3(i)", "red", 1, "3"),
        ("3(b)", "dotted", 1, "3"),
        ("4", "thrown", 0, ""),
        ("Appendix 1", "Way:", 0, ""),
        ("Appendix 1: 7", "pairs", 1, "Appendix 1"),
    ]


@pytest.mark.parametrize("line", ["3 to 5 = 1.1 to 1.2", "9 =", "3 = 1.1 to 2", "3"])
def test_a_line_that_takes_what_is_not_there(line: str, invented: Contents) -> None:
    with pytest.raises(UnknownRuleError, match="rules"):
        Contents.read(ANOTHER, line, like=invented)
    with pytest.raises(UnknownRuleError, match="rules"):
        Contents.read(ANOTHER, line)
