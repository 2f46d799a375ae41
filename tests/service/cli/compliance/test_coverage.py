"""Citations found in sources, and the pages made of them."""

from dataclasses import replace
from pathlib import Path

import pytest

from engine.books.contents import Contents, Outside
from engine.books.registry import BOOKS
from engine.errors import UnknownRuleError
from engine.vocabulary.citations import CROWN
from service.cli.compliance.coverage import ROOT, CitedAt, RuleState, citations, coverage
from service.cli.compliance.coverage_page import page

IMPORT = "from engine.vocabulary.citations import CROWN, NZ as GAZETTE\n"


def found(text: str, *, in_rows: bool = False) -> list[tuple[str, str, str]]:
    """Book, number and name of each rule cited in a file; ids are put in here, so that no example counts as a test."""
    text = text.replace("BOOK", "crown-6.1").replace("GAZETTE 4", "nz-1998 4")
    return [(cited.book, cited.number, cited.place.name) for cited in citations(text, "some/file.py", in_rows=in_rows)]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        pytest.param(IMPORT + 'X = CROWN.at("7.4.1")', [("crown-6.1", "7.4.1", "X")], id="constant"),
        pytest.param(IMPORT + 'X = GAZETTE.at("6.1(b)(ii)")', [("nz-1998", "6.1(b)(ii)", "X")], id="other name"),
        pytest.param(IMPORT + 'at = CROWN.at\nX: int = at("7.1")', [("crown-6.1", "7.1", "X")], id="shortened"),
        pytest.param(IMPORT + 'S = CROWN\nX = S.at("7.1")', [("crown-6.1", "7.1", "X")], id="renamed"),
        pytest.param('X = Cite("BOOK", "Table 3")', [("crown-6.1", "Table 3", "X")], id="cite"),
        pytest.param('C = "BOOK"\nX = Cite(C, "7.1")', [("crown-6.1", "7.1", "X")], id="cite by constant"),
        pytest.param(
            IMPORT + '@rule(cite=CROWN.at("7.1"))\ndef pairs(): pass', [("crown-6.1", "7.1", "pairs")], id="decorator"
        ),
        pytest.param(
            IMPORT + 'class A:\n    def b(self):\n        def c(): return CROWN.at("7.1")',
            [("crown-6.1", "7.1", "A.b")],
            id="method",
        ),
        pytest.param('class A:\n    """BOOK 7.1."""', [("crown-6.1", "7.1", "A")], id="docstring of a class"),
        pytest.param('X = 1\n"""BOOK 7.1."""', [("crown-6.1", "7.1", "X")], id="docstring of a constant"),
        pytest.param('"""BOOK 7.1."""', [("crown-6.1", "7.1", "")], id="docstring of the module"),
        pytest.param(
            'def f():\n    """As laid down (BOOK 7.1, 7.4.2 to\n    7.4.3; GAZETTE 4.2)."""',
            [*(("crown-6.1", number, "f") for number in ("7.1", "7.4.2", "7.4.3")), ("nz-1998", "4.2", "f")],
            id="several in a text",
        ),
        pytest.param('X = "BOOK is one, and crown-6.1.txt another"', [], id="only the id"),
        pytest.param('X = "such as ``BOOK 7.1``"', [], id="example in back quotes"),
        pytest.param('X = ("BOOK", "7.1")', [], id="row outside tests"),
        pytest.param('X = other.at("7.1")', [], id="another at"),
    ],
)
def test_citations(text: str, cited: list[tuple[str, str, str]]) -> None:
    assert found(text) == cited


@pytest.mark.parametrize("row", ['("BOOK", 5, "12.5")', '["12.5", "BOOK"]', 'case("BOOK", "12.5", id="a")'])
def test_a_row_of_a_test_names_a_rule(row: str) -> None:
    assert found(f"ROWS = [{row}]", in_rows=True) == [("crown-6.1", "12.5", "ROWS")]


@pytest.mark.parametrize("row", ['("BOOK", "5-5 6-5")', '("BOOK", "12.5 and more")', '("12.5", "12.6")'])
def test_a_row_that_names_none(row: str) -> None:
    assert found(f"ROWS = [{row}]", in_rows=True) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(IMPORT + '\nX = CROWN.at("7.9")', id="no such rule"),
        pytest.param('\n\nX = "see BOOK 12.99"', id="no such rule in a text"),
        pytest.param(IMPORT + '\nX = CROWN.at(f"7.{n}")', id="put together"),
    ],
)
def test_a_citation_that_names_nothing_is_refused(text: str) -> None:
    with pytest.raises(UnknownRuleError, match=r"some/file\.py, line 3: "):
        found(text)


CONTENTS = Contents.read(
    CROWN,
    """
1 | Dice:
  1.1 | three
  1.2 | red
2 | Tiles
3 | Tables
""",
    outside=(
        Outside("No part in colours of dice.", "1.2", "person"),
        Outside("No part in tables at all.", "3", "nobody"),
    ),
)
BOOK = replace(BOOKS["crown-6.1"], contents=CONTENTS)


BOOK = replace(BOOKS["crown-6.1"], contents=CONTENTS)


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one cited rule in code and tests; the invented contents stand in for Crown's."""
    monkeypatch.setattr("service.cli.compliance.coverage.BOOKS", {**BOOKS, BOOK.id: BOOK})
    for path, text in {
        "engine/vocabulary/dice.py": IMPORT + 'THREE = CROWN.at("1.1")',
        "engine/tables.py": IMPORT + 'TABLES = CROWN.at("3")',
        "engine/books/crown/outside.toml": 'rules = "BOOK 2"',
        "tests/test_dice.py": 'def test_three():\n    """BOOK 1.1."""\n    """BOOK 1.1."""',
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text.replace("BOOK", "crown-6.1"))
    return tmp_path


def test_what_there_is_of_each_rule(sources: Path) -> None:
    covered = coverage(BOOK, sources)
    assert [(row.rule.number, row.state) for row in covered.rows] == [
        ("1", RuleState.PARTS),
        ("1.1", RuleState.IMPLEMENTED),
        ("1.2", RuleState.OUTSIDE),
        ("2", RuleState.OPEN),
        ("3", RuleState.IMPLEMENTED),
    ]
    assert covered.rows[1].code == (CitedAt("engine/vocabulary/dice.py", "THREE", 2),)
    assert covered.rows[1].tests == (CitedAt("tests/test_dice.py", "test_three", 2),)
    assert [row.rule.number for row in covered.contradictions] == ["3"]
    assert [row.rule.number for row in covered.untested] == ["3"]


def test_the_page(sources: Path) -> None:
    text = page(coverage(BOOK, sources), ROOT / "build" / "rulebooks")
    code = "[engine/vocabulary/dice.py](../../engine/vocabulary/dice.py)"
    test = "[tests/test_dice.py](../../tests/test_dice.py)"
    assert CROWN.sha256 in text
    for line in (
        "| rules that say something of their own | 4 |",
        "| implemented | 2 |",
        "| of these cited by a test | 1 |",
        "| outside, each with its reason | 1 |",
        "| neither implemented nor outside | 1 |",
        "| **1** | **Dice:** |  |  |  |",
        f"| 1.1 | three | log, command | {code} THREE | {test} test_three |",
        "| 1.2 | red | person | *outside:* No part in colours of dice. |  |",
        "| **2** | **Tiles** |  | **not implemented** |  |",
    ):
        assert line in text.splitlines()
