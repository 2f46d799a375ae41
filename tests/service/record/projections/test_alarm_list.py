"""Alarms over SQLite and PostgreSQL: the same however it came to be, and quick however much is recorded."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.record.projections.alarms import Alarm, AlarmList
from service.record.projections.projector import Projector
from service.record.store.entries import Draft
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, hand, new_folder, opened, reading, report_round

DOUBTFUL = reading(hand("house", *RIGHT, "uncertain", ("glare",)))
RULES = TableRules.of("crown-6.1")
REPORTS = {
    name: report_round(opened(read), table="test", rules=RULES, versions={})
    for name, read in (("right", HOUSE_RIGHT), ("wrong", HOUSE_WRONG), ("doubt", DOUBTFUL))
}


class Book(AlarmList):
    """The alarms of one table, with what makes them of its record."""

    def __init__(self, record: Record, table: str) -> None:
        super().__init__(record.database, [table])
        self.projector = Projector(record)

    def catch_up(self) -> bool:
        return self.projector.catch_up()


@pytest.fixture
def record(database_url: str | None) -> Iterator[Record]:
    record = Record(RecordSettings(new_folder(), database_url))
    assert record.state.ok, record.state.message
    yield record
    record.close()


def played(record: Record, name: str, round_id: str = "r1", revision: int = 1, kind: str = "round") -> None:
    body = REPORTS[name].model_copy(update={"id": round_id, "revision": revision}).model_dump(mode="json")
    drafted = Draft(
        "review" if kind == "review" else "round", body, table="test", round=round_id, subject=str(revision)
    )
    record.append(drafted)


def checked(record: Record, *bad: str) -> None:
    found = [{"code": "not_reached", "params": {"why": "gone"}}]
    checks = [{"name": name, "findings": found} for name in bad]
    record.append(Draft("alarm", {"ok": not bad, "checks": checks}, table="test"))


def acknowledged(record: Record, *names: str) -> None:
    told = [{"id": name} for name in names]
    record.append(Draft("acknowledgement", {"by": "ann", "reason": "", "alarms": told}, table="test"))


def all_of(book: Book) -> tuple[Alarm, ...]:
    found: list[Alarm] = []
    cursor = None
    while True:
        page = book.page(limit=2, cursor=cursor)
        found += page.alarms
        cursor = page.next
        if cursor is None:
            return tuple(found)


def test_raised_ended_answered(record: Record) -> None:
    book = Book(record, "test")
    assert book.catch_up() is False
    played(record, "wrong")
    checked(record, "source")
    assert book.catch_up() is True
    assert book.counts() == {"house_hand_wrong": 1, "health": 1}
    wrong, health = book.open(9)
    acknowledged(record, str(wrong.id))
    checked(record)
    book.catch_up()
    assert [(each.kind, each.over_at is None, each.answer is None) for each in all_of(book)] == [
        ("health", False, True),
        ("house_hand_wrong", True, False),
    ]
    assert book.named([str(health.id), "1.1", "x"]).keys() == {health.id}
    assert [each.kind for each in book.answered("r1", 9)] == ["house_hand_wrong"]


def test_pages_hold_every_alarm_once(record: Record) -> None:
    book = Book(record, "test")
    for number in range(7):
        played(record, "wrong", f"r{number}")
    book.catch_up()
    acknowledged(record, *(str(alarm.id) for alarm in book.open(9)[::2]))
    book.catch_up()
    found = all_of(book)
    assert len({each.id for each in found}) == len(found) == 7
    answered = [each.answer is not None for each in found]
    assert answered == sorted(answered)
    for part in (found[:3], found[3:]):
        raised = [each.raised_at for each in part]
        assert raised == sorted(raised, reverse=True)
    assert {each.kind for each in book.page(kind="health").alarms} == set()
    assert len(book.page(only_open=True).alarms) == 3
    with pytest.raises(ValueError, match="nonsense"):
        book.page(cursor="nonsense")


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("round"), st.sampled_from(("right", "wrong", "doubt")), st.sampled_from(("r1", "r2"))),
        st.tuples(st.just("review"), st.sampled_from(("right", "wrong")), st.sampled_from(("r1", "r2"))),
        st.tuples(st.just("checks"), st.sets(st.sampled_from(("source", "camera")))),
        st.tuples(st.just("acknowledge"), st.integers(0, 3)),
    ),
    max_size=12,
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(steps=_STEPS)
def test_however_it_is_read_the_record_says_the_same_and_nothing_unanswered_is_lost(
    steps: Sequence[tuple[object, ...]],
) -> None:
    record = Record(RecordSettings(new_folder(), None))
    book = Book(record, "test")
    waiting: set[int] = set()
    for revision, (act, *said) in enumerate(steps, start=1):
        answered: set[int] = set()
        before = book.open(99)
        if act in {"round", "review"}:
            played(record, str(said[0]), str(said[1]), revision, str(act))
            if act == "review" or said[0] != "doubt":
                answered = {_number(each) for each in before if each.kind == "needs_review"}
        elif act == "checks":
            checked(record, *sorted(map(str, said[0])))  # type: ignore[call-overload]
        else:
            seen = before[: int(str(said[0]))]
            acknowledged(record, *(str(each.id) for each in seen))
            answered = set(map(_number, seen))
        book.catch_up()
        now = set(map(_number, book.open(99)))
        assert waiting - answered <= now
        waiting = now
    in_steps = all_of(book)
    book.projector.rebuild()
    assert all_of(book) == in_steps
    record.close()


def _number(alarm: Alarm) -> int:
    return int(str(alarm.id).partition(".")[0])
