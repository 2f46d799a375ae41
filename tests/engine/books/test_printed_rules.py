"""Worked examples: for every printed rule a hand that it decides, set as the text says."""

import pytest

from engine.books.house_ways import get
from engine.game.setting import Deal, Setting

# Hands that our rulings speak of: the rulebook, the ruling, the deal, how it is set.
RULED = """
crown-6.1 | 1 | 3-1 5-1 4-2 2-1 | 3-1 4-2 / 5-1 2-1
star-2024 | 1 | 3-1 5-1 4-2 2-1 | 3-1 5-1 / 4-2 2-1
crown-6.1 | 2 | 6-6 6-6 6-1 5-2 | 6-6 5-2 / 6-6 6-1
crown-6.1 | 2 | 6-6 6-6 6-5 6-3 | 6-5 6-3 / 6-6 6-6
nz-1998 | 2 | 6-6 6-6 6-5 6-3 | 6-6 6-5 / 6-6 6-3
nz-1998 | 2 | 6-6 6-6 3-3 5-1 | 6-6 5-1 / 6-6 3-3
crown-6.1 | 3 | 4-4 3-3 5-1 6-2 | 3-3 6-2 / 4-4 5-1
nz-1998 | 3 | 3-1 5-5 2-2 6-5 | 5-5 2-2 / 3-1 6-5
crown-6.1 | 4 | 5-5 6-1 5-4 4-3 | 6-1 5-4 / 5-5 4-3
crown-6.1 | 5 | 6-6 1-1 6-3 6-2 | 1-1 6-2 / 6-6 6-3
crown-6.1 | 5 | 6-6 5-5 6-4 6-1 | 5-5 6-4 / 6-6 6-1
crown-6.1 | 6 | 6-6 6-3 6-2 5-2 | 6-3 6-2 / 6-6 5-2
crown-6.1 | 6 | 6-6 6-5 6-2 5-2 | 6-5 6-2 / 6-6 5-2
crown-6.1 | 6 | 6-6 3-1 6-3 5-2 | 3-1 6-3 / 6-6 5-2
crown-6.1 | 7 | 6-6 3-3 5-1 4-1 | 3-3 4-1 / 6-6 5-1
star-2024 | 7 | 3-3 5-1 4-1 2-1 | 5-1 4-1 / 3-3 2-1
nz-1998 | 10 | 6-6 4-4 6-2 4-1 | 4-4 4-1 / 6-6 6-2
nz-1998 | 11 | 6-6 2-2 6-3 6-2 | 2-2 6-2 / 6-6 6-3
nz-1998 | 11 | 6-6 1-1 6-3 5-5 | 1-1 5-5 / 6-6 6-3
nz-1998 | 11 | 4-4 5-5 6-4 6-2 | 5-5 6-2 / 4-4 6-4
crown-6.1 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
star-2024 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
nz-1998 | 13 | 6-6 6-6 6-3 5-4 | 6-3 5-4 / 6-6 6-6
nz-1998 | 14 | 6-6 1-1 4-1 3-1 | 6-6 3-1 / 1-1 4-1
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]


@pytest.mark.parametrize("row", rows(RULED), ids=lambda row: f"{row[0]} ruling {row[1]}: {row[2]}")
def test_hands_our_rulings_speak_of(row: list[str]) -> None:
    book, _, deal, setting = row
    assert get(book).decide(Deal.parse(deal)).allows(Setting.parse(setting))
