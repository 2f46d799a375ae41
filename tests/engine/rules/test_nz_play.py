"""New Zealand, section 10 and what section 11 says of the course of a round: delivery, setting, exposing."""

import pytest

from engine.books.registry import rulebook
from engine.errors import DiceError
from engine.round import Before, RoundLog
from engine.vocabulary.dice import Cup
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import event
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.nz_uk import check_event, check_refusal
from tests.engine.rules.tables import followed, opened, rows

DICE = rulebook("nz-1998").dice


@pytest.mark.parametrize(
    ("rule", "bank", "before", "tried", "verdict"),
    rows("""
nz-1998 10.1    | house  | tiles-delivered  | tiles-delivered order=3,4,5,6,7,8,1,2 | allowed
nz-1998 10.1    | house  | tiles-delivered  | tiles-delivered order=4,5,1,2         | refused
nz-1998 10.1    | house  | tiles-delivered  | tiles-delivered order=3,2,1,8,7,6,5,4 | refused
nz-1998 10.1    | house  | tiles-delivered  | hand-set box=2 by=Ann                 | refused
nz-1998 10.3(a) | house  | empty-retrieved  | empty-retrieved boxes=3,6,7,8         | allowed
nz-1998 10.3(a) | house  | empty-retrieved  | empty-retrieved boxes=3,6,7           | refused
nz-1998 10.3(a) | house  | empty-retrieved  | bank-moved                            | refused
nz-1998 10.3(b) | house  | hand-set box=2   | hand-set box=2 by=Ann                 | allowed
nz-1998 10.3(b) | player | hand-set box=2   | bank-set by=Dan                       | refused 11.2(d)
nz-1998 10.4(a) | house  | house-way-requested | house-way-requested box=4 by=Bob   | allowed
nz-1998 10.4(a) | house  | hand-set box=5   | hand-set box=4 by=dealer              | refused
nz-1998 10.4(a) | house  | hand-set box=2   | hand-set box=2 by=dealer              | refused
nz-1998 10.4(a) | house  | hand-set box=4 by=dealer | hand-set box=4 by=dealer      | allowed
nz-1998 10.4(a) | house  | hand-set box=4 by=dealer | bank-set by=dealer            | refused 11.1(c)
nz-1998 10.4(b) | co-bank | bank-set        | bank-set by=dealer                    | allowed
nz-1998 10.4(b) | co-bank | bank-set        | bank-set by=Dan                       | refused 11.3(e)
nz-1998 10.4(b) | co-bank | bank-set        | tiles-handled box=3 by=Dan            | refused 11.3(e)
nz-1998 10.4(c) | player | house-way-requested | bank-set by=dealer                 | refused 11.2(d)
nz-1998 10.4(c) | player | house-way-requested | house-way-requested box=3 by=Dan   | allowed
nz-1998 10.4(c) | player | house-way-requested | house-way-requested box=3 by=Ann   | refused
nz-1998 10.4(c) | player | house-way-requested | bank-set by=Dan                    | allowed
nz-1998 10.4(c) | player | bank-set         | bank-set by=dealer                    | allowed
nz-1998 10.4(c) | player | bank-confirmed   | bank-confirmed by=Ann                 | refused
nz-1998 10.4(c) | player | bank-confirmed   | bank-confirmed by=Dan                 | allowed
nz-1998 10.4(c) | co-bank | bank-set        | house-way-requested box=3 by=Dan      | refused 11.3(e)
nz-1998 10.5    | house  | hand-set box=5   | tiles-handled box=2 by=Ann            | refused
nz-1998 10.5    | house  | bank-set         | tiles-handled box=4 by=Bob            | refused
nz-1998 10.5    | house  | hand-set box=5   | hand-set box=2 by=Ann                 | refused
nz-1998 10.7    | house  | hand-set box=2   | tiles-handled box=2 by=Bob            | refused
nz-1998 10.7    | house  | hand-set box=2   | hand-set box=2 by=Bob                 | refused
nz-1998 10.7    | house  | hand-set box=2   | tiles-handled box=2 by=Ann            | allowed
nz-1998 10.8(b) | house  | hand-set box=2   | tiles-handled box=1 by=Ann            | refused 11.1(c)
nz-1998 10.8(b) | house  | hand-set box=2   | tiles-handled box=3 by=Ann            | refused 10.12
nz-1998 10.10   | house  | hand-set box=5   | bank-exposed low=6-5,6-1 high=6-6,6-3 | refused 11.1(c)
nz-1998 10.10   | house  | bank-exposed     | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
nz-1998 10.10   | player | bank-exposed     | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
nz-1998 10.11   | house  | hand-matched box=2 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
nz-1998 10.11   | house  | hand-matched box=2 | hand-matched box=4 outcome=win      | refused
nz-1998 10.11   | house  | hand-matched box=2 | hand-matched box=2 outcome=win      | allowed
nz-1998 10.12   | house  | settled          | tiles-viewed box=3 by=Bob             | refused
nz-1998 10.12   | house  | tiles-viewed     | tiles-viewed box=3 by=Bob             | allowed
nz-1998 10.13   | house  | hand-set box=2   | hand-conceded box=2 player=Ann        | allowed
nz-1998 10.13   | house  | bank-exposed     | hand-conceded box=2 player=Ann        | allowed
nz-1998 10.13   | house  | hand-matched box=2 | hand-conceded box=2 player=Ann      | refused
nz-1998 10.13   | house  | hand-set box=2   | hand-conceded box=2 player=Bob        | refused
nz-1998 11.1(b) | house  | bets-closed      | wager-placed box=1 player=Eve amount=100 | refused
nz-1998 11.1(c) | house  | hand-set box=5   | bank-set by=dealer                    | refused
nz-1998 11.1(c) | house  | bank-set         | bank-set by=Ann                       | refused
nz-1998 11.1(d) | house  | bank-exposed     | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused 10.10
nz-1998 11.1(d) | house  | hand-exposed box=2 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | allowed
nz-1998 11.1(e) | house  | house-way-confirmed | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
nz-1998 11.1(e) | house  | house-way-confirmed | house-way-confirmed by=dealer      | refused
nz-1998 11.1(e) | house  | house-way-confirmed | house-way-confirmed by=game_supervisor | allowed
nz-1998 11.1(e) | house  | bank-exposed     | house-way-confirmed by=game_supervisor | refused 10.10
nz-1998 11.1(f) | house  | hand-exposed box=2 | hand-exposed box=4 low=2-2,6-4 high=3-3,3-3 | refused
nz-1998 11.1(g) | house  | tiles-put-away box=5 | settled results=                   | refused
nz-1998 11.2(d) | player | hand-set box=5   | bank-set by=Dan                       | refused
nz-1998 11.2(d) | player | house-way-requested | tiles-handled box=3 by=Ann         | refused
nz-1998 11.2(f) | player | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
nz-1998 11.2(g) | player | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
nz-1998 11.3(b) | co-bank | bank-wagered    | bets-closed                           | refused
nz-1998 11.3(e) | co-bank | hand-set box=5  | bank-set by=dealer                    | refused
nz-1998 11.3(e) | co-bank | bank-peeked     | bank-peeked tiles=6-5,6-1             | allowed
nz-1998 11.3(e) | co-bank | bank-set        | bank-peeked tiles=6-6,6-3             | refused
nz-1998 11.3(e) | house  | bank-set         | bank-peeked tiles=6-6,6-3             | refused
nz-1998 10.10   | co-bank | hand-set box=5  | bank-peeked tiles=6-5,6-1             | refused
nz-1998 11.3(f) | co-bank | hand-exposed box=4 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
nz-1998 11.3(g) | co-bank | tiles-put-away box=5 | hand-exposed box=2 low=5-5,5-5 high=1-1,1-1 | refused
"""),
)
def test_the_course_of_a_round(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


@pytest.mark.parametrize(
    ("rule", "bank", "last_set", "tried", "needed"),
    [
        ("nz-1998 11.1(a)", Bank.HOUSE, "bank-moved", "bank-set by=dealer", "bank-moved"),
        ("nz-1998 11.3(d)", Bank.CO_BANK, "bank-moved", "bank-set by=dealer", "bank-moved"),
        ("nz-1998 11.2(e)", Bank.PLAYER, "bank-moved", "hand-exposed box=4 low=2-2,6-4 high=3-3,3-3", "bank-moved"),
        ("nz-1998 10.4(c)", Bank.PLAYER, "bank-confirmed", "hand-exposed box=4 low=2-2,6-4 high=3-3,3-3",
         "bank-confirmed by=Dan"),
    ],
)  # fmt: skip
def test_the_bank_comes_to_the_float(rule: str, bank: Bank, last_set: str, tried: str, needed: str) -> None:
    """The golden round goes on, but for one event; what hangs on it is refused until it happens."""
    whole = played("nz-1998", bank).current
    kind = tried.split(maxsplit=1)[0]
    at = next(number for number, each in enumerate(whole.events) if each.kind == last_set)
    until = next(number for number, each in enumerate(whole.events) if each.kind == kind)
    before = tuple(each for number, each in enumerate(whole.events[:until]) if number != at)
    log = RoundLog.replayed(whole.setup, whole.before, before)
    check_refusal(log.refusal(event(tried)), rule, "refused")
    check_refusal(followed(log, needed).refusal(event(tried)), rule, "allowed")


@pytest.mark.parametrize(
    ("rule", "bank", "boxes"),
    [
        ("nz-1998 11.1(a)", Bank.HOUSE, {1}),
        ("nz-1998 11.2(a)", Bank.PLAYER, set(range(1, 9))),
        ("nz-1998 11.3(a)", Bank.CO_BANK, set(range(1, 9))),
    ],
)
def test_where_the_chung_lies(rule: str, bank: Bank, boxes: set[int]) -> None:
    """On box 1 for the House, else on the banker's own box, wherever he sits; it is counted from there."""
    for box in range(10):
        if box in boxes:
            assert DICE.read(Cup((3, 3, 3)), bank, box).first_box == box  # type: ignore[union-attr]
            continue
        with pytest.raises(DiceError) as refused:
            DICE.read(Cup((3, 3, 3)), bank, box)
        assert f"({rule})" in str(refused.value)


@pytest.mark.parametrize("bank", [Bank.PLAYER, Bank.CO_BANK])
def test_the_chung_lies_on_the_box_of_who_took_the_bank(bank: Bank) -> None:
    """nz-1998 11.2(a), 11.3(a): Dan sits at box 3."""
    held = played("nz-1998", bank).current.state.held
    assert (held.box, held.players, held.method) == (3, ("Dan",), bank)


BEFORE = Before(commencement=False, check_due=False, control={3: "Dan"}, played={"Dan": frozenset({3})}, offer_from=1)
TAKEN = "bank-accepted box=3 players=Dan method={method} funds=10000"


@pytest.mark.parametrize(("method", "wager"), [("player", 9_900), ("co-bank", 4_900)])
def test_a_bank_that_is_not_covered(method: str, wager: int) -> None:
    """nz-1998 11.2(b), 11.3(b): 99.00 alone, or 49.00 as a co-banker, do not cover the 100.00 wagered."""
    log = opened(
        "nz-1998",
        "bank-offered box=3 player=Dan",
        TAKEN.format(method=method),
        "shuffled",
        "stacked",
        "wager-placed box=4 player=Bob amount=10000",
        f"bank-wagered amount={wager}",
        before=BEFORE,
    )
    closed = event("bets-closed")
    if method == "player":
        check_refusal(log.refusal(closed), "nz-1998 11.2(b)", "refused")
        # The House banks instead, or both do: half of the wagers is there.
        check_refusal(followed(log, "bank-fell-back method=co-bank").refusal(closed), "nz-1998 11.2(b)", "allowed")
    else:
        check_refusal(log.refusal(closed), "nz-1998 11.3(b)", "refused")
    check_refusal(followed(log, "bank-fell-back method=house").refusal(closed), "nz-1998 11.2(b)", "allowed")
    enough = followed(log, f"bank-wagered amount={wager + 100}")
    check_refusal(enough.refusal(closed), "nz-1998 11.2(b)", "allowed")


def test_a_conceded_hand_does_not_come_back() -> None:
    """nz-1998 10.13: nor is it exposed or matched; the game supervisor may look at it, nobody else."""
    log = followed(played("nz-1998", Bank.HOUSE, "hand-set box=2").current, "hand-conceded box=2 player=Ann")
    for tried, verdict in (
        ("tiles-handled box=2 by=Ann", "refused"),
        ("hand-set box=2 by=Ann", "refused 10.5"),
        ("tiles-viewed box=2 by=game_supervisor", "allowed"),
        ("tiles-viewed box=2 by=Ann", "refused"),
    ):
        check_refusal(log.refusal(event(tried)), "nz-1998 10.13", verdict)


def test_nobody_concedes_a_box_he_shares() -> None:
    """nz-1998 10.13: only the only person wagering on a box."""
    log = single("wager-placed box=2 player=Eve amount=100")
    check_refusal(log.refusal(event("hand-conceded box=2 player=Ann")), "nz-1998 10.13", "refused")
    check_refusal(single().refusal(event("hand-conceded box=2 player=Ann")), "nz-1998 10.13", "allowed")


def single(*more: str) -> RoundLog:
    """The House banks and Ann wagers on box 2; the tiles are delivered."""
    return opened(
        "nz-1998",
        "house-banks",
        "shuffled",
        "stacked",
        "wager-placed box=2 player=Ann amount=100",
        *more,
        "bets-closed",
        "dice-shaken by=dealer",
        "cut-named cut=Foot_Say by=supervisor",
        "dice-shown box_dice=1,1,1 first_box=3",
        "tiles-delivered order=3,4,5,6,7,8,1,2",
    )


def test_a_single_player_may_lay_his_tiles_open() -> None:
    """nz-1998 10.14: when the House is the sole banker and nobody else plays."""
    tried = event("tiles-laid-open box=2 player=Ann tiles=6-6,6-6,1-1,1-1")
    check_refusal(single().refusal(tried), "nz-1998 10.14", "allowed")
    check_refusal(single("wager-placed box=4 player=Bob amount=100").refusal(tried), "nz-1998 10.14", "refused")
    for bank in (Bank.PLAYER, Bank.CO_BANK):
        log = played("nz-1998", bank, "hand-set box=2").current
        check_refusal(log.refusal(tried), "nz-1998 10.14", "refused")


def test_players_who_share_the_bank_set_it_together() -> None:
    """nz-1998 7.3: any of them may lay the hand, and nobody else."""
    log = played("nz-1998", Bank.PLAYER, "house-way-requested").current
    assert Milestone.HANDS_SET in log.state.happened
    held = log.state.held
    shared = log.state.replace(bank=type(held)(held.method, held.box, ("Dan", "Gus"), held.funds, held.offered_at))
    log = RoundLog(log.setup, log.before, log.events, shared)
    for player, verdict in (("Dan", "allowed"), ("Gus", "allowed"), ("Ann", "refused 11.2(d)")):
        check_refusal(log.refusal(event(f"bank-set by={player}")), "nz-1998 7.3", verdict)
