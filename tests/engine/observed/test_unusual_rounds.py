"""Unusual rounds as a camera sees them, written by hand from the printed rules: findings and remedies."""

from collections.abc import Iterable
from typing import Any

import pytest

from engine.books.registry import BOOKS
from engine.game.tiles import Tile
from engine.observed import DepartureKind, ObservedRound
from engine.observed.departures import Allowance
from engine.observed.observations import (
    DeliveryEnded,
    DiceLeft,
    DiceSeen,
    HandOpened,
    HandPutAway,
    HouseWayAsked,
    Observation,
    OldDiceLeft,
    StacksSeen,
    TilesCounted,
    TilesDealt,
    TilesHandled,
    TilesMixed,
    TilesStacked,
    UnusedOpen,
)
from engine.observed.possible import THE_HOUSE, KnownBank
from engine.vocabulary.facts import Bank, Milestone
from engine.vocabulary.irregularities import Irregularity, Remedies
from engine.vocabulary.remedy import Remedy

BEFORE = (TilesMixed(), TilesStacked())
CUT_DIE = {"crown-6.1": 1, "star-2024": 1}
EXPOSED = DepartureKind.EXPOSED_BEFORE_BANK


def _round(book: str, *seen: Observation, bank: KnownBank = THE_HOUSE, side_wagers: bool = False) -> ObservedRound:
    rules = BOOKS[book]
    return ObservedRound(rules, rules.play.boxes.value, bank=bank, seen=(*BEFORE, *seen), side_wagers=side_wagers)


def _thrown(book: str, *box_dice: int) -> DiceSeen:
    return DiceSeen(box_dice, CUT_DIE.get(book))


def _dealt(first: int, but: Iterable[int] = ()) -> tuple[Observation, ...]:
    """Tiles to one place after the other, from a first box on."""
    places = [(first - 1 + step) % 8 + 1 for step in range(8)]
    return (*(TilesDealt((place,)) for place in places if place not in but), DeliveryEnded())


def _kinds(seen: ObservedRound) -> list[DepartureKind]:
    return [each.kind for each in seen.departures]


def _only(seen: ObservedRound) -> tuple[Remedies, ...]:
    (departure,) = seen.departures
    return seen.remedies(departure)


def _sections(found: Remedies) -> list[str]:
    return [option.cite.section for option in found.options]


def _sure(found: Remedies) -> list[str]:
    return [option.cite.section for option in found.options if found.surely_open(option)]


def _option(found: Remedies, section: str) -> Remedy:
    return next(option for option in found.options if option.cite.section == section)


# What was seen goes before what usually happens


def test_a_wrong_deal_is_void_at_crown_while_the_banks_hand_is_seen_to_lie_closed() -> None:
    """crown-6.1 12.7: void; results stand only if it is found after the dealer's hand has been exposed (12.7.1)."""
    dealt = (_thrown("crown-6.1", 1, 1, 1), *_dealt(4))
    closed = _round("crown-6.1", *dealt, HandOpened(2, closed=(None, 3)))
    wrong = next(each for each in closed.departures if each.kind is DepartureKind.WRONG_FIRST_BOX)
    (found,) = closed.remedies(wrong)
    assert _sections(found) == _sure(found) == ["12.7"]
    (found,) = _only(_round("crown-6.1", *dealt, HandOpened(None, closed=(2, 3))))
    assert _sections(found) == _sure(found) == ["12.7.1"]


def test_a_hand_open_beside_an_unseen_banks_hand_leaves_both_rules() -> None:
    """crown-6.1 12.7, 12.7.1: the dealer's hand may have been exposed or not, so both rules are reported."""
    (found,) = _only(_round("crown-6.1", _thrown("crown-6.1", 1, 1, 1), *_dealt(4), HandOpened(2, closed=(3,))))
    assert _sections(found) == ["12.7", "12.7.1"]
    assert _sure(found) == []


