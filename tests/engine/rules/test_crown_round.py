"""Crown Melbourne 6.1, the course of a round: what the text allows at each moment, and what it forbids.

A row breaks a golden round off before an event and tries others there (parted by semicolons, the last one counts).
Where the engine refuses under a rule that says the same more closely, that rule follows the arrow.
"""

from itertools import product

import pytest

from engine.errors import TableError
from engine.round import Before, RoundLog, Setup, Table
from tests.engine.round.golden import FULL, event
from tests.engine.rules.crown import BOOK, Milestone, began, left_off, refused, then
from tests.engine.rules.tables import rows

TILES = FULL.split(",")
IN_PAIRS = ",".join([*TILES[-2:], *TILES[:-2]])  # Appendix 1: Gee Jun is pair no. 1
UPSIDE_DOWN = ",".join(reversed(TILES))
HDD, AREA, ACM = "TG_Higher_Duties_Dealer", "TG_Area_Manager", "TG_Assistant_Casino_Manager"
OPEN_2 = "hand-exposed box=2 low=5-5,5-5 high=1-1,1-1"
OPEN_4 = "hand-exposed box=4 low=2-2,6-4 high=3-3,3-3"
OPEN_5 = "hand-exposed box=5 low=4-1,6-4 high=6-2,6-5"
OPEN_BANK = "bank-exposed low=6-5,6-1 high=6-6,6-3"
SET_ALL = "hand-set box=2 by=Ann ; hand-set box=4 by=Bob ; hand-set box=5 by=Cho"
THROW = "dice-shown box_dice=2,4,5 cut_die=4"
LAJA = "laja-done by=dealer asked_by=Ann"
FRAUD = "irregularity-decided irregularity=fraud remedy=as-decided rule=crown-6.1_16.3 decision=round-void decided_by="
DISRUPTED = "irregularity-decided irregularity=disruption remedy=round-void rule=crown-6.1_16.4 decided_by="
MISDEALT = "irregularity-decided irregularity=wrong-deal remedy=round-void rule=crown-6.1_12.7 decided_by="
CALLED_VOID = (
    "irregularity-decided irregularity=dealer-exposes remedy=round-void rule=crown-6.1_12.2.2 decided_by=Dan box=3"
)

