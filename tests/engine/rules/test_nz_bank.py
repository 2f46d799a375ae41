"""New Zealand, section 5: who may hold the bank, its rotation, duration and cover."""

import pytest

from engine.books.registry import rulebook
from engine.errors import TableError
from engine.round import Before, RoundLog, Setup, Table, Tenure
from engine.vocabulary.facts import Bank
from tests.engine.round.golden import event
from tests.engine.round.test_bank_goes_round import after, banked, fresh
from tests.engine.round.test_bank_goes_round import opened as session_opened
from tests.engine.rules.nz_uk import check_refusal
from tests.engine.rules.tables import followed, opened

NZ = rulebook("nz-1998")
# Ann controls box 2, where Eve wagered too; Bob box 4. Dan sits at box 6 and has not played yet.
BEFORE = Before(
    commencement=False,
    check_due=False,
    offer_from=1,
    seats={2: "Ann", 4: "Bob", 6: "Dan"},
    played={"Ann": frozenset({2}), "Bob": frozenset({4}), "Eve": frozenset({2})},
    control={2: "Ann", 4: "Bob"},
)
OFFERED = ("bank-offered box=2 player=Ann",)
WAGERED = ("shuffled", "wager-placed box=4 player=Bob amount=1000")


def again(*lines: str, table: Table | None = None) -> RoundLog:
    return opened("nz-1998", *lines, table=table, before=BEFORE)


@pytest.mark.parametrize(
    ("rule", "line", "method", "box"),
    [
        ("nz-1998 5.1(a)", "house-banks", Bank.HOUSE, 1),
        ("nz-1998 5.1(b)", "bank-accepted box=2 players=Ann method=player funds=1", Bank.PLAYER, 2),
        # He asks for it, and needs nobody's leave (5.3).
        ("nz-1998 5.1(c)", "bank-accepted box=2 players=Ann method=co-bank funds=1", Bank.CO_BANK, 2),
    ],
)
def test_three_ways_of_banking(rule: str, line: str, method: Bank, box: int) -> None:
    lines = (
        *OFFERED,
        "bank-declined box=2 player=Ann",
        "bank-offered box=4 player=Bob",
        "bank-declined box=4 player=Bob",
    )
    log = again(*(lines if method is Bank.HOUSE else OFFERED), line)
    held = log.state.held
    assert (held.method, held.box) == (method, box), rule


@pytest.mark.parametrize("before", [Before(check_due=False, seats={2: "Ann"}), BEFORE], ids=["opening", "left-empty"])
def test_the_house_banks_first(before: Before) -> None:
    """nz-1998 5.2: at the start of play, and when play resumes at a table that was vacant."""
    log = opened("nz-1998", before=before)
    if before is BEFORE:
        log = followed(log, "table-vacated", "player-seated box=5 player=Flo")
        tried = "bank-offered box=5 player=Flo"
    else:
        tried = "bank-offered box=2 player=Ann"
    check_refusal(log.refusal(event(tried)), "nz-1998 5.2", "refused")
    check_refusal(log.refusal(event("house-banks")), "nz-1998 5.2", "allowed")


