"""Rounds in which something goes wrong, worked by hand from the texts: the rule beside every step and number.

Each starts as the golden round of its book (Ann 50.00 at box 2 wins, Bob 30.00 at box 4 stands off, Cho 20.00 at box 5
loses; the bank holds 6-5 6-1 / 6-6 6-3), and leaves it where something happens. A step that begins with ``!`` is
refused under the rule beside it. At the end stands what everybody has more or less, worked out beside it.
"""

from dataclasses import dataclass

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.round import Before, RoundLog, Session, Setup, Table
from engine.settlement.result import ChipPlace
from engine.settlement.wagers import Offered, TableTerms
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, GOLDEN, event, rows
from tests.engine.round.test_bank_goes_round import after

DECIDED = "irregularity-decided irregularity="


@dataclass(frozen=True)
class Worked:
    """A round.

    Attributes:
        until: the golden event before which it happens.
        steps: what happens, with the rule that has it so.
        leaves_out: golden events that then do not happen, by prefix.
        plays_on: whether the rest of the golden round follows.
        afterwards: the events after that.
        ends: what each has more or less than before, in the smallest unit.
        void_by: the rule that the round is void under.
    """

    book: str
    bank: Bank
    until: str
    steps: str
    ends: dict[str, int]
    leaves_out: tuple[str, ...] = ()
    plays_on: bool = True
    afterwards: tuple[str, ...] = ()
    void_by: str = ""


# As if nothing had happened: Ann 5000 less 5 %, 250 (C 11.1, N 6.11, S and O 14.1, U point 15); Bob none; Cho loses.
AS_EVER = {"Ann": 4750, "Bob": 0, "Cho": -2000}
NOTHING = {"Ann": 0, "Bob": 0, "Cho": 0}
# The bank's tiles laid otherwise: 6-1 6-3 are 16, so 6, and 6-6 6-5 are 23, so 3; the higher hand is the high hand.
WRONG_LAY = "bank-exposed low=6-1,6-3 high=6-6,6-5"
BROKEN = f"{DECIDED}rule-broken remedy=wager-returned rule=crown-6.1_16.2.1"
RIGHT = "low=6-5,6-1 high=6-6,6-3"

