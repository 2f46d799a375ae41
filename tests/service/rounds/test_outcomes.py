"""What was done about a wrong hand or a finding: seen by the camera, or reported by a person."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, get_args

import pytest

from service.record.ledger import Ledger
from service.record.projections.alarms import AlarmList
from service.record.projections.projector import Projector
from service.record.store.record import Record
from service.record.store.record_settings import RecordSettings
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.outcomes import CALLED, OUTCOMES, acceptors, outcome_words, subjects, wrong_hands
from service.rounds.reports import (
    ExceptionReport,
    FindingReport,
    IrregularityReport,
    Outcome,
    RoundMoment,
    RoundReport,
)
from service.rounds.review import OutcomeIn, ReviewError, ReviewIn
from tests.service.stand_ins import HOUSE_RIGHT, HOUSE_WRONG, RIGHT, hand, new_folder, reading, report_round, revisions
from vision.findings import Code
from vision.reading import Reading

START = datetime(2026, 3, 1, 22, 30, tzinfo=UTC)
TURNING = reading(hand("house", *RIGHT, "uncertain", ("an arm is over it",)))
OTHER_TILES = reading(hand("house", "6-3 5-3", "6-6 5-2"))
EXPOSED = FindingReport(
    code=Code.EXPOSED_BEFORE_BANK,
    params={"place": "box2"},
    rule="10.14",
    irregularities=(IrregularityReport(kind="dispute", bank="house"),),
)
CUT = FindingReport(
    code=Code.CUT_AGAINST_DIE,
    rule="8.4.4",
    unless=(ExceptionReport(code="cut_accepted", rule="8.4.5", by="casino supervisor"),),
)


@pytest.fixture
def record() -> Iterator[Record]:
    made = Record(RecordSettings(new_folder()))
    yield made
    made.close()


def ledger_of(record: Record, book: str = "crown-6.1") -> Ledger:
    return Ledger(record, "test", TableRules.of(book))


def play(
    ledger: Ledger,
    *readings: Reading,
    moment: RoundMoment | None = "no-hand-exposed",
    findings: tuple[FindingReport, ...] = (),
) -> RoundReport:
    """Record a round, one revision for each reading, at a stage that it has reached."""
    for played in revisions("r1", START, *readings):
        seen = played.model_copy(update={"moment": moment, "findings": findings})
        ledger.revise(report_round(seen, table="test", rules=ledger.rules, versions={}))
    return ledger.newest("r1")


def say(ledger: Ledger, revision: int = 1, **outcome: Any) -> RoundReport:  # noqa: ANN401  any value of the request
    said = {"action": "outcome", "by": "ann", "revision": revision, "outcome": {"part": "house", **outcome}}
    return ledger.review("r1", ReviewIn.model_validate(said), None, "ann")


@pytest.mark.parametrize(
    ("book", "moment", "seen"),
    [
        ("crown-6.1", "no-hand-exposed", True),
        ("crown-6.1", "first-hand-exposed", True),
        ("crown-6.1", "bank-put-away", False),
        ("nz-1998", "no-hand-exposed", True),
        ("nz-1998", "first-hand-exposed", False),
        ("star-2024", "first-hand-exposed", False),
        ("star-classic", "first-hand-exposed", False),
        ("crown-6.1", None, False),
    ],
)
def test_the_camera_sees_a_hand_corrected_as_long_as_the_book_lets_it_be(
    record: Record, book: str, moment: RoundMoment | None, *, seen: bool
) -> None:
    """crown-6.1 12.5; nz-1998 12.8; star-2024 and star-classic 15.7 (ruling 33)."""
    newest = play(ledger_of(record, book), HOUSE_WRONG, HOUSE_RIGHT, moment=moment)
    found = [(each.outcome, each.place, each.source, each.by, each.seen_in, each.revision) for each in newest.outcomes]
    late = [] if moment is None else [("too_late", "house", "camera", None, 1, 1)]
    assert found == ([("corrected", "house", "camera", None, 1, 2)] if seen else late)
    assert not seen or all(each.at == newest.changed_at for each in newest.outcomes)


@pytest.mark.parametrize(
    ("book", "moment", "late"),
    [
        ("crown-6.1", "no-hand-exposed", False),
        ("crown-6.1", "first-hand-exposed", False),
        ("crown-6.1", "bank-put-away", True),
        ("nz-1998", "no-hand-exposed", False),
        ("nz-1998", "first-hand-exposed", True),
        ("star-2024", "first-hand-exposed", True),
        ("star-classic", "first-hand-exposed", True),
        ("star-2024", None, False),
    ],
)
def test_the_camera_sees_that_a_hand_was_not_corrected_in_time(
    record: Record, book: str, moment: RoundMoment | None, *, late: bool
) -> None:
    """crown-6.1 12.5; nz-1998 12.8; star-2024 and star-classic 15.7 (ruling 33)."""
    ledger = ledger_of(record, book)
    play(ledger, HOUSE_WRONG)
    newest = play(ledger, HOUSE_WRONG, HOUSE_WRONG, moment=moment)
    found = [(each.outcome, each.place, each.source, each.by, each.seen_in, each.revision) for each in newest.outcomes]
    assert found == ([("too_late", "house", "camera", None, 2, 2)] if late else [])
    assert str(outcome_words(newest.outcomes[0]) if late else "") == ("Too late to correct" if late else "")


def test_what_a_person_reported_is_not_replaced_by_too_late(record: Record) -> None:
    ledger = ledger_of(record, "nz-1998")
    play(ledger, HOUSE_WRONG)
    say(ledger, outcome="called", called="supervisor")
    outcomes = play(ledger, HOUSE_WRONG, moment="first-hand-exposed").outcomes
    assert [each.outcome for each in outcomes] == ["called"]


def test_a_hand_corrected_in_time_is_never_too_late(record: Record) -> None:
    ledger = ledger_of(record, "nz-1998")
    play(ledger, HOUSE_WRONG, HOUSE_RIGHT)
    outcomes = play(ledger, HOUSE_RIGHT, moment="first-hand-exposed").outcomes
    assert [each.outcome for each in outcomes] == ["corrected"]


def test_a_moment_that_was_not_seen_makes_nothing_too_late(record: Record) -> None:
    unseen = (FindingReport(code=Code.ROUND_END_NOT_SEEN, irregularities=(IrregularityReport(kind="dispute"),)),)
    assert play(ledger_of(record), HOUSE_WRONG, moment="bank-put-away", findings=unseen).outcomes == ()


@pytest.mark.parametrize(
    ("readings", "corrected"),
    [
        pytest.param((HOUSE_WRONG, TURNING, HOUSE_RIGHT), 1, id="in-doubt-in-between"),
        pytest.param((HOUSE_WRONG, HOUSE_RIGHT, HOUSE_RIGHT), 1, id="once"),
        pytest.param((HOUSE_WRONG, HOUSE_RIGHT, HOUSE_WRONG, HOUSE_RIGHT), 2, id="twice"),
        pytest.param((TURNING, HOUSE_RIGHT), 0, id="never-wrong"),
        pytest.param((HOUSE_WRONG, OTHER_TILES), 0, id="other-tiles"),
        pytest.param((HOUSE_WRONG, TURNING), 0, id="not-read-yet"),
    ],
)
def test_only_the_same_tiles_read_again_are_a_correction(
    record: Record, readings: tuple[Reading, ...], corrected: int
) -> None:
    assert len(play(ledger_of(record), *readings).outcomes) == corrected


def test_a_person_who_says_that_it_was_misread_corrects_no_hand(record: Record) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_WRONG)
    low, high = (pair.split() for pair in RIGHT)
    lay = {"place": "house", "low": low, "high": high}
    said = {"action": "correct", "by": "ann", "reason": "Misread", "revision": 1, "hands": [lay]}
    assert ledger.review("r1", ReviewIn.model_validate(said), None, "ann").outcomes == ()
    assert play(ledger, HOUSE_WRONG, HOUSE_RIGHT).outcomes == ()


def test_a_report_is_a_revision_that_later_readings_keep(record: Record) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_WRONG)
    said = say(ledger, outcome="called", called="surveillance")
    assert (said.revision, said.status, said.outcomes[0].by, said.outcomes[0].source) == (2, "verified", "ann", "http")
    assert str(outcome_words(said.outcomes[0])) == "Surveillance called"
    again = play(ledger, HOUSE_RIGHT)
    assert [(each.outcome, each.revision) for each in again.outcomes] == [("called", 2), ("corrected", 3)]
    every = [report for _, report in ledger.revisions("r1")]
    (wrong,) = wrong_hands(every)
    assert wrong.over
    assert wrong.outcome is not None
    assert wrong.outcome.outcome == "corrected"


def test_a_hand_that_is_wrong_again_has_no_outcome_yet(record: Record) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_WRONG, HOUSE_RIGHT, HOUSE_WRONG)
    every = [report for _, report in ledger.revisions("r1")]
    wrong = wrong_hands(every)
    assert [(each.since == each.first.changed_at, each.over, each.outcome is None) for each in wrong] == [
        (True, True, False),
        (True, False, True),
    ]


def test_a_finding_may_be_reported_though_something_was_read_since(record: Record) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_RIGHT, HOUSE_WRONG, findings=(EXPOSED,))
    said = say(ledger, part="finding1", outcome="too_late")
    outcome = said.outcomes[0]
    assert (outcome.finding, outcome.place, outcome.seen_in, outcome.revision) == (EXPOSED.alone, None, 1, 3)
    assert said.hands[0].is_set_wrongly


def test_who_may_accept_is_the_rulebooks(record: Record) -> None:
    ledger = ledger_of(record, "star-2024")
    newest = play(ledger, HOUSE_RIGHT, findings=(CUT,))
    (subject,) = subjects(newest)
    allowed = acceptors(subject, newest, ledger.rules.of_round(newest))
    assert allowed[0] == "casino supervisor"
    assert "game supervisor" not in allowed
    said = say(ledger, part="finding1", outcome="accepted", title="Casino Supervisor (or above)")
    assert said.outcomes[0].title == "casino supervisor"
    assert str(outcome_words(said.outcomes[0])) == "Accepted by casino supervisor"
    with pytest.raises(ReviewError, match=r"lets these accept it: casino supervisor"):
        say(ledger, part="finding1", outcome="accepted", title="dealer")


def test_no_book_lets_a_wrong_house_hand_be_accepted_while_it_can_be_corrected(record: Record) -> None:
    for book in ("crown-6.1", "nz-1998", "star-2024", "star-classic"):
        ledger = ledger_of(record, book)
        newest = report_round(
            next(revisions("r1", START, HOUSE_WRONG)).model_copy(update={"moment": "no-hand-exposed"}),
            table="test",
            rules=ledger.rules,
            versions={},
        )
        (subject,) = subjects(newest)
        assert acceptors(subject, newest, ledger.rules.of_round(newest)) == ()
    play(ledger, HOUSE_WRONG)
    with pytest.raises(ReviewError, match="lets nobody accept it"):
        say(ledger, outcome="accepted", title="casino supervisor")


@pytest.mark.parametrize("part", ["box2", "finding1", "hand1"])
def test_nothing_is_reported_of_what_is_not_wrong(record: Record, part: str) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_WRONG)
    with pytest.raises(ReviewError, match=f"{part}: revision 1 has no such finding"):
        say(ledger, part=part, outcome="corrected")
    assert ledger.newest("r1").revision == 1


def test_every_outcome_has_words() -> None:
    assert set(OUTCOMES) == set(get_args(Outcome))
    assert set(CALLED) == set(get_args(get_args(OutcomeIn.model_fields["called"].annotation)[0]))


def test_a_replay_gives_the_same_rounds_and_answered_alarms(record: Record) -> None:
    ledger = ledger_of(record)
    play(ledger, HOUSE_WRONG, findings=(EXPOSED,))
    say(ledger, outcome="called", called="supervisor")
    say(ledger, revision=2, part="finding1", outcome="too_late")
    play(ledger, HOUSE_RIGHT, findings=(EXPOSED,))
    projector = Projector(record)
    projector.catch_up(1)
    before = AlarmList(projector.database).page().alarms
    answers = {each.kind: each.answer and (each.answer.action, each.answer.by) for each in before}
    assert answers == {"house_hand_wrong": ("outcome", "ann"), "procedure": ("outcome", "ann")}
    served = [report.outcomes for _, report in ledger.revisions("r1")]
    assert [len(each) for each in served] == [0, 1, 2, 3]
    again = Projector(record)
    again.rebuild()
    assert AlarmList(again.database).page().alarms == before
    assert [report.outcomes for _, report in ledger_of(record).revisions("r1")] == served
