"""Which hand goes to whom and why, and where a book's literal words say otherwise (rulings 15 to 18)."""

from itertools import product

import pytest

from engine.books.registry import BOOKS
from engine.game.ranking import Outcome
from engine.game.setting import Setting, all_deals
from engine.settlement.outcome import CALLS, Why, ZeroReading, match_hands
from tests.engine.two_hands import match

BANK_0_8 = "5-5 6-4 / 6-5 4-3"  # 0 with the High 10, 8 with the eleven
CROWN = BOOKS["crown-6.1"].settlement.matching


@pytest.mark.parametrize(
    ("player", "bank", "low", "high", "call", "rule"),
    [
        pytest.param(
            "6-6 2-1 / 6-3 5-4", "6-5 4-1 / 6-4 5-2", Why.HIGHER, Why.HIGHER, "Jung", "8.14.1", id="both-higher"
        ),
        pytest.param(
            "3-1 5-5 / 1-1 2-2", "6-5 4-1 / 6-4 5-2", Why.HIGHER, Why.HIGHER, "Che", "8.13.1", id="both-lower"
        ),
        pytest.param("4-3 6-2 / 4-4 5-5", "6-5 4-1 / 6-4 5-2", Why.HIGHER, Why.HIGHER, "Jowl", "8.15", id="one-each"),
        # 6 with the Day over 6 with the eleven; 7 with the High 6 over 7 with the Low 10 (8.12.1).
        pytest.param(
            "1-1 2-2 / 3-3 6-5", "6-5 4-1 / 6-4 5-2", Why.HIGH_TILE, Why.HIGH_TILE, "Jung", "8.14.1", id="higher-tiles"
        ),
        # Both 6 with an eleven: the second tile is not looked at (8.12, 8.12.1).
        pytest.param("6-5 3-2 / 3-3 6-5", "6-5 4-1 / 6-4 5-2", Why.COPY, Why.HIGH_TILE, "Jowl", "8.15", id="a-copy"),
        pytest.param("6-5 3-2 / 6-4 4-3", "6-5 4-1 / 6-4 5-2", Why.COPY, Why.COPY, "Che", "8.13.1", id="two-copies"),
        pytest.param("3-1 3-3 / 6-3 5-5", BANK_0_8, Why.ZERO, Why.HIGHER, "Jowl", "8.15", id="zero-low"),
        pytest.param("3-1 3-3 / 4-4 5-5", BANK_0_8, Why.ZERO, Why.HIGH_TILE, "Jowl", "8.15", id="zero-low-tile-high"),
        pytest.param("3-1 3-3 / 5-2 3-2", BANK_0_8, Why.ZERO, Why.HIGHER, "Che", "8.13.1", id="zero-low-lost"),
    ],
)
def test_each_hand_has_its_reason(player: str, bank: str, low: Why, high: Why, call: str, rule: str) -> None:
    found = match_hands(Setting.parse(player), Setting.parse(bank), CROWN)
    assert (found.low.why, found.high.why, CALLS[found.outcome], found.cite) == (low, high, call, f"crown-6.1 {rule}")


@pytest.mark.parametrize(
    ("player", "bank", "ruled", "literally"),
    [
        # Player's 0 has the higher tile and his high hand wins: C compares the tiles, N, S and O take the wager.
        pytest.param("3-1 3-3 / 6-3 5-5", BANK_0_8, "Jowl", ("Jung", "Che", "Che", "Jowl"), id="zero-with-higher-tile"),
        # Copy of zeros, high hand won: compared or not the low hand is the bank's.
        pytest.param("5-5 6-4 / 6-3 5-5", BANK_0_8, "Jowl", ("Jowl", "Che", "Che", "Jowl"), id="copied-zero"),
        # Bank's high hand higher and player's low hand zero: lost in C's very words (8.13.2).
        pytest.param("3-1 3-3 / 5-2 3-2", BANK_0_8, "Che", ("Che", "Che", "Che", "Che"), id="zero-and-high-lost"),
        # High hands copy, player's zero has the higher tile: C compares, since the bank's high hand is not higher.
        pytest.param("3-1 3-3 / 6-5 5-2", BANK_0_8, "Che", ("Jowl", "Che", "Che", "Che"), id="zero-and-high-copied"),
        # Zero in both hands of both: U's words speak of low hands only, so its high hands are compared.
        pytest.param(
            "5-5 6-4 / 3-1 3-3", "2-2 5-1 / 5-5 6-4", "Che", ("Jung", "Che", "Che", "Jowl"), id="all-hands-zero"
        ),
        pytest.param("6-6 2-1 / 6-3 5-4", "6-5 4-1 / 6-4 5-2", "Jung", ("Jung",) * 4, id="no-zero"),
    ],
)
def test_zero_against_zero_to_the_letter(player: str, bank: str, ruled: str, literally: tuple[str, ...]) -> None:
    found = {
        name: match_hands(Setting.parse(player), Setting.parse(bank), book.settlement.matching)
        for name, book in BOOKS.items()
    }
    assert {CALLS[one.outcome] for one in found.values()} == {ruled}
    letters = [CALLS[found[name].literal] for name in ("crown-6.1", "nz-1998", "star-2024", "uk-poster")]
    assert tuple(letters) == literally
    assert found["star-classic"].literal is found["star-2024"].literal


def test_the_outcome_is_the_one_of_the_edge() -> None:
    """Reasons come from the same comparison that is used to count outcomes."""
    settings = [deal.settings[0] for deal in all_deals()[::97]]
    for player, bank in product(settings, repeat=2):
        found = match_hands(player, bank, CROWN)
        assert found.outcome is match(player, bank)
        taken = found.low.to_player + found.high.to_player
        assert (Outcome.LOSE, Outcome.PUSH, Outcome.WIN)[taken] is found.outcome
        if Why.ZERO not in (found.low.why, found.high.why):
            assert found.literal is found.outcome


def test_every_reading_of_zero_is_some_books() -> None:
    assert {book.settlement.matching.zero.value for book in BOOKS.values()} == set(ZeroReading)
    assert all(15 in book.settlement.matching.zero.rulings for book in BOOKS.values())