@pytest.mark.parametrize("book", ["star-2024", "star-classic"])
def test_whether_tiles_were_handled_is_not_seen_after_the_delivery(book: str) -> None:
    """star-2024 15.11 to 15.13, star-classic 15.13 to 15.15: reconstructed before players handle tiles, else played."""
    reconstruct, void, play_on = {
        "star-2024": ("15.11", "15.12", "15.13"), "star-classic": ("15.13", "15.14", "15.15")
    }[book]  # fmt: skip
    dealt = (_thrown(book, 1, 1, 1), *_dealt(4))
    for seen in (dealt[:-1], dealt, (*dealt, HouseWayAsked(3))):
        (found,) = _only(_round(book, *seen))
        assert _sections(found) == [reconstruct, void, play_on]
        assert _sure(found) == []
        assert _option(found, reconstruct).before in found.progress.unknown
    # The bank's hand is opened once all hands are set.
    (found,) = _only(_round(book, *dealt, HandOpened(None, closed=(3,))))
    assert _sections(found) == _sure(found) == [play_on]


@pytest.mark.parametrize("book", BOOKS)
def test_nothing_concluded_contradicts_what_was_seen(book: str) -> None:
    """While the bank's tiles lie closed, its hand is not exposed and nothing that only follows from it is known."""
    seen = _round(book, *_dealt(1), HandOpened(2, closed=(None, 3)), HandOpened(3, closed=(None,)))
    assert not seen.progress.may_be_reached(Milestone.BANK_EXPOSED)
    assert not seen.progress.reached & {Milestone.HANDS_SET, Milestone.TILES_VIEWED, Milestone.TILES_HANDLED}
    assert {Milestone.FIRST_HAND_EXPOSED, Milestone.TILES_DELIVERED} <= seen.progress.reached


# Hands opened before the bank's


@pytest.mark.parametrize("book", ["nz-1998", "star-2024", "star-classic"])
def test_the_only_player_against_the_house_may_lay_his_tiles_open(book: str) -> None:
    """nz-1998 10.14, star-2024 12.19, star-classic 12.16."""
    alone = HandOpened(4, closed=(None,))
    assert _kinds(_round(book, *_dealt(1), alone)) == []
    # Laid open before the dealer took back the tiles of empty boxes.
    early = HandOpened(4, closed=(None, 1, 2, 3, 5))
    assert _kinds(_round(book, *_dealt(1)[:-1], early, DeliveryEnded(), HandOpened(None, (), (4,)))) == []
    for others in (HandOpened(4, closed=(None, 6)), HandOpened(4, closed=(None,), open=(6,))):
        seen = (HandOpened(6, closed=(None, 4)), others) if others.open else (others,)
        assert EXPOSED in _kinds(_round(book, *_dealt(1), *seen))
    # A player who banks is no House.
    banks = KnownBank(Bank.PLAYER, 2, 0)
    assert EXPOSED in _kinds(_round(book, *_dealt(2), HandOpened(4, closed=(2,)), bank=banks))


def test_no_such_exception_at_crown() -> None:
    """crown-6.1 10.2.7: no tiles are exposed until all hands have been set, then the House's first."""
    assert _kinds(_round("crown-6.1", *_dealt(1), HandOpened(4, closed=(None,)))) == [EXPOSED]


def test_with_bonus_wagers_only_the_dealer_need_not_show_the_hand() -> None:
    """crown-6.1 13.8.1: a camera does not see the wagers, so it reports the exception, and no sure departure."""
    opened = HandOpened(2, closed=(None, 3))
    (departure,) = _round("crown-6.1", *_dealt(1), opened, side_wagers=True).departures
    assert [(each.allowance, each.rule.section) for each in departure.unless] == [(Allowance.BONUS_ONLY, "13.8.1")]
    for sure in (
        _round("crown-6.1", *_dealt(1), opened),
        _round("nz-1998", *_dealt(1), opened, side_wagers=True),
        _round("crown-6.1", *_dealt(4), HandOpened(2, (3, 4)), bank=KnownBank(Bank.PLAYER, 4), side_wagers=True),
    ):
        (departure,) = sure.departures
        assert departure.unless == ()


