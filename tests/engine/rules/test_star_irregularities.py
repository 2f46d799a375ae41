"""The Star's two books, sections 15 and 16, and consequences of faults elsewhere: who acts, and until when."""

import pytest

from engine.books.registry import rulebook
from engine.errors import IrregularityError
from engine.vocabulary.facts import Bank, Milestone, Whose
from engine.vocabulary.irregularities import Irregularity

STAR, CLASSIC = (rulebook(book).irregularities for book in ("star-2024", "star-classic"))


@pytest.mark.parametrize(
    ("rule", "last", "implied"),
    [
        # Betting closes with the dice exposed, and the cut is decided after the total is called.
        ("star-2024 9.6", Milestone.DICE_SHOWN, Milestone.BETS_CLOSED),
        ("star-2024 9.6", Milestone.BETS_CLOSED, Milestone.DICE_SHOWN),
        ("star-2024 8.4.1", Milestone.CUT_NAMED, Milestone.DICE_SHOWN),
        # Betting closes with the cut, and the cup is shaken after the cut.
        ("star-classic 9.3", Milestone.CUT_NAMED, Milestone.BETS_CLOSED),
        ("star-classic 9.3", Milestone.BETS_CLOSED, Milestone.CUT_NAMED),
        ("star-classic 8.1", Milestone.DICE_SHOWN, Milestone.CUT_NAMED),
    ],
)
def test_what_must_have_come_before(rule: str, last: Milestone, implied: Milestone) -> None:
    book = STAR if rule.startswith("star-2024") else CLASSIC
    reached = book.remedies(Irregularity.DISPUTE, None, [last]).progress.reached
    assert reached is not None
    assert implied in reached, rule


def test_no_box_is_taken_out_while_a_player_banks() -> None:
    """star-2024 15.9.1, star-classic 15.8: the House is banking."""
    for book, bank, rule in (
        (STAR, Bank.PLAYER, r"star-2024 15\.9\.3"),
        (CLASSIC, Bank.PLAYER, r"star-classic 15\.10"),
        (CLASSIC, Bank.CO_BANK, r"star-classic 15\.10"),
    ):
        with pytest.raises(IrregularityError, match=rule):
            book.remove_box((1, 2, 3), bank)


def test_a_tile_missing_foreign_or_there_twice() -> None:
    """star-2024 15.17: before the shuffle there is no round to declare void."""
    for kind in (Irregularity.MISSING_TILE, Irregularity.FOREIGN_TILE, Irregularity.DUPLICATE_FACE):
        at_the_display = STAR.remedies(kind, None, [])
        assert "star-2024 15.17.2" not in {option.cite for option in at_the_display.options}
        assert STAR.remedies(kind, None, [Milestone.HANDS_SET]).options[0].cite == "star-2024 15.17.2"


def test_there_is_no_co_bank() -> None:
    """star-2024 11.1, ruling 24: its hand is not mentioned, and a query is answered accordingly."""
    assert Whose.CO_BANK not in STAR.hands
    with pytest.raises(IrregularityError, match="under star-2024 nobody banks as co-bank"):
        STAR.remedies(Irregularity.NOT_HOUSE_WAY, Whose.CO_BANK, [Milestone.FIRST_HAND_EXPOSED])
    for kind in Irregularity:
        assert all(Whose.CO_BANK not in option.whose for option in STAR.remedies(kind).options)


def test_a_players_hand_set_wrongly_is_for_the_supervisor() -> None:
    """star-classic 15.7 names the House's hands; a player's is corrected by no rule, and 16.11 remains."""
    finding = CLASSIC.remedies(Irregularity.NOT_HOUSE_WAY, Whose.PLAYER, [Milestone.BANK_EXPOSED])
    assert finding.silent
    assert finding.options[0].cite == "star-classic 16.11"


@pytest.mark.parametrize("kind", [Irregularity.INVALID_WAGER, Irregularity.WRONGLY_SETTLED])
def test_what_only_2024_rules_on(kind: Irregularity) -> None:
    """star-classic 16.11: the game supervisor decides what star-2024 15.18 to 15.21 rule on later."""
    finding = CLASSIC.remedies(kind, None, [Milestone.SETTLED])
    assert finding.silent
    assert finding.options[0].by.words == "game supervisor"
