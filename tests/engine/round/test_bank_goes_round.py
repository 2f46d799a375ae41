"""The bank from round to round: rotation, two rounds a bank, further banks, eligibility (ruling 31)."""

import pytest

from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.round import Before, RoundLog, Session, Setup, Table, Tenure
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import FULL, event


def refused(log: RoundLog, line: str) -> str:
    """The rule that refuses this event, without the book's name."""
    with pytest.raises(IllegalEventError) as caught:
        log.append(event(line))
    return caught.value.refusal.cite.section


def conceded(session: Session, players: dict[int, str], *, placed: bool = False) -> Session:
    """The rest of a round whose bank is settled: everybody wagers twenty and concedes, which is the quickest end."""
    book, bank = session.setup.book.id, session.current.state.bank
    assert bank is not None
    chosen = "banker" if bank.players else "supervisor"
    cut = f"cut-named cut=Foot_Say by={chosen}"
    die = "cut-named cut=Fong_May by=cut_die"
    crown = book == "crown-6.1"
    shaker = "Zoe" if crown and bank.players and _further(session) else "dealer"
    lines = ["stacked"] if placed else ["shuffled", "stacked"]
    lines += [] if placed else [f"wager-placed box={box} player={player} amount=20" for box, player in players.items()]
    lines += ["bank-wagered amount=60"] if bank.players else []
    order = [(bank.box + step) % 8 + 1 for step in range(1, 9)]  # a total of three
    shake, show = f"dice-shaken by={shaker}", f"dice-shown box_dice=1,1,1 first_box={order[0]}"
    if crown or book == "star-2024":
        show += " cut_die=1"
    lines += {
        "crown-6.1": ["bets-closed", cut, shake, show] if bank.players else ["bets-closed", shake, show, die],
        "nz-1998": ["bets-closed", shake, cut, show],
        "star-2024": [shake, show, die],
        "star-classic": [cut, shake, show],
    }[book]
    turn = sorted(players, key=lambda box: (box - bank.box) % 8)
    lines += ["tiles-delivered order=" + ",".join(map(str, order))]
    lines += [f"hand-conceded box={box} player={player}" for box, player in players.items()]
    lost = ";".join(f"{box}/{players[box]}/lose/0/0/20" for box in turn)
    lines += [f"settled results={lost}{_banked(20 * len(turn)) if bank.players else ''}", "bank-put-away"]
    return after(session, *lines)


def _banked(lost: int) -> str:
    """All wagers are the bank's, less 5 %, and his 60 go back."""
    return f" bank={lost - lost // 20}/{lost // 20}/60"


def _further(session: Session) -> bool:
    tenure = session.current.before.tenure
    return tenure is not None and tenure.banks > 0


def after(session: Session, *lines: str) -> Session:
    for line in lines:
        session = session.append(event(line))
    return session


def opened(book: str, table: Table | None = None) -> Session:
    """A table with Ann at 2, Bob at 4 and Cho at 6, its first round banked by the House."""
    session = Session(*_unchecked(book, table))
    lines = ["player-seated box=2 player=Ann", "player-seated box=4 player=Bob", "player-seated box=6 player=Cho"]
    if book != "nz-1998":
        for box, player in PLAYERS.items():
            lines += [f"bank-offered box={box} player={player}", f"bank-declined box={box} player={player}"]
    return conceded(after(session, *lines, "house-banks"), PLAYERS)


def _unchecked(book: str, table: Table | None) -> tuple[Setup, tuple[RoundLog, ...]]:
    setup = Setup(BOOKS[book], table or Table())
    return setup, (RoundLog.opened(setup, Before(check_due=False)),)


PLAYERS = {2: "Ann", 4: "Bob", 6: "Cho"}
TWO = ("crown-6.1", "nz-1998", "star-2024", "star-classic")


def banked(session: Session, box: int, *, going_on: bool = False) -> Session:
    """A round that the player of this box banks; the offer is the next one."""
    player = PLAYERS[box]
    offer = () if going_on else (f"bank-offered box={box} player={player}",)
    taken = after(session, *offer, f"bank-accepted box={box} players={player} method=player funds=100")
    return conceded(taken, {at: who for at, who in PLAYERS.items() if at != box})


def fresh(session: Session) -> RoundLog:
    """The next round before anything happened in it."""
    return after(session, "player-left player=Nobody").current


@pytest.mark.parametrize("book", TWO)
def test_a_bank_lasts_two_rounds_and_goes_on_counter_clockwise(book: str) -> None:
    session = banked(opened(book), 2)
    assert refused(fresh(session), "bank-offered box=4 player=Bob") == BOOKS[book].banking.rounds.cite.section
    session = banked(session, 2, going_on=True)
    log = fresh(session)
    assert refused(log, "bank-accepted box=2 players=Ann method=player funds=100")
    assert refused(log, "bank-offered box=2 player=Ann") == BOOKS[book].banking.first_offer.cite.section
    assert refused(log, "bank-offered box=6 player=Cho") == BOOKS[book].banking.first_offer.cite.section
    session = banked(banked(session, 4), 4, going_on=True)
    session = banked(session, 6)
    assert [log.state.method for log in session.rounds] == [Bank.HOUSE, *[Bank.PLAYER] * 5]


