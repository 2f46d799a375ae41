"""Side wagers in the log: a Bonanza round worked by hand from Crown's rules, and what is refused."""

import json

import pytest

from engine.books.registry import BOOKS
from engine.game.ranking import Outcome
from engine.round import RoundLog, Session, Table
from engine.round.events import IrregularityDecided, Settled
from engine.round.remedies.situation import finding
from engine.settlement.wagers import Offered, TableTerms
from engine.vocabulary.facts import Milestone
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from tests.engine.round.golden import ANN, BOB, CHO, FULL, event, rows
from tests.engine.round.test_bank_goes_round import after, refused

SIDE = {"bonus": Offered("bonus-b"), "tie": Offered("tie-b", surrender=True), "big-small": Offered()}
BONANZA = Table(terms=TableTerms(side=SIDE))

# 2, 4 and 5 are 11: Big wins at 1 to 1 (1.1, 11.4). Ann's 100 on Big wins 100, Bob's 50 on Small is lost.
DICE = "2/Ann/win/100/0/0/big;4/Bob/lose/0/0/50/small"
# Ann: Bonus 200, two pairs, the bank has none, pays 10 to 1 (Table 4): 2000, no commission; main 5000, less 5 %, 250.
# Bob: main stands off, so his Tie of 300 wins at 1 to 1 (Table 9): 300.
# Cho: Tie of 400 surrendered, half of it, 200, is lost (13.2.4); main 2000 lost.
RESULTS = (
    "2/Ann/win/2000/0/0/bonus;2/Ann/win/5000/250/0;4/Bob/win/300/0/0/tie;4/Bob/push/0/0/0;"
    "5/Cho/lose/0/0/200/tie;5/Cho/lose/0/0/2000"
)
ROUND = f"""
tiles-checked tiles={FULL} by=TG_Higher_Duties_Dealer | 3.1.1
player-seated box=2 player=Ann | 3.1.2
bank-offered box=2 player=Ann | 10.3.2(a)
bank-declined box=2 player=Ann | 10.3.2(d)
house-banks | 10.3.1(a)
shuffled | 5.1
stacked | 5.2
wager-placed box=2 player=Ann amount=5000 | 8.3
wager-placed box=2 player=Ann amount=100 bet=big | 8.16.1
wager-placed box=4 player=Bob amount=3000 | 8.3
wager-placed box=4 player=Bob amount=50 bet=small | 8.16.1
wager-placed box=5 player=Cho amount=2000 | 8.3
wager-placed box=5 player=Cho amount=400 bet=tie | 13.3.1
wager-placed box=2 player=Ann amount=200 bet=bonus | 13.3.1
wager-placed box=4 player=Bob amount=300 bet=tie | 13.3.1
bets-closed | 8.3.1
dice-shaken by=dealer | 4.2
dice-shown box_dice=2,4,5 cut_die=4 first_box=3 | 4.4
big-small-settled results={DICE} | 4.4.1
cut-named cut=Big_Slice by=cut_die | 5.4.1
tiles-delivered order=3,4,5,6,7,8,1,2 | 10.1.1
empty-retrieved boxes=3,6,7,8 | 10.1.2
bank-moved | 10.3.1(b)
hand-set box=2 by=Ann | 10.2.4
hand-set box=4 by=Bob | 10.2.4
hand-set box=5 by=Cho | 10.2.4
tie-surrendered box=5 player=Cho | 13.5.3(a)(i)
bank-exposed low=6-5,6-1 high=6-6,6-3 | 10.3.1(c)(i)
{ANN.format(expose="10.3.1(c)(ii)", match="10.3.1(c)(ii)")}
{BOB.replace("tiles-put-away box=4 | {push}", "").format(expose="10.3.1(c)(ii)", match="10.3.1(c)(ii)")}
{CHO.replace("tiles-put-away box=5 | {lose}", "").format(expose="10.3.1(c)(ii)", match="10.3.1(c)(ii)")}
settled results={RESULTS} | 13.9.1(c)
tiles-put-away box=2 | 13.9.1(c)
tiles-put-away box=4 | 13.9.1(c)
tiles-put-away box=5 | 13.9.1(c)
bank-put-away | 10.3.1(e)
"""


def bonanza(until: str | None = None) -> Session:
    """The round, up to the last event with this prefix."""
    lines = [line for line, _ in rows(ROUND)]
    if until is not None:
        lines = lines[: max(number for number, line in enumerate(lines) if line.startswith(until))]
    return after(Session.opened(BOOKS["crown-6.1"], BONANZA), *lines)


