"""A round that passed while the camera did not see the table has an entry that says so, and leaves nothing behind."""

from collections.abc import Iterator
from datetime import timedelta
from functools import cache

import pytest

from datasets.simulator.readings import ErrorRates, ReadingSource, TimedReading
from datasets.simulator.script import Options, Script, script
from service.record.ledger import Ledger
from service.record.projections.alarms import AlarmList
from service.record.projections.projector import Projector
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import RoundReport
from service.rounds.review import ReviewIn
from tests.service.rounds.followed import START, tracker_of
from tests.service.stand_ins import new_folder, report_round

BOOK = "star-2024"


@cache
def filmed() -> tuple[Script, tuple[TimedReading, ...]]:
    """Two rounds, in each of which a die leans at first."""
    made = script(5, Options(rulebook=BOOK, rounds=2, cocked_rate=1.0))
    return made, tuple(ReadingSource(made, 5.0, ErrorRates(), seed=1))


def at(number: int, kind: str) -> float:
    return next(each.t_s for each in filmed()[0].rounds[number].happenings if each.kind == kind)


def closed(seen: Iterator[TimedReading]) -> list[RoundReport]:
    made, _ = filmed()
    tracker = tracker_of(made)
    changed = [tracker.update(each.reading, START + timedelta(seconds=each.t_s)) for each in seen]
    return [each for each in changed if each is not None and each.state == "closed"]


def codes(played: RoundReport) -> set[str]:
    return {each.code for each in played.findings}


def without(since_s: float, until_s: float) -> Iterator[TimedReading]:
    return (each for each in filmed()[1] if not since_s <= each.t_s < until_s)


def test_a_round_of_which_only_the_leaning_die_was_seen() -> None:
    # The last die to be seen before the gap leans: the first throw of the round.
    rounds = closed(without(at(0, "dice-shown") + 1.5, at(1, "tiles-delivered") + 1))
    unseen, following = rounds
    assert codes(unseen) == {"round_not_seen"}
    assert not unseen.hands
    assert unseen.opened_at < unseen.closed_at  # type: ignore[operator]
    assert not following.dice
    assert "cocked_die" not in codes(following)
    assert following.hands


def test_a_round_whose_end_was_not_seen_is_not_mixed_up_with_the_next() -> None:
    first, second = closed(without(at(0, "settled") + 1, at(1, "tiles-delivered") + 1))
    assert "round_end_not_seen" in codes(first)
    assert not second.dice
    assert not codes(second) & {"tiles_changed", "seen_again", "duplicate_face", "round_end_not_seen"}


@pytest.mark.parametrize("apart", [15, 20, 30], ids="{0} pictures".format)
def test_rounds_in_pictures_too_far_apart(apart: int) -> None:
    assert codes(closed(iter(filmed()[1][::apart]))[0]) == {"round_not_seen"}


def test_rounds_that_were_seen_have_no_such_entry() -> None:
    rounds = closed(iter(filmed()[1]))
    assert len(rounds) == 2
    assert not set.union(*map(codes, rounds)) & {"round_not_seen", "round_end_not_seen"}


def test_it_gives_alarm_until_a_person_says_what_was_done() -> None:
    record = Record(RecordSettings(new_folder()))
    ledger = Ledger(record, "t1", TableRules.of(BOOK))
    for seen in closed(without(at(0, "dice-shown") + 1.5, at(1, "tiles-delivered") + 1)):
        ledger.revise(report_round(seen, table="t1", rules=ledger.rules, versions={}))
    assert [ledger.newest(name).status for name in ("r1", "r2")] == ["needs_review", "verified"]
    assert _alarms(record) == [("needs_review", 1, None)]
    said = {"part": "finding1", "outcome": "called", "called": "surveillance"}
    told = {"action": "outcome", "by": "ann", "revision": 1, "outcome": said}
    assert ledger.review("r1", ReviewIn.model_validate(told), None, "ann").status == "confirmed"
    assert _alarms(record) == [("needs_review", 1, ("outcome", "ann"))]
    record.close()


def _alarms(record: Record) -> list[tuple[str, int | None, tuple[str, str] | None]]:
    projector = Projector(record)
    projector.catch_up(1)
    return [
        (
            each.kind,
            None if each.round is None else each.round.number,
            None if each.answer is None else (each.answer.action, each.answer.by),
        )
        for each in AlarmList(projector.database).page().alarms
    ]
