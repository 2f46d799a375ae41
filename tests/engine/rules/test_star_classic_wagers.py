"""The Star's older rules, rules 9.2 to 9.11 and section 10: who may wager what, where and when, who decides, limits."""

from __future__ import annotations

import pytest

from engine.errors import WagerError
from engine.round import Before, RoundLog, Table
from engine.settlement.played import BankHolder, Laid
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.rules.star import check_event, check_refusal, settled
from tests.engine.rules.tables import followed, opened, rows

CLASSIC = "star-classic"

# Ann (5000) sits at box 2, Bob (3000) wagers on 4, Cho (2000) on 5; Dan banks or co-banks at box 3.
EVENTS = """
star-classic 9.2 | house | cut-named | wager-placed box=6 player=Eve amount=100 means=token | allowed
star-classic 9.2 | house | cut-named | wager-placed box=6 player=Eve amount=100 means=voucher | allowed
star-classic 9.2 | house | cut-named | wager-placed box=6 player=Eve amount=0 | refused
star-classic 9.3 | house | shuffled | wager-placed box=6 player=Eve amount=100 | refused
star-classic 9.3 | house | stacked | wager-placed box=6 player=Eve amount=100 | allowed
star-classic 9.3 | house | cut-named | wager-placed box=6 player=Eve amount=100 | allowed
star-classic 9.3 | house | cut-named | wager-changed box=2 player=Ann amount=100 | allowed
star-classic 9.3 | house | cut-named | bets-closed | refused
star-classic 9.4 | house | dice-shaken | wager-placed box=6 player=Eve amount=100 | refused
star-classic 9.4 | house | dice-shaken | wager-placed box=6 player=Eve amount=100 consent=yes | refused
star-classic 9.4 | house | dice-shaken | wager-changed box=2 player=Ann amount=100 | refused
star-classic 9.4 | house | dice-shaken | wager-withdrawn box=2 player=Ann | refused
star-classic 9.4 | co-bank | dice-shaken | wager-placed box=6 player=Eve amount=100 consent=yes | refused
star-classic 9.4 | co-bank | dice-shaken | wager-withdrawn box=2 player=Ann consent=yes | refused
star-classic 9.5 | player | dice-shaken | wager-placed box=6 player=Eve amount=100 | refused
star-classic 9.5 | player | button-placed | wager-changed box=2 player=Ann amount=4000 | refused
star-classic 9.5 | player | button-placed | wager-changed box=2 player=Ann amount=4000 consent=yes | allowed
star-classic 9.5 | player | dice-shaken | wager-withdrawn box=2 player=Ann consent=yes | allowed
star-classic 9.7 | house | cut-named | control-ceded box=4 player=Bob | refused
star-classic 9.7.2 | house | cut-named | control-ceded box=2 player=Ann | allowed
star-classic 9.11 | house | cut-named | wager-placed box=6 player=Ann amount=100 | refused
star-classic 9.11 | house | cut-named | wager-placed box=4 player=Ann amount=100 | allowed
star-classic 13.2.2 | player | dice-shaken | wager-placed box=6 player=Eve amount=100 consent=yes | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def _before_cut(*lines: str, table: Table | None = None) -> RoundLog:
    """Ann sits at box 2; the House banks."""
    return opened(
        CLASSIC,
        "bank-offered box=2 player=Ann",
        "bank-declined box=2 player=Ann",
        "house-banks",
        "shuffled",
        "stacked",
        *lines,
        table=table,
        before=Before(check_due=False, seats={2: "Ann"}),
    )


CUT = "cut-named cut=Foot_Say by=supervisor"


def test_three_players_to_an_area_or_fewer() -> None:
    """star-classic 9.6: up to three, but a casino supervisor may restrict the number."""
    wagers = [f"wager-placed box=4 player={player} amount=100" for player in ("Bob", "Cho", "Eve", "Fay")]
    check_refusal(_before_cut(*wagers[:3]).refusal(event(wagers[3])), "star-classic 9.6", "refused")
    assert _before_cut(*wagers[:2]).refusal(event(wagers[2])) is None
    two = _before_cut(*wagers[:2], table=Table(players_a_box=2))
    check_refusal(two.refusal(event(wagers[2])), "star-classic 9.6", "refused")


@pytest.mark.parametrize(
    ("rule", "lying", "more", "decides"),
    [
        ("star-classic 9.7.1", "2 Ann 100 3; 2 Bob 900 1", (), {2: "Ann"}),
        (
            "star-classic 9.7.2",
            "2 Ann 100 1; 2 Bob 300 3; 2 Cho 500 2",
            ("control-ceded box=2 player=Ann",),
            {2: "Cho"},
        ),
        ("star-classic 9.7.3", "4 Bob 100 1; 4 Cho 200 3; 4 Eve 150 2", (), {4: "Cho"}),
        ("star-classic 9.7.4", "4 Bob 100 3; 4 Cho 100 2; 4 Eve 100 1", (), {4: "Eve"}),
        # One area each; the other player decides on the second.
        ("star-classic 9.10", "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2", (), {4: "Bob", 5: "Cho"}),
        ("star-classic 9.10", "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2", ("box-chosen box=5 player=Bob",), {5: "Bob"}),
    ],
)
def test_who_decides(rule: str, lying: str, more: tuple[str, ...], decides: dict[int, str]) -> None:
    lines = []
    for each in lying.split("; "):
        box, player, amount, spot = each.split()
        lines.append(f"wager-placed box={box} player={player} amount={amount} spot={spot}")
    state = _before_cut(*lines, *more, CUT).state
    assert {box: state.control[box] for box in decides} == decides, rule


def test_nobody_places_a_second_wager_where_nobody_decides() -> None:
    """star-classic 9.11: no player, whether or not he controls an area; star-2024 9.14 binds only one who does.

    Bob is beside Ann, who decides on hers; he may go to area five when Cho decides there.
    """
    log = _before_cut("wager-placed box=2 player=Ann amount=100", "wager-placed box=2 player=Bob amount=100")
    beyond = event("wager-placed box=5 player=Bob amount=100")
    check_refusal(log.refusal(beyond), "star-classic 9.11", "refused")
    log = followed(log, "wager-placed box=5 player=Cho amount=50")
    assert log.refusal(beyond) is None


# Limits: 40.00 to 100.00, unless agreed otherwise; chips of 1.00

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
WINS = Laid.parse("6-6 2-1 / 6-3 5-4")  # 8 and a pair of nines
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6
STANDS_OFF = Laid.parse("4-3 6-2 / 4-4 5-5")  # 5 and 8
HOUSE = BankHolder(Bank.HOUSE, BANK)
PLAYER = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 50_000)
CO_BANK = BankHolder(Bank.CO_BANK, BANK, ("Zed",), 4, 50_000)
LIMITS = TableTerms(chip=100, minimum=4_000, maximum=10_000)


@pytest.mark.parametrize(
    ("rule", "bank", "wager", "in_play", "returned"),
    [
        ("star-classic 10.3", HOUSE, Wager(3, "Bob", 2_000), 2_000, 0),  # not rejected in time: valid
        ("star-classic 10.3", HOUSE, Wager(3, "Bob", 16_000), 16_000, 0),  # whole (ruling 23)
        ("star-classic 10.2", PLAYER, Wager(3, "Bob", 16_000), 16_000, 0),  # no maximum
        ("star-classic 10.3", CO_BANK, Wager(3, "Bob", 2_000), 2_000, 0),
        ("star-classic 11.1.3", CO_BANK, Wager(3, "Bob", 16_000), 10_000, 6_000),  # covered to the displayed maximum
        ("star-classic 10.5", CO_BANK, Wager(3, "Bob", 16_000, maximum=15_000), 15_000, 1_000),
        ("star-classic 10.5", PLAYER, Wager(3, "Bob", 2_000, minimum=1_000), 2_000, 0),
    ],
)
def test_limits_of_a_lost_wager(rule: str, bank: BankHolder, wager: Wager, in_play: int, returned: int) -> None:
    (result,) = settled(CLASSIC, wager, hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert (result.in_play, result.collected, result.returned) == (in_play, in_play, returned), rule


@pytest.mark.parametrize(
    ("bank", "stake", "rule"),
    [
        (HOUSE, 2_000, "10.3"),
        (HOUSE, 16_000, "10.3"),
        (PLAYER, 16_000, ""),
        (CO_BANK, 16_000, "11.1.3"),
        (CO_BANK, 2_000, "10.3"),
    ],
)
def test_what_the_limits_did_is_told(bank: BankHolder, stake: int, rule: str) -> None:
    """star-classic 10.2 and 10.3: with its rule; a player/banker's bank has no maximum to speak of."""
    (result,) = settled(CLASSIC, Wager(3, "Bob", stake), hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert [f"(star-classic {rule}" in note for note in result.notes] == ([True] if rule else [])


def test_the_minimum_applies_to_a_player_bank() -> None:
    """star-classic 10.2: the stated minimum will apply, and 10.3 speaks of the House's bank only."""
    with pytest.raises(WagerError, match=r"star-classic 10\.2"):
        settled(CLASSIC, Wager(3, "Bob", 2_000), hands={3: LOSES}, bank=PLAYER, terms=LIMITS)


@pytest.mark.parametrize("stake", [0, -100, 2_550, True])
def test_wagers_are_made_of_chips(stake: int) -> None:
    """star-classic 9.2: whole chips of 1.00."""
    with pytest.raises(WagerError, match=r"star-classic 9\.2"):
        settled(CLASSIC, Wager(3, "Bob", stake), hands={3: LOSES}, bank=HOUSE)


def test_four_players_on_an_area() -> None:
    """star-classic 9.6: of four wagers on one area one cannot be."""
    wagers = [Wager(3, player, 5_000) for player in ("Ann", "Bob", "Cho", "Eve")]
    assert len(settled(CLASSIC, *wagers[:3], hands={3: LOSES}, bank=HOUSE).results) == 3
    with pytest.raises(WagerError, match=r"star-classic 9\.6"):
        settled(CLASSIC, *wagers, hands={3: LOSES}, bank=HOUSE)


@pytest.mark.parametrize(
    ("hand", "paid", "returned"),
    [(WINS, 4_800, 0), (LOSES, 0, 0), (STANDS_OFF, 0, 5_000)],  # 2.50 of commission are collected as 2.00
)
def test_a_promotional_token_is_one_free_wager(hand: Laid, paid: int, returned: int) -> None:
    """star-classic 1.1 casino promotional token or voucher: forfeited whether it wins or loses, won in chips."""
    (result,) = settled(CLASSIC, Wager(3, "Bob", 5_000, token=True), hands={3: hand}, bank=HOUSE).results
    assert (result.paid, result.returned) == (paid, returned)
