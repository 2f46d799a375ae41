"""New Zealand, sections 6 (rules 6.3 to 6.14) and 7: wagers, limits, commission, and who decides on a box."""

import pytest

from engine.errors import WagerError
from engine.round import RoundLog
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.rules.nz_uk import banker, check_event, check_refusal, house, moved, settled
from tests.engine.rules.tables import followed, opened, rows

STACKED = ("house-banks", "shuffled", "stacked")


@pytest.mark.parametrize(
    ("rule", "bank", "before", "tried", "verdict"),
    rows("""
nz-1998 6.3    | house  | shuffled         | wager-placed box=6 player=Eve amount=100             | refused
nz-1998 6.3    | house  | stacked          | wager-placed box=6 player=Eve amount=100             | allowed
nz-1998 6.3    | house  | bets-closed      | wager-placed box=6 player=Eve amount=100             | allowed
nz-1998 6.3    | house  | bets-closed      | wager-placed box=6 player=Eve amount=100 means=token | refused
nz-1998 6.5    | player | bets-closed      | wager-placed box=3 player=Eve amount=100             | refused
nz-1998 6.5    | co-bank | bets-closed     | wager-placed box=3 player=Eve amount=100             | refused
nz-1998 6.7    | house  | bets-closed      | wager-placed box=6 player=Ann amount=100             | allowed
nz-1998 6.9(a) | house  | dice-shaken      | wager-placed box=6 player=Eve amount=100             | refused
nz-1998 6.9(a) | player | cut-named        | wager-placed box=6 player=Eve amount=100             | refused
nz-1998 6.9(a) | player | cut-named        | bank-wagered amount=10100                            | refused
nz-1998 6.9(b) | house  | bets-closed      | wager-changed box=2 player=Ann amount=100            | allowed
nz-1998 6.9(b) | house  | dice-shaken      | wager-changed box=2 player=Ann amount=100            | refused
nz-1998 6.9(b) | house  | hand-exposed box=4 | wager-withdrawn box=2 player=Ann                   | refused
nz-1998 6.9(b) | co-bank | cut-named       | wager-withdrawn box=2 player=Ann consent=yes         | refused
nz-1998 6.10   | house  | settled          | wager-withdrawn box=5 player=Cho                     | refused 6.9
"""),
)
def test_when_and_where_wagers_are_placed(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def test_three_players_a_box() -> None:
    """nz-1998 6.5: up to three; the operator may permit fewer, never more."""
    log = opened("nz-1998", *STACKED)
    for player in ("Ann", "Bob", "Cho"):
        log = followed(log, f"wager-placed box=2 player={player} amount=100")
    check_refusal(log.refusal(event("wager-placed box=2 player=Dan amount=100")), "nz-1998 6.5", "refused")
    wagers = [Wager(5, player, 2_000) for player in ("Ann", "Bob", "Cho", "Dan")]
    assert len(settled("nz-1998", *wagers[:3], bank=house()).results) == 3
    with pytest.raises(WagerError, match=r"no more than 3 may \(nz-1998 6\.5"):
        settled("nz-1998", *wagers, bank=house())


@pytest.mark.parametrize(
    ("rule", "chip", "stake", "valid", "paid", "commission"),
    [
        ("nz-1998 6.11", 100, 2_000, 2_000, 1_900, 100),  # 20.00 wins 20.00, less 1.00
        ("nz-1998 6.11", 1, 20, 20, 19, 1),  # the smallest wager at all
        # Chips of 1.00 pay 19/20 of a multiple of 20.00 exactly: 10.50 of 30.50 is void; with chips of 0.50, 0.50.
        ("nz-1998 6.12", 100, 3_050, 2_000, 1_900, 100),
        ("nz-1998 6.12", 50, 3_050, 3_000, 2_850, 150),
        ("nz-1998 6.13", 250, 12_400, 10_000, 9_500, 500),  # multiples of 50.00
        ("nz-1998 6.13", 100, 1_900, 0, 0, 0),  # no part of it could be paid
    ],
)
def test_five_per_cent_to_the_chip(rule: str, chip: int, stake: int, valid: int, paid: int, commission: int) -> None:
    done = settled("nz-1998", Wager(2, "Ann", stake), bank=house(), terms=TableTerms(chip=chip))
    (result,) = done.results
    assert (result.in_play, result.paid, result.commission, result.returned) == (valid, paid, commission, stake), rule
    assert any("nz-1998 6.13" in reason for reason in result.reasons) is (valid < stake)


def test_what_is_void_of_a_wager_is_not_lost_either() -> None:
    """nz-1998 6.13: of 30.50 in chips of 1.00, 20.00 are valid, also when the wager loses."""
    (result,) = settled("nz-1998", Wager(5, "Bob", 3_050), bank=house()).results
    assert (result.call, result.collected, result.returned) == ("Che", 2_000, 1_050)


class TestLimits:
    """nz-1998 6.6, 6.8: by box and by player, refused where the House banks or co-banks; none for a player-banker."""

    TERMS = TableTerms(chip=100, minimum=2_000, maximum=6_000, box_maximum=8_000)
    TWO_ON_A_BOX = (Wager(2, "Ann", 6_000), Wager(2, "Eve", 4_000))

    @pytest.mark.parametrize("bank", [house(), banker(Bank.CO_BANK)], ids=["house", "co-bank"])
    @pytest.mark.parametrize(
        ("wagers", "expected"),
        [
            pytest.param((Wager(2, "Ann", 8_000),), "over the maximum 6000", id="table"),
            pytest.param(TWO_ON_A_BOX, "box 2 holds 10000, more than the box maximum 8000", id="box"),
            pytest.param((Wager(2, "Ann", 6_000, maximum=4_000),), "over the maximum 4000", id="player"),
        ],
    )
    def test_maximums_are_kept(self, bank: object, wagers: tuple[Wager, ...], expected: str) -> None:
        with pytest.raises(WagerError, match=rf"{expected}.*\(nz-1998 6\.6[,)]"):
            settled("nz-1998", *wagers, bank=bank, terms=self.TERMS)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        "wagers", [(Wager(2, "Ann", 8_000),), TWO_ON_A_BOX, (Wager(2, "Ann", 6_000, maximum=4_000),)]
    )
    def test_no_maximum_against_a_player_banker(self, wagers: tuple[Wager, ...]) -> None:
        done = settled("nz-1998", *wagers, bank=banker(), terms=self.TERMS)
        assert sum(result.in_play for result in done.results) == sum(wager.stake for wager in wagers)

    def test_but_the_minimum_applies(self) -> None:
        with pytest.raises(WagerError, match=r"under the minimum 2000.*\(nz-1998 6\.8\)"):
            settled("nz-1998", Wager(2, "Ann", 1_000), bank=banker(), terms=self.TERMS)