def test_a_bonanza_round_is_played_to_its_end() -> None:
    session = bonanza()
    log = session.current
    assert log.state.over
    assert log.settlement.order == "crown-6.1 10.3.1(e)"
    assert not any(amount for account, amount in log.settlement.balances.items() if account.place.value == "box")
    # Ann: 100 + 2000 + 4750; Bob: 300 less 50; Cho: 2000 and 200 less.
    won = {account.whose: amount for account, amount in log.settlement.balances.items() if account.whose}
    assert (won["Ann"], won["Bob"], won["Cho"]) == (6850, 250, -2200)
    assert RoundLog.replayed(log.setup, log.before, log.events) == log
    assert Session.from_dict(json.loads(json.dumps(session.to_dict()))) == session


@pytest.mark.parametrize(
    ("until", "tried", "rule"),
    [
        ("wager-placed box=2 player=Ann amount=100", "wager-placed box=4 player=Bob amount=50 bet=big", "8.16.1"),
        ("dice-shaken", "wager-placed box=4 player=Bob amount=50 bet=big", "8.4"),
        ("dice-shaken", "wager-placed box=4 player=Bob amount=50", "8.4"),
        ("dice-shaken", "wager-changed box=2 player=Ann amount=200 bet=big", "8.4"),
        ("hand-set box=2", "wager-placed box=5 player=Cho amount=50 bet=bonus", "8.4"),
        ("bets-closed", "wager-placed box=1 player=Cho amount=50 bet=bonus", "10.3.1(a)"),
        ("bets-closed", "wager-placed box=2 player=Cho amount=50 bet=odd", "8.1"),
        ("bets-closed", "wager-placed box=5 player=Cho amount=50 bet=tie", "8.1"),
        ("wager-placed box=4 player=Bob amount=3000", "wager-withdrawn box=2 player=Ann", "8.16.1"),
        ("dice-shaken", "wager-placed box=5 player=Cho amount=50 bet=bonus", "8.4"),
        ("dice-shown", f"big-small-settled results={DICE}", "4.4.1"),
        ("big-small-settled", "big-small-settled results=2/Ann/lose/0/0/100/big;4/Bob/win/50/0/0/small", "11.4"),
        ("big-small-settled", "big-small-settled results=2/Ann/win/100/0/0/big", "10.3.1(e)"),
        ("tiles-delivered", "tie-surrendered box=5 player=Cho", "13.5.3(a)(i)"),
        ("tie-surrendered", "tie-surrendered box=2 player=Ann", "13.5.3(a)(iv)"),
        ("hand-exposed box=2", "tie-surrendered box=4 player=Bob", "13.2.4"),
        ("settled", "tiles-put-away box=5", "10.3.1(e)"),
        ("settled", f"settled results={RESULTS.replace('2000/0/0/bonus', '1900/0/0/bonus')}", "13.4, Table 4"),
        ("settled", f"settled results={RESULTS.replace('200/tie', '400/tie')}", "13.2.4"),
        ("settled", "settled results=" + ";".join(reversed(RESULTS.split(";"))), "13.9.1(c)"),
    ],
)
def test_refused_with_its_rule(until: str, tried: str, rule: str) -> None:
    assert refused(bonanza(until).current, tried) == rule


def test_the_dice_are_settled_before_the_deal() -> None:
    lines = [line for line, _ in rows(ROUND) if not line.startswith("big-small-settled")]
    lines = lines[: next(number for number, line in enumerate(lines) if line.startswith("tiles-delivered"))]
    log = after(Session.opened(BOOKS["crown-6.1"], BONANZA), *lines).current
    assert refused(log, "tiles-delivered order=3,4,5,6,7,8,1,2") == "4.4.1"
    assert log.append(log.due_on_dice).append(event("tiles-delivered order=3,4,5,6,7,8,1,2")).state.dice_results


@pytest.mark.parametrize("book", BOOKS)
def test_other_tables_take_no_side_wagers(book: str) -> None:
    log = Session.opened(BOOKS[book]).current
    refusal = log.refusal(event("wager-placed box=2 player=Ann amount=100 bet=bonus"))
    assert refusal is not None
    assert refusal.cite.rulebook == book


def test_who_decides_is_who_wagers_on_the_game() -> None:
    """C 13.7: the game before the Tie, the Tie before the Bonus, whatever the amounts."""
    session = bonanza("wager-placed box=2 player=Ann amount=100")
    lines = ["wager-placed box=7 player=Eve amount=900 bet=bonus", "wager-placed box=7 player=Fay amount=100 bet=tie"]
    lines += ["wager-placed box=2 player=Fay amount=9000 bet=tie", "bets-closed"]
    assert after(session, *lines).current.state.control == {2: "Ann", 7: "Fay"}


