"""Versions of a rulebook: a test book amended twice, as New Zealand amended its Division 12 in 1999 and 2001.

Those two texts are not at hand, so what is amended here is made up; days and mechanism are what is tested.
"""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from engine.books import registry
from engine.books.nz import BOOK as NZ
from engine.books.registry import VERSIONS, rulebook
from engine.books.versions import REPEALED, Amendment, in_force, of_revision, versions_of
from engine.errors import IllegalEventError, RecordError, RulebookVersionError
from engine.round import Session, Table
from engine.vocabulary.facts import Bank, Fact
from engine.vocabulary.irregularities import Irregularity
from tests.engine.house_way.files import HEAD, LAST
from tests.engine.round.golden import GOLDEN, event, rows

FEWER = Amendment(
    "amended 1999",
    date(1999, 3, 1),
    {
        "play.players_a_box": Fact(1, NZ.source.at("6.5"), (32,)),
        "irregularities.said.DAMAGED_TILE": NZ.irregularities.said[Irregularity.DISPUTE],
    },
)
NO_CO_BANK = Amendment(
    "amended 2001",
    date(2001, 7, 1),
    {
        "banking.methods": Fact(frozenset({Bank.HOUSE, Bank.PLAYER}), NZ.source.at("5.1")),
        "banking.cover.CO_BANK": REPEALED,
    },
)
BOOKS = versions_of(replace(NZ, way=replace(NZ.house_way(), later=())), (FEWER, NO_CO_BANK))


@pytest.fixture
def _amended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "VERSIONS", {**VERSIONS, "nz-1998": BOOKS})


@pytest.mark.parametrize(
    ("day", "version"),
    [
        (date(1998, 2, 1), "1998-02-01"),
        (date(1999, 2, 28), "1998-02-01"),
        (date(1999, 3, 1), "amended 1999"),
        (date(2001, 6, 30), "amended 1999"),
        (date(2001, 7, 1), "amended 2001"),
        (date(2026, 1, 1), "amended 2001"),
    ],
)
@pytest.mark.usefixtures("_amended")
def test_the_version_in_force_on_a_day(day: date, version: str) -> None:
    assert rulebook("nz-1998", on=day).version == version
    assert rulebook("nz-1998", version=version).version == version


def test_before_the_first_version_there_is_none() -> None:
    with pytest.raises(RulebookVersionError, match="no version of nz-1998 was in force on 1998-01-31"):
        in_force(BOOKS, date(1998, 1, 31))
    assert rulebook("crown-6.1", on=date(1990, 1, 1)).version == "6.1"  # it does not say from when it is in force


def test_each_version_is_the_one_before_but_for_its_changes() -> None:
    first, second, third = BOOKS
    assert [each.play.players_a_box.value for each in BOOKS] == [3, 1, 1]
    assert first.banking is second.banking
    assert first.wagers is third.wagers
    assert {each.id for each in BOOKS} == {"nz-1998"}
    damaged = second.irregularities.remedies(Irregularity.DAMAGED_TILE).options
    assert [option.cite for option in damaged] == ["nz-1998 2.0"]
    assert Bank.CO_BANK not in third.banking.cover
    assert Bank.CO_BANK in second.banking.cover


def test_what_hangs_on_a_change_changes_with_it() -> None:
    third = BOOKS[2]
    assert third.irregularities.methods == {Bank.HOUSE, Bank.PLAYER}
    assert third.dice.banking is third.banking
    assert third.house_way().irregularities is third.irregularities
    assert BOOKS[1].irregularities.play is BOOKS[1].play


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"play.players": 1}, "nothing is called 'players' there"),
        ({"play.close.NOBODY": 1}, "nothing is called 'NOBODY' there; known: HOUSE, PLAYER, CO_BANK"),
        ({"games.tiles": 1}, "nothing is called 'games' there"),
    ],
)
def test_a_change_of_what_is_not_there_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(RulebookVersionError, match=message):
        versions_of(NZ, (Amendment("x", date(2000, 1, 1), changes),))