class TestCommissionOfThePlayerInTheBank:
    """nz-1998 6.14(a) to 6.14(c): 5 % of what is due to him, and the last thing that is done.

    Bob loses 100.00 and Ann wins 40.00: 60.00 is left, of which a co-banker has half.
    """

    WAGERS = (Wager(2, "Ann", 4_000), Wager(5, "Bob", 10_000))

    def test_after_the_players_winnings(self) -> None:
        """nz-1998 6.14(a): 5 % of 60.00, not of 100.00."""
        bank = settled("nz-1998", *self.WAGERS, bank=banker()).bank
        assert (bank.remainder, bank.commission, bank.handed, bank.net) == (6_000, 300, 5_700, 5_700)

    def test_after_the_houses_share(self) -> None:
        """nz-1998 6.14(b): 5 % of 30.00, not of 60.00."""
        bank = settled("nz-1998", *self.WAGERS, bank=banker(Bank.CO_BANK)).bank
        assert (bank.house_share, bank.commission, bank.handed, bank.net) == (3_000, 150, 2_850, 2_850)

    @pytest.mark.parametrize("method", [Bank.PLAYER, Bank.CO_BANK])
    def test_after_his_own_wager_is_back(self, method: Bank) -> None:
        """nz-1998 6.14(c): the wager is repaid whole, and before the commission is collected."""
        done = settled("nz-1998", *self.WAGERS, bank=banker(method, 9_000 if method is Bank.CO_BANK else 20_000))
        steps = [(source, target) for source, target, _, _ in moved(done)]
        assert steps.index(("bank wager", "player Zed")) < steps.index(("losing wager area", "player Zed"))
        assert steps[-2:] == [("losing wager area", "commission"), ("losing wager area", "player Zed")]
        assert done.bank.returned == (9_000 if method is Bank.CO_BANK else 20_000)

    def test_none_where_nothing_is_due(self) -> None:
        bank = settled("nz-1998", Wager(2, "Ann", 4_000), Wager(5, "Bob", 2_000), bank=banker()).bank
        assert (bank.commission, bank.handed, bank.shortfall, bank.net) == (0, 0, 2_000, -2_000)