REFUSED = f"""
crown-6.1 3.1.1 | house | tiles-checked | shuffled
crown-6.1 3.1.1 | house | tiles-checked | tiles-checked tiles={FULL} by=dealer
crown-6.1 3.4 -> 3.1.1 | house | tiles-checked | tiles-checked tiles={UPSIDE_DOWN} by={HDD}
crown-6.1 2.3 | house | tiles-checked | tiles-checked tiles={FULL.removesuffix(",2-1")} by={HDD}
crown-6.1 3.1.2 | house | player-seated | shuffled
crown-6.1 3.2 | house | player-seated | tiles-replaced ordered_by={HDD}
crown-6.1 3.2 | house | player-seated | tiles-replaced ordered_by={HDD} notified={HDD}
crown-6.1 3.2 -> 3.1.1 | house | shuffled | tiles-replaced ordered_by={AREA} ; shuffled
crown-6.1 4.2 | house | dice-shown | dice-shaken by=Ann
crown-6.1 4.2 | player | dice-shaken | dice-shaken by=Bob
crown-6.1 4.3 | house | dice-shaken | {THROW} first_box=3
crown-6.1 4.3 | house | dice-shown | {THROW} first_box=3 cocked=yes
crown-6.1 4.1 -> 2.4.3 | house | dice-shown | dice-shown box_dice=2,4,5 first_box=3
crown-6.1 4.1 -> 4.4.2 | house | dice-shown | {THROW} first_box=4
crown-6.1 5.1 -> 5.2 | house | shuffled | stacked
crown-6.1 5.1 -> 5.2 | house | the end | stacked
crown-6.1 5.2 | house | stacked | bets-closed
crown-6.1 5.3 | house | bets-closed | {LAJA}
crown-6.1 5.3 | house | bets-closed | {LAJA} approved_by={AREA}
crown-6.1 5.3 | house | bets-closed | laja-done by=Bob asked_by=Ann approved_by={ACM}
crown-6.1 5.3 | house | cut-named | {LAJA} approved_by={ACM}
crown-6.1 12.1 -> 5.3 | house | bets-closed | laja-done by=Ann asked_by={HDD}
crown-6.1 5.4.1 | house | cut-named | cut-named cut=Big_Slice by=banker
crown-6.1 5.4.1 | house | cut-named | tiles-delivered order=3,4,5,6,7,8,1,2
crown-6.1 5.4.1 -> Table 2 | house | cut-named | cut-named cut=Jung_Quat by=cut_die
crown-6.1 5.4.2 | player | cut-named | cut-named cut=Big_Slice by=cut_die
crown-6.1 5.4.2 | co-bank | cut-named | cut-named cut=Big_Slice by=cut_die
crown-6.1 5.4.3 | player | cut-named | cut-named cut=Two_Towers by=banker accepted_by={AREA}
crown-6.1 5.5 | house | bets-closed | shuffled
crown-6.1 5.5 -> 5.2 | house | tiles-delivered | shuffled ordered_by={HDD} ; tiles-delivered order=3,4,5,6,7,8,1,2
crown-6.1 8.1 | house | bets-closed | wager-placed box=6 player=Eve amount=0
crown-6.1 8.1 | house | bets-closed | wager-placed box=6 player=Eve amount=100 means=voucher
crown-6.1 8.5 -> 8.1 | house | bets-closed | wager-placed box=6 player=Eve amount=100 means=token
crown-6.1 8.2 -> 2.2.1 | house | bets-closed | wager-placed box=9 player=Eve amount=100
crown-6.1 8.3.1 | house | bets-closed | dice-shaken by=dealer
crown-6.1 8.3.2 -> 8.3 | player | bets-closed | cut-named cut=Four_Across by=banker
crown-6.1 8.3.2 -> 8.3 | co-bank | bets-closed | cut-named cut=One_Stack by=banker
crown-6.1 8.4 | house | dice-shaken | wager-placed box=6 player=Eve amount=100
crown-6.1 8.4 | house | dice-shaken | wager-changed box=2 player=Ann amount=100
crown-6.1 8.4 | house | dice-shaken | wager-withdrawn box=2 player=Ann
crown-6.1 8.4 | player | cut-named | wager-placed box=6 player=Eve amount=100
crown-6.1 8.4 | player | cut-named | bank-wagered amount=20000
crown-6.1 8.6 -> 10.3.2(h) | player | bank-wagered | bets-closed
crown-6.1 8.10 | player | bets-closed | wager-placed box=3 player=Eve amount=100
crown-6.1 10.1.1 | house | tiles-delivered | tiles-delivered order=3,2,1,8,7,6,5,4
crown-6.1 10.1.1 | house | tiles-delivered | tiles-delivered order=4,5,2
crown-6.1 10.1.2 | house | empty-retrieved | empty-retrieved boxes=6,7,8
crown-6.1 10.1.2 | house | empty-retrieved | {SET_ALL} ; {OPEN_BANK}
crown-6.1 10.1.3 | house | settled | tiles-viewed box=3 by=dealer
crown-6.1 10.1.3 | house | bank-put-away | tiles-viewed box=3 by=dealer
crown-6.1 10.1.4 | house | settled | tiles-viewed box=3 by=Bob
crown-6.1 10.2.3 -> 10.3.2(i) | player | bank-set | bank-set by=dealer
crown-6.1 10.2.3(a) -> 10.2.3 | house | hand-set box=4 | house-way-requested box=5 by=Cho ; hand-set box=5 by=dealer
crown-6.1 10.2.3(a) -> 10.2.4 | house | bank-exposed | tiles-handled box=5 by=Cho
crown-6.1 10.2.4 | house | bank-exposed | tiles-handled box=4 by=Bob
crown-6.1 10.2.4 | player | bank-exposed | tiles-handled box=3 by=Dan
crown-6.1 10.2.5 | house | hand-set box=4 | hand-set box=4 by=Ann
crown-6.1 10.2.5 | house | hand-set box=4 | tiles-handled box=4 by=Ann
crown-6.1 10.2.7 -> 10.3.1(c) | house | house-way-requested | {OPEN_BANK}
crown-6.1 10.2.7 | house | bank-exposed | {OPEN_2}
crown-6.1 10.2.10 | house | settled | hand-conceded box=4 player=Bob
crown-6.1 10.2.10 | house | bank-exposed | hand-conceded box=4 player=Ann
crown-6.1 10.2.10 | house | bank-exposed | hand-conceded box=4 player=Bob ; tiles-viewed box=4 by=Ann
crown-6.1 10.3.1(a) | house | bets-closed | wager-placed box=1 player=Eve amount=100
crown-6.1 10.3.1(b) -> 10.1.2 | house | empty-retrieved | bank-moved
crown-6.1 10.3.1(b) | house | bank-moved | {SET_ALL} ; {OPEN_BANK}
crown-6.1 10.3.1(c)(i) | house | bank-exposed | bank-set by=dealer
crown-6.1 10.3.1(c)(ii) | house | hand-exposed box=2 | {OPEN_4}
crown-6.1 10.3.1(e) | house | settled | settled results=4/Bob/push/0/0/0;2/Ann/win/5000/250/0;5/Cho/lose/0/0/2000
crown-6.1 10.3.1(e) | house | settled | tiles-put-away box=2
crown-6.1 10.3.2(a) | player | bank-offered box=2 | bank-offered box=3 player=Dan
crown-6.1 10.3.2(d) | player | bank-accepted | bank-accepted box=2 players=Ann method=player funds=50000
crown-6.1 10.3.2(h) | player | bets-closed | wager-placed box=6 player=Eve amount=1 ; bets-closed
crown-6.1 10.3.2(h) | player | bets-closed | bank-fell-back method=house
crown-6.1 10.3.2(i) | player | hand-set box=5 | bank-set by=Dan
crown-6.1 10.3.2(j) | player | bank-moved | {OPEN_4}
crown-6.1 10.3.2(k) | player | hand-exposed box=4 | {OPEN_5}
crown-6.1 10.3.2(l) | player | tiles-put-away box=5 | {OPEN_2}
crown-6.1 10.3.2(m) | player | settled | settled results=2/Ann/win/5000/250/0;4/Bob/push/0/0/0;5/Cho/lose/0/0/2000
crown-6.1 10.3.3(a) | co-bank | bank-wagered | bets-closed
crown-6.1 10.3.3(a) | co-bank | bank-wagered | bank-wagered amount=4999 ; bets-closed
crown-6.1 10.3.3(c) | co-bank | bank-moved | {SET_ALL} ; bank-set by=dealer
crown-6.1 10.3.3(d) | co-bank | hand-set box=5 | bank-set by=dealer
crown-6.1 10.3.3(d) | co-bank | bank-set | bank-set by=Dan
crown-6.1 10.3.3(d) | co-bank | bank-set | tiles-handled box=3 by=Dan
crown-6.1 10.3.3(e) | co-bank | hand-exposed box=4 | {OPEN_5}
crown-6.1 10.3.3(f) | co-bank | tiles-put-away box=5 | {OPEN_2}
crown-6.1 10.3.3(g) | co-bank | settled | settled results=2/Ann/win/5000/250/0;4/Bob/push/0/0/0;5/Cho/lose/0/0/2000
crown-6.1 16.3 | house | bank-exposed | {FRAUD}{AREA}
crown-6.1 16.4 | house | bank-exposed | {DISRUPTED}dealer
"""

