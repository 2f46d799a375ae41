"""The Star 2024, sections 6 and 11, rules 9.15, 9.16, 13.2.1 and 13.2.2: the bank."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError, WagerError
from engine.round import Before, RoundLog
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import Wager
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_bank_goes_round import banked, fresh, refused
from tests.engine.round.test_bank_goes_round import opened as opened_table
from tests.engine.rules.star import check_event, check_refusal, settled
from tests.engine.rules.tables import followed, opened, rows

STAR = "star-2024"
BOOK = rulebook(STAR)
BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6

EVENTS = """
star-2024 6.1 | player | bank-accepted | bank-accepted box=3 players=Eve method=player funds=50000 | refused
star-2024 6.10 | house | dice-shaken | wager-placed box=1 player=Eve amount=100 | refused
star-2024 6.10 | player | dice-shaken | wager-placed box=1 player=Eve amount=100 | allowed
star-2024 9.15 | player | bank-wagered amount=10000 | bank-wagered amount=50001 | refused
star-2024 9.15 | player | bank-wagered amount=10000 | bank-wagered amount=50000 | allowed
star-2024 9.16 | player | dice-shaken | wager-placed box=3 player=Eve amount=100 | refused
star-2024 1.1 | player | dice-shaken | wager-placed box=6 player=Dan amount=100 | refused
star-2024 11.1 | player | bank-accepted | bank-accepted box=3 players=Dan method=co-bank funds=9000 | refused
star-2024 11.1 | house | dice-shaken | bank-wagered amount=5000 | refused
star-2024 11.1.2 | player | bank-accepted | bank-accepted box=3 players=Dan method=player funds=9000 | allowed
star-2024 13.2.2 | player | button-placed | bank-fell-back method=house | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


# Round after round: Ann at box 2, Bob at 4, Cho at 6; the House has banked first


def test_the_offer_begins_at_the_left_of_the_last_bank() -> None:
    """star-2024 6.1: after the House's bank on area one with area two, after Ann's on area two with the next.

    Where nobody has banked yet, with area one (ruling 31).
    """
    log = opened(STAR, "player-seated box=1 player=Gus", "player-seated box=2 player=Ann")
    check_refusal(log.refusal(event("bank-offered box=2 player=Ann")), "star-2024 6.1", "refused")
    table = opened_table(STAR)
    assert refused(fresh(table), "bank-offered box=4 player=Bob") == "6.1"
    assert fresh(table).refusal(event("bank-offered box=2 player=Ann")) is None
    table = banked(banked(table, 2), 2, going_on=True)
    assert refused(fresh(table), "bank-offered box=2 player=Ann") == "6.1"
    assert refused(fresh(table), "bank-offered box=6 player=Cho") == "6.1"
    assert fresh(table).refusal(event("bank-offered box=4 player=Bob")) is None


EVE_ON_TWO = Before(
    commencement=False,
    check_due=False,
    offer_from=2,
    chung=1,
    played={
        "Ann": frozenset({2, 4}),
        "Bob": frozenset({4}),
        "Eve": frozenset({2, 4}),
        "Fay": frozenset({2}),
    },
    control={2: "Ann", 4: "Bob"},
)


@pytest.mark.parametrize(
    ("rule", "declined", "offer", "verdict"),
    [
        ("star-2024 6.1", (), "bank-offered box=2 player=Fay", "refused"),  # Ann controls area two
        ("star-2024 6.2", ("2 Ann",), "bank-offered box=2 player=Fay", "allowed"),
        ("star-2024 6.2", ("2 Ann", "4 Bob"), "bank-offered box=2 player=Fay", "refused"),  # its turn is past
        ("star-2024 6.4", ("2 Ann", "4 Bob"), "bank-offered box=4 player=Eve", "allowed"),
        ("star-2024 6.5", ("2 Ann", "4 Bob"), "bank-offered box=4 player=Eve", "allowed"),  # furthest from the chung
        ("star-2024 6.6", (), "bank-offered box=2 player=Gus", "refused"),  # he did not play
    ],
)
def test_to_whom_the_bank_is_offered(rule: str, declined: tuple[str, ...], offer: str, verdict: str) -> None:
    log = opened(STAR, before=EVE_ON_TWO)
    for each in declined:
        box, player = each.split()
        log = followed(log, f"bank-offered box={box} player={player}", f"bank-declined box={box} player={player}")
    check_refusal(log.refusal(event(offer)), rule, verdict)


