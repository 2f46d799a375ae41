"""The Star's two books, rules 9.2 to 9.14 and section 10: wagers, their time and place, control of an area, limits."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.books.registry import rulebook
from engine.errors import WagerError
from engine.round import RoundLog, Session, Table
from engine.settlement.played import BankHolder, Laid
from engine.settlement.result import ChipAccount, ChipPlace
from engine.settlement.wagers import TableTerms, Wager
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import Irregularity
from engine.vocabulary.remedy import Effect
from tests.engine.round.golden import GOLDEN, event
from tests.engine.round.golden import rows as rows_of
from tests.engine.round.test_golden_rounds import played
from tests.engine.rules.star import before_close, check_event, check_refusal, closed, settled
from tests.engine.rules.tables import followed, rows

STAR, CLASSIC = "star-2024", "star-classic"

# Ann (5000) sits at box 2, Bob (3000) wagers on 4, Cho (2000) on 5; Dan banks or co-banks at box 3.
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
star-2024 9.8 | player | tiles-delivered | wager-placed box=6 player=Eve amount=500 consent=yes | allowed
star-2024 9.8 | player | hand-set box=2 | wager-withdrawn box=5 player=Cho consent=yes | allowed
star-2024 9.8 | player | empty-retrieved | wager-changed box=2 player=Ann amount=4000 consent=yes | allowed
star-2024 9.8 | player | hand-set box=4 | wager-changed box=5 player=Cho amount=1000 consent=yes | refused
star-2024 9.8 | player | hand-set box=4 | wager-withdrawn box=5 player=Cho consent=yes | refused
star-2024 13.2.2 | player | cut-named | wager-placed box=6 player=Eve amount=501 consent=yes | refused
star-2024 13.2.2 | player | cut-named | wager-placed box=6 player=Eve amount=500 consent=yes | allowed
star-2024 9.10.2 | house | dice-shaken | control-ceded box=2 player=Ann | allowed
star-2024 9.10 | house | dice-shaken | control-ceded box=4 player=Bob | refused
star-2024 9.14 | house | dice-shaken | wager-placed box=6 player=Ann amount=100 | refused
star-2024 9.14 | house | dice-shaken | wager-placed box=4 player=Ann amount=100 | allowed
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
star-classic 9.5 | player | hand-set box=2 | wager-withdrawn box=2 player=Ann consent=yes | allowed
star-classic 9.5 | player | hand-set box=4 | wager-withdrawn box=5 player=Cho consent=yes | refused
star-classic 9.7 | house | cut-named | control-ceded box=4 player=Bob | refused
star-classic 9.7.2 | house | cut-named | control-ceded box=2 player=Ann | allowed
star-classic 9.11 | house | cut-named | wager-placed box=6 player=Ann amount=100 | refused
star-classic 9.11 | house | cut-named | wager-placed box=4 player=Ann amount=100 | allowed
star-classic 13.2.2 | player | dice-shaken | wager-placed box=6 player=Eve amount=100 consent=yes | refused
"""


@pytest.mark.parametrize(("rule", "bank", "before", "tried", "verdict"), rows(EVENTS))
def test_at_the_table(rule: str, bank: str, before: str, tried: str, verdict: str) -> None:
    check_event(rule, bank, before, tried, verdict)


def test_who_controls_no_area_may_wager_where_nobody_does() -> None:
    """star-2024 9.14 binds a player in control of an area: Bob, beside Ann on hers, opens area five as his own."""
    lines = [
        f"wager-placed box={box} player={player} amount=100" for box, player in ((2, "Ann"), (2, "Bob"), (5, "Bob"))
    ]
    again = event("wager-placed box=6 player=Bob amount=100")
    check_refusal(before_close(STAR, *lines).refusal(again), "star-2024 9.14", "refused")
    assert closed(STAR, *lines).state.control == {2: "Ann", 5: "Bob"}