ALLOWED = f"""
crown-6.1 3.1 | house | tiles-checked | tiles-checked tiles={FULL} by={HDD}
crown-6.1 3.1 | house | the end | tiles-checked tiles={FULL} by={HDD}
crown-6.1 3.1.1 | house | tiles-checked | tiles-checked tiles={FULL} by={ACM}
crown-6.1 3.1.2 | house | shuffled | shuffled
crown-6.1 3.2 | house | player-seated | tiles-replaced ordered_by={AREA}
crown-6.1 3.2 | house | player-seated | tiles-replaced ordered_by=dealer notified={AREA}
crown-6.1 3.2 | house | player-seated | tiles-replaced ordered_by={HDD} notified={AREA}
crown-6.1 3.3 | house | the end | tiles-checked tiles={FULL} by={HDD} ; tiles-replaced ordered_by={AREA}
crown-6.1 3.4 | house | tiles-checked | tiles-checked tiles={IN_PAIRS} by={HDD}
crown-6.1 4.2 | player | dice-shaken | dice-shaken by=dealer
crown-6.1 4.3 | house | dice-shown | dice-shown box_dice=2,4 cocked=yes ; dice-shaken by=dealer ; {THROW} first_box=3
crown-6.1 5.3 | house | bets-closed | laja-done by=Ann asked_by=Ann approved_by={ACM}
crown-6.1 5.3 | house | bets-closed | {LAJA} approved_by={ACM}
crown-6.1 12.1 | house | bets-closed | laja-done by=dealer asked_by={HDD}
crown-6.1 12.1 | player | bets-closed | laja-done by=dealer asked_by={AREA}
crown-6.1 5.4.2 | player | cut-named | cut-named cut=Dai_Pin by=banker
crown-6.1 5.4.2 | player | cut-named | cut-named cut=Dai_Pin by=supervisor
crown-6.1 5.4.3 | co-bank | cut-named | cut-named cut=Two_Towers by=banker accepted_by={ACM}
crown-6.1 5.5 | house | bets-closed | shuffled ordered_by={HDD}
crown-6.1 5.5 | house | tiles-delivered | shuffled ordered_by={HDD} ; stacked ; tiles-delivered order=3,4,5,6,7,8,1,2
crown-6.1 8.3 | house | bets-closed | wager-placed box=6 player=Eve amount=100
crown-6.1 8.3 | house | bets-closed | wager-changed box=2 player=Ann amount=1 ; wager-withdrawn box=2 player=Ann
crown-6.1 10.1.3 | house | the end | tiles-viewed box=3 by=dealer
crown-6.1 10.1.4 | house | bank-put-away | tiles-viewed box=3 by=Bob
crown-6.1 10.2.2 | house | hand-set box=4 | tiles-handled box=4 by=Bob ; hand-set box=4 by=Bob
crown-6.1 10.2.3 | player | bank-set | house-way-requested box=3 by=Dan ; bank-set by=dealer
crown-6.1 10.2.3(a) | house | house-way-requested | house-way-requested box=5 by=Cho ; {OPEN_BANK}
crown-6.1 10.2.10 | house | bank-exposed | hand-conceded box=4 player=Bob
crown-6.1 10.3.1(d) | house | tiles-put-away box=5 | tiles-put-away box=5
crown-6.1 10.3.1(f) | house | tiles-put-away box=4 | tiles-put-away box=4
crown-6.1 10.3.2(h) | player | bank-wagered | bank-fell-back method=house
crown-6.1 10.3.2(h) | player | bank-wagered | bank-fell-back method=co-bank ; bank-wagered amount=5000 ; bets-closed
crown-6.1 10.3.2(i) | player | bank-moved | bank-moved
crown-6.1 10.3.3(a) | co-bank | bank-wagered | bank-wagered amount=5000 ; bets-closed
crown-6.1 12.2.2(a) | player | hand-set | {CALLED_VOID}
crown-6.1 12.7 | house | hand-set | {MISDEALT}dealer
crown-6.1 16.3 | house | bank-exposed | {FRAUD}{ACM}
crown-6.1 16.4 | house | bank-exposed | {DISRUPTED}{HDD}
"""


