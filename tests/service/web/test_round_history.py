"""The history, the queue and the figures, over a real record."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from service.record.ledger import Evidence, Ledger
from service.record.projections import round_search as history
from service.record.projections.projector import Projector
from service.record.shifts.round_figures import RoundCounts
from service.record.shifts.shift_figures import count
from service.record.store.entries import Picture
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import verdict_of
from service.rounds.review import ReviewIn
from service.web.round_views import picture_of
from service.web.routes.rounds import Search
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    HOUSE_WRONG,
    RIGHT,
    hand,
    new_folder,
    reading,
    report_round,
    revisions,
)
from vision.reading import Reading

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare on the 5-3",)), hand("box3", "1-1 4-3", "4-4 5-5"))
START = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
ZONE = ZoneInfo("UTC")
MELBOURNE = ZoneInfo("Australia/Melbourne")  # UTC+11 in March
RULES = TableRules.of("crown-6.1")


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    record = Record(RecordSettings(new_folder()))
    yield Ledger(record, "test", RULES)
    record.close()


def play(ledger: Ledger, at: datetime, *readings: Reading, name: str) -> None:
    """Record a round with one revision for each reading."""
    for number, played in enumerate(revisions(name, at, *readings)):
        pictures = [Evidence("house", "annotated", Picture(f"{name} {number}".encode()))]
        ledger.revise(report_round(played, table="test", rules=RULES, versions={}), pictures)


@pytest.fixture(scope="module")
def night() -> Iterator[Ledger]:
    record = Record(RecordSettings(new_folder()))
    yield filled(Ledger(record, "test", RULES))
    record.close()


def filled(ledger: Ledger) -> Ledger:
    """One round every half hour: right, wrong, in doubt, wrong and set right, and so on."""
    kinds = ((HOUSE_RIGHT,), (HOUSE_WRONG,), (DOUBTFUL,), (HOUSE_WRONG, HOUSE_RIGHT))
    for number in range(8):
        play(ledger, START + number * timedelta(minutes=30), *kinds[number % 4], name=f"r{number}")
    return ledger


def found(ledger: Ledger, asked: Search, zone: ZoneInfo = ZONE) -> list[str]:
    return [played.id for played in searched(ledger, asked, zone).played]


def searched(ledger: Ledger, asked: Search, zone: ZoneInfo = ZONE) -> history.FoundRounds:
    return history.find_rounds(Projector(ledger.record), asked.in_zone(zone), ["test"], before=asked.before)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "76543210"),
        ({"verdict": "wrong"}, "51"),
        ({"verdict": "needs_review"}, "62"),
        ({"verdict": "correct"}, "7430"),
        ({"verdict": "none"}, ""),
        ({"status": "needs_review"}, "62"),
        ({"place": "box2"}, "7430"),
        ({"place": "box3"}, "62"),
        ({"place": "", "since": "", "number": ""}, "76543210"),
        ({"since": "2026-03-02"}, "76543"),
        ({"until": "2026-03-01"}, "210"),
        ({"since": "2026-03-01", "until": "2026-03-01", "verdict": "wrong"}, "1"),
        ({"since": "2026-03-03"}, ""),
        ({"until": "2026-02-28"}, ""),
        ({"until": "9999-12-30"}, "76543210"),
        ({"since": "1900-01-01"}, "76543210"),
        ({"q": "GLARE"}, ""),
        ({"q": " 1-1 4-3 "}, "764320"),
        ({"number": 5}, "4"),
        ({"number": 5, "verdict": "wrong"}, ""),
        ({"number": 99}, ""),
        ({"dealer": "nobody"}, ""),
        ({"q": "r5"}, "5"),
    ],
)
def test_filters(night: Ledger, asked: dict[str, object], expected: str) -> None:
    assert found(night, Search.model_validate(asked)) == [f"r{number}" for number in expected]


def test_days_are_those_of_the_casino(night: Ledger) -> None:
    # 22:30 UTC is the next morning in Melbourne.
    assert found(night, Search(until=date(2026, 3, 1)), MELBOURNE) == []
    assert len(found(night, Search(since=date(2026, 3, 2), until=date(2026, 3, 2)), MELBOURNE)) == 8


def test_pages_skip_and_repeat_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(ledger)
    monkeypatch.setattr(history.find_rounds, "__kwdefaults__", {"before": None, "limit": 3})
    monkeypatch.setattr(history, "_BATCH", 2)
    seen: list[str] = []
    before: str | None = None
    for _ in range(3):
        page = searched(ledger, Search(before=before))
        seen += [played.id for played in page.played]
        before = page.next
        # A round that starts in between is on no later page.
        play(ledger, START + timedelta(days=1, seconds=len(seen)), HOUSE_RIGHT, name=f"new{len(seen)}")
    assert (seen, before) == ([f"r{number}" for number in range(7, -1, -1)], None)


def test_an_answer_says_how_far_back_it_looked(night: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LOOKED_AT_ONCE", 3)
    first = searched(night, Search(place="box3"))
    assert [played.id for played in first.played] == ["r6"]
    assert first.looked_back_to == START + timedelta(minutes=150)
    second = searched(night, Search(place="box3", before=first.next))
    assert [played.id for played in second.played] == ["r2"]
    third = searched(night, Search(place="box3", before=second.next))
    assert (third.played, third.next) == ((), None)


def test_a_round_is_found_by_its_number_however_long_ago(night: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "LOOKED_AT_ONCE", 1)
    assert found(night, Search(number=1)) == ["r0"]


def test_a_round_is_found_by_its_dealer(ledger: Ledger) -> None:
    filled(ledger)
    (played,) = revisions("r8", START + timedelta(days=1), HOUSE_RIGHT)
    report = report_round(played, table="test", rules=RULES, versions={})
    ledger.revise(report.model_copy(update={"dealer": "Ann Lee"}))
    assert found(ledger, Search(dealer="ann lee")) == ["r8"]
    assert found(ledger, Search(dealer="ann")) == []
    assert found(ledger, Search(q="ANN")) == ["r8"]


def test_the_verdict_is_on_the_house_hand_alone(ledger: Ledger) -> None:
    """The dealer is asked to set box 3, which is judged too and in doubt."""
    doubtful_box = hand("box3", "1-1 4-3", "4-4 5-5", "uncertain", ("glare on the 4-3",))
    (played,) = revisions("r1", START, reading(hand("house", *RIGHT), doubtful_box))
    ledger.revise(report_round(played.model_copy(update={"asked": ("box3",)}), table="test", rules=RULES, versions={}))
    (listed,) = searched(ledger, Search(verdict="correct")).played
    assert (verdict_of(listed), listed.status) == ("correct", "needs_review")
    assert [hand.house_way.verdict for hand in listed.judged if hand.house_way] == ["correct", "needs_review"]
    assert found(ledger, Search(verdict="needs_review")) == []


def test_the_queue_forgets_what_is_decided(ledger: Ledger) -> None:
    filled(ledger)
    asked = {"action": "confirm", "by": "A. Supervisor", "reason": "Looked", "revision": 2}
    ledger.review("r2", ReviewIn.model_validate(asked), None, "ann")
    assert found(ledger, Search(status="needs_review")) == ["r6"]
    assert found(ledger, Search(q="supervisor")) == ["r2"]


def test_the_picture_to_decide_by_shows_tiles(ledger: Ledger) -> None:
    play(ledger, START, DOUBTFUL, EMPTY, name="r1")
    told = [report for _, report in ledger.revisions("r1")]
    assert [report.state for report in told] == ["open", "closed"]
    assert picture_of(told) == Picture(b"r1 0").sha256
    assert picture_of(told[1:]) is None


def statuses(counts: RoundCounts) -> RoundCounts:
    """The counts without times and boxes."""
    return replace(counts, timed=0, lasted_s=0.0, boxed=0, boxes=0.0)


def test_figures_of_a_day(ledger: Ledger) -> None:
    filled(ledger)
    asked = {"action": "confirm", "by": "A. Supervisor", "reason": "Looked", "revision": 2}
    ledger.review("r6", ReviewIn.model_validate(asked), None, "ann")
    day = count(Projector(ledger.record), date(2026, 3, 2), ZONE, (), ["test"]).of(["test"])
    assert statuses(day.whole) == RoundCounts("", rounds=5, verified=4, decided=1, mistakes=3)
    assert [(shift.name, shift.rounds) for shift in day.shifts] == [
        ("Night", 5),
        ("Morning", 0),
        ("Afternoon", 0),
        ("Evening", 0),
    ]
    assert count(Projector(ledger.record), date(2026, 3, 1), ZONE, (), ["test"]).of(["test"]).whole.rounds == 3
    assert count(Projector(ledger.record), date(2026, 3, 2), MELBOURNE, (), ["test"]).of(["test"]).whole.rounds == 8


def test_a_persons_word_decides_what_was_a_mistake(ledger: Ledger) -> None:
    play(ledger, START, HOUSE_WRONG, name="r1")
    right = {"place": "house", "low": RIGHT[0].split(), "high": RIGHT[1].split()}
    asked = {"action": "correct", "by": "A", "reason": "Misread", "revision": 1, "hands": [right]}
    ledger.review("r1", ReviewIn.model_validate(asked), None, "ann")
    told = count(Projector(ledger.record), START.date(), ZONE, (), ["test"]).of(["test"]).whole
    assert statuses(told) == RoundCounts("", rounds=1, decided=1, mistakes=0)