@pytest.mark.parametrize("book", TWO)
def test_the_offer_goes_round_and_ends_with_the_last_banker(book: str) -> None:
    session = banked(banked(opened(book), 2), 2, going_on=True)
    for box in (4, 6):
        session = after(session, f"bank-offered box={box} player={PLAYERS[box]}")
        assert refused(session.current, "house-banks")
        session = after(session, f"bank-declined box={box} player={PLAYERS[box]}")
    assert refused(session.current, "house-banks") == BOOKS[book].banking.no_takers.section
    session = after(session, "bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann", "house-banks")
    assert session.current.state.method is Bank.HOUSE


def test_a_holder_may_give_the_bank_up_after_one_round() -> None:
    session = after(banked(opened("crown-6.1"), 2), "bank-declined box=2 player=Ann", "bank-offered box=4 player=Bob")
    session = after(session, "bank-declined box=4 player=Bob", "bank-offered box=6 player=Cho")
    session = after(session, "bank-declined box=6 player=Cho", "house-banks")
    assert session.current.state.method is Bank.HOUSE


def test_wagers_on_the_box_to_be_the_banks_are_withdrawn_first() -> None:
    log = RoundLog.opened(Setup(BOOKS["crown-6.1"], Table()), Before(check_due=False))
    log = log.append(event("wager-placed box=1 player=Ann amount=5"))
    assert refused(log, "house-banks") == "10.3.1(a)"
    assert log.append(event("wager-withdrawn box=1 player=Ann")).append(event("house-banks")).state.held.box == 1


def test_tiles_laid_out_wait_for_a_player_and_who_banks_is_one() -> None:
    """C 3.1.2: displayed until a player takes a place at the table."""
    before = Before(commencement=False, control={3: "Ann"}, played={"Ann": frozenset({3})})
    log = RoundLog.opened(Setup(BOOKS["crown-6.1"], Table()), before)
    log = log.append(event(f"tiles-checked tiles={FULL} by=TG_Area_Manager"))
    assert refused(log, "shuffled") == "3.1.2"
    accepted = "bank-accepted box=3 players=Ann method=player funds=9000 approved_by=TG_Assistant_Casino_Manager"
    assert log.append(event("bank-offered box=3 player=Ann")).append(event(accepted)).allowed()["shuffled"] is None


def test_tiles_laid_out_after_betting_closed_wait_for_nobody() -> None:
    """Nobody may wager any more: the round would never continue (C 3.1.2 and 8.4)."""
    log = RoundLog.opened(Setup(BOOKS["crown-6.1"], Table()), Before(check_due=False))
    mixed = "irregularity-decided irregularity=tile-tracking remedy=mixed-again rule=crown-6.1_5.5"
    for line in (
        *("house-banks", "shuffled", "stacked", "bets-closed"),
        f"{mixed} decided_by=TG_Higher_Duties_Dealer",
        f"tiles-checked tiles={FULL} by=TG_Area_Manager",
    ):
        log = log.append(event(line))
    assert log.allowed()["shuffled"] is None


@pytest.mark.parametrize("book", TWO)
def test_a_table_left_empty_begins_again(book: str) -> None:
    """N 5.2: the House banks again first; elsewhere any seated player may be offered the bank."""
    session = after(banked(opened(book), 2), "table-vacated", "player-seated box=5 player=Eve")
    if book == "nz-1998":
        assert refused(session.current, "bank-offered box=5 player=Eve") == "5.2"
        session = after(session, "house-banks")
    else:
        assert refused(session.current, "house-banks")
        session = after(session, "bank-offered box=5 player=Eve")
    assert session.current.state.commencement


def test_a_table_that_the_house_always_banks() -> None:
    session = Session(*_unchecked("crown-6.1", Table(methods=frozenset({Bank.HOUSE}))))
    session = after(session, "player-seated box=2 player=Ann")
    assert refused(session.current, "bank-offered box=2 player=Ann") == "10.3"
    assert after(session, "house-banks").current.state.method is Bank.HOUSE


def test_a_void_round_counts_for_nothing() -> None:
    """The bank has its two rounds all the same."""
    session = after(
        banked(opened("star-2024"), 2),
        "bank-accepted box=2 players=Ann method=player funds=100",
        "shuffled",
        "irregularity-decided irregularity=wrong-deal remedy=round-void rule=star-2024_15.12 decided_by=dealer",
    )
    assert refused(session.current, "stacked") == "7.1"
    assert fresh(session).before.tenure == Tenure(2, "Ann", 1, 0)
    session = banked(session, 2, going_on=True)
    assert fresh(session).before.tenure is None


def test_a_round_follows_only_one_that_is_over() -> None:
    session = opened("nz-1998")
    assert len(session.rounds) == 1
    begun = after(session, "bank-offered box=2 player=Ann")
    assert len(begun.rounds) == 2
    assert begun.rounds[1].before.commencement is False
    with pytest.raises(IllegalEventError, match="the bank is offered to Ann"):
        after(begun, "house-banks")


def test_the_offer_goes_on_behind_a_banker_who_did_not_cover_the_wagers() -> None:
    session = after(
        opened("crown-6.1"),
        "bank-offered box=2 player=Ann",
        "bank-accepted box=2 players=Ann method=player funds=100",
        "shuffled",
        "stacked",
        "wager-placed box=4 player=Bob amount=60",
        "bank-wagered amount=50",
        "bank-fell-back method=house",
        "bets-closed",
        "dice-shaken by=dealer",
        "dice-shown box_dice=1,1,1 cut_die=1 first_box=3",
        "cut-named cut=Fong_May by=cut_die",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
        "hand-conceded box=4 player=Bob",
        "settled results=4/Bob/lose/0/0/60",
        "bank-put-away",
    )
    assert fresh(session).before.offer_from == 3