@pytest.mark.parametrize(("rule", "bank", "until", "lines"), rows(REFUSED))
def test_refused(rule: str, bank: str, until: str, lines: str) -> None:
    *first, last = lines.split(" ; ")
    session = then(left_off(bank, until), ";".join(first))
    cited = rule.split(" -> ")
    assert refused(session, last.strip()) == f"crown-6.1 {cited[-1].removeprefix('crown-6.1 ')}"


@pytest.mark.parametrize(("rule", "bank", "until", "lines"), rows(ALLOWED))
def test_allowed(rule: str, bank: str, until: str, lines: str) -> None:
    assert rule.startswith("crown-6.1 ")
    then(left_off(bank, until), lines.replace(" ; ", ";"))


def test_every_throw_counts_from_the_chung() -> None:
    """crown-6.1 4.1, 4.4.2, Table 2: totals 9 and 17 are the chung's own box, 10 and 18 the next, 8 and 16 the last."""
    printed = {9: 1, 17: 1, 10: 2, 18: 2, 3: 3, 11: 3, 4: 4, 12: 4, 5: 5, 13: 5, 6: 6, 14: 6, 7: 7, 15: 7, 8: 8, 16: 8}
    before = left_off("house", "dice-shown")
    by_total = {sum(dice): dice for dice in product(range(1, 7), repeat=3)}
    for total, dice in by_total.items():
        shown = f"dice-shown box_dice={','.join(map(str, dice))} cut_die=1"
        for box in range(1, 9):
            refusal = before.current.refusal(event(f"{shown} first_box={box}"))
            assert (refusal is None) == (box == printed[total])
    # With Dan's chung on box 3 a 9 is box 3, and an 11 the second box after it.
    chung_3 = left_off("player", "dice-shown")
    then(chung_3, "dice-shown box_dice=3,3,3 cut_die=1 first_box=3")
    then(chung_3, "dice-shown box_dice=3,3,5 cut_die=1 first_box=5")