WORKED = {
    # The deal. Before the dealer's hand is exposed Crown declares the round void, and all wagers go back.
    "wrong deal, crown, early": Worked("crown-6.1", Bank.HOUSE, "bank-exposed", f"""
        ! {DECIDED}wrong-deal remedy=results-stand rule=crown-6.1_12.7.1 decided_by=dealer | 12.7
        {DECIDED}wrong-deal remedy=round-void rule=crown-6.1_12.7 decided_by=dealer | 12.7
        """, NOTHING, plays_on=False, void_by="12.7"),
    # After it all results stand.
    "wrong deal, crown, late": Worked("crown-6.1", Bank.HOUSE, "hand-exposed box=2", f"""
        ! {DECIDED}wrong-deal remedy=round-void rule=crown-6.1_12.7 decided_by=dealer | 12.7.1
        {DECIDED}wrong-deal remedy=results-stand rule=crown-6.1_12.7.1 decided_by=dealer | 12.7.1
        """, AS_EVER),
    # In New Zealand whether or not tiles were handled.
    "wrong deal, new zealand": Worked("nz-1998", Bank.HOUSE, "hand-exposed box=5", f"""
        {DECIDED}wrong-deal remedy=round-void rule=nz-1998_12.13 decided_by=dealer | 12.13
        """, NOTHING, plays_on=False, void_by="12.13"),
    # At The Star it is put together again as long as nobody has handled tiles, or else void;
    "wrong deal, star, early": Worked("star-2024", Bank.HOUSE, "bank-moved", f"""
        ! {DECIDED}wrong-deal remedy=results-stand rule=star-2024_15.13 decided_by=dealer | 15.11
        {DECIDED}wrong-deal remedy=round-void rule=star-2024_15.12 decided_by=dealer | 15.12
        """, NOTHING, plays_on=False, void_by="15.12"),
    # once somebody has, it is played to its end.
    "wrong deal, star, late": Worked("star-2024", Bank.HOUSE, "bank-exposed", f"""
        ! {DECIDED}wrong-deal remedy=round-void rule=star-2024_15.12 decided_by=dealer | 15.13
        {DECIDED}wrong-deal remedy=results-stand rule=star-2024_15.13 decided_by=dealer | 15.13
        """, AS_EVER),
    "wrong deal, star classic, reconstructed": Worked("star-classic", Bank.HOUSE, "empty-retrieved", f"""
        {DECIDED}wrong-deal remedy=none rule=star-classic_15.13 decided_by=dealer | 15.13
        """, AS_EVER),
    "misdeal, poster": Worked("uk-poster", Bank.HOUSE, "bank-exposed", f"""
        {DECIDED}wrong-deal remedy=round-void rule=uk-poster_point_22 decided_by=Dealer | point 22
        """, NOTHING, plays_on=False, void_by="point 22"),
    # Bob may void his hand until he has looked at the rest of it. Cho's 2000 pay 2000 of Ann's 5000, the bank the other
    # 3000 (10.3.2(n)): Dan loses 3000, and nothing is left of which commission were due.
    "two tiles of a player shown": Worked("crown-6.1", Bank.PLAYER, "hand-set box=4", f"""
        ! {DECIDED}dealer-exposes remedy=hand-void rule=crown-6.1_12.2.1 decided_by=dealer box=4 | 12.2.1
        {DECIDED}dealer-exposes remedy=hand-void rule=crown-6.1_12.2.1 decided_by=Bob box=4 | 12.2.1
        """, {**AS_EVER, "Dan": -3000}, leaves_out=("hand-set box=4", "hand-exposed box=4", "hand-matched box=4",
                                                    "tiles-put-away box=4")),
    # The banker's own hand, and with it the round.
    "two tiles of the banker shown": Worked("nz-1998", Bank.PLAYER, "bank-set", f"""
        ! {DECIDED}dealer-exposes remedy=round-void rule=nz-1998_12.3(b) decided_by=Ann box=3 | 12.3(b)
        {DECIDED}dealer-exposes remedy=round-void rule=nz-1998_12.3(b) decided_by=Dan box=3 | 12.3(b)
        """, {**NOTHING, "Dan": 0}, plays_on=False, void_by="12.3(b)"),
    # The House's hand lies wrong: set right before the first player's hand is exposed, all is as ever;
    "house hand set right": Worked("nz-1998", Bank.HOUSE, "bank-exposed", f"""
        {WRONG_LAY} | 11.1(d)
        {DECIDED}not-house-way remedy=as-set-now rule=nz-1998_12.8(a) decided_by=dealer box=1 {RIGHT} | 12.8(a)
        """, AS_EVER, leaves_out=("bank-exposed",)),
    # after it the hand stands at 3 and 6. Bob's 2-2 6-4 are 14, so 4, and his pair: he wins 3000 less 150 (6.11). Cho's
    # 4-1 6-4 are 15, so 5, and 6-2 6-5 are 19, so 9: he wins 2000 less 100.
    "house hand stands": Worked("nz-1998", Bank.HOUSE, "bank-exposed", f"""
        {WRONG_LAY} | 11.1(d)
        house-way-confirmed by=game_supervisor | 11.1(e)
        hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | 11.1(f)
        ! {DECIDED}not-house-way remedy=as-set-now rule=nz-1998_12.8(a) decided_by=dealer box=1 {RIGHT} | 12.8(b)
        {DECIDED}not-house-way remedy=results-stand rule=nz-1998_12.8(b) decided_by=dealer box=1 | 12.8(b)
        hand-matched box=2 outcome=win | 10.11
        hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | 11.1(f)
        hand-matched box=4 outcome=win | 10.11
        hand-exposed box=5 low=4-1,6-4 high=6-2,6-5 | 11.1(f)
        hand-matched box=5 outcome=win | 10.11
        """, {"Ann": 4750, "Bob": 2850, "Cho": 1900}, leaves_out=("bank-exposed", "house-way-confirmed", "hand-",
                                                                  "tiles-put-away box=4", "tiles-put-away box=5"),
        afterwards=("tiles-put-away box=4", "tiles-put-away box=5")),
    # Under the poster it is set right as soon as possible, and what was compared is assessed again.
    "house hand set right late": Worked("uk-poster", Bank.HOUSE, "bank-exposed", f"""
        {WRONG_LAY} | point 13
        hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | point 14
        hand-matched box=4 outcome=win | point 15
        {DECIDED}not-house-way remedy=as-set-now rule=uk-poster_point_29 decided_by=dealer box=8 {RIGHT} | point 29
        hand-matched box=4 outcome=push | point 17
        """, AS_EVER, leaves_out=("bank-exposed", "hand-exposed box=4", "hand-matched box=4")),
    # A rule was broken: Bob's wager is void.
    "wager of who broke a rule": Worked("crown-6.1", Bank.HOUSE, "hand-exposed box=2", f"""
        ! {BROKEN} decided_by=TG_Area_Manager player=Bob | 16.2.1
        {BROKEN} decided_by=Crown player=Bob | 16.2.1
        """, AS_EVER, leaves_out=("hand-exposed box=4", "hand-matched box=4", "tiles-put-away box=4")),
    # Fraud: the wager of whoever committed it is forfeited, though its hand wins: Ann's 5000.
    "forfeited": Worked("star-2024", Bank.HOUSE, "tiles-put-away box=2", f"""
        {DECIDED}fraud remedy=wager-forfeited rule=star-2024_16.6 decided_by=casino_supervisor player=Ann | 16.6
        """, {"Ann": -5000, "Bob": 0, "Cho": -2000}, plays_on=False),
    # Without a player card: found in the course of the round, the winning wager goes back without winnings.
    "invalid wager": Worked("star-2024", Bank.HOUSE, "tiles-delivered", f"""
        ! {DECIDED}invalid-wager remedy=wager-returned rule=star-2024_15.21.1 decided_by=The_Star player=Ann | 15.21.2
        {DECIDED}invalid-wager remedy=no-winnings rule=star-2024_15.21.2 decided_by=The_Star player=Ann | 15.21.2
        """, {"Ann": 0, "Bob": 0, "Cho": -2000}),
    # A supervisor may refuse any wager until the dice are exposed: Bob's lies within the limits and goes back.
    "wager refused": Worked("star-2024", Bank.HOUSE, "dice-shown", f"""
        {DECIDED}wager-unwanted remedy=wager-returned rule=star-2024_16.12 decided_by=House player=Bob | 16.12
        """, {"Ann": 4750, "Cho": -2000}, plays_on=False),
    # Hands mixed beyond reconstruction are void: Bob's and Cho's.
    "hands mixed": Worked("nz-1998", Bank.HOUSE, "hand-exposed box=4", f"""
        {DECIDED}hands-mixed remedy=hand-void rule=nz-1998_12.15 decided_by=dealer box=4 | 12.15
        {DECIDED}hands-mixed remedy=hand-void rule=nz-1998_12.15 decided_by=dealer box=5 | 12.15
        """, {"Ann": 4750, "Bob": 0, "Cho": 0}, leaves_out=(
            "hand-exposed box=4", "hand-matched box=4", "tiles-put-away box=4",
            "hand-exposed box=5", "hand-matched box=5", "tiles-put-away box=5")),
    # Bob gives up by a sweep of his hand, alone on his box: his 3000 are lost, and the hand does not come back.
    "conceded": Worked("star-classic", Bank.HOUSE, "bank-exposed", f"""
        {DECIDED}conceded remedy=wager-lost rule=star-classic_12.14 decided_by=dealer box=4 | 12.14
        ! hand-conceded box=4 player=Bob | 12.14
        """, {"Ann": 4750, "Bob": -3000, "Cho": -2000}, leaves_out=(
            "hand-exposed box=4", "hand-matched box=4", "tiles-put-away box=4")),
    # Cho is suspected and told to set first; until he has, nobody handles tiles.
    "set first": Worked("star-2024", Bank.HOUSE, "bank-moved", f"""
        ! {DECIDED}spying remedy=sets-first rule=star-2024_15.14.1 decided_by=dealer player=Cho | 15.14.1
        {DECIDED}spying remedy=sets-first rule=star-2024_15.14.1 decided_by=casino_supervisor player=Cho | 15.14.1
        ! tiles-handled box=2 by=Ann | 15.14.1
        ! hand-set box=4 by=Bob | 15.14.1
        hand-set box=5 by=Cho | 15.14.1
        tiles-handled box=2 by=Ann | 12.4
        """, AS_EVER, leaves_out=("hand-set box=5",)),
    # With four boxes empty no area is taken out of play, whatever the dice say; 12.13 remains.
    "not all boxes in play": Worked("star-2024", Bank.HOUSE, "bank-exposed", f"""
        ! {DECIDED}communicating remedy=box-out rule=star-2024_15.9.2 decided_by=House box=4 dice=1,1,2 | 15.9.2
        {DECIDED}communicating remedy=none rule=star-2024_12.13 decided_by=dealer | 12.13
        """, AS_EVER),
    # Without a limit on the sign nobody is above the maximum or below the minimum: such a decision is refused.
    "no limit is passed": Worked("crown-6.1", Bank.HOUSE, "bank-exposed", f"""
        ! {DECIDED}above-maximum remedy=wager-capped rule=crown-6.1_9.2.2 decided_by=dealer player=Ann | 9.2.2
        ! {DECIDED}below-minimum remedy=wager-stands rule=crown-6.1_9.2.1 decided_by=dealer player=Ann | 9.2.1
        ! {DECIDED}late-wager remedy=wager-stands rule=crown-6.1_8.3 decided_by=dealer player=Ann | 8.4
        """, AS_EVER),
}  # fmt: skip