@pytest.mark.parametrize("book", BOOKS)
def test_who_exposed_a_hand_is_not_seen(book: str) -> None:
    """Ruling 46: every cause with its remedies."""
    found = _exposed_by(book)
    assert [each.irregularity for each in found] == [Irregularity.DEALER_EXPOSES, Irregularity.PLAYER_EXPOSES]
    assert all(each.options for each in found)


def _exposed_by(book: str) -> tuple[Remedies, Remedies]:
    seen = _round(book, *_dealt(1), HandOpened(2, closed=(None, 3)))
    dealer, player = seen.remedies(next(each for each in seen.departures if each.kind is EXPOSED))
    return dealer, player


@pytest.mark.parametrize(
    ("book", "dealer", "player"),
    [
        ("crown-6.1", ["12.2.1", "12.2"], ["10.2.7", "16.2.1", "16.2.2"]),
        ("nz-1998", ["12.3(a)", "12.3", "12.7"], ["10.10", "10.14", "12.7"]),
        ("star-2024", ["15.3.1", "15.3", "15.4"], ["12.19", "12.13", "15.4"]),
        ("star-classic", ["15.3.1", "15.3", "15.4"], ["12.16", "12.9", "15.4"]),
    ],
)
def test_each_cause_has_the_remedies_of_its_own_rule(book: str, dealer: list[str], player: list[str]) -> None:
    """Whether the player has looked at the other tiles is not seen: the hand may be void, or no longer."""
    by_dealer, by_player = _exposed_by(book)
    assert _sections(by_dealer) == dealer
    assert Milestone.TILES_VIEWED in by_dealer.progress.unknown
    assert _sections(by_player) == player


# The delivery


@pytest.mark.parametrize("book", ["nz-1998", "star-2024", "star-classic"])
def test_tiles_of_adjacent_empty_boxes_may_lie_at_one_of_them(book: str) -> None:
    """nz-1998 10.2, star-2024 12.2, star-classic 12.2."""
    together = (*_dealt(3, but=(6,)), TilesCounted(5, more=True))
    assert _kinds(_round(book, _thrown(book, 1, 1, 1), *together)) == []
    assert _kinds(_round(book, *_dealt(3, but=(5, 6)), TilesCounted(7, more=True))) == []
    # The first two of the delivery, put at the second.
    assert _kinds(_round(book, _thrown(book, 1, 1, 1), *_dealt(3, but=(3,)), TilesCounted(4, more=True))) == []
    miscounted = [DepartureKind.TILES_MISCOUNTED]
    assert _kinds(_round(book, *_dealt(3), TilesCounted(5, more=True))) == miscounted
    assert _kinds(_round(book, *_dealt(3, but=(6,)), TilesCounted(5, more=False))) == miscounted
    assert _kinds(_round(book, *together, HouseWayAsked(5))) == miscounted
    assert _kinds(_round(book, *together, HandOpened(None, (5,)), HandOpened(5))) == miscounted


@pytest.mark.parametrize("book", ["crown-6.1", "uk-poster"])
def test_crown_and_the_poster_deal_to_every_box(book: str) -> None:
    """crown-6.1 10.1.1; uk-poster point 4."""
    seen = _round(book, *_dealt(3, but=(6,)), TilesCounted(5, more=True))
    assert _kinds(seen) == [DepartureKind.TILES_MISCOUNTED]


@pytest.mark.parametrize("book", ["crown-6.1", "star-2024"])
def test_a_first_box_needs_only_the_box_dice(book: str) -> None:
    """crown-6.1 4.4.2, star-2024 8.4.1, ruling 47: the cut die was not read."""
    thrown = DiceSeen((1, 1, 1))
    assert _kinds(_round(book, thrown, *_dealt(3))) == []
    (departure,) = _round(book, thrown, *_dealt(4)).departures
    assert (departure.kind, departure.seen, departure.due) == (DepartureKind.WRONG_FIRST_BOX, (4,), (3,))
    assert departure.rule.section in {"4.4.2", "8.4.1"}
    # One of three dice that were not told apart may be the cut die.
    assert _kinds(_round(book, DiceSeen((1, 1, 1), distinguished=False), *_dealt(4))) == []