BEGUN = "house-banks;shuffled;stacked;"
UNSEATED = Before(check_due=False, control={3: "Bob", 4: "Cho"})


@pytest.mark.parametrize(
    ("lines", "control"),
    [
        # crown-6.1 8.8.1: the highest wager, wherever it lies
        ("wager-placed box=2 player=Ann amount=5 spot=1;wager-placed box=2 player=Bob amount=6 spot=2", {2: "Bob"}),
        # crown-6.1 8.8.2, crown-6.1 8.8.3: equal wagers, the first place of the layout
        ("wager-placed box=3 player=Bob amount=5 spot=2;wager-placed box=3 player=Ann amount=5 spot=1", {3: "Ann"}),
        # crown-6.1 8.8.4: equal wagers whose places are not told, whoever decided before
        ("wager-placed box=3 player=Ann amount=5;wager-placed box=3 player=Bob amount=5", {3: "Bob"}),
        # 8.8.1 goes before 8.8.4
        ("wager-placed box=3 player=Ann amount=6;wager-placed box=3 player=Bob amount=5", {3: "Ann"}),
    ],
)
def test_who_decides_on_a_box(lines: str, control: dict[int, str]) -> None:
    """crown-6.1 8.8.1, and crown-6.1 8.8.2 to 8.8.4 where wagers are equal; found at the close of betting."""
    session = began(f"{BEGUN}{lines};bets-closed", UNSEATED)
    assert dict(session.current.state.control) == control


def test_five_players_on_a_box_and_no_sixth() -> None:
    """crown-6.1 8.7."""
    five = ";".join(f"wager-placed box=2 player=P{number} amount=5" for number in range(5))
    session = began(BEGUN + five)
    assert refused(session, "wager-placed box=2 player=P6 amount=5") == "crown-6.1 8.7"
    with pytest.raises(TableError, match=r"crown-6\.1 8\.7"):
        Setup(BOOK, Table(players_a_box=6))


def test_a_player_on_two_boxes_sees_the_tiles_of_one() -> None:
    """crown-6.1 8.11, 8.11.1, and crown-6.1 8.11.2: nobody takes up the other set; the dealer opens it House Way."""
    both = "wager-placed box=2 player=Ann amount=5;wager-placed box=6 player=Ann amount=9;bets-closed"
    dealt = (
        "dice-shaken by=dealer;dice-shown box_dice=2,4,5 cut_die=4 first_box=3;cut-named cut=Dai_Pin by=cut_die;"
        "tiles-delivered order=3,4,5,6,7,8,1,2;empty-retrieved boxes=3,4,5,7,8;bank-moved"
    )
    session = began(f"{BEGUN}{both};{dealt}")
    for line in ("tiles-handled box=6 by=Ann", "hand-set box=6 by=Ann", "house-way-requested box=6 by=Ann"):
        assert refused(session, line) == "crown-6.1 8.11"
    done = then(session, f"hand-set box=2 by=Ann;{OPEN_BANK};{OPEN_2};hand-matched box=2 outcome=win")
    then(done, "hand-exposed box=6 low=2-2,6-4 high=3-3,3-3")
    # With Bob on box 6 too, it is his to set (8.11.2 speaks of boxes with no other wager).
    shared = began(f"{BEGUN}{both.replace(';bets', ';wager-placed box=6 player=Bob amount=1;bets')};{dealt}")
    then(shared, "hand-set box=6 by=Bob")