def _take(session: Session, line: str, rule: str) -> Session:
    refused = line.startswith("!")
    one = event(line.removeprefix("!").strip())
    if not refused:
        return session.append(one)
    with pytest.raises(IllegalEventError) as caught:
        session.append(one)
    assert caught.value.refusal.cite.section == rule, str(caught.value)
    return session


@pytest.mark.parametrize("name", WORKED)
def test_a_worked_irregularity(name: str) -> None:
    worked = WORKED[name]
    lines = [line for line, _ in rows(GOLDEN[worked.book, worked.bank])]
    at = max(number for number, line in enumerate(lines) if line.startswith(worked.until))
    session = after(Session.opened(BOOKS[worked.book]), *lines[:at])
    for step in filter(None, map(str.strip, worked.steps.splitlines())):
        session = _take(session, *step.split(" | "))
    for line in lines[at:] if worked.plays_on else ():
        if not line.startswith(worked.leaves_out or ("-",)):
            session = session.append(session.current.due if line.startswith("settled") else event(line))
    log = after(session, *worked.afterwards).current
    assert log.state.over is (worked.plays_on or bool(worked.void_by))
    if worked.plays_on or worked.void_by or worked.until == "tiles-put-away box=2":
        money = log.settlement.balances
        has = {account.whose: amount for account, amount in money.items() if account.place is ChipPlace.PLAYER}
        assert {player: has.get(player, 0) for player in worked.ends} == worked.ends
        assert sum(money.values()) == 0
    else:
        assert {wager.player for lying in log.state.wagers.values() for wager in lying} == set(worked.ends)
    if worked.void_by:
        assert {one.cite for one in log.settlement.results} == {f"{worked.book} {worked.void_by}"}