def test_anybody_may_wager_on_a_house_way_area_nobody_controls_it() -> None:
    """star-2024 9.14, 9.13, 12.8.1: diagram B."""
    table, line = Table(house_way_boxes=frozenset({6})), "wager-placed box=2 player=Ann amount=100"
    log = before_close(STAR, line, table=table)
    check_refusal(log.refusal(event("wager-placed box=5 player=Ann amount=100")), "star-2024 9.14", "refused")
    assert closed(STAR, line, "wager-placed box=6 player=Ann amount=100", table=table).state.control == {2: "Ann"}


def test_nobody_places_a_second_wager_where_nobody_decides() -> None:
    """star-classic 9.11: this binds every player; star-2024 9.14 binds only a player in control of an area.

    Bob is beside Ann, who decides on hers; he may go to area five when Cho decides there.
    """
    log = before_close(CLASSIC, "wager-placed box=2 player=Ann amount=100", "wager-placed box=2 player=Bob amount=100")
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
        ("star-2024 10.3", HOUSE, Wager(3, "Bob", 2_000), 2_000, 0),  # not rejected in time: valid
        ("star-2024 10.3", HOUSE, Wager(3, "Bob", 16_000), 10_000, 6_000),  # collected to the maximum
        ("star-2024 10.2", PLAYER, Wager(3, "Bob", 2_000), 2_000, 0),
        ("star-2024 10.2", PLAYER, Wager(3, "Bob", 16_000), 16_000, 0),  # no maximum
        ("star-2024 10.7", HOUSE, Wager(3, "Bob", 16_000, maximum=15_000), 15_000, 1_000),
        ("star-2024 10.7", HOUSE, Wager(3, "Bob", 14_000, minimum=12_000, maximum=15_000), 14_000, 0),
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
    (result,) = settled(rule.split(maxsplit=1)[0], wager, hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert (result.in_play, result.collected, result.returned) == (in_play, in_play, returned), rule


@pytest.mark.parametrize(
    ("book", "bank", "stake", "rule"),
    [
        (STAR, HOUSE, 2_000, "10.3"),
        (STAR, HOUSE, 16_000, "10.3"),
        (STAR, PLAYER, 2_000, "10.2"),
        (STAR, PLAYER, 16_000, ""),
        (CLASSIC, HOUSE, 2_000, "10.3"),
        (CLASSIC, HOUSE, 16_000, "10.3"),
        (CLASSIC, PLAYER, 16_000, ""),
        (CLASSIC, CO_BANK, 16_000, "11.1.3"),
        (CLASSIC, CO_BANK, 2_000, "10.3"),
    ],
)
def test_what_the_limits_did_is_noted(book: str, bank: BankHolder, stake: int, rule: str) -> None:
    """10.2 and 10.3 of both: with its rule; a player/banker's bank has no maximum to speak of."""
    (result,) = settled(book, Wager(3, "Bob", stake), hands={3: LOSES}, bank=bank, terms=LIMITS).results
    assert [f"({book} {rule}" in note for note in result.notes] == ([True] if rule else [])


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


def test_the_minimum_applies_to_a_player_bank() -> None:
    """star-classic 10.2: the stated minimum will apply, and 10.3 speaks of the House's bank only."""
    with pytest.raises(WagerError, match=r"star-classic 10\.2"):
        settled(CLASSIC, Wager(3, "Bob", 2_000), hands={3: LOSES}, bank=PLAYER, terms=LIMITS)


@pytest.mark.parametrize(("hand", "kept"), [(WINS, 5_000 + 4_800), (LOSES, 0)])  # 2.50 is collected as 2.00
def test_a_promotional_token_is_a_wager_won_in_chips(hand: Laid, kept: int) -> None:
    """star-2024 1.1 casino promotional token: it may be wagered; nothing forfeits it when it wins."""
    (result,) = settled(STAR, Wager(3, "Bob", 5_000, token=True), hands={3: hand}, bank=HOUSE).results
    assert result.returned + result.paid == kept


@pytest.mark.parametrize(
    ("hand", "paid", "returned"),
    [(WINS, 4_800, 0), (LOSES, 0, 0), (STANDS_OFF, 0, 5_000)],  # 2.50 of commission are collected as 2.00
)
def test_a_promotional_token_is_one_free_wager(hand: Laid, paid: int, returned: int) -> None:
    """star-classic 1.1 casino promotional token or voucher: forfeited whether it wins or loses, won in chips."""
    (result,) = settled(CLASSIC, Wager(3, "Bob", 5_000, token=True), hands={3: hand}, bank=HOUSE).results
    assert (result.paid, result.returned) == (paid, returned)


def moments_of(book: str, bank: Bank) -> Iterator[RoundLog]:
    """The golden round after each of its events."""
    session = Session.opened(rulebook(book))
    for line, _ in rows_of(GOLDEN[book, bank]):
        session = session.append(session.current.due if line.startswith("settled") else event(line))
        yield session.current


@pytest.mark.parametrize("book", [STAR, CLASSIC])
def test_a_box_comes_into_play_and_goes_out_of_it_with_the_bankers_consent(book: str) -> None:
    """star-2024 9.8, star-classic 9.5 (ruling 42): tiles already dealt there are played, or taken back."""
    dealt = played(book, Bank.PLAYER, "empty-retrieved").current
    state = followed(dealt, "wager-withdrawn box=5 player=Cho consent=yes").state
    assert (5 in state.hands, 5 in state.control) == (False, False)
    eve = "wager-placed box=6 player=Eve amount=100 consent=yes"
    log = followed(dealt, "wager-withdrawn box=5 player=Cho consent=yes", eve)
    assert (set(log.state.hands), log.state.control[6]) == ({2, 4, 6}, "Eve")
    log = followed(log, "empty-retrieved boxes=1,5,7,8")
    late = followed(log, "wager-withdrawn box=6 player=Eve consent=yes")
    assert late.refusal(event("empty-retrieved boxes=6")) is None


@pytest.mark.parametrize(("book", "rule"), [(STAR, "9.8"), (CLASSIC, "9.5")])
def test_command_and_log_end_the_consent_at_the_same_moment(book: str, rule: str) -> None:
    """star-2024 9.8, star-classic 9.5 print no end: until a player's tiles are handled (ruling 42)."""
    rules, seen = rulebook(book).irregularities, set()
    for log in moments_of(book, Bank.PLAYER):
        state = log.state
        advised = rules.remedies(Irregularity.LATE_WAGER, reached=state.happened, bank=Bank.PLAYER).options
        may = any(each.effect is Effect.AS_DECIDED for each in advised)
        if not state.closed or state.over:
            continue
        refusal = log.refusal(event("wager-changed box=2 player=Ann amount=4900 consent=yes"))
        assert (refusal is None) is may, (log.events[-1], refusal, advised)
        assert all(rule in each.cite and 42 in each.rulings for each in advised)
        seen.add(may)
    assert seen == {True, False}


@pytest.mark.parametrize("method", [Bank.PLAYER, Bank.CO_BANK])
def test_a_token_under_a_players_bank_goes_to_the_house(method: Bank) -> None:
    """star-classic 1.1 casino promotional token or voucher: it is no money of the bank, which pays in chips (45)."""
    bank = replace(PLAYER, method=method, wager=10_000)
    for hand, paid, outcome in ((LOSES, 0, "lose"), (WINS, 4_800, "win")):
        done = settled(CLASSIC, Wager(3, "Bob", 5_000, token=True), hands={3: hand}, bank=bank)
        (result,) = done.results
        assert result.outcome is not None
        assert (result.outcome.value, result.paid, result.collected) == (outcome, paid, 5_000)
        assert any("forfeited to the House" in note and "ruling 45" in note for note in result.notes)
        assert done.bank.taken == 0
        if method is Bank.PLAYER:
            assert (done.bank.handed, done.bank.returned) == (0, 10_000 if outcome == "lose" else 5_000)
            assert done.balances[ChipAccount(ChipPlace.FLOAT)] == 5_000
