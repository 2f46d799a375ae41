"""Golden rounds: every event of a complete round is accepted, under rules from the documents."""

import re
from pathlib import Path

import pytest

from engine.books.registry import BOOKS
from engine.game.hands import Hand
from engine.game.setting import Setting
from engine.round import Session
from engine.round.events import BankExposed, HandExposed, HandMatched
from engine.vocabulary.facts import Bank, Milestone
from tests.engine.round.golden import GOLDEN, event, rows
from tests.engine.two_hands import match

EACH = pytest.mark.parametrize(("book", "bank"), GOLDEN, ids=lambda value: getattr(value, "value", value))
TEXTS = {
    "crown-6.1": "crown-melbourne-v6.1.txt",
    "nz-1998": "nz-gazette-1998-division-12.txt",
    "star-2024": "star-sydney-2024.txt",
    "star-classic": "star-sydney-classic.txt",
    "uk-poster": "uk-casino-poster.txt",
}


def played(book: str, bank: Bank, until: str | None = None) -> Session:
    """The golden round, up to the last event with this prefix."""
    lines = [line for line, _ in rows(GOLDEN[book, bank])]
    if until is not None:
        at = [number for number, line in enumerate(lines) if line.startswith(until)]
        lines = lines[: at[-1]]
    session = Session.opened(BOOKS[book])
    for line in lines:
        session = session.append(event(line))
    return session


@EACH
def test_a_golden_round_is_played_to_its_end(book: str, bank: Bank) -> None:
    state = played(book, bank).current.state
    assert state.method is bank
    uncut = {Milestone.CUT_NAMED} if (book, bank) == ("uk-poster", Bank.HOUSE) else set()
    assert state.happened == set(Milestone) - {Milestone.TILES_VIEWED} - uncut


@EACH
def test_hands_end_as_the_golden_round_says(book: str, bank: Bank) -> None:
    events = played(book, bank).current.events
    (banks,) = (each for each in events if isinstance(each, BankExposed))
    hands = {each.box: each for each in events if isinstance(each, HandExposed)}
    for each in events:
        if isinstance(each, HandMatched):
            assert match(_setting(hands[each.box]), _setting(banks)) is each.outcome


def _setting(hand: BankExposed | HandExposed) -> Setting:
    return Setting(Hand.of(hand.low), Hand.of(hand.high))


@EACH
def test_rules_beside_the_events_are_printed(book: str, bank: Bank, shared: Path) -> None:
    text = (shared / "rulebooks" / TEXTS[book]).read_text()
    bullets = len(re.findall(r"^(?:- |•)", text, re.MULTILINE))
    for _, rule in rows(GOLDEN[book, bank]):
        if rule.startswith("point "):
            assert 1 <= int(rule.removeprefix("point ")) <= bullets
        else:
            number = re.match(r"[\d.]+\d", rule)
            assert number is not None
            assert re.search(rf"(?<![\d.]){re.escape(number[0])}(?!\d)", text), rule