@pytest.mark.parametrize(
    ("rule", "lines", "tried", "verdict"),
    [
        # 5.2: offered to each in turn counter-clockwise, from box 1: first box 2, then box 4.
        ("nz-1998 5.2", (), "bank-offered box=2 player=Ann", "allowed"),
        ("nz-1998 5.2", (), "bank-offered box=4 player=Bob", "refused"),
        ("nz-1998 5.2", (*OFFERED, "bank-declined box=2 player=Ann"), "bank-offered box=4 player=Bob", "allowed"),
        # 5.3: only to who played the round before and controls a box.
        ("nz-1998 5.3(a)", (), "bank-offered box=2 player=Dan", "refused"),
        ("nz-1998 5.3(b)", (), "bank-offered box=2 player=Eve", "refused"),
        ("nz-1998 5.3(b)", (), "bank-accepted box=2 players=Ann method=player funds=1", "refused"),
        # 5.3(c): all of the 10.00 wagered so far, or half of it as a co-banker.
        ("nz-1998 5.3(c)", (*WAGERED, *OFFERED), "bank-accepted box=2 players=Ann method=player funds=999", "refused"),
        ("nz-1998 5.3(c)", (*WAGERED, *OFFERED), "bank-accepted box=2 players=Ann method=player funds=1000", "allowed"),
        ("nz-1998 5.3(c)", (*WAGERED, *OFFERED), "bank-accepted box=2 players=Ann method=co-bank funds=499", "refused"),
        ("nz-1998 5.3(c)", (*WAGERED, *OFFERED), "bank-accepted box=2 players=Ann method=co-bank funds=500", "allowed"),
        # 5.6: the House banks once nobody entitled takes it.
        ("nz-1998 5.6", (), "house-banks", "refused"),
        ("nz-1998 5.6", (*OFFERED, "bank-declined box=2 player=Ann"), "house-banks", "refused"),
        (
            "nz-1998 5.6",
            (
                *OFFERED,
                "bank-declined box=2 player=Ann",
                "bank-offered box=4 player=Bob",
                "bank-declined box=4 player=Bob",
            ),
            "house-banks",
            "allowed",
        ),
    ],
)
def test_to_whom_it_is_offered(rule: str, lines: tuple[str, ...], tried: str, verdict: str) -> None:
    check_refusal(again(*lines).refusal(event(tried)), rule, verdict)


@pytest.mark.parametrize(
    ("shared", "players", "verdict"),
    [
        pytest.param(True, "Ann,Eve", "allowed", id="both-wager-on-the-box"),
        pytest.param(True, "Ann,Bob", "refused", id="wagers-elsewhere"),
        pytest.param(False, "Ann,Eve", "refused", id="not-allowed-by-the-operator"),
    ],
)
def test_a_shared_bank(shared: bool, players: str, verdict: str) -> None:  # noqa: FBT001  a row's cell
    """nz-1998 5.5: players who wager on a box may share the bank, at the operator's discretion."""
    log = again(*OFFERED, table=Table(shared=shared))
    taken = event(f"bank-accepted box=2 players={players} method=player funds=1")
    check_refusal(log.refusal(taken), "nz-1998 5.5", verdict)


def test_two_rounds_and_no_more() -> None:
    """nz-1998 5.4: then it is offered on, beginning with the box at the banker's right, which is the next one."""
    first = banked(session_opened("nz-1998"), 2)
    assert fresh(first).before.tenure == Tenure(2, "Ann", 1, 0)
    kept = "bank-accepted box=2 players=Ann method=player funds=1"
    check_refusal(fresh(first).refusal(event(kept)), "nz-1998 5.4", "allowed")
    check_refusal(fresh(first).refusal(event("bank-offered box=4 player=Bob")), "nz-1998 5.4", "refused")
    second = banked(first, 2, going_on=True)
    assert (fresh(second).before.tenure, fresh(second).before.offer_from) == (None, 3)
    check_refusal(fresh(second).refusal(event(kept)), "nz-1998 5.4", "refused 5.3(b)")
    check_refusal(fresh(second).refusal(event("bank-offered box=4 player=Bob")), "nz-1998 5.4", "allowed")
    given_up = after(first, "bank-declined box=2 player=Ann").current
    check_refusal(given_up.refusal(event("bank-offered box=4 player=Bob")), "nz-1998 5.4", "allowed")


def test_after_the_houses_round_the_offer_begins_with_box_1() -> None:
    """nz-1998 5.2: after the first round, and after any other that the House banks."""
    session = session_opened("nz-1998")
    assert fresh(session).before.offer_from == 1
    first = fresh(session)
    check_refusal(first.refusal(event("bank-offered box=4 player=Bob")), "nz-1998 5.2", "refused")
    check_refusal(first.refusal(event("bank-offered box=2 player=Ann")), "nz-1998 5.2", "allowed")


def test_no_second_bank_in_a_row() -> None:
    """nz-1998 5.4: no table may allow a box more than one bank of two rounds."""
    with pytest.raises(TableError, match=r"1 to 1 \(nz-1998 5\.4\)"):
        Setup(NZ, Table(banks=2))
