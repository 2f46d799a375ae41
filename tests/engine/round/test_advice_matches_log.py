"""The advice on an irregularity at a moment matches what the log accepts then: both have one source.

Every book and bank, every moment of a round, every kind, every hand, every remedy that the book declares.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from engine.books.book import Rulebook
from engine.books.registry import BOOKS
from engine.errors import IllegalEventError
from engine.game.setting import Deal, Setting
from engine.round import RoundLog, Session, Table
from engine.round.event import DEALER
from engine.round.events import IrregularityDecided
from engine.round.remedies.situation import finding, holding, progress, whose_hand
from engine.round.state.round_state import State
from engine.settlement.wagers import TableTerms
from engine.vocabulary.facts import Bank
from engine.vocabulary.irregularities import Irregularity, code
from engine.vocabulary.remedy import Effect, Person, Remedy
from tests.amount import amount
from tests.engine.round.golden import GOLDEN, event, rows

pytestmark = pytest.mark.exhaustive

BANKINGS = sorted(GOLDEN, key=str)
PLAYERS = ("Ann", "Bob", "Cho")
THROWS = ((1, 1, 1), (1, 1, 2), (1, 1, 3), (1, 2, 3), (1, 3, 3))
TERMS = (
    TableTerms(),
    TableTerms(minimum=10**6),
    TableTerms(maximum=10, box_maximum=None),
    TableTerms(chip=7),
)


@cache
def moments(book: str, bank: Bank, terms: int = 0) -> tuple[RoundLog, ...]:
    """The golden round, from its opening on, after each of its events that this table lets happen."""
    session = Session.opened(BOOKS[book], Table(terms=TERMS[terms]))
    logs = [session.current]
    for line, _ in rows(GOLDEN[book, bank]):
        one = session.current.due if line.startswith("settled") else event(line)
        try:
            session = session.append(one)
        except IllegalEventError:
            break
        logs.append(session.current)
    return tuple(logs)


def declared(book: Rulebook, kind: Irregularity) -> list[Remedy]:
    """Every option that the book has for the kind at any time, and its rule on disputes."""
    rules = book.irregularities
    return list(dict.fromkeys((*rules.said.get(kind, ()), *rules.silent.get(kind, ()),
                               *rules.said[Irregularity.DISPUTE])))  # fmt: skip


def who(state: State, option: Remedy, box: int | None) -> str:
    titles = option.by.titles(state.play.ranks)
    if titles:
        return titles[-1]
    if Person.BANKER in option.by.people and state.bankers:
        return state.bankers[0]
    if Person.DEALER in option.by.people:
        return DEALER
    return state.control.get(box or 0, "Ann")


def attempts(state: State, kind: Irregularity, option: Remedy, box: int | None) -> Iterator[IrregularityDecided]:
    """The event, with one after the other of what it may be about."""
    rule, by = str(option.cite), who(state, option, box)
    decision = Effect.NONE if option.effect is Effect.AS_DECIDED else None
    if option.effect is Effect.BOX_OUT:
        for dice in THROWS:
            yield IrregularityDecided(kind, option.effect, rule, by, box, dice=dice)
        return
    lays: list[Setting | None] = [None]
    tiles = state.tiles.get(box or 0, ())
    if option.effect is Effect.AS_SET_NOW and len(tiles) == 4 and state.setup.book.prints_house_way:
        lays.append(state.setup.book.house_way().decide(Deal.of(tiles)).setting)
    for player, lay in product((None, *PLAYERS), lays):
        low, high = (None, None) if lay is None else (lay.low.tiles, lay.high.tiles)
        yield IrregularityDecided(kind, option.effect, rule, by, box, player, decision, low, high)


def boxes(state: State) -> list[int | None]:
    """No box, the bank's, and each with a wager."""
    chung = () if state.bank is None else (state.bank.box,)
    return [None, *dict.fromkeys((*chung, *sorted(state.wagers)))]


def not_now(log: RoundLog, one: IrregularityDecided) -> bool:
    """Whether the log refuses it because the book has no such remedy at this moment."""
    refusal = log.refusal(one)
    return refusal is not None and "the book has no" in refusal.reason


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
def test_what_is_advised_is_what_the_log_accepts(book: str, bank: Bank) -> None:
    rules, seen = BOOKS[book], 0
    for log in moments(book, bank)[:: amount(2, 1)]:
        state = log.state
        for kind, box in product(Irregularity, boxes(state)):
            advised = rules.irregularities.remedies(
                kind,
                whose_hand(state, box),
                progress(state, box),
                bank=state.method,
                holds=holding(state, box, None),
            ).options
            for option in declared(rules, kind):
                one = next(attempts(state, kind, option, box))
                same = [each for each in advised if (each.cite, each.effect) == (option.cite, option.effect)]
                assert not_now(log, one) is (not same), (code(kind), box, str(option.cite), len(log.events))
                seen += 1
    assert seen > amount(2_500, 5_000)


@pytest.mark.parametrize(("book", "bank"), BANKINGS, ids=lambda value: getattr(value, "value", value))
def test_the_command_tells_no_less_than_the_log(book: str, bank: Bank) -> None:
    """Told the events, the hand and the bank, it leaves open only conditions that it was not told."""
    rules = BOOKS[book].irregularities
    for log in moments(book, bank):
        for kind, box in product(Irregularity, boxes(log.state)):
            state = log.state
            asked = IrregularityDecided(kind, Effect.NONE, "", DEALER, box)
            known = finding(state, asked)
            advised = rules.remedies(kind, whose_hand(state, box), progress(state, box), bank=state.method)
            if known.silent:
                assert advised.silent or all(option.given for option in advised.options)
                continue
            assert set(known.options) <= set(advised.options)
            assert all(option.given for option in set(advised.options) - set(known.options))


ELSEWHERE = {
    "box-out": "wagers on all boxes: test_a_box_goes_out_by_dice_and_comes_back",
    "box-back": "a box that is out: the same",
    "player-back": "a player who is out: test_worked_irregularities",
    "seat-vacated": "three rounds at a full table: test_worked_irregularities",
}
"""What a golden round cannot come to, and where it is taken."""
NONE_SUCH = {
    ("nz-1998", "above-maximum"),  # New Zealand takes no such wager (6.6) and knows no maximum with a player's bank
    ("nz-1998", "below-minimum"),  # nor one below the minimum (6.8)
    ("star-2024", "not-payable"),  # such a wager is refused when it is placed
    ("star-classic", "not-payable"),
    ("uk-poster", "not-payable"),
    ("star-2024", "house-way-touched"),  # no House Way places here
}


@pytest.mark.parametrize("book", BOOKS)
def test_every_remedy_advised_can_be_taken(book: str) -> None:
    """No remedy leads nowhere: at some moment somebody may take it, about something."""
    advised, taken = set(), set()
    for (_, bank), terms in product([each for each in BANKINGS if each[0] == book], range(len(TERMS))):
        for log in moments(book, bank, terms):
            for kind, box in product(Irregularity, boxes(log.state)):
                for option in finding(log.state, IrregularityDecided(kind, Effect.NONE, "", DEALER, box)).options:
                    key = (code(kind), str(option.cite), code(option.effect))
                    advised.add(key)
                    if key not in taken and any(
                        log.refusal(one) is None for one in attempts(log.state, kind, option, box)
                    ):
                        taken.add(key)
    assert {key for key in advised - taken if key[2] not in ELSEWHERE and (book, key[0]) not in NONE_SUCH} == set()