POSTERS = [((3, 3, 2), 8), ((3, 3, 3), 9), ((6, 5, 5), 16), ((6, 6, 5), 17)]


@pytest.mark.parametrize(("dice", "total"), POSTERS)
def test_dealing_by_the_posters_own_words_is_no_departure(dice: tuple[int, int, int], total: int) -> None:
    """uk-poster point 3, rulings 25 and 48: "if the dice total 8 the Banker gets the first dominoes"."""
    banker = 8
    by_ruling, by_words = (7, banker) if total in {8, 16} else (banker, 1)
    for first in (by_ruling, by_words):
        assert _kinds(_round("uk-poster", DiceSeen(dice), *_poster(first))) == []
    (departure,) = _round("uk-poster", DiceSeen(dice), *_poster(3)).departures
    assert (departure.kind, departure.due) == (DepartureKind.WRONG_FIRST_BOX, (by_ruling, by_words))


def _poster(first: int) -> tuple[Observation, ...]:
    """The dealer's place lies before the float."""
    return tuple(
        TilesDealt((None,)) if isinstance(each, TilesDealt) and each.boxes == (8,) else each for each in _dealt(first)
    )


def test_a_total_that_the_poster_counts_one_way_has_one_first_box() -> None:
    """uk-poster point 3: "if the dice total 3, the second position to the right of the banker"."""
    assert _kinds(_round("uk-poster", DiceSeen((1, 1, 1)), *_poster(2))) == []
    assert _kinds(_round("uk-poster", DiceSeen((1, 1, 1)), *_poster(3))) == [DepartureKind.WRONG_FIRST_BOX]


# Cuts


def test_a_supervisor_may_accept_another_cut_at_the_star() -> None:
    """star-2024 8.4.5, ruling 43: reported with the title; crown-6.1 5.4.1, 5.4.3: a departure."""
    # The cut die shows 4: Big Slice. The first group comes from the third stack, as in no such cut.
    cut = StacksSeen((1, 2, 4, 5, 6, 7, 8), (3,), 1, 1)
    seen = {book: _round(book, DiceSeen((1, 1, 1), 4), *_dealt(3), cut) for book in CUT_DIE}
    (accepted,), (departure,) = seen["star-2024"].departures, seen["crown-6.1"].departures
    assert accepted.kind is departure.kind is DepartureKind.CUT_AGAINST_DIE
    (unless,) = accepted.unless
    assert (unless.allowance, unless.rule.section, unless.by) == (Allowance.CUT_ACCEPTED, "8.4.5", "casino supervisor")
    assert departure.unless == ()
    # No book prints the consequence; the remedies of a wrong distribution are used and marked (ruling 44).
    (found,) = seen["crown-6.1"].remedies(departure)
    assert [(option.cite.section, option.rulings) for option in found.options] == [("12.7", (44,))]
    (found,) = seen["star-2024"].remedies(accepted)
    assert all(44 in option.rulings for option in found.options)


def test_a_banks_hand_put_away_was_exposed() -> None:
    """Also if the camera did not see it opened."""
    seen = _round("crown-6.1", *_dealt(1), HandPutAway(None))
    assert Milestone.BANK_EXPOSED in seen.progress.reached


def test_a_person_says_whether_another_cut_was_accepted() -> None:
    """star-2024 8.4.5, ruling 43: no departure if it was, and one without exceptions if nobody accepted it."""
    cut = StacksSeen((1, 2, 4, 5, 6, 7, 8), (3,), 1, 1)

    def cut_under(book: str, *, accepted: bool | None) -> ObservedRound:
        bank = KnownBank(Bank.HOUSE, other_cut=accepted)
        return _round(book, DiceSeen((1, 1, 1), 4), *_dealt(3), cut, bank=bank)

    assert _kinds(cut_under("star-2024", accepted=True)) == []
    (departure,) = cut_under("star-2024", accepted=False).departures
    assert (departure.kind, departure.unless) == (DepartureKind.CUT_AGAINST_DIE, ())
    # Crown has no such permission under a House bank (crown-6.1 5.4.3).
    assert _kinds(cut_under("crown-6.1", accepted=True)) == [DepartureKind.CUT_AGAINST_DIE]


