"""The British poster, its preamble and 29 points counted in the order printed."""

import pytest

from engine.books.house_ways import way_under
from engine.books.registry import rulebook
from engine.errors import CutError, DiceError, UnknownRulebookError, WagerError
from engine.game.ranking import Outcome
from engine.round import Before, Table
from engine.settlement.outcome import match_hands
from engine.settlement.played import Laid
from engine.settlement.wagers import HOUSE, TableTerms, Wager
from engine.vocabulary.cuts import Chooser, Cut
from engine.vocabulary.dice import Cup, Thrown
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.nz_uk import (
    BANK,
    LOSES,
    STANDS_OFF,
    WINS,
    banker,
    check_event,
    check_refusal,
    house,
    moved,
    settled,
)
from tests.engine.rules.tables import opened, rows

UK = rulebook("uk-poster")


@pytest.mark.parametrize(
    ("rule", "bank", "before", "tried", "verdict"),
    rows("""
uk-poster point 2  | house  | tiles-delivered  | wager-placed box=6 player=Eve amount=100              | allowed
uk-poster point 2  | house  | hand-set box=2   | wager-placed box=6 player=Eve amount=100              | refused
uk-poster point 2  | house  | hand-set box=2   | wager-changed box=2 player=Ann amount=100             | refused
uk-poster point 2  | player | hand-set box=2   | wager-withdrawn box=2 player=Ann                      | refused
uk-poster point 2  | player | hand-set box=2   | bank-wagered amount=12000                             | refused
uk-poster point 3  | player | dice-shaken      | wager-placed box=8 player=Eve amount=100              | refused
uk-poster point 3  | player | dice-shaken      | wager-placed box=7 player=Eve amount=100              | allowed
uk-poster point 3  | house  | stacked          | stacked                                               | allowed
uk-poster point 3  | house  | dice-shaken      | dice-shaken by=dealer                                 | allowed
uk-poster point 3  | house  | dice-shaken      | dice-shaken by=Ann                                    | refused
uk-poster point 3  | house  | dice-shown       | dice-shown box_dice=2,4,5 first_box=2                 | allowed
uk-poster point 3  | house  | dice-shown       | dice-shown box_dice=2,4,5 first_box=3                 | refused
uk-poster point 4  | house  | tiles-delivered  | tiles-delivered order=2,3,4,5,6,7,8,1                 | allowed
uk-poster point 4  | house  | tiles-delivered  | tiles-delivered order=2,4,5,8                         | refused
uk-poster point 4  | house  | dice-shown       | wager-placed box=2 player=Eve amount=100              | refused
uk-poster point 5  | house  | hand-set box=2   | hand-set box=2 by=Ann                                 | allowed
uk-poster point 5  | house  | hand-set box=2   | hand-set box=2 by=Bob                                 | refused
uk-poster point 13 | house  | hand-set box=5   | bank-exposed low=6-5,6-1 high=6-6,6-3                 | refused
uk-poster point 13 | house  | bank-exposed     | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1           | refused
uk-poster point 13 | player | hand-set box=8   | bank-set by=Dan                                       | refused
uk-poster point 14 | house  | hand-matched box=2 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3         | refused
uk-poster point 14 | house  | hand-matched box=2 | hand-matched box=2 outcome=win                      | allowed
uk-poster point 19 | house  | hand-exposed box=5 | settled results=                                    | refused
uk-poster point 24 | player | bank-accepted    | bank-accepted box=3 players=Dan method=player funds=1 | allowed
uk-poster point 24 | player | bank-accepted    | bank-accepted box=3 players=Dan method=co-bank funds=9 | refused
uk-poster point 24 | player | tiles-delivered  | bank-wagered amount=10000                             | allowed
uk-poster point 25 | player | dice-shaken      | dice-shaken by=Dan                                    | allowed
uk-poster point 25 | player | dice-shaken      | dice-shaken by=dealer                                 | refused
uk-poster point 25 | player | cut-named        | cut-named cut=Tiger by=banker accepted_by=management  | allowed
uk-poster point 25 | player | cut-named        | cut-named cut=Tiger by=banker                         | refused
uk-poster point 25 | player | tiles-delivered  | tiles-delivered order=3,4,5,6,7,8,1,2                 | refused 4
uk-poster point 28 | player | house-wagered    | house-wagered amount=1000                             | allowed
uk-poster point 28 | house  | dice-shaken      | house-wagered amount=1000                             | refused
"""),
)
def test_the_course_of_a_round(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    if verdict.startswith("refused "):
        verdict = verdict.replace("refused ", "refused point ")
    check_event(rule, bank, before, tried, verdict)


# Counted from the banker as 1 (ruling 25): a total of 3 is the second position to his right.
FROM_DEALER = {3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 7, 9: 8, 10: 1, 11: 2, 12: 3, 13: 4, 14: 5, 15: 6, 16: 7, 17: 8, 18: 1}
FROM_POSITION_3 = {total: (box + 2) % 8 + 1 for total, box in FROM_DEALER.items()}
DICE = {3: (1, 1, 1), 4: (1, 1, 2), 5: (1, 2, 2), 6: (2, 2, 2), 7: (2, 2, 3), 8: (2, 3, 3), 9: (3, 3, 3), 10: (3, 3, 4),
        11: (3, 4, 4), 12: (4, 4, 4), 13: (4, 4, 5), 14: (4, 5, 5), 15: (5, 5, 5), 16: (5, 5, 6), 17: (5, 6, 6),
        18: (6, 6, 6)}  # fmt: skip


@pytest.mark.parametrize(
    ("bank", "place", "boxes"), [(Bank.HOUSE, None, FROM_DEALER), (Bank.PLAYER, 3, FROM_POSITION_3)]
)
def test_the_first_stack(bank: Bank, place: int | None, boxes: dict[int, int]) -> None:
    """uk-poster point 3, point 25: from the dealer, or the banker's position; 8 is the dealer's own place.

    The poster's second example makes 8 the banker's own; 8 and 9, 16 and 17 are flagged as doubtful (ruling 25).
    """
    for total, box in boxes.items():
        thrown = UK.dice.read(Cup(DICE[total]), bank, place)
        assert isinstance(thrown, Thrown)
        assert (thrown.first_box, thrown.doubt is not None) == (box, total in {8, 9, 16, 17}), total
    assert FROM_POSITION_3[3] == 5  # two to the right of position 3


@pytest.mark.parametrize("button", [-4, 4, 1])
def test_nothing_moves_the_first_stack(button: int) -> None:
    with pytest.raises(DiceError, match=r"no plus or minus buttons \(uk-poster point 3\)"):
        UK.dice.read(Cup((1, 2, 3)), Bank.PLAYER, 3, button)


def test_a_cut_is_the_player_bankers_alone() -> None:
    """uk-poster point 25: he may choose one of the predesignated ways; against the house the stacks are dealt."""
    assert UK.cuts.decide(Cut.CUP_SAY, Chooser.BANKER, Bank.PLAYER, leave=True).cite == "uk-poster point 25"
    with pytest.raises(CutError, match=r"designated it beforehand.*uk-poster point 25"):
        UK.cuts.decide(Cut.CUP_SAY, Chooser.BANKER, Bank.PLAYER)
    with pytest.raises(CutError, match=r"uk-poster point 3\)"):
        UK.cuts.decide(Cut.CUP_SAY, Chooser.SUPERVISOR, Bank.HOUSE, leave=True)


ZEROS, MORE_ZEROS = Laid.parse("6-4 5-5 / 3-1 5-1"), Laid.parse("6-3 6-5 / 3-3 2-2")


@pytest.mark.parametrize(
    ("rule", "players", "banks", "outcome", "literal"),
    [
        ("uk-poster point 15", WINS, BANK, Outcome.WIN, Outcome.WIN),
        ("uk-poster point 16", LOSES, BANK, Outcome.LOSE, Outcome.LOSE),
        ("uk-poster point 17", STANDS_OFF, BANK, Outcome.PUSH, Outcome.PUSH),
        # The same totals: the highest domino breaks the tie; where these tie too, the dealer wins.
        ("uk-poster point 18", Laid.parse("1-1 2-2 / 4-4 5-4"), BANK, Outcome.WIN, Outcome.WIN),
        ("uk-poster point 18", Laid.parse("6-5 3-2 / 6-4 4-3"), BANK, Outcome.LOSE, Outcome.LOSE),
        ("uk-poster point 18", Laid.parse("6-5 3-2 / 4-4 5-5"), BANK, Outcome.PUSH, Outcome.PUSH),
        # Both low hands zero: that hand is the dealer's, the other counts; 7 against 2.
        (
            "uk-poster point 18",
            Laid.parse("3-1 5-1 / 5-4 5-3"),
            Laid.parse("6-4 5-5 / 6-1 4-1"),
            Outcome.PUSH,
            Outcome.PUSH,
        ),
        # Both hands zero: the poster says it of the low hand only, and the High 4 beats the High 6 (ruling 15).
        ("uk-poster point 18", ZEROS, MORE_ZEROS, Outcome.LOSE, Outcome.PUSH),
        ("uk-poster point 18", MORE_ZEROS, ZEROS, Outcome.LOSE, Outcome.LOSE),
    ],
)
def test_hands_compared(rule: str, players: Laid, banks: Laid, outcome: Outcome, literal: Outcome) -> None:
    match = match_hands(players.setting, banks.setting, UK.settlement.matching)
    assert (match.outcome, match.literal) == (outcome, literal), rule
    expected = {Outcome.WIN: "15", Outcome.LOSE: "16", Outcome.PUSH: "17"}[outcome]
    assert match.cite == f"uk-poster point {expected}"


@pytest.mark.parametrize(
    ("rule", "box", "stake", "paid", "commission", "collected"),
    [
        ("uk-poster point 15", 2, 2_000, 1_900, 100, 0),  # 19 to 20
        ("uk-poster point 26", 2, 12_000, 11_400, 600, 0),  # 5 % of the winnings
        ("uk-poster point 16", 5, 2_000, 0, 0, 2_000),
        ("uk-poster point 17", 7, 2_000, 0, 0, 0),
    ],
)
def test_paid_and_taken(rule: str, box: int, stake: int, paid: int, commission: int, collected: int) -> None:
    (result,) = settled("uk-poster", Wager(box, "Ann", stake), bank=house()).results
    assert (result.paid, result.commission, result.collected, result.returned) == (
        paid,
        commission,
        collected,
        stake - collected,
    ), rule


def test_the_player_bankers_commission_is_on_his_profit() -> None:
    """uk-poster point 26: 100.00 taken and 40.00 paid leave 60.00, and 3.00 commission; none on a loss."""
    wagers = Wager(2, "Ann", 4_000), Wager(5, "Bob", 10_000)
    bank = settled("uk-poster", *wagers, bank=banker()).bank
    assert (bank.remainder, bank.commission, bank.handed, bank.returned) == (6_000, 300, 5_700, 20_000)
    lost = settled("uk-poster", wagers[0], bank=banker()).bank
    assert (lost.commission, lost.net) == (0, -4_000)


def test_a_player_banks_who_covers_all_wagers() -> None:
    """uk-poster point 24: with less than all of them in front of him the round is not settled so."""
    wager = Wager(5, "Bob", 10_000)
    assert settled("uk-poster", wager, bank=banker(wager=10_000)).bank.net == 9_500
    with pytest.raises(WagerError, match=r"does not cover the wagers.*\(uk-poster point 24\)"):
        settled("uk-poster", wager, bank=banker(wager=9_900))
    with pytest.raises(WagerError, match=r"knows no co-bank.*\(uk-poster point 24"):
        settled("uk-poster", wager, bank=banker(Bank.CO_BANK))


WAGERED = ("wager-placed box=4 player=Bob amount=1000",)
SEATED = Before(check_due=False, seats={3: "Dan", 4: "Bob"})
OFFERED = "bank-offered box=3 player=Dan"


@pytest.mark.parametrize(("funds", "verdict"), [(999, "refused"), (1_000, "allowed")])
def test_sufficient_funds(funds: int, verdict: str) -> None:
    """uk-poster point 24: for all wagers made on the table."""
    log = opened("uk-poster", *WAGERED, OFFERED, before=SEATED)
    taken = event(f"bank-accepted box=3 players=Dan method=player funds={funds}")
    check_refusal(log.refusal(taken), "uk-poster point 24", verdict)


@pytest.mark.parametrize(
    ("rotation", "box", "player", "verdict"),
    [
        # The offer comes from box 2 on; Dan at box 3 has banked in this rotation, so Bob at 4 is next.
        pytest.param({"Dan"}, 3, "Dan", "refused", id="has-banked"),
        pytest.param({"Dan"}, 4, "Bob", "allowed", id="next-in-turn"),
        pytest.param(set(), 3, "Dan", "allowed", id="has-not"),
    ],
)
def test_once_in_a_rotation(rotation: set[str], box: int, player: str, verdict: str) -> None:
    """uk-poster point 27: a player is player/banker once during a single rotation; who had it is passed over."""
    before = Before(
        commencement=False,
        check_due=False,
        offer_from=2,
        seats={3: "Dan", 4: "Bob"},
        control={3: "Dan", 4: "Bob"},
        rotation=frozenset(rotation),
    )
    log = opened("uk-poster", before=before)
    refused = "refused point 24" if verdict == "refused" else verdict
    check_refusal(log.refusal(event(f"bank-offered box={box} player={player}")), "uk-poster point 27", refused)


def test_one_round_a_bank() -> None:
    """uk-poster point 27: after his round the bank goes on; he does not keep it."""
    session = played("uk-poster", Bank.PLAYER).append(event("player-left player=Nobody"))
    before = session.current.before
    assert (before.tenure, before.offer_from, before.rotation) == (None, 4, frozenset({"Dan"}))
    kept = event("bank-accepted box=3 players=Dan method=player funds=1")
    check_refusal(session.current.refusal(kept), "uk-poster point 27", "refused point 24")


@pytest.mark.parametrize(
    ("maximum", "stakes", "dealers", "expected"),
    [
        # House maximum 20.00: the dealer bets that at most, and all bets come to 40.00.
        pytest.param(2_000, (2_000,), 2_000, "", id="both-limits-reached"),
        pytest.param(2_000, (1_000,), 2_100, "over the house maximum 2000", id="dealer-over-the-maximum"),
        pytest.param(2_000, (2_100,), 2_000, "4100, more than 2 times the house maximum", id="over-twice-in-all"),
        pytest.param(2_000, (2_000, 2_100), 0, "4100, more than 2 times the house maximum", id="players-alone"),
        pytest.param(None, (9_000,), 5_000, "", id="no-maximum"),
    ],
)
def test_the_dealers_bet(maximum: int | None, stakes: tuple[int, ...], dealers: int, expected: str) -> None:
    """uk-poster point 28: up to the house maximum, all bets on the table no more than twice it, unless authorised."""
    hands = {5: LOSES, 7: STANDS_OFF, 8: WINS}
    wagers = [Wager(box, "Bob", stake) for box, stake in zip((5, 7), stakes, strict=False)]
    wagers += [Wager(8, HOUSE, dealers)] if dealers else []
    terms = TableTerms(chip=100, maximum=maximum)
    if not expected:
        assert len(settled("uk-poster", *wagers, bank=banker(), hands=hands, terms=terms).results) == len(wagers)
        return
    with pytest.raises(WagerError, match=rf"{expected}.*\(uk-poster point 28"):
        settled("uk-poster", *wagers, bank=banker(), hands=hands, terms=terms)
    authorised = TableTerms(chip=100, maximum=maximum, total_authorised=True)
    if "in all" in expected or "2 times" in expected:
        assert settled("uk-poster", *wagers, bank=banker(), hands=hands, terms=authorised).results


def test_the_dealers_bet_is_paid_by_the_banker() -> None:
    """uk-poster point 28: from Dan's place counter-clockwise; the House pays itself no commission."""
    wagers = Wager(8, HOUSE, 2_000), Wager(5, "Bob", 4_000)
    done = settled("uk-poster", *wagers, bank=banker(wager=6_000), hands={5: LOSES, 8: WINS})
    assert moved(done)[3:] == [
        ("box 5", "losing wager area", 4_000, "point 16"),
        ("box 8", "house float", 2_000, "point 15"),
        ("losing wager area", "house float", 2_000, "point 15"),
        ("bank wager", "player Zed", 6_000, "point 26"),
        ("losing wager area", "commission", 100, "point 26"),
        ("losing wager area", "player Zed", 1_900, "point 26"),
    ]


def test_a_house_way_has_to_be_named() -> None:
    """uk-poster point 13: it is displayed near the table, not printed (ruling 12)."""
    with pytest.raises(UnknownRulebookError, match=r"name the one this table uses.*known: crown-6"):
        way_under(UK)
    with pytest.raises(UnknownRulebookError, match="name the one this table uses"):
        UK.house_way()
    assert way_under(UK, "nz-1998").irregularities is UK.irregularities


def test_seven_positions_and_the_dealer() -> None:
    """uk-poster point 3, point 4: eight stacks; positions 1 to 7 are the players', and the dealer has his own place."""
    log = opened("uk-poster", "house-banks", table=Table())
    for box, verdict in ((7, "allowed"), (8, "refused point 3")):
        tried = event(f"wager-placed box={box} player=Bob amount=100")
        check_refusal(log.refusal(tried), "uk-poster point 4", verdict)