def test_versions_come_in_order_and_once() -> None:
    with pytest.raises(RulebookVersionError, match="give them in order"):
        versions_of(NZ, (NO_CO_BANK, FEWER))
    with pytest.raises(RulebookVersionError, match="two versions called 'amended 1999'"):
        versions_of(NZ, (FEWER, FEWER))
    with pytest.raises(RulebookVersionError, match="known: 1998-02-01, amended 1999, amended 2001"):
        of_revision(BOOKS, "amended 2000")


@pytest.mark.usefixtures("_amended")
def test_a_round_is_judged_by_the_version_it_began_under() -> None:
    """Two players share a box in the round before the amendment; in the round after it nobody may."""
    lines = [line for line, _ in rows(GOLDEN["nz-1998", Bank.HOUSE])]
    session = Session.opened(rulebook("nz-1998", on=date(1999, 2, 28)))
    later = rulebook("nz-1998", on=date(1999, 3, 1))
    for line in lines:  # it ends after midnight
        session = session.append(session.current.due if line.startswith("settled") else event(line), later)
    assert {log.setup.book.version for log in session.rounds} == {"1998-02-01"}
    for line in ("bank-offered box=2 player=Ann", "bank-declined box=2 player=Ann"):
        session = session.append(event(line), later)
    assert session.current.setup.book.version == "amended 1999"
    for box, player in ((4, "Bob"), (5, "Cho")):
        session = session.append(event(f"bank-offered box={box} player={player}"))
        session = session.append(event(f"bank-declined box={box} player={player}"))
    for line in ("house-banks", "shuffled", "wager-placed box=2 player=Ann amount=20"):
        session = session.append(event(line))
    with pytest.raises(IllegalEventError, match="1 wager on box 2 already"):
        session.append(event("wager-placed box=2 player=Bob amount=20"))
    written = session.to_dict()
    assert written["rulebook_versions"] == ["1998-02-01"] * (len(session.rounds) - 1) + ["amended 1999"]
    again = Session.from_dict(json.loads(json.dumps(written)))
    assert [log.setup.book.version for log in again.rounds] == written["rulebook_versions"]
    assert again.rounds[-1].state.wagers == session.rounds[-1].state.wagers


def test_a_round_is_played_by_the_house_way_it_began_under(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    nines = '\n[[rule]]\nnumber = "1"\nname = "{0}"\npair = "nines"\nset = "{0} the pair"\n{1} = 2000-03-01\n'
    file.write_text(HEAD + nines.format("split", "until") + nines.format("keep", "from") + LAST)
    session = Session.opened(NZ, Table(house_way=str(file), house_way_on=date(2000, 2, 28)))
    for line, _ in rows(GOLDEN["nz-1998", Bank.HOUSE]):
        due = session.current.due if line.startswith("settled") else event(line)
        session = session.append(due, day=date(2000, 2, 29))
    before = len(session.rounds)
    session = session.append(event("bank-offered box=2 player=Ann"), day=date(2000, 3, 1))
    session = session.append(event("bank-declined box=2 player=Ann"), day=date(2002, 1, 1))
    played = [log.setup.house_way.rules[0].name for log in session.rounds]
    assert played == [*["split"] * before, "keep"]
    written = session.to_dict()
    again = Session.from_dict(json.loads(json.dumps(written)))
    assert [log.setup.house_way.rules[0].name for log in again.rounds] == played
    assert again.to_dict() == written


def test_another_book_is_another_table() -> None:
    session = Session.opened(NZ)
    for line, _ in rows(GOLDEN["nz-1998", Bank.HOUSE]):
        session = session.append(session.current.due if line.startswith("settled") else event(line))
    with pytest.raises(RecordError, match="played under nz-1998, not crown"):
        session.append(event("shuffled"), rulebook("crown-6.1"))