# Hands put away


def _laid(low: str, high: str) -> dict[str, Any]:
    (a, b), (c, d) = (tuple(map(Tile.parse, pair.split())) for pair in (low, high))
    return {"low": (a, b), "high": (c, d)}


BANKS = _laid("6-1 5-1", "6-4 5-4")  # 3 and 9
LOSES, STANDS_OFF, WINS = _laid("5-3 3-2", "6-2 3-1"), _laid("5-3 3-2", "6-6 6-6"), _laid("4-4 6-3", "6-6 6-6")
PLAYERS = [("crown-6.1", "10.3.2(o)"), ("nz-1998", "11.2(h)"), ("star-2024", "13.2.9"), ("star-classic", "13.2.9")]


def _left_open(book: str, bank: KnownBank, *, hand: dict[str, Any]) -> ObservedRound:
    """The hand of box 3 still lies open when that of box 4 is opened."""
    at = None if bank.method is Bank.HOUSE else bank.box
    banks = HandOpened(at, closed=(3, 4), **BANKS)
    return _round(
        book, *_dealt(1), banks, HandOpened(3, (4,), **hand), HandOpened(4, (), open=(3,), **LOSES), bank=bank
    )


@pytest.mark.parametrize(("book", "rule"), [*PLAYERS, ("nz-1998", "11.1(h)")])
def test_the_tiles_of_a_stand_off_are_removed_before_the_next_hand(book: str, rule: str) -> None:
    """crown-6.1 10.3.2(o); nz-1998 11.1(h), 11.2(h); star-2024 12.15, 13.2.9; star-classic 12.12, 13.2.9."""
    bank = THE_HOUSE if rule == "11.1(h)" else KnownBank(Bank.PLAYER, 2, 0)
    (departure,) = _left_open(book, bank, hand=STANDS_OFF).departures
    assert (departure.kind, departure.box, departure.rule.section) == (DepartureKind.STAND_OFF_LEFT, 3, rule)
    # A won hand lies until it is paid, and one that was not read may be any.
    assert _kinds(_left_open(book, bank, hand=WINS)) == []
    assert _kinds(_left_open(book, bank, hand={})) == []


@pytest.mark.parametrize("book", ["crown-6.1", "star-2024", "star-classic", "uk-poster"])
def test_a_stand_off_may_lie_where_lost_hands_need_not_go_at_once(book: str) -> None:
    """crown-6.1 10.3.1(f), star-2024 13.1.9, star-classic 13.1.9: no moment is named under a House bank."""
    assert _kinds(_left_open(book, THE_HOUSE, hand=STANDS_OFF)) == []


def _taken(book: str, *, hand: dict[str, Any], closed: tuple[int, ...]) -> ObservedRound:
    seen = (HandOpened(None, closed=(3, 4), **BANKS), HandOpened(3, (4,), **hand), HandPutAway(3, closed))
    return _round(book, *_dealt(1), *seen)


@pytest.mark.parametrize(("book", "rule"), [("nz-1998", "11.1(i)"), ("crown-6.1", "10.2.9")])
def test_a_won_hand_is_picked_up_only_once_all_are_open(book: str, rule: str) -> None:
    """nz-1998 11.1(i), crown-6.1 10.2.9: winning wagers are paid after all hands have been exposed."""
    (departure,) = _taken(book, hand=WINS, closed=(4,)).departures
    assert (departure.kind, departure.box, departure.due) == (DepartureKind.WON_HAND_TAKEN, 3, (4,))
    assert departure.rule.section == rule
    for hand in (LOSES, STANDS_OFF, {}):
        assert _kinds(_taken(book, hand=hand, closed=(4,))) == []
    assert _kinds(_taken(book, hand=WINS, closed=())) == []