SEATS = {2: "Ann", 4: "Bob"}
PLAYED = Before(
    commencement=False,
    check_due=False,
    seats=SEATS,
    offer_from=2,
    played={"Ann": frozenset({2}), "Bob": frozenset({4}), "Cho": frozenset({2})},
    control={2: "Ann", 4: "Bob"},
    chung=1,
)


class TestWhoMayBank:
    def test_only_who_played_the_round_before(self) -> None:
        """crown-6.1 10.3.2(b)."""
        assert refused(began("", PLAYED), "bank-offered box=2 player=Dan") == "crown-6.1 10.3.2(b)"
        # at the commencement of play a player who sits is enough
        then(began("player-seated box=2 player=Dan"), "bank-offered box=2 player=Dan")

    def test_only_who_controls_the_box(self) -> None:
        """crown-6.1 10.3.2(d): Cho wagered on box 2 too, and Ann decided on it."""
        assert refused(began("", PLAYED), "bank-offered box=2 player=Cho") == "crown-6.1 10.3.2(d)"

    def test_from_right_to_left(self) -> None:
        """crown-6.1 10.3.2(a)."""
        assert refused(began("", PLAYED), "bank-offered box=4 player=Bob") == "crown-6.1 10.3.2(a)"
        then(
            began("", PLAYED),
            "bank-offered box=2 player=Ann;bank-declined box=2 player=Ann;bank-offered box=4 player=Bob",
        )

    @pytest.mark.parametrize(("method", "least"), [("player", 10_000), ("co-bank", 5_000)])
    def test_with_the_funds(self, method: str, least: int) -> None:
        """crown-6.1 8.6, 10.3.2(c), and crown-6.1 10.3.3(a): all of the 100.00 wagered, or half of it."""
        offered = began("wager-placed box=4 player=Bob amount=10000;bank-offered box=2 player=Ann", PLAYED)
        taken = f"bank-accepted box=2 players=Ann method={method} funds="
        assert refused(offered, f"{taken}{least - 1}") == "crown-6.1 10.3.2(c)"
        then(offered, f"{taken}{least}")

    def test_not_less_than_the_tables_least(self) -> None:
        """crown-6.1 8.6, 10.3.2(c)."""
        offered = began("bank-offered box=2 player=Ann", PLAYED, Table(bank_minimum=5_000))
        assert refused(offered, "bank-accepted box=2 players=Ann method=player funds=4999") == "crown-6.1 10.3.2(c)"
        banks = then(offered, "bank-accepted box=2 players=Ann method=player funds=9000")
        assert refused(banks, "bank-wagered amount=4999") == "crown-6.1 10.3.2(c)"

    def test_the_chung_lies_on_the_bankers_box(self) -> None:
        """crown-6.1 10.3.2(e)."""
        taken = "bank-offered box=2 player=Ann;bank-accepted box=2 players=Ann method=player funds=9000"
        state = began(taken, PLAYED).current.state
        assert state.bank is not None
        assert (state.bank.box, state.bank.players) == (2, ("Ann",))

    def test_two_share_a_bank_and_set_its_tiles_together(self) -> None:
        """crown-6.1 10.3.2(g), and crown-6.1 10.2.6: where the House allows it; either of them lays the hand."""
        offered = "bank-offered box=2 player=Ann"
        taken = "bank-accepted box=2 players=Ann,Cho method=player funds=9000"
        assert refused(began(offered, PLAYED), taken) == "crown-6.1 10.3.2(g)"
        shared = Table(shared=True)
        apart = "bank-accepted box=2 players=Ann,Bob method=player funds=9000"  # Bob played at another seat
        assert refused(began(offered, PLAYED, shared), apart) == "crown-6.1 10.3.2(g)"
        dealt = (
            "shuffled;stacked;wager-placed box=4 player=Bob amount=100;bank-wagered amount=100;bets-closed;"
            "cut-named cut=Dai_Pin by=banker;dice-shaken by=Cho;dice-shown box_dice=3,3,3 cut_die=1 first_box=2;"
            "tiles-delivered order=2,3,4,5,6,7,8,1;empty-retrieved boxes=1,3,5,6,7,8;hand-set box=4 by=Bob"
        )
        session = began(f"{offered};{taken};{dealt}", PLAYED, shared)
        for banker in ("Ann", "Cho"):
            then(session, f"bank-set by={banker}")
        assert refused(session, "bank-set by=Bob") == "crown-6.1 10.3.2(i)"


