"""Findings with the remedies for each possible cause, as recorded, served and worded."""

import pytest

from engine.books.registry import BOOKS
from engine.house_way.rules import Moment
from engine.observed import ObservedRound
from engine.observed.observations import DeliveryEnded, DiceSeen, HandOpened, Observation, TilesDealt, TilesMixed
from engine.observed.possible import THE_HOUSE, KnownBank
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.progress import Progress, so_far
from service.record.projections.causes import departures_of
from service.rounds.judge.remedies import at_moment, departed, finding_at, message_of
from service.rounds.reports import FindingReport, RoundReport
from service.rounds.served import FindingOut, RemedyOut
from tests.service.stand_ins import START
from vision.findings import Code, Finding


def _departures(book: str, *seen: Observation, side_wagers: bool = False) -> list[FindingReport]:
    rules = BOOKS[book]
    observed = ObservedRound(rules, rules.play.boxes.value, seen=(TilesMixed(), *seen), side_wagers=side_wagers)
    return [departed(observed, each) for each in observed.departures]


def _dealt(first: int) -> tuple[Observation, ...]:
    return (*(TilesDealt(((first - 1 + step) % 8 + 1,)) for step in range(8)), DeliveryEnded())


def _options(found: FindingReport, book: str) -> tuple[RemedyOut, ...]:
    return FindingOut.from_report(found, BOOKS[book]).options


def test_an_option_is_served_with_the_conditions_of_its_moment() -> None:
    """star-2024 15.11 to 15.13: whether players have handled tiles is not seen, so none of them is surely open."""
    (found,) = _departures("star-2024", DiceSeen((1, 1, 1)), *_dealt(4))
    told = [(each.rule.split()[1], each.after, each.before, each.open) for each in _options(found, "star-2024")]
    assert told == [
        ("15.11", None, "tiles-handled", None),
        ("15.12", None, "tiles-handled", None),
        ("15.13", "tiles-handled", None, None),
    ]
    assert message_of(found, BOOKS["star-2024"]).endswith(
        "Reconstruct the deal, unless a player has handled tiles (star-2024 15.11). "
        "Where it cannot be reconstructed: declare the round void and shuffle all 32 tiles again, unless a player has "
        "handled tiles (star-2024 15.12). Play the round to its end if a player has handled tiles (star-2024 15.13)."
    )


def test_an_option_whose_moment_was_seen_is_open() -> None:
    """crown-6.1 12.7: the bank's tiles are seen to lie closed."""
    found = _departures("crown-6.1", DiceSeen((1, 1, 1)), *_dealt(4), HandOpened(2, closed=(None, 3)))[0]
    (option,) = _options(found, "crown-6.1")
    assert (option.irregularity, option.duty, option.effect) == ("wrong-deal", "must", "round-void")
    assert (option.before, option.open, option.rule) == ("bank-exposed", True, "crown-6.1 12.7")
    assert "again now, before the bank's hand has been exposed (crown-6.1 12.7)" in message_of(
        found, BOOKS["crown-6.1"]
    )
    (after,) = _departures("crown-6.1", DiceSeen((1, 1, 1)), *_dealt(4), HandOpened(None, closed=(2, 3)))
    assert message_of(after, BOOKS["crown-6.1"]).endswith("Let all results stand and settle (crown-6.1 12.7.1).")


def test_what_may_be_lawful_raises_no_alarm_and_says_why() -> None:
    """crown-6.1 13.8.1."""
    opened = (*_dealt(1), HandOpened(2, closed=(None, 3)))
    (lawful,), (departure,) = (_departures("crown-6.1", *opened, side_wagers=side) for side in (True, False))
    said = message_of(lawful, BOOKS["crown-6.1"])
    assert "No departure if only Bonus wagers lie on the tiles (crown-6.1 13.8.1)." in said
    assert "If the dealer exposes two or more tiles of a hand (the player's hand): Call the player's hand void" in said
    assert "If a player exposes their tiles before all hands are set (the player's hand): " in said
    played = RoundReport(id="r1", opened_at=START, changed_at=START, agreeing_frames=3)
    assert not departures_of(played.model_copy(update={"findings": (lawful,)}))
    assert list(departures_of(played.model_copy(update={"findings": (departure,)})).values()) == [departure]
    assert "No departure" not in message_of(departure, BOOKS["crown-6.1"])


CAUSES = [
    (Code.HAND_CHANGED, "box2", ["hand-disturbed", "handled-after-set"], "player"),
    (Code.TILES_CHANGED, "box2", ["hands-mixed", "tiles-exchanged"], "player"),
    (Code.TILE_EXPOSED, "box2", ["tile-exposed", "player-exposes"], "player"),
    (Code.TILE_EXPOSED, "house", ["tile-exposed"], "house"),
]


@pytest.mark.parametrize(("found", "place", "kinds", "whose"), CAUSES)
def test_every_cause_that_agrees_with_what_was_seen_is_named(
    found: Code, place: str, kinds: list[str], whose: str
) -> None:
    """Ruling 46: a camera does not see who turned a tile up or moved it."""
    told = finding_at(Finding.of(found, place=place), at_moment(Moment.NO_HAND_EXPOSED), THE_HOUSE).irregularities
    assert [each.kind for each in told] == kinds
    assert {each.whose for each in told} == {whose}


def test_a_players_hand_may_be_the_bankers_where_the_bank_is_not_known() -> None:
    exposed = Finding.of(Code.TILE_EXPOSED, place="box2")
    for bank, kinds in (
        (KnownBank(), ["tile-exposed", "player-exposes", "banker-exposes"]),
        (KnownBank(Bank.PLAYER, 2), ["tile-exposed", "banker-exposes"]),
        (KnownBank(Bank.PLAYER, 3), ["tile-exposed", "player-exposes"]),
    ):
        told = finding_at(exposed, at_moment(None), bank).irregularities
        assert [each.kind for each in told] == kinds


def test_a_moment_alone_says_nothing_of_the_banks_hand() -> None:
    """A player's hand may be open while the bank's lies closed."""
    progress = at_moment(Moment.FIRST_HAND_EXPOSED)
    assert Milestone.BANK_EXPOSED in progress.unknown
    assert Milestone.HANDS_SET in progress.unknown
    assert Milestone.BANK_EXPOSED in at_moment(Moment.BANK_PUT_AWAY).reached


def test_a_leaning_die_needs_nothing_once_tiles_are_dealt() -> None:
    """nz-1998 9.8: the cup is shaken again; that it was not is a departure of its own."""
    leaning = Finding.of(Code.COCKED_DIE)
    (before,) = finding_at(leaning, Progress(so_far({Milestone.DICE_SHOWN})), THE_HOUSE).irregularities
    assert before.kind == "cocked-die"
    assert not finding_at(leaning, at_moment(Moment.NO_HAND_EXPOSED), THE_HOUSE).irregularities