def test_there_are_twenty_and_every_book_has_some() -> None:
    assert len(WORKED) >= 20
    assert {worked.book for worked in WORKED.values()} == set(BOOKS)


# What takes more than one round


def _house(book: str, players: dict[int, str], table: Table | None = None) -> Session:
    """A table with these players seated and the House in the bank, whom the offer of the bank has passed."""
    title = {"crown-6.1": "TG_Area_Manager", "star-2024": "casino_supervisor"}[book]
    session = after(Session.opened(BOOKS[book], table), f"tiles-checked tiles={FULL} by={title}")
    session = after(session, *(f"player-seated box={box} player={player}" for box, player in players.items()))
    return _declined(session, players)


def _declined(session: Session, players: dict[int, str]) -> Session:
    for box, player in players.items():
        offer = event(f"bank-offered box={box} player={player}")
        if session.current.refusal(offer) is None or session.current.state.over:
            session = after(
                session, f"bank-offered box={box} player={player}", f"bank-declined box={box} player={player}"
            )
    return after(session, "house-banks", "shuffled", "stacked")


def _conceded(session: Session, players: dict[int, str]) -> Session:
    """Everybody named wagers 20 and concedes."""
    session = after(session, *(f"wager-placed box={box} player={player} amount=20" for box, player in players.items()))
    session = after(session, "bets-closed", "dice-shaken by=dealer", "dice-shown box_dice=1,1,1 cut_die=1 first_box=3")
    session = after(session, "cut-named cut=Fong_May by=cut_die", "tiles-delivered order=3,4,5,6,7,8,1,2")
    session = after(session, *(f"hand-conceded box={box} player={player}" for box, player in players.items()))
    return after(session.append(session.current.due), "bank-put-away")


SEVEN = dict(zip(range(2, 9), ("Ann", "Bea", "Bob", "Dan", "Cho", "Eve", "Fay"), strict=True))
ABSTAINS = f"{DECIDED}abstains remedy=seat-vacated rule=crown-6.1_16.9 decided_by=TG_Area_Manager player=Fay"