@pytest.mark.parametrize(
    ("rule", "declined", "offer"),
    [
        ("star-2024 6.4", ("2 Ann", "4 Bob"), "bank-offered box=4 player=Ann"),  # she controls area two
        ("star-2024 6.5", ("2 Ann",), "bank-offered box=2 player=Eve"),  # area four is further from area one
    ],
)
def test_to_whom_it_is_not_offered(rule: str, declined: tuple[str, ...], offer: str) -> None:
    log = opened(STAR, before=EVE_ON_TWO)
    for each in declined:
        box, player = each.split()
        log = followed(log, f"bank-offered box={box} player={player}", f"bank-declined box={box} player={player}")
    assert log.refusal(event(offer)) is not None, rule


def test_who_takes_an_area_from_its_controller_banks_alone_there() -> None:
    """star-2024 6.2, 9.16: whoever declined has no wager on the area while another banks from it."""
    log = opened(STAR, "bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann", before=EVE_ON_TWO)
    lines = ("bank-offered box=2 player=Fay", "bank-accepted box=2 players=Fay method=player funds=900", "shuffled")
    log = followed(log, *lines)
    check_refusal(log.refusal(event("wager-placed box=2 player=Ann amount=100")), "star-2024 9.16", "refused")
    assert log.refusal(event("wager-placed box=5 player=Ann amount=100")) is None


def test_the_bank_is_accepted_at_the_area_of_the_offer() -> None:
    """star-2024 6.3: from the area last played, where the chung is put, and from no other (star-2024 6.4)."""
    log = opened(STAR, "bank-offered box=2 player=Ann", before=EVE_ON_TWO)
    for box in (1, 3, 4):
        line = f"bank-accepted box={box} players=Ann method=player funds=900"
        assert log.refusal(event(line)) is not None
    taken = log.append(event("bank-accepted box=2 players=Ann method=player funds=900"))
    assert taken.state.held.box == 2


@pytest.mark.parametrize("chung", range(2, 9))
def test_the_chung_of_the_house_lies_on_area_one(chung: int) -> None:
    """star-2024 6.10; with a player it lies on his own area (star-2024 13.2.1), which has to be named."""
    cup = Cup((1, 1, 1), 1)
    with pytest.raises(DiceError, match=r"star-2024 6\.10"):
        BOOK.dice.read(cup, Bank.HOUSE, chung)
    read = BOOK.dice.read(cup, Bank.PLAYER, chung)
    assert isinstance(read, Thrown)
    assert read.chung == chung
    with pytest.raises(DiceError, match=r"star-2024 13\.2\.1"):
        BOOK.dice.read(cup, Bank.PLAYER)


# Ways of banking


def _short(*more: str) -> RoundLog:
    return opened(
        STAR,
        "bank-offered box=2 player=Ann",
        "bank-accepted box=2 players=Ann method=player funds=100",
        "shuffled",
        "stacked",
        "wager-placed box=4 player=Bob amount=60",
        "bank-wagered amount=59",
        "dice-shaken by=dealer",
        *more,
        before=EVE_ON_TWO,
    )


def test_a_bank_that_does_not_cover_the_wagers() -> None:
    """star-2024 13.2.2: the difference is made up, or else the House banks; there is no third way (ruling 24)."""
    thrown = event("dice-shown box_dice=1,1,1 cut_die=1 first_box=4")
    check_refusal(_short().refusal(thrown), "star-2024 13.2.2", "refused")
    assert _short("bank-wagered amount=60").refusal(thrown) is None
    check_refusal(_short().refusal(event("bank-fell-back method=co-bank")), "star-2024 13.2.2", "refused")
    house = _short("bank-fell-back method=house").state.held
    assert (house.method, house.box, house.players) == (Bank.HOUSE, 1, ())


@pytest.mark.parametrize("bet", ["bonus", "tie", "big", "small", "dragon"])
def test_only_wagers_against_the_bank_are_permitted(bet: str) -> None:
    """star-2024 9.2: by a player against the bank, and by the player/banker."""
    with pytest.raises(WagerError, match="settled here: pai-gow"):
        settled(STAR, Wager(3, "Bob", 5000, bet=bet), hands={3: LOSES}, bank=BankHolder(Bank.HOUSE, BANK))
