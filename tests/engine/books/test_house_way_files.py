"""The printed House Ways as files: every deal decided as the functions decided it that they were written from."""

from __future__ import annotations

from hashlib import sha256
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from engine.analysis.house_way_check import check
from engine.books.house_ways import get
from engine.house_way.written.written_rule import WrittenRule
from tests.conftest import ROOT

if TYPE_CHECKING:
    from engine.house_way import HouseWay

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