def test_a_banker_may_place_a_bonus_but_no_tie() -> None:
    """C 13.6.1, 13.6.3, 13.6.4. The bank's hand is opened before the round is settled."""
    session = after(
        Session.opened(BOOKS["crown-6.1"], BONANZA),
        f"tiles-checked tiles={FULL} by=TG_Area_Manager",
        "player-seated box=3 player=Dan",
        "bank-offered box=3 player=Dan",
        "bank-accepted box=3 players=Dan method=player funds=50000",
        "shuffled",
        "stacked",
        "wager-placed box=3 player=Dan amount=500 bet=bonus",
        "wager-placed box=2 player=Ann amount=500",
        "bank-wagered amount=500",
    )
    log = session.current
    assert refused(log, "wager-placed box=3 player=Dan amount=500 bet=tie") == "13.6.3"
    assert refused(log, "wager-placed box=2 player=Ann amount=500 bet=tie") == "13.6.4"
    assert refused(log, "wager-placed box=3 player=Ann amount=500 bet=bonus") == "8.10"
    lines = ["bets-closed", "cut-named cut=Four_Across by=banker", "dice-shaken by=Dan"]
    lines += ["dice-shown box_dice=2,4,5 cut_die=1 first_box=5", "tiles-delivered order=5,6,7,8,1,2,3,4"]
    lines += ["empty-retrieved boxes=1,4,5,6,7,8", "hand-conceded box=2 player=Ann"]
    log = after(session, *lines).current
    assert refused(log, "settled results=2/Ann/lose/0/0/500") == "13.9.1(a)"
    for line in ("bank-set by=Dan", "bank-exposed low=6-5,6-1 high=6-6,6-3"):
        log = log.append(event(line))
    # A Wong pays 2 to 1 (Table 4): 1000 from the House; Ann's 500 is Dan's, less 5 %, and his 500 go back.
    settled = "settled results=3/Dan/win/1000/0/0/bonus;2/Ann/lose/0/0/500 bank=475/25/500"
    assert log.append(event(settled)).state.banked is not None


# Only Bonus wagers: Ann's two pairs pay 12 to 1 by Table 3, whatever the bank holds; Bob's tiles make no line.
BONUS_ONLY = """
tiles-checked tiles={full} by=TG_Higher_Duties_Dealer
player-seated box=2 player=Ann
bank-offered box=2 player=Ann
bank-declined box=2 player=Ann
house-banks
shuffled
stacked
wager-placed box=2 player=Ann amount=200 bet=bonus
wager-placed box=4 player=Bob amount=300 bet={bob}
bets-closed
dice-shaken by=dealer
dice-shown box_dice=2,4,5 cut_die=4 first_box=3
cut-named cut=Big_Slice by=cut_die
tiles-delivered order=3,4,5,6,7,8,1,2
empty-retrieved boxes=3,5,6,7,8
bank-moved
hand-set box=2 by=Ann
hand-set box=4 by=Bob
"""
ANN_OPEN = "hand-exposed box=2 low=5-5,5-5 high=1-1,1-1"
BOB_OPEN = "hand-exposed box=4 low=4-1,5-1 high=5-2,6-2"


def bonus_only(option: str = "bonus-a", bob: str = "bonus") -> Session:
    side = {"bonus": Offered(option), "tie": Offered("tie-b", surrender=True)}
    lines = BONUS_ONLY.format(full=FULL, bob=bob).split("\n")
    return after(Session.opened(BOOKS["crown-6.1"], Table(terms=TableTerms(side=side))), *filter(None, lines))


def test_with_bonus_wagers_only_the_banks_hand_need_not_be_shown() -> None:
    """crown-6.1 13.8.1: the dealer deals a hand, and need not expose it; the log settles as the settlement does."""
    session = after(bonus_only(), ANN_OPEN, BOB_OPEN)
    log = session.current
    assert Milestone.BANK_EXPOSED not in log.state.happened
    assert [(one.player, one.paid, one.lost) for one in log.due.results] == [("Ann", 2_400, 0), ("Bob", 0, 300)]
    # Bob's tiles are removed at once, Ann's stay until they are paid (13.9.1).
    assert refused(session.current, "tiles-put-away box=2") == "10.3.1(e)"
    session = after(session, "tiles-put-away box=4")
    over = session.append(session.current.due)
    over = after(over, "tiles-put-away box=2", "bank-put-away")
    assert over.current.state.over
    assert RoundLog.from_dict(json.loads(json.dumps(over.current.to_dict()))).state == over.current.state


def test_the_banks_hand_may_be_shown_at_a_players_request() -> None:
    """crown-6.1 13.8.1; against two pairs options B to E pay more if the dealer holds two pairs, too."""
    session = after(bonus_only("bonus-b"), ANN_OPEN)
    assert session.current.due_now is None
    shown = after(session, "bank-exposed low=6-5,6-1 high=6-6,6-3", BOB_OPEN, "hand-matched box=4 outcome=lose")
    assert shown.current.due.results[0].paid == 2_000