class TestHowLongABankLasts:
    """crown-6.1 10.3.2(f)."""

    def round_of(self, log: RoundLog, *, going_on: bool, shaker: str) -> RoundLog:
        """A round banked by Ann on box 2 against Bob, who concedes."""
        lines = [] if going_on else ["bank-offered box=2 player=Ann"]
        lines += ["bank-accepted box=2 players=Ann method=player funds=9000", "shuffled", "stacked"]
        lines += ["wager-placed box=4 player=Bob amount=100", "bank-wagered amount=100", "bets-closed"]
        lines += ["cut-named cut=Dai_Pin by=banker", f"dice-shaken by={shaker}"]
        lines += ["dice-shown box_dice=3,3,3 cut_die=1 first_box=2", "tiles-delivered order=2,3,4,5,6,7,8,1"]
        lines += ["hand-conceded box=4 player=Bob", "settled results=4/Bob/lose/0/0/100 bank=95/5/100", "bank-put-away"]
        for line in lines:
            log = log.append(event(line))
        return log

    def test_one_bank_is_two_rounds(self) -> None:
        session = began("", PLAYED)
        log = self.round_of(session.current, going_on=False, shaker="Ann")
        again = type(session)(session.setup, (log,)).append(event("player-seated box=8 player=Zoe"))
        assert refused(again, "bank-offered box=4 player=Bob") == "crown-6.1 10.3.2(f)"
        second = self.round_of(again.current, going_on=True, shaker="Ann")
        third = type(session)(session.setup, (log, second)).append(event("player-left player=Zoe"))
        assert refused(third, "bank-accepted box=2 players=Ann method=player funds=9000") == "crown-6.1 10.3.2(d)"
        then(third, "bank-offered box=4 player=Bob")

    def test_in_a_further_bank_somebody_else_shakes(self) -> None:
        session = began("", PLAYED, Table(banks=3))
        logs = [self.round_of(session.current, going_on=False, shaker="Ann")]
        for shaker in ("Ann", "Zoe", "Zoe", "Zoe", "Zoe"):  # the second round of the first bank, then two more banks
            opened = type(session)(session.setup, tuple(logs)).append(event("player-left player=Eve"))
            if shaker == "Zoe":
                ready = (
                    "bank-accepted box=2 players=Ann method=player funds=9000;shuffled;stacked;bank-wagered amount=100;"
                    "bets-closed;cut-named cut=Dai_Pin by=banker"
                )
                assert refused(then(opened, ready), "dice-shaken by=Ann") == "crown-6.1 10.3.2(f)"
            logs.append(self.round_of(opened.current, going_on=True, shaker=shaker))
        seventh = type(session)(session.setup, tuple(logs)).append(event("player-left player=Eve"))
        then(seventh, "bank-offered box=4 player=Bob")
        with pytest.raises(TableError, match=r"crown-6\.1 10\.3\.2\(f\)"):
            Setup(BOOK, Table(banks=4))


def test_the_moments_that_later_rules_ask_about() -> None:
    """crown-6.1 8.9: who decides is known when betting has closed, and not changed after."""
    before, after = left_off("house", "bets-closed"), left_off("house", "dice-shaken")
    assert dict(before.current.state.control) == {}
    assert dict(after.current.state.control) == {2: "Ann", 4: "Bob", 5: "Cho"}
    assert Milestone.BETS_CLOSED in after.current.state.happened