@pytest.mark.parametrize("book", ["star-2024", "star-classic", "uk-poster"])
def test_elsewhere_a_won_hand_may_be_paid_before_the_next_is_opened(book: str) -> None:
    """star-2024 13.1.8, star-classic 13.1.8: winning wagers are paid in turn; nothing says after all are open."""
    assert _kinds(_taken(book, hand=WINS, closed=(4,))) == []


# Tiles handled, and tiles left


@pytest.mark.parametrize(("book", "play_on"), [("star-2024", "15.13"), ("star-classic", "15.15")])
def test_after_tiles_are_seen_to_be_set_a_wrong_deal_is_played_on(book: str, play_on: str) -> None:
    """star-2024 15.13, star-classic 15.15: after a player has handled tiles, play goes on."""
    dealt = (_thrown(book, 1, 1, 1), *_dealt(4))
    (found,) = _only(_round(book, *dealt, TilesHandled(3)))
    assert _sections(found) == _sure(found) == [play_on]
    assert not found.progress.may_be_reached(Milestone.BANK_EXPOSED) or Milestone.BANK_EXPOSED in found.progress.unknown
    # The bank's own tiles say nothing about a player.
    (found,) = _only(_round(book, *dealt, TilesHandled(1)))
    assert play_on not in _sure(found)


@pytest.mark.parametrize("book", ["nz-1998", "star-2024", "star-classic"])
def test_the_banks_hand_is_opened_after_all_others_are_set(book: str) -> None:
    """nz-1998 10.3(a), 11.1(c); star-2024 12.3, 13.1.2; star-classic 12.3, 13.1.2."""
    opened = HandOpened(None, closed=(3, 4), as_dealt=(4,))
    (left,) = _round(book, *_dealt(1), opened).departures
    retrieved = {"nz-1998": "10.3(a)", "star-2024": "12.3", "star-classic": "12.3"}
    assert (left.kind, left.box, left.rule.section) == (DepartureKind.LEFT_AS_DEALT, 4, retrieved[book])
    seen = _round(book, *_dealt(1), opened, HandOpened(3, (4,)), HandOpened(4))
    (left,) = seen.departures
    assert left.rule == BOOKS[book].play.bank_last[Bank.HOUSE]
    absent, dispute = seen.remedies(left)
    assert (absent.irregularity, dispute.irregularity) == (Irregularity.ABSENT_PLAYER, Irregularity.DISPUTE)
    assert _kinds(_round(book, *_dealt(1), HandOpened(None, closed=(3, 4)))) == []


@pytest.mark.parametrize("book", ["crown-6.1", "uk-poster"])
def test_at_crown_requested_hands_lie_stacked_and_at_the_poster_empty_positions_keep_theirs(book: str) -> None:
    """crown-6.1 10.2.3(a): stacked four high until the settlement; uk-poster point 4: all 32 are dealt out."""
    assert _kinds(_round(book, *_dealt(1), HandOpened(None, closed=(3, 4), as_dealt=(4,)))) == []


@pytest.mark.parametrize(
    ("book", "rule"),
    [("crown-6.1", "10.1.2"), ("nz-1998", "10.3(a)"), ("star-2024", "12.3"), ("star-classic", "12.3")],
)
def test_tiles_out_of_play_lie_undisclosed(book: str, rule: str) -> None:
    """crown-6.1 10.1.2, nz-1998 10.3(a), star-2024 12.3, star-classic 12.3; the poster takes none back."""
    seen = _round(book, *_dealt(1), UnusedOpen())
    (departure,) = seen.departures
    assert (departure.kind, departure.rule.section) == (DepartureKind.UNUSED_TILES_OPEN, rule)
    (found,) = seen.remedies(departure)
    assert found.irregularity is Irregularity.UNUSED_TILES_SEEN
    assert rule in {each.section for option in found.options for each in (option.cite, *option.also)}
    assert _kinds(_round("uk-poster", *_dealt(1), UnusedOpen())) == []