def test_three_rounds_without_a_wager_at_a_full_table() -> None:
    """crown-6.1 16.9: Fay sits out three rounds while all other seats are in use, and may be required to leave hers."""
    playing = {box: player for box, player in SEVEN.items() if player != "Fay"}
    session = _house("crown-6.1", SEVEN)
    for sat_out in range(3):
        session = _take(session, f"! {ABSTAINS}", "16.9")
        assert session.current.state.before.abstained == ({"Fay": sat_out} if sat_out else {})
        session = _declined(_conceded(session, playing), playing)
    assert session.current.state.before.abstained == {"Fay": 3}
    session = _take(session, f"! {ABSTAINS.replace('Fay', 'Ann')}", "16.9")
    assert 8 not in after(session, ABSTAINS).current.state.seats
    gone = after(session, "player-left player=Bea")  # a seat is free: nobody has to give up his
    _take(gone, f"! {ABSTAINS}", "16.10")


def test_three_hands_notice_before_a_table_closes() -> None:
    """crown-6.1 16.8, 12.6.5."""
    playing = {2: "Ann", 4: "Bob"}
    session = _conceded(_house("crown-6.1", playing), playing)
    check, close = f"tiles-checked tiles={FULL} by=TG_Area_Manager", "table-closed by=TG_Area_Manager"
    _take(after(session, check), f"! {close}", "16.8")
    session = _take(session, "! closing-announced by=dealer", "16.8")
    session = after(session, "closing-announced by=TG_Higher_Duties_Dealer")
    for played in range(3):
        assert session.current.state.notice == (0 if not played else played - 1) or played
        _take(after(session, check), f"! {close}", "16.8")
        session = _conceded(_declined(session, playing), playing)
    assert after(session, check, close).current.state.concluded
    at_once = (
        f"{DECIDED}communicating remedy=closes-at-once rule=crown-6.1_12.6.5 decided_by=TG_Assistant_Casino_Manager"
    )
    other = _conceded(after(_house("crown-6.1", playing), at_once), playing)
    assert after(other, check, close).current.state.concluded


def test_a_sign_for_twenty_minutes_before_a_table_closes() -> None:
    """star-2024 16.9; star-classic 16.8."""
    for book, rule in (("star-2024", "16.9"), ("star-classic", "16.8")):
        lines = [line for line, _ in rows(GOLDEN[book, Bank.HOUSE])]
        session = after(Session.opened(BOOKS[book]), *lines, f"tiles-checked tiles={FULL} by=casino_supervisor")
        _take(session, "! table-closed by=casino_supervisor minutes=19", rule)
        _take(session, "! table-closed by=dealer minutes=20", rule)
        assert after(session, "table-closed by=casino_supervisor minutes=20").current.state.concluded


def test_who_is_excluded_or_taken_out_plays_no_more() -> None:
    """crown-6.1 16.2.2; nz-1998 12.9, 12.11; star-2024 15.14.2: his wagers stay, his next is refused."""
    for book, kind, rule, title in (
        ("crown-6.1", "rule-broken", "16.2.2", "TG_Assistant_Casino_Manager"),
        ("star-2024", "spying", "15.14.2", "casino_supervisor"),
    ):
        lines = [line for line, _ in rows(GOLDEN[book, Bank.HOUSE])]
        session = after(Session.opened(BOOKS[book]), *lines[:-1])
        out = f"{DECIDED}{kind} remedy=player-out rule={book}_{rule} decided_by={title} player=Ann"
        session = after(session, out, lines[-1])
        assert session.rounds[0].settlement.balances  # settled as it was
        _take(session, "! player-seated box=7 player=Ann", rule)
        session = after(session, "bank-offered box=4 player=Bob", "bank-declined box=4 player=Bob")  # not Ann's box 2
        session = after(session, "bank-offered box=5 player=Cho", "bank-declined box=5 player=Cho")
        session = after(session, "house-banks", "shuffled")
        _take(session, "! wager-placed box=2 player=Ann amount=20", rule)
        assert Session.from_dict(session.to_dict()).current.state.barred == {"Ann": f"{book} {rule}"}


def test_a_box_out_of_a_table_of_six() -> None:
    """crown-6.1 12.6.2, 12.6.3: counted from area one, 7 is area one again, the House's; 8 is box 2."""
    five = {2: "Ann", 3: "Bea", 4: "Bob", 5: "Dan", 6: "Cho"}
    session = _house("crown-6.1", five, Table(boxes=6))
    out = f"{DECIDED}communicating remedy=box-out rule=crown-6.1_12.6 decided_by=TG_Area_Manager"
    for box, player in five.items():
        session = _take(session, f"! {out} box=2 dice=2,3,3", "12.8")  # not while an area is empty (12.6)
        session = after(session, f"wager-placed box={box} player={player} amount=20")
    session = _take(session, f"! {out} box=1 dice=1,2,4", "12.6.3")
    session = _take(session, f"! {out} box=3 dice=2,3,3", "12.6.2")
    assert after(session, f"{out} box=2 dice=2,3,3").current.state.out_later == {2}


