"""What The Star's two books rule alike under different numbers: in each row the rules of 2024 first, then the older."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DealError, TableError, WagerError
from engine.game.ranking import Outcome
from engine.round import Before, Setup, Table
from engine.round.state.round_state import HandStage
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, event
from tests.engine.round.test_bank_goes_round import after, banked, fresh, refused
from tests.engine.round.test_bank_goes_round import opened as opened_table
from tests.engine.rules.star import before_close, check_refusal, check_settlement_order, closed, delivered, settled
from tests.engine.rules.tables import opened

STAR, CLASSIC = "star-2024", "star-classic"
BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
WINS = Laid.parse("6-6 2-1 / 6-3 5-4")  # 8 and a pair of nines
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6
HOUSE = BankHolder(Bank.HOUSE, BANK)
# Ann controls area two, where Fay wagered too; Bob area four.
TWO_ON_TWO = Before(
    commencement=False,
    check_due=False,
    offer_from=2,
    chung=1,
    played={"Ann": frozenset({2}), "Bob": frozenset({4}), "Fay": frozenset({2})},
    control={2: "Ann", 4: "Bob"},
)
TO_ANN = "bank-offered box=2 player=Ann"
TAKEN = "bank-accepted box=2 players={} method=player funds={}"


def numbered(star: str, classic: str) -> pytest.MarkDecorator:
    """Once under each book, with its rule."""
    return pytest.mark.parametrize(("book", "rule"), [(STAR, star), (CLASSIC, classic)])


# Tiles


@numbered("star-2024 3.3.1", "star-classic 3.3.2")
def test_tiles_are_checked_again_whenever_they_are_replaced(book: str, rule: str) -> None:
    """star-2024 3.3, 3.4; star-classic 3.3, 3.4: one by one, the whole set, before another tile of it is shuffled."""
    log = opened(book, "player-seated box=2 player=Ann")
    assert log.refusal(event("shuffled")) is None
    log = log.append(event("tiles-replaced ordered_by=casino_supervisor"))
    check_refusal(log.refusal(event("shuffled")), rule, "refused")
    log = log.append(event(f"tiles-checked tiles={FULL} by=casino_supervisor"))
    assert log.refusal(event("shuffled")) is None


# The bank: Ann at box 2, Bob at 4, Cho at 6; the House has banked first


@numbered("star-2024 6.6", "star-classic 6.4")
def test_at_the_commencement_nobody_need_have_played(book: str, rule: str) -> None:
    log = opened(book, "player-seated box=5 player=Gus")
    assert log.refusal(event("bank-offered box=5 player=Gus")) is None, rule


@numbered("star-2024 6.7", "star-classic 6.5")
def test_a_bank_is_two_rounds_and_an_area_has_up_to_three(book: str, rule: str) -> None:
    """Two rounds; six where the House allows three banks; four banks are never allowed."""
    once = banked(banked(opened_table(book), 2), 2, going_on=True)
    assert fresh(once).before.tenure is None
    table = banked(opened_table(book, Table(banks=3)), 2)
    for _ in range(5):
        assert fresh(table).before.tenure is not None
        table = banked(table, 2, going_on=True)
    assert fresh(table).before.tenure is None
    with pytest.raises(TableError, match=rule):
        Setup(rulebook(book), Table(banks=4))


@numbered("star-2024 6.8", "star-classic 6.6")
def test_two_share_the_bank_only_where_the_house_allows_it(book: str, rule: str) -> None:
    taken = event(TAKEN.format("Ann,Fay", 900))
    check_refusal(opened(book, TO_ANN, before=TWO_ON_TWO).refusal(taken), rule, "refused")
    log = opened(book, TO_ANN, before=TWO_ON_TWO, table=Table(shared=True))
    assert log.append(taken).state.held.players == ("Ann", "Fay")
    other = event(TAKEN.format("Ann,Bob", 900))  # Bob did not play there
    check_refusal(log.refusal(other), rule, "refused")


@numbered("star-2024 6.9", "star-classic 6.8")
def test_the_house_banks_once_everybody_has_declined(book: str, rule: str) -> None:
    """And with its chung on area one (star-2024 6.10, star-classic 6.9)."""
    table = opened_table(book)
    for box, player in ((2, "Ann"), (4, "Bob"), (6, "Cho")):
        assert f"{book} {refused(fresh(table), 'house-banks')}" == rule
        table = after(table, f"bank-offered box={box} player={player}", f"bank-declined box={box} player={player}")
    table = after(table, "house-banks")
    assert (table.current.state.method, table.current.state.held.box) == (Bank.HOUSE, 1)


@numbered("star-2024 9.15", "star-classic 9.12")
def test_the_banker_has_the_funds_that_are_asked_for(book: str, rule: str) -> None:
    log = opened(book, TO_ANN, before=TWO_ON_TWO, table=Table(bank_minimum=1000))
    check_refusal(log.refusal(event(TAKEN.format("Ann", 999))), rule, "refused")
    assert log.refusal(event(TAKEN.format("Ann", 1000))) is None


@numbered("star-2024 6.10", "star-classic 6.9")
def test_no_wager_on_area_one_when_the_house_banks(book: str, rule: str) -> None:
    """Its tiles lie there; with a player in the bank the area is like any other."""
    with pytest.raises(WagerError, match=rule):
        settled(book, Wager(1, "Bob", 5000), hands={}, bank=HOUSE)
    with pytest.raises(DealError, match=rule):
        settled(book, Wager(3, "Bob", 5000), hands={1: LOSES}, bank=HOUSE)
    held = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 5000)
    (result,) = settled(book, Wager(1, "Bob", 5000), hands={1: LOSES}, bank=held).results
    assert result.call == "Che"


@pytest.mark.parametrize(
    ("rule", "bank", "reason"),
    [
        ("star-2024 11.1", BankHolder(Bank.CO_BANK, BANK, ("Zed",), 4, 5000), "knows no co-bank"),
        ("star-2024 11.1.1", BankHolder(Bank.HOUSE, BANK, ("Zed",)), "no player banks beside it"),
        ("star-2024 11.1.2", BankHolder(Bank.PLAYER, BANK, (), 4, 5000), "no player is named"),
        ("star-2024 13.2.2", BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 4900), "does not cover the wagers of 5000"),
        ("star-2024 9.16", BankHolder(Bank.PLAYER, BANK, ("Zed",), 3, 5000), "box 3 is the banker's"),
        ("star-2024 6.10", BankHolder(Bank.HOUSE, BANK, box=3), "on box 1"),
        ("star-classic 11.1.1", BankHolder(Bank.HOUSE, BANK, ("Zed",)), "no player banks beside it"),
        ("star-classic 11.1.2", BankHolder(Bank.PLAYER, BANK, (), 4, 5000), "no player is named"),
        ("star-classic 11.1.3", BankHolder(Bank.CO_BANK, BANK, (), 4, 5000), "no player is named"),
        ("star-classic 13.2.2", BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 4900), "house or co-bank"),
        ("star-classic 13.3.1", BankHolder(Bank.CO_BANK, BANK, ("Zed",), 4, 2400), "half of the wagers of 5000"),
        ("star-classic 9.13", BankHolder(Bank.CO_BANK, BANK, ("Zed",), 3, 5000), "box 3 is the banker's"),
        ("star-classic 6.9", BankHolder(Bank.HOUSE, BANK, box=3), "on box 1"),
    ],
)
def test_a_bank_that_is_not_settled(rule: str, bank: BankHolder, reason: str) -> None:
    hands = {} if bank.box == 3 else {3: LOSES}
    with pytest.raises(WagerError, match=reason) as caught:
        settled(rule.split(maxsplit=1)[0], Wager(3, "Bob", 5000), hands=hands, bank=bank)
    assert rule in str(caught.value)


# Wagers


@numbered("star-2024 9.9", "star-classic 9.6")
def test_three_players_to_an_area_or_fewer(book: str, rule: str) -> None:
    """Up to three, but a casino supervisor may restrict the number; of four wagers on one area one cannot be."""
    players = ("Ann", "Bob", "Cho", "Eve")
    lines = [f"wager-placed box=4 player={player} amount=100" for player in ("Bob", "Cho", "Eve", "Fay")]
    check_refusal(before_close(book, *lines[:3]).refusal(event(lines[3])), rule, "refused")
    assert before_close(book, *lines[:2]).refusal(event(lines[2])) is None
    two = before_close(book, *lines[:2], table=Table(players_a_box=2))
    check_refusal(two.refusal(event(lines[2])), rule, "refused")
    wagers = [Wager(3, player, 5_000) for player in players]
    assert len(settled(book, *wagers[:3], hands={3: LOSES}, bank=HOUSE).results) == 3
    with pytest.raises(WagerError, match=rule):
        settled(book, *wagers, hands={3: LOSES}, bank=HOUSE)


CEDED = ("control-ceded box=2 player=Ann",)


@pytest.mark.parametrize("book", [STAR, CLASSIC])
@pytest.mark.parametrize(
    ("rule", "lying", "more", "decides"),
    [
        # Ann sits at area two.
        ("star-2024 9.10.1, star-classic 9.7.1", "2 Ann 100 3; 2 Bob 900 1", (), {2: "Ann"}),
        ("star-2024 9.10.2, star-classic 9.7.2", "2 Ann 100 1; 2 Bob 900 3; 2 Cho 500 2", CEDED, {2: "Bob"}),
        ("star-2024 9.10.2, star-classic 9.7.2", "2 Ann 900 1; 2 Bob 200 3; 2 Cho 500 2", CEDED, {2: "Cho"}),
        ("star-2024 9.10.3, star-classic 9.7.3", "4 Bob 100 1; 4 Cho 200 3; 4 Eve 150 2", (), {4: "Cho"}),
        ("star-2024 9.10.4, star-classic 9.7.4", "4 Bob 100 3; 4 Cho 100 1; 4 Eve 100 2", (), {4: "Cho"}),
        # One area each; the other player decides on the second.
        ("star-2024 9.13, star-classic 9.10", "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2", (), {4: "Bob", 5: "Cho"}),
        (
            "star-2024 9.13, star-classic 9.10",
            "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2",
            ("box-chosen box=5 player=Bob",),
            {5: "Bob"},
        ),
    ],
)
def test_who_decides(book: str, rule: str, lying: str, more: tuple[str, ...], decides: dict[int, str]) -> None:
    lines = []
    for each in lying.split("; "):
        box, player, amount, spot = each.split()
        lines.append(f"wager-placed box={box} player={player} amount={amount} spot={spot}")
    state = closed(book, *lines, *more).state
    assert {box: state.control[box] for box in decides} == decides, rule


@numbered("star-2024 9.5", "star-classic 9.2")
@pytest.mark.parametrize("stake", [0, -100, 2_550, True, 100.0])
def test_wagers_are_made_of_chips(book: str, rule: str, stake: int) -> None:
    """Whole chips of 1.00."""
    with pytest.raises(WagerError, match=rule):
        settled(book, Wager(3, "Bob", stake), hands={3: LOSES}, bank=HOUSE)


# Play


@pytest.mark.parametrize(
    ("bank", "rule"),
    [
        (Bank.HOUSE, "star-2024 13.1.8"),
        (Bank.PLAYER, "star-2024 13.2.7"),
        (Bank.HOUSE, "star-classic 13.1.8"),
        (Bank.PLAYER, "star-classic 13.2.7"),
        (Bank.CO_BANK, "star-classic 13.3.7"),
    ],
)
def test_every_wager_is_settled_counter_clockwise(bank: Bank, rule: str) -> None:
    check_settlement_order(rule, bank)


@numbered("star-2024 12.17", "star-classic 12.14")
def test_a_hand_is_conceded_by_who_wagers_there_alone(book: str, rule: str) -> None:
    """Its wager is lost, its tiles are gone, and it cannot come back; star-2024 12.18, star-classic 12.15."""
    bob = "wager-placed box=4 player=Bob amount=100"
    two = delivered(book, bob, "wager-placed box=4 player=Cho amount=100")
    check_refusal(two.refusal(event("hand-conceded box=4 player=Bob")), rule, "refused")
    log = delivered(book, bob).append(event("hand-conceded box=4 player=Bob"))
    assert (log.state.hands[4], log.state.outcomes[4]) == (HandStage.CONCEDED, Outcome.LOSE)
    assert log.state.away == {4}
    check_refusal(log.refusal(event("tiles-handled box=4 by=Bob")), rule, "refused")
    seen = f"{book} {'12.18' if book == STAR else '12.15'}"
    supervisor = "casino_supervisor" if book == STAR else "game_supervisor"
    for by, verdict in (("Bob", "refused"), ("dealer", "refused"), (supervisor, "allowed")):
        check_refusal(log.refusal(event(f"tiles-viewed box=4 by={by}")), seen, verdict)


@numbered("star-2024 12.17", "star-classic 12.14")
def test_a_conceded_wager_is_lost_without_being_compared(book: str, rule: str) -> None:
    """Whatever the tiles; and two players on the area cannot concede."""
    one = Wager(3, "Bob", 5_000, conceded=True)
    (result,) = settled(book, one, hands={3: WINS}, bank=HOUSE).results
    assert (result.call, result.collected, result.match, result.cite) == ("Che", 5_000, None, rule)
    with pytest.raises(WagerError, match=rule):
        settled(book, one, Wager(3, "Cho", 5_000), hands={3: WINS}, bank=HOUSE)


@numbered("star-2024 12.19", "star-classic 12.16")
def test_the_only_player_may_lay_his_tiles_open(book: str, rule: str) -> None:
    """When the House banks and nobody else plays."""
    tiles = event("tiles-laid-open box=2 player=Ann tiles=5-5,5-5,1-1,1-1")
    one, other = "wager-placed box=2 player=Ann amount=100", "wager-placed box=4 player=Bob amount=100"
    assert delivered(book, one).refusal(tiles) is None
    check_refusal(delivered(book, one, other).refusal(tiles), rule, "refused")


@numbered("star-2024 12.14", "star-classic 12.11")
def test_the_dealer_calls_jung_che_or_jowl(book: str, rule: str) -> None:
    """Won, lost, stand-off."""
    hands = {2: WINS, 3: LOSES, 5: Laid.parse("4-3 6-2 / 4-4 5-5")}
    wagers = [Wager(2, "Ann", 100), Wager(3, "Bob", 100), Wager(5, "Cho", 100)]
    assert [each.call for each in settled(book, *wagers, hands=hands, bank=HOUSE).results] == ["Jung", "Che", "Jowl"], (
        rule
    )
