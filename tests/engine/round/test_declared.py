"""What the books declare about banking and play: cited where it is printed, and said in the documents."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from engine.books.registry import BOOKS
from engine.observed import DepartureKind
from engine.observed.observations import KINDS as OBSERVATIONS
from engine.round import RoundLog
from engine.round.event import KINDS
from engine.vocabulary.citations import Cite
from engine.vocabulary.facts import Bank, Fact
from tests.conftest import ROOT
from tests.engine.round.test_golden_rounds import TEXTS

ROUNDS = (ROOT / "docs" / "rounds.md").read_text()


def _cites(value: object) -> Iterator[Cite]:
    if isinstance(value, Cite):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _cites(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _cites(getattr(value, field.name))


@pytest.mark.parametrize("book", BOOKS)
def test_every_rule_cited_is_printed(book: str, shared: Path) -> None:
    text = (shared / "rulebooks" / TEXTS[book]).read_text()
    cites = {*_cites(BOOKS[book].banking), *_cites(BOOKS[book].play)}
    assert len(cites) > 10
    for cite in cites:
        assert cite.rulebook == book
        if book == "uk-poster":
            assert 1 <= int(cite.section.removeprefix("point ")) <= 29
            continue
        number, *parts = re.findall(r"[\d.]+\d|\(\w+\)", cite.section)
        path = rf"(?<![\d.]){re.escape(number)}[ .]" + "".join(rf"(?s:.)*?{re.escape(part)}" for part in parts)
        assert re.search(path, text), cite


@pytest.mark.parametrize("book", BOOKS)
def test_what_goes_by_who_banks_is_listed_for_each(book: str) -> None:
    """Every banking method of a book has its rules; a method it does not have has none."""
    rules, methods = BOOKS[book], BOOKS[book].banking.methods.value
    whole = [rules.play.close, rules.play.cut, rules.play.shakers, rules.play.bank_last, rules.play.settle]
    assert all(set(each) == methods for each in whole)
    assert set(rules.banking.cover) == methods - {Bank.HOUSE}
    for field in fields(rules.play):
        value = getattr(rules.play, field.name)
        if isinstance(value, dict):
            assert set(value) <= methods, field.name


def test_the_close_of_betting_is_that_of_ruling_30() -> None:
    closes = {
        (book.id, bank.value): fact.value.name for book in BOOKS.values() for bank, fact in book.play.close.items()
    }
    assert set(closes.values()) == {"BETS_CLOSED", "CUT_NAMED", "DICE_SHOWN", "TILES_DELIVERED"}
    assert {name for (book, _), name in closes.items() if book in {"crown-6.1", "nz-1998"}} == {"BETS_CLOSED"}
    assert {name for (book, _), name in closes.items() if book == "star-2024"} == {"DICE_SHOWN"}
    assert {name for (book, _), name in closes.items() if book == "star-classic"} == {"CUT_NAMED"}
    assert {name for (book, _), name in closes.items() if book == "uk-poster"} == {"TILES_DELIVERED"}
    assert all(fact.rulings == (30,) for book in BOOKS.values() for fact in book.play.close.values())


@pytest.mark.parametrize(
    ("book", "boxes", "players", "ruling"),
    [
        ("crown-6.1", 8, 5, 32),
        ("nz-1998", 8, 3, 32),
        ("star-2024", 8, 3, 32),
        ("star-classic", 8, 3, 32),
        ("uk-poster", 7, 1, 32),
    ],
)
def test_boxes_and_players_are_those_of_ruling_32(book: str, boxes: int, players: int, ruling: int) -> None:
    play = BOOKS[book].play
    assert play.boxes == Fact(boxes, play.boxes.cite, (ruling,))
    assert play.players_a_box == Fact(players, play.players_a_box.cite, (ruling,))


def test_the_document_names_every_event() -> None:
    events, _, rest = ROUNDS.partition("## What the camera sees of a round")
    observations, _, after = rest.partition("| departure |")
    departures, _, after = after.partition("## What was done about it")
    settled = after.partition("## Settlement in the log")[2]
    assert _first_cells(events) | _first_cells(settled) == set(KINDS)
    assert _first_cells(observations) == set(OBSERVATIONS)
    assert _first_cells(departures) == {each.value for each in DepartureKind}


def _first_cells(text: str) -> set[str]:
    """The words set as code in the first cells of its tables."""
    rows = re.findall(r"^\| (`[a-z_-]+`(?:, `[a-z_-]+`)*) \|", text, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([a-z_-]+)`", row)}


def test_the_documents_log_is_one() -> None:
    (written,) = re.findall(r"```json\n(.*?)```", ROUNDS, re.DOTALL)
    log = RoundLog.from_dict(json.loads(written))
    assert log.state.over
    assert log.state.void is None
    assert json.loads(written)["events"] == log.to_dict()["events"]