# Section 7


def closed(*lines: str) -> RoundLog:
    """Betting has closed after these events."""
    return opened("nz-1998", *STACKED, *lines, "bets-closed")


ANN = "wager-placed box=2 player=Ann amount=100 spot=3"
EVE = "wager-placed box=2 player=Eve amount=300 spot=2"
FAY = "wager-placed box=2 player=Fay amount=200 spot=1"


@pytest.mark.parametrize(
    ("lines", "decides"),
    [
        # 7.1(a)(i): whoever sits there, however small the wager
        pytest.param(("player-seated box=2 player=Ann", EVE, ANN, FAY), "Ann", id="7.1(a)(i)"),
        # 7.1(a)(ii): at the seated player's discretion, or with nobody seated, the highest wager
        pytest.param(
            ("player-seated box=2 player=Ann", FAY, ANN, EVE, "control-ceded box=2 player=Ann"), "Eve", id="ceded"
        ),
        pytest.param((FAY, ANN, EVE), "Eve", id="7.1(a)(ii)"),
        # 7.1(a)(iii): equal wagers: the one nearest to the dealer, whoever came first
        pytest.param((ANN, EVE.replace("300", "100"), FAY.replace("200", "100")), "Fay", id="7.1(a)(iii)"),
    ],
)
def test_who_decides_on_a_box(lines: tuple[str, ...], decides: str) -> None:
    """nz-1998 7.1(a)(i) to 7.1(a)(iii): the seated player, else the highest wager, else the one nearest the dealer."""
    assert closed(*lines).state.control == {2: decides}


@pytest.mark.parametrize(
    ("chosen", "plays", "set_by_dealer"),
    [((), 2, 4), (("box-chosen box=4 player=Ann",), 4, 2)],
    ids=["first-wagered", "indicated"],
)
def test_nobody_controls_two_boxes(chosen: tuple[str, ...], plays: int, set_by_dealer: int) -> None:
    """nz-1998 7.2: the other box is set the House Way by the dealer, also where others wager on it."""
    lines = (
        "player-seated box=2 player=Ann",
        ANN,
        "wager-placed box=4 player=Ann amount=500",
        "wager-placed box=4 player=Bob amount=400",
        *chosen,
    )
    log = closed(*lines)
    assert log.state.control == {plays: "Ann"}
    order = "tiles-delivered order=3,4,5,6,7,8,1,2"
    log = followed(
        log,
        "dice-shaken by=dealer",
        "cut-named cut=Yat_Dong_Dong by=supervisor",
        "dice-shown box_dice=1,1,1 first_box=3",
        order,
    )
    for player in ("Ann", "Bob"):
        tried = event(f"hand-set box={set_by_dealer} by={player}")
        check_refusal(log.refusal(tried), "nz-1998 7.2", "refused")
    check_refusal(log.refusal(event(f"hand-set box={plays} by=Ann")), "nz-1998 7.2", "allowed")
    log = followed(log, f"hand-set box={plays} by=Ann")
    check_refusal(log.refusal(event(f"hand-set box={set_by_dealer} by=dealer")), "nz-1998 7.2", "allowed")
