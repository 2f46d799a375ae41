"""The Star 2024, rules 9.5 to 9.14 and section 10: who may wager what, where and when, who decides, and the limits."""

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

STAR = "star-2024"

# Ann (5000) sits at box 2, Bob (3000) wagers on 4, Cho (2000) on 5; Dan banks at box 3 in the other round.
EVENTS = """
star-2024 9.5 | house | dice-shaken | wager-placed box=6 player=Eve amount=100 means=token | allowed
star-2024 9.5 | house | dice-shaken | wager-placed box=6 player=Eve amount=100 means=voucher | refused
star-2024 9.5 | house | dice-shaken | wager-placed box=6 player=Eve amount=0 | refused
star-2024 9.5 | house | dice-shaken | wager-placed box=6 player=Eve amount=-5 | refused
star-2024 9.6 | house | shuffled | wager-placed box=6 player=Eve amount=100 | refused
star-2024 9.6 | house | stacked | wager-placed box=6 player=Eve amount=100 | allowed
star-2024 9.6 | house | dice-shown | wager-placed box=6 player=Eve amount=100 | allowed
star-2024 9.6 | house | dice-shown | wager-changed box=2 player=Ann amount=100 | allowed
star-2024 9.6 | house | dice-shown | wager-withdrawn box=2 player=Ann | allowed
star-2024 9.6 | house | dice-shown | bets-closed | refused
star-2024 9.7 | house | cut-named | wager-placed box=6 player=Eve amount=100 | refused
star-2024 9.7 | house | cut-named | wager-placed box=6 player=Eve amount=100 consent=yes | refused
star-2024 9.7 | house | cut-named | wager-changed box=2 player=Ann amount=100 | refused
star-2024 9.7 | house | cut-named | wager-withdrawn box=2 player=Ann | refused
star-2024 9.8 | player | cut-named | wager-placed box=6 player=Eve amount=100 | refused
star-2024 9.8 | player | cut-named | wager-placed box=6 player=Eve amount=100 consent=yes | allowed
star-2024 9.8 | player | cut-named | wager-changed box=2 player=Ann amount=4000 | refused
star-2024 9.8 | player | cut-named | wager-changed box=2 player=Ann amount=4000 consent=yes | allowed
star-2024 9.8 | player | cut-named | wager-withdrawn box=2 player=Ann | refused
star-2024 9.8 | player | cut-named | wager-withdrawn box=2 player=Ann consent=yes | allowed
star-2024 13.2.2 | player | cut-named | wager-placed box=6 player=Eve amount=501 consent=yes | refused
star-2024 13.2.2 | player | cut-named | wager-placed box=6 player=Eve amount=500 consent=yes | allowed
star-2024 9.10.2 | house | dice-shaken | control-ceded box=2 player=Ann | allowed
star-2024 9.10 | house | dice-shaken | control-ceded box=4 player=Bob | refused
star-2024 9.14 | house | dice-shaken | wager-placed box=6 player=Ann amount=100 | refused
star-2024 9.14 | house | dice-shaken | wager-placed box=4 player=Ann amount=100 | allowed
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def _before_dice(*lines: str, table: Table | None = None) -> RoundLog:
    begun = Before(check_due=False, seats={2: "Ann"})
    return opened(
        STAR,
        "bank-offered box=2 player=Ann",
        "bank-declined box=2 player=Ann",
        "house-banks",
        "shuffled",
        "stacked",
        *lines,
        table=table,
        before=begun,
    )


THROWN = ("dice-shaken by=dealer", "dice-shown box_dice=1,1,1 cut_die=1 first_box=3")


def test_three_players_to_an_area_or_fewer() -> None:
    """star-2024 9.9: up to three, but a casino supervisor may restrict the number."""
    wagers = [f"wager-placed box=4 player={player} amount=100" for player in ("Bob", "Cho", "Eve", "Fay")]
    check_refusal(_before_dice(*wagers[:3]).refusal(event(wagers[3])), "star-2024 9.9", "refused")
    assert _before_dice(*wagers[:2]).refusal(event(wagers[2])) is None
    two = _before_dice(*wagers[:2], table=Table(players_a_box=2))
    check_refusal(two.refusal(event(wagers[2])), "star-2024 9.9", "refused")


WAGERS = "wager-placed box={box} player={player} amount={amount} spot={spot}"


@pytest.mark.parametrize(
    ("rule", "lying", "more", "decides"),
    [
        # Ann sits at area two.
        ("star-2024 9.10.1", "2 Ann 100 3; 2 Bob 900 1", (), {2: "Ann"}),
        ("star-2024 9.10.2", "2 Ann 100 1; 2 Bob 900 3; 2 Cho 500 2", ("control-ceded box=2 player=Ann",), {2: "Bob"}),
        ("star-2024 9.10.2", "2 Ann 900 1; 2 Bob 200 3; 2 Cho 500 2", ("control-ceded box=2 player=Ann",), {2: "Cho"}),
        ("star-2024 9.10.3", "4 Bob 100 1; 4 Cho 200 3; 4 Eve 150 2", (), {4: "Cho"}),
        ("star-2024 9.10.4", "4 Bob 100 3; 4 Cho 100 1; 4 Eve 100 2", (), {4: "Cho"}),
        # One area each; the other player decides on the second (star-2024 9.13).
        ("star-2024 9.13", "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2", (), {4: "Bob", 5: "Cho"}),
        ("star-2024 9.13", "4 Bob 500 1; 5 Cho 100 1; 5 Bob 300 2", ("box-chosen box=5 player=Bob",), {5: "Bob"}),
    ],
)
def test_who_decides(rule: str, lying: str, more: tuple[str, ...], decides: dict[int, str]) -> None:
    lines = []
    for each in lying.split("; "):
        box, player, amount, spot = each.split()
        lines.append(WAGERS.format(box=box, player=player, amount=amount, spot=spot))
    state = _before_dice(*lines, *more, *THROWN).state
    assert {box: state.control[box] for box in decides} == decides, rule


def test_who_controls_no_area_may_wager_where_nobody_does() -> None:
    """star-2024 9.14 binds a player in control of an area: Bob, beside Ann on hers, opens area five as his own."""
    log = _before_dice(
        "wager-placed box=2 player=Ann amount=100",
        "wager-placed box=2 player=Bob amount=100",
        "wager-placed box=5 player=Bob amount=100",
    )
    check_refusal(log.refusal(event("wager-placed box=6 player=Bob amount=100")), "star-2024 9.14", "refused")
    assert followed(log, *THROWN).state.control == {2: "Ann", 5: "Bob"}


def test_anybody_may_wager_on_a_house_way_area_nobody_controls_it() -> None:
    """star-2024 9.14, 9.13, 12.8.1: diagram B."""
    log = _before_dice("wager-placed box=2 player=Ann amount=100", table=Table(house_way_boxes=frozenset({6})))
    check_refusal(log.refusal(event("wager-placed box=5 player=Ann amount=100")), "star-2024 9.14", "refused")
    log = followed(log, "wager-placed box=6 player=Ann amount=100", *THROWN)
    assert log.state.control == {2: "Ann"}


# Limits: 40.00 to 100.00, unless agreed otherwise; chips of 1.00

BANK = Laid.parse("6-5 4-1 / 6-4 5-2")  # 6 and 7
WINS = Laid.parse("6-6 2-1 / 6-3 5-4")  # 8 and a pair of nines
LOSES = Laid.parse("3-1 5-5 / 1-1 2-2")  # 4 and 6
HOUSE = BankHolder(Bank.HOUSE, BANK)
PLAYER = BankHolder(Bank.PLAYER, BANK, ("Zed",), 4, 50_000)
LIMITS = TableTerms(chip=100, minimum=4_000, maximum=10_000)


@pytest.mark.parametrize(
    ("rule", "bank", "wager", "in_play", "returned"),
    [
        ("star-2024 10.3", HOUSE, Wager(3, "Bob", 2_000), 2_000, 0),  # not rejected in time: valid
        ("star-2024 10.3", HOUSE, Wager(3, "Bob", 16_000), 10_000, 6_000),  # collected to the maximum
        ("star-2024 10.2", PLAYER, Wager(3, "Bob", 2_000), 2_000, 0),
        ("star-2024 10.2", PLAYER, Wager(3, "Bob", 16_000), 16_000, 0),  # no maximum
        ("star-2024 10.7", HOUSE, Wager(3, "Bob", 16_000, maximum=15_000), 15_000, 1_000),
        ("star-2024 10.7", HOUSE, Wager(3, "Bob", 14_000, minimum=12_000, maximum=15_000), 14_000, 0),
    ],
)
def test_limits_of_a_lost_wager(rule: str, bank: BankHolder, wager: Wager, in_play: int, returned: int) -> None:
    (result,) = settled(STAR, wager, hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert (result.in_play, result.collected, result.returned) == (in_play, in_play, returned), rule


@pytest.mark.parametrize(
    ("bank", "stake", "rule"),
    [(HOUSE, 2_000, "10.3"), (HOUSE, 16_000, "10.3"), (PLAYER, 2_000, "10.2"), (PLAYER, 16_000, "")],
)
def test_what_the_limits_did_is_told(bank: BankHolder, stake: int, rule: str) -> None:
    """star-2024 10.2 and 10.3: with its rule; a player/banker's bank has no maximum to speak of."""
    (result,) = settled(STAR, Wager(3, "Bob", stake), hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert [f"(star-2024 {rule}" in note for note in result.notes] == ([True] if rule else [])


def test_limits_of_a_won_wager() -> None:
    """star-2024 10.3: paid to the maximum, 100.00 less 5.00; the 60.00 beyond it come back with the stake."""
    (result,) = settled(STAR, Wager(3, "Bob", 16_000), hands={3: WINS}, bank=HOUSE, terms=LIMITS).results
    assert (result.paid, result.commission, result.returned) == (9_500, 500, 16_000)
    assert any("star-2024 10.3" in note for note in result.notes)


@pytest.mark.parametrize(
    ("rule", "wager", "noted"),
    [
        ("star-2024 10.6.1", Wager(3, "Bob", 2_000, minimum=1_000), False),  # he goes on at the old minimum
        ("star-2024 10.6.4", Wager(3, "Eve", 2_000), True),  # whoever came after the change has the new one
    ],
)
def test_two_minimums(rule: str, wager: Wager, *, noted: bool) -> None:
    (result,) = settled(STAR, wager, hands={3: LOSES}, bank=HOUSE, terms=LIMITS).results
    assert any("under the minimum 4000, and stands (star-2024 10.3)" in note for note in result.notes) is noted, rule


@pytest.mark.parametrize("stake", [0, -100, 2_550, True, 100.0])
def test_wagers_are_made_of_chips(stake: int) -> None:
    """star-2024 9.5: whole chips of 1.00."""
    with pytest.raises(WagerError, match=r"star-2024 9\.5"):
        settled(STAR, Wager(3, "Bob", stake), hands={3: LOSES}, bank=HOUSE)


def test_four_players_on_an_area() -> None:
    """star-2024 9.9: of four wagers on one area one cannot be."""
    wagers = [Wager(3, player, 5_000) for player in ("Ann", "Bob", "Cho", "Eve")]
    assert len(settled(STAR, *wagers[:3], hands={3: LOSES}, bank=HOUSE).results) == 3
    with pytest.raises(WagerError, match=r"star-2024 9\.9"):
        settled(STAR, *wagers, hands={3: LOSES}, bank=HOUSE)


@pytest.mark.parametrize(("hand", "kept"), [(WINS, 5_000 + 4_800), (LOSES, 0)])  # 2.50 is collected as 2.00
def test_a_promotional_token_is_a_wager_won_in_chips(hand: Laid, kept: int) -> None:
    """star-2024 1.1 casino promotional token: it may be wagered; nothing forfeits it when it wins."""
    (result,) = settled(STAR, Wager(3, "Bob", 5_000, token=True), hands={3: hand}, bank=HOUSE).results
    assert result.returned + result.paid == kept