@pytest.mark.parametrize(("book", "rule"), [("star-2024", "8.4.7"), ("star-classic", "8.3.3")])
def test_the_dice_are_shaken_again_after_the_delivery(book: str, rule: str) -> None:
    """star-2024 8.4.7, star-classic 8.3.3; the other books only put the cup away (crown-6.1 4.5)."""
    seen = (*_dealt(1), HandOpened(None, closed=(3,)), DiceLeft())
    (departure,) = _round(book, *seen).departures
    assert (departure.kind, departure.rule.section) == (DepartureKind.DICE_NOT_SHAKEN_AGAIN, rule)
    for other in ("crown-6.1", "nz-1998", "uk-poster"):
        assert _kinds(_round(other, *seen)) == []


@pytest.mark.parametrize(
    ("book", "rule"),
    [("crown-6.1", "4.4.2"), ("nz-1998", "9.9"), ("star-2024", "8.4.1"), ("star-classic", "8.3.1"), ("uk-poster", "")],
)
def test_no_tile_leaves_the_stacks_before_the_dice_are_thrown(book: str, rule: str) -> None:
    """crown-6.1 4.4.2, nz-1998 9.9, star-2024 8.4.1, star-classic 8.3.1: the dice decide which box gets the first."""
    (departure,) = _round(book, OldDiceLeft(), *_dealt(1), _thrown(book, 1, 1, 1)).departures
    assert departure.kind is DepartureKind.DEALT_BEFORE_DICE
    assert departure.rule.section.startswith(rule)
    assert _kinds(_round(book, _thrown(book, 6, 6, 5), *_dealt(1))) == []


# Chung and button under a House bank


@pytest.mark.parametrize(
    ("book", "box", "rule"),
    [("crown-6.1", 1, "10.3.1(a)"), ("nz-1998", 1, "11.1(a)"), ("star-2024", 1, "6.10"), ("star-classic", 1, "6.9")],
)
def test_under_a_house_bank_the_chung_has_its_place(book: str, box: int, rule: str) -> None:
    """crown-6.1 10.3.1(a), nz-1998 11.1(a), star-2024 6.10, star-classic 6.9."""
    assert _kinds(_round(book, *_dealt(1), bank=KnownBank(Bank.HOUSE, box))) == []
    elsewhere = _round(book, *_dealt(1), HandOpened(4, closed=(None, 3)), bank=KnownBank(Bank.HOUSE, 5))
    # Where the bank's tiles were dealt then is not known, and nothing else is concluded.
    (departure,) = elsewhere.departures
    assert (departure.kind, departure.box, departure.due) == (DepartureKind.CHUNG_ELSEWHERE, 5, (box,))
    assert departure.rule.section == rule
    # A player may bank from there.
    assert _kinds(_round(book, *_dealt(5), bank=KnownBank(Bank.PLAYER, 5, 0))) == []


@pytest.mark.parametrize(("book", "rule"), [("nz-1998", "9.6"), ("star-2024", "8.2"), ("star-classic", "7.8")])
def test_only_a_player_in_the_bank_uses_a_button(book: str, rule: str) -> None:
    """nz-1998 9.6, star-2024 8.2, star-classic 7.8."""
    used = _round(book, _thrown(book, 1, 1, 1), *_dealt(7), bank=KnownBank(Bank.HOUSE, 1, 4))
    # By the dice box 3 is first, by the button box 7: the first box is not checked.
    (departure,) = used.departures
    assert (departure.kind, departure.rule.section) == (DepartureKind.BUTTON_UNDER_HOUSE_BANK, rule)
    assert _kinds(_round(book, _thrown(book, 1, 1, 1), *_dealt(3), bank=KnownBank(Bank.HOUSE, 1, 0))) == []
    assert _kinds(_round(book, *_dealt(1), bank=KnownBank(Bank.PLAYER, 5, 4))) == []
