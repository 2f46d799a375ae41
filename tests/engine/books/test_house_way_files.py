"""The printed House Ways as files: every deal decided as the functions decided it that they were written from."""

import re
from collections.abc import Callable
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest

from engine.analysis.house_way_check import check
from engine.books.house_ways import get
from engine.house_way import HouseWay
from engine.house_way.written.conditions import condition_of
from engine.house_way.written.sheet import LARGEST, WayFileError
from engine.house_way.written.steps import step_of
from engine.house_way.written.vocabulary import Vocabulary
from engine.house_way.written.written_rule import WrittenRule
from tests.conftest import ROOT

GOLDEN = dict(
    line.split(",") for line in (ROOT / "tests" / "golden" / "house_way_decisions.csv").read_text().split()[1:]
)
"""Fingerprints of all 8,130 decisions, taken of the Python functions before the files took their place."""
FOLDERS = {"crown-6.1": "crown", "nz-1998": "nz", "star-2024": "star_2024", "star-classic": "star_classic"}


@pytest.fixture(params=GOLDEN)
def way(request: pytest.FixtureRequest) -> HouseWay:
    return get(request.param)


def test_every_decision_is_that_of_the_functions_before(way: HouseWay) -> None:
    lines = (
        "|".join(
            (
                str(deal),
                str(one.setting),
                one.rule.cite,
                ",".join(step.name for step in one.steps),
                ";".join(map(str, one.alike)),
                ";".join(f"{refused.setting} {refused.rule.name}" for refused in one.refused),
            )
        )
        + "\n"
        for deal, one in way.decisions.items()
    )
    assert sha256("".join(lines).encode()).hexdigest() == GOLDEN[way.rulebook]


def test_all_of_a_way_stands_in_its_file(way: HouseWay) -> None:
    text = (resources.files(f"engine.books.{FOLDERS[way.rulebook]}") / "house_way.toml").read_text()
    lines = text.splitlines()
    for rule in way.rules:
        assert isinstance(rule.allow, WrittenRule)
        assert rule.place is not None
        assert lines[rule.place.line - 1] == "[[rule]]"
        assert lines[rule.place.line] == f'number = "{rule.cite.section}"'


def test_the_examples_of_a_file_hold(way: HouseWay) -> None:
    assert check(way).findings == ()
    if way.rulebook != "star-classic":  # its rules are those of 2024, and so are its examples
        assert {example.section for example in way.examples} == {rule.cite.section for rule in way.rules}


# The guide

GUIDE = (ROOT / "docs" / "house-way-of-your-own.md").read_text()


def test_the_worked_example_of_the_guide_is_sound(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml house-way\n(.*?)```", GUIDE, re.DOTALL)
    path = tmp_path / "own.toml"
    path.write_text(example)
    checked = check(get(path))
    assert checked.faults == ()
    assert [note.code for note in checked.notes] == ["source", "dealer's choice"]
    assert all(use.decides for use in checked.uses)
    assert len(checked.way.examples) == 3


def test_mistakes_are_reported_as_in_the_guide(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml house-way\n(.*?)```", GUIDE, re.DOTALL)
    path = tmp_path / "own.toml"
    path.write_text(example.replace('"nines"', '"nins"').replace("wong and low", "wnog and low"))
    with pytest.raises(WayFileError) as caught:
        get(path)
    for each in caught.value.mistakes:
        assert f"fault  {each}." in GUIDE


@pytest.mark.parametrize(("heading", "reading"), [("condition", condition_of), ("step", step_of)])
def test_every_phrase_of_the_guide_can_be_read(heading: str, reading: Callable[[str, Vocabulary], object]) -> None:
    table = GUIDE.split(f"| {heading} |")[1].split("\n\n")[0]
    phrases = [phrase for row in table.splitlines()[2:] for phrase in re.findall("`([^`]+)`", row.split(" | ")[0])]
    assert len(phrases) > 10
    for phrase in phrases:
        reading(phrase, Vocabulary())


def test_the_largest_printed_file_fits_many_times_over() -> None:
    sizes = [path.stat().st_size for path in (ROOT / "engine" / "books").glob("*/house_way.toml")]
    assert len(sizes) == len(GOLDEN)
    assert max(sizes) * 4 < LARGEST