def test_a_wager_of_another_kind_takes_the_banks_hand_first() -> None:
    """crown-6.1 10.2.7; all hands are set before any tile is exposed with Bonus wagers only as well."""
    assert refused(bonus_only(bob="pai-gow").current, ANN_OPEN) == "10.2.7"
    lines = BONUS_ONLY.format(full=FULL, bob="bonus").split("\n")
    side = TableTerms(side={"bonus": Offered("bonus-a")})
    session = after(Session.opened(BOOKS["crown-6.1"], Table(terms=side)), *list(filter(None, lines))[:-1])
    assert refused(session.current, ANN_OPEN) == "10.3.1(c)"


def test_remedies_after_hands_opened_with_bonus_wagers_only() -> None:
    """crown-6.1 12.7, 12.7.1: a wrong deal is void while the dealer's hand has not been exposed."""
    state = after(bonus_only(), ANN_OPEN).current.state
    decided = IrregularityDecided(Irregularity.WRONG_DEAL, Effect.ROUND_VOID, "crown-6.1 12.7", "dealer")
    assert [option.cite.section for option in finding(state, decided).options] == ["12.7"]


ANNS = "tiles=2-1,4-2,6-6,6-6"
CONCEDED = "hand-conceded box=2 player=Ann"
BANKS = ("bank-moved", "bank-exposed low=6-5,6-1 high=1-1,6-3")


def conceding(*wagers: str) -> Session:
    """The House banks and the tiles are dealt; Ann wagers on box 2, and Bob's 500 lie on box 4."""
    placed = [f"wager-placed box=2 player=Ann amount={each}" for each in wagers]
    return after(
        Session.opened(BOOKS["crown-6.1"], BONANZA),
        f"tiles-checked tiles={FULL} by=TG_Area_Manager",
        "player-seated box=2 player=Ann",
        "bank-offered box=2 player=Ann",
        "bank-declined box=2 player=Ann",
        "house-banks",
        "shuffled",
        "stacked",
        *placed,
        "wager-placed box=4 player=Bob amount=500",
        "bets-closed",
        "dice-shaken by=dealer",
        "dice-shown box_dice=2,4,5 cut_die=1 first_box=3",
        "cut-named cut=Long_Fong_May_Tau by=cut_die",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
        "empty-retrieved boxes=3,5,6,7,8",
    )


def to_the_end(session: Session) -> RoundLog:
    """Bob, on box 4, stands off; what is then due."""
    lines = ("hand-set box=4 by=Bob", *BANKS, "hand-exposed box=4 low=5-1,6-5 high=5-5,5-5")
    log = after(session, *lines).current
    return log.append(event("hand-matched box=4 outcome=push"))


class TestConceding:
    """crown-6.1 10.2.10, 13.4.2: conceding gives up the Pai Gow wager; the tiles dealt decide the Bonus (ruling 41)."""

    def test_the_tiles_are_shown_and_decide_the_bonus(self) -> None:
        session = after(conceding("1000", "100 bet=bonus"), f"{CONCEDED} {ANNS}")
        log = to_the_end(session)
        # Gee Jun with Teens pays 100 to 1 (Table 4); the 1000 on Pai Gow are lost.
        due = "settled results=2/Ann/win/10000/0/0/bonus;2/Ann/lose/0/0/1000;4/Bob/push/0/0/0"
        assert log.due == event(due)
        assert log.append(event(due)).state.results[0].paid == 10_000

    def test_without_a_bonus_they_are_not_shown(self) -> None:
        assert refused(conceding("1000").current, f"{CONCEDED} {ANNS}") == "10.2.10"
        assert to_the_end(after(conceding("1000"), CONCEDED)).due == event(
            "settled results=2/Ann/lose/0/0/1000;4/Bob/push/0/0/0"
        )

    def test_a_bonus_alone_is_not_conceded(self) -> None:
        assert refused(conceding("100 bet=bonus").current, CONCEDED) == "10.2.10"

    @pytest.mark.parametrize(("decision", "lost"), [("wager-forfeited", 100), ("wager-returned", 0)])
    def test_if_nobody_saw_them_a_person_decides(self, decision: str, lost: int) -> None:
        log = to_the_end(after(conceding("1000", "100 bet=bonus"), CONCEDED))
        assert refused(log, "settled results=2/Ann/lose/0/0/100/bonus;2/Ann/lose/0/0/1000;4/Bob/push/0/0/0") == "13.4.2"
        decided = (
            "irregularity-decided irregularity=conceded remedy=as-decided rule=crown-6.1_13.4.2 "
            f"decided_by=TG_Area_Manager box=2 player=Ann decision={decision}"
        )
        log = log.append(event(decided))
        due = log.due
        assert isinstance(due, Settled)
        assert [(one.bet, one.outcome, one.lost) for one in due.results if one.player == "Ann"] == [
            ("bonus", Outcome.LOSE if lost else None, lost),
            ("pai-gow", Outcome.LOSE, 1000),
        ]
