"""What holds for every legal round of every book and way of banking."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.books.book import Rulebook
from engine.books.registry import BOOKS
from engine.game.ranking import Outcome
from engine.game.setting import Deal
from engine.game.tiles import FULL_SET
from engine.settlement.outcome import Why
from engine.settlement.played import BankHolder, PlayedRound
from engine.settlement.result import COMMISSION, FLOAT, ChipAccount, ChipPlace, Result, Settlement
from engine.settlement.settle import settle
from engine.settlement.wagers import HOUSE, TableTerms, Unpayable, Wager
from engine.vocabulary.facts import Bank
from tests.amount import amount
from tests.engine.settlement.layout import left_on_layout

ALL = [pytest.param(book, method, id=f"{name}-{method.value}") for name, book in BOOKS.items()
       for method in book.settlement.banks]  # fmt: skip

PLAYERS = ("Ann", "Bob", "Cy", "Dee")


@st.composite
def rounds(draw: st.DrawFn, book: Rulebook, method: Bank) -> PlayedRound:
    """A legal round: any deal of the 32 tiles, any wagers within the book's rules."""
    deck = list(FULL_SET)
    Random(draw(st.integers(0, 2**32))).shuffle(deck)  # noqa: S311  much quicker than drawing a permutation
    deals = [Deal.of(deck[at : at + 4]) for at in range(0, 32, 4)]
    rules, play, banking = book.wagers, book.play, book.banking
    chip = draw(st.sampled_from([1, 5, 25, 100, 250]))
    chung = banking.house_box.value if method is Bank.HOUSE else draw(st.integers(1, play.boxes.value))
    boxes = [box for box in range(1, play.boxes.value + 1) if box != chung]
    lay = draw(st.lists(st.tuples(st.sampled_from(boxes), st.sampled_from(PLAYERS)), unique=True, max_size=10))
    kept = [
        (box, player)
        for n, (box, player) in enumerate(lay)
        if [b for b, _ in lay[:n]].count(box) < play.players_a_box.value
    ]
    wagers = [draw(_wagers(book, box, player, chip, [b for b, _ in kept].count(box) == 1)) for box, player in kept]
    if banking.dealer_bet is not None and method is Bank.PLAYER and draw(st.booleans()):
        wagers.append(Wager(banking.house_box.value, HOUSE, draw(st.integers(1, 400)) * chip))
    maximum = (
        draw(st.none() | st.integers(10_000, 60_000)) if rules.unpayable.value is not Unpayable.PART_VOID else None
    )
    if banking.dealer_bet is not None or maximum is None:
        maximum = None
    else:
        maximum -= maximum % chip
    total = sum(wager.stake + chip for wager in wagers)
    spare = draw(st.integers(0, 50)) * chip
    bank_wager = 0 if method is Bank.HOUSE else -(-total // chip) * chip + spare + chip
    if method is Bank.CO_BANK:
        bank_wager = -(-total // (2 * chip)) * chip + chip + spare
    house = method is Bank.HOUSE
    return PlayedRound(
        book=book,
        bank=BankHolder(method, deals[0], () if house else ("Zed",), None if house else chung, bank_wager),
        hands=dict(zip([box for box in range(1, 9) if box != chung], deals[1:], strict=True)),
        wagers=tuple(wagers),
        terms=TableTerms(chip=chip, maximum=maximum),
        house_way=BOOKS["nz-1998"].house_way() if not book.prints_house_way else None,
    )


@st.composite
def _wagers(draw: st.DrawFn, book: Rulebook, box: int, player: str, chip: int, alone: bool) -> Wager:  # noqa: FBT001
    rules = book.wagers
    odd = rules.unpayable.value is not Unpayable.REFUSED and draw(st.booleans())
    stake = draw(st.integers(chip, 60_000)) if odd else draw(st.integers(1, 400)) * chip
    void = draw(st.sampled_from(["", "", "", "void"]))
    conceded = alone and book.play.concede is not None and draw(st.booleans())
    token = rules.tokens is not None and draw(st.booleans())
    return Wager(box, player, stake, void=void, conceded=conceded, token=token)


@pytest.mark.parametrize(("book", "method"), ALL)
@given(data=st.data())
@settings(max_examples=amount(25, 100), deadline=None)
def test_every_legal_round_balances(book: Rulebook, method: Bank, data: st.DataObject) -> None:
    played = data.draw(rounds(book, method))
    done = settle(played)
    for reading in (done, *([] if done.literal is None else [done.literal])):
        _check_money(reading, played)
    assert done.literal_reading_differs == any(
        one.match is not None and one.match.outcome is not one.match.literal for one in done.results
    )
    if done.literal_reading_differs:
        matches = [one.match for one in done.results if one.match is not None]
        assert any(Why.ZERO in (match.low.why, match.high.why) for match in matches)


def _check_money(done: Settlement, played: PlayedRound) -> None:
    balances = done.balances
    assert sum(balances.values()) == 0
    assert not left_on_layout(done)
    rate = played.book.settlement.commission.rate.value
    chip, paid_up = played.terms.chip, played.book.wagers.unpayable.value is Unpayable.PAID_UP
    for result in done.results:
        _check_wager(result)
        assert 0 <= result.commission <= rate * result.winnings
        assert result.winnings < result.in_play + (chip if paid_up else 1)
    assert 0 <= done.bank.commission <= rate * max(0, done.bank.remainder)
    assert balances.get(COMMISSION, 0) == done.bank.commission + sum(one.commission for one in done.results)
    for player in PLAYERS:
        own = [one for one in done.results if one.wager.player == player]
        assert balances.get(ChipAccount(ChipPlace.PLAYER, player), 0) == sum(one.paid - one.collected for one in own)
    if played.bank.method is not Bank.HOUSE:
        assert balances.get(ChipAccount(ChipPlace.PLAYER, "Zed"), 0) == done.bank.net
        assert -played.bank.wager <= done.bank.net
        assert done.bank.remainder * done.bank.shortfall == 0
    if played.bank.method is Bank.PLAYER:
        # The House takes no part, but for its own wager at the UK poster and tokens that are forfeited.
        dealers = sum(one.paid - one.collected for one in done.results if one.wager.player == HOUSE)
        forfeited = played.book.wagers.tokens is not None and played.book.wagers.tokens.value  # ruling 45
        tokens = sum(one.collected for one in done.results if forfeited and one.wager.token)
        assert balances.get(FLOAT, 0) == dealers + tokens


def _check_wager(result: Result) -> None:
    assert 0 <= result.collected <= result.wager.stake
    assert result.collected + result.returned == result.wager.stake
    if result.outcome is not Outcome.WIN:
        assert result.winnings == 0
        assert result.collected == (result.in_play if result.outcome is Outcome.LOSE else 0)


@pytest.mark.parametrize(("book", "method"), ALL)
@given(data=st.data())
@settings(max_examples=amount(10, 25), deadline=None)
def test_the_order_of_the_file_does_not_matter(book: Rulebook, method: Bank, data: st.DataObject) -> None:
    played = data.draw(rounds(book, method))
    shuffled = tuple(data.draw(st.permutations(played.wagers)))
    hands = dict(data.draw(st.permutations(list(played.hands.items()))))
    assert settle(replace(played, wagers=shuffled, hands=hands)) == settle(played)