def test_the_first_right_to_big_and_small() -> None:
    """crown-6.1 8.16.2, 8.16.3: Ann and Bob wager on box 2; Cho comes once both placed or left it."""
    table = Table(terms=TableTerms(side={"big-small": Offered(), "bonus": Offered("bonus-a")}))
    session = _house("crown-6.1", {2: "Ann", 4: "Bob", 5: "Cho"}, table)
    session = after(session, "wager-placed box=2 player=Ann amount=100", "wager-placed box=2 player=Bob amount=200")
    session = _take(session, "! wager-placed box=2 player=Cho amount=50 bet=big", "8.16.2")
    session = after(session, "wager-placed box=2 player=Ann amount=50 bet=small")
    session = _take(session, "! wager-placed box=2 player=Cho amount=50 bet=big", "8.16.2")
    session = _take(session, "! big-small-declined box=2 player=Cho", "8.16.2")
    session = after(session, "big-small-declined box=2 player=Bob", "wager-placed box=2 player=Cho amount=50 bet=big")
    assert {wager.player for wager in session.current.state.wagers[2]} == {"Ann", "Bob", "Cho"}
    session = _take(session, "! wager-placed box=3 player=Cho amount=50 bet=big", "8.16.1")
    # A Bonus is no Pai Gow wager, neither before nor after one was withdrawn.
    session = after(session, "wager-placed box=3 player=Cho amount=50 bet=bonus")
    session = _take(session, "! wager-placed box=3 player=Cho amount=50 bet=big", "8.16.1")
    lines = ("wager-placed box=3 player=Cho amount=500", "wager-placed box=3 player=Cho amount=50 bet=big")
    session = _take(after(session, *lines), "! wager-withdrawn box=3 player=Cho", "8.16.1")


@pytest.mark.parametrize(
    ("book", "title"),
    [
        ("crown-6.1", "tg area manager (or above)"),
        ("crown-6.1", "TG Area Manager"),
        ("crown-6.1", "Crown"),
        ("nz-1998", "Game Supervisor"),
        ("nz-1998", "Casino Operator"),
        ("star-2024", "gaming supervisor"),
        ("star-2024", "Gaming Manager"),
        ("star-2024", "The Star"),
        ("star-2024", "casino operator"),
        ("star-classic", "games supervisor"),
        ("star-classic", "Casino Supervisor"),
        ("uk-poster", "Management"),
    ],
)
def test_titles_as_printed_decide(book: str, title: str) -> None:
    """star-2024 1.1, star-classic 1.1, nz-1998 1.0, crown-6.1 1.1: whoever a book names is known by that name."""
    session = Session.opened(BOOKS[book])
    first = BOOKS[book].irregularities.said  # the least senior person allowed by each book decides a dispute
    cite = next(iter(option.cite for kind, options in first.items() if kind.name == "DISPUTE" for option in options))
    dispute = f"{DECIDED}dispute remedy=as-decided decision=none rule={str(cite).replace(' ', '_')}"
    session = after(session, f"{dispute} decided_by={title.replace(' ', '_')}")
    _take(session, f"! {dispute} decided_by=onlooker", cite.section)


@pytest.mark.parametrize(("book", "rule"), [("star-2024", "star-2024 16.10"), ("star-classic", "star-classic 16.9")])
def test_a_seat_is_vacated_at_the_star_too(book: str, rule: str) -> None:
    """star-2024 16.10; star-classic 16.9: three consecutive rounds, all other seats or positions in use."""
    seats = {1: "Gus", **SEVEN}
    vacate = f"{DECIDED}abstains remedy=seat-vacated rule={rule.replace(' ', '_')} decided_by=casino_supervisor"
    for rounds, allowed in ((2, False), (3, True)):
        before = Before(commencement=False, check_due=False, seats=seats, abstained={"Fay": rounds})
        log = RoundLog.opened(Setup(BOOKS[book], Table()), before)
        refusal = log.refusal(event(f"{vacate} player=Fay"))
        assert (refusal is None) is allowed
        assert refusal is None or refusal.cite == rule
    assert log.append(event(f"{vacate} player=Fay")).state.seats == {box: who for box, who in seats.items() if box != 8}
