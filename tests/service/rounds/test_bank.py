"""The bank of a round: seen, reported, both, contradicted; and a round keeps the bank it was dealt with."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from calibration.table.places import BOX_PLACES
from engine.observed.possible import KnownBank
from engine.vocabulary.facts import Bank
from service.rounds.bank import ReportedBank, bank_of, known_bank
from service.rounds.judge.rules_in_force import TableRules
from service.rounds.reports import BankReport, RoundReport
from service.rounds.review import as_read
from service.rounds.round_tracker import RoundTracker
from service.words.findings import english
from tests.service.stand_ins import EMPTY, RIGHT, hand, noisy, reading, report_round
from tests.vision.tracking.test_marker_watch import CHUNG, OFF, lying
from vision.reading import MarkerReading
from vision.tracking.marker_watch import MarkersSeen

THREE = MarkersSeen(banker=BOX_PLACES[2], out_of_play=(BOX_PLACES[4],))
START = datetime(2026, 1, 1, tzinfo=UTC)
HOUSE = reading(hand("house", *RIGHT))


def banker(report: BankReport | None) -> tuple[int | None, str | None, str] | None:
    return None if report is None or report.banker is None else (*_two(report), report.banker.source)


def _two(report: BankReport) -> tuple[int | None, str | None]:
    assert report.banker is not None
    return report.banker.box, report.banker.held


def test_nothing_is_known_where_nobody_looks_or_says_so() -> None:
    assert bank_of(None, None) is None
    assert bank_of(MarkersSeen(), None) == BankReport(doubts=())


@pytest.mark.parametrize(
    ("seen", "reported", "known"),
    [
        (THREE, None, (3, None, "camera")),
        (replace(THREE, held=Bank.CO_BANK), None, (3, "co-bank", "camera")),
        (None, ReportedBank("Pit", Bank.PLAYER, 3), (3, "player", "http")),
        (THREE, ReportedBank("Pit", Bank.PLAYER), (3, "player", "http")),
        (THREE, ReportedBank("Pit", out_of_play=(6,)), (3, None, "camera")),
        (MarkersSeen(), ReportedBank("Pit", Bank.HOUSE), (None, "house", "http")),
        (THREE, ReportedBank("Pit", Bank.PLAYER, 4), None),
        (replace(THREE, held=Bank.HOUSE), ReportedBank("Pit", Bank.PLAYER, 3), None),
    ],
)
def test_seen_and_told_are_put_together(
    seen: MarkersSeen | None, reported: ReportedBank | None, known: tuple[int | None, str | None, str] | None
) -> None:
    """crown-6.1 2.5.3; nz-1998 3.3(f); star-2024 2.5.5; star-classic 2.4.4, 6.2: the chung says who banks."""
    report = bank_of(seen, reported)
    assert banker(report) == known
    assert report is not None
    assert bool(report.doubts) == (known is None)


def test_boxes_out_of_play_say_where_they_are_known_from() -> None:
    """crown-6.1 2.5.2; nz-1998 3.3(e); star-2024 2.5.4; star-classic 2.4.3: the off button."""
    report = bank_of(THREE, ReportedBank("Pit", out_of_play=(5, 7)))
    assert report is not None
    assert [(each.box, each.source, each.by) for each in report.out_of_play] == [
        (5, "camera", None),
        (7, "http", "Pit"),
    ]


@pytest.mark.parametrize(("seen", "reported", "value"), [(4, None, 4), (None, -4, -4), (4, 4, 4), (4, -4, None)])
def test_an_adjustment_seen_and_told_otherwise_is_not_known(
    seen: int | None, reported: int | None, value: int | None
) -> None:
    """nz-1998 9.7; star-classic 7.9: the value nominated is shown on a button."""
    report = bank_of(MarkersSeen(adjusted=seen), ReportedBank("Pit", adjusted=reported))
    assert report is not None
    assert (report.adjustment and report.adjustment.value) == value
    differs = "the button shows +4, but \N{MINUS SIGN}4 was entered"
    assert english(report.doubts) == ((differs,) if value is None else ())


def played(
    *pictures: tuple[bool, tuple[MarkerReading, ...]], reported: ReportedBank | None = None
) -> list[RoundReport]:
    """The changes of a round of pictures, each with the House's hand or without, and with these markers."""
    tracker = RoundTracker(lambda: "r1", 2, 2)
    changes = []
    for second, (hands, markers) in enumerate(pictures):
        picture = replace(noisy(HOUSE if hands else EMPTY, second), markers=markers, image=str(second))
        changes.append(tracker.update(picture, START + timedelta(seconds=second), reported))
    return [each for each in changes if each is not None]


AT_3, AT_5, AWAY = (lying(CHUNG, 3), lying(OFF, 2)), (lying(CHUNG, 5), lying(OFF, 2)), ()


def test_a_round_keeps_the_bank_it_was_dealt_with() -> None:
    changes = played(*[(False, AT_3)] * 4, *[(True, AT_3)] * 4, *[(True, AT_5)] * 5, *[(False, AT_5)] * 4)
    assert {banker(each.bank) for each in changes} == {(3, None, "camera")}
    assert changes[-1].closed_at is not None


def test_a_chung_hidden_at_first_counts_only_where_it_lay() -> None:
    before, hidden = [(False, AT_3)] * 4, [(True, AWAY)] * 3
    assert banker(played(*before, *hidden)[-1].bank) is None
    assert banker(played(*before, *hidden, *[(True, AT_3)] * 4)[-1].bank) == (3, None, "camera")
    assert banker(played(*before, *hidden, *[(True, AT_5)] * 4)[-1].bank) is None
    assert banker(played(*hidden, *[(True, AT_5)] * 4)[-1].bank) is None


def test_what_is_told_later_makes_a_revision_and_reads_back() -> None:
    last = played(*[(False, AT_3)] * 4, *[(True, AT_3)] * 4, reported=ReportedBank("Pit", Bank.PLAYER))[-1]
    assert banker(last.bank) == (3, "player", "http")
    report = report_round(last, table="t", rules=TableRules.of("crown-6.1"), versions={})
    assert as_read(type(report).model_validate_json(report.model_dump_json())).bank == last.bank


def test_where_players_bank_nobody_is_taken_to() -> None:
    assert bank_of(None, None) is None
    assert known_bank(None) == KnownBank(Bank.HOUSE)
    unknown = bank_of(None, None, players_bank=True)
    assert unknown == BankReport()
    assert known_bank(unknown) == KnownBank()
    reported = bank_of(None, ReportedBank("Eve", Bank.PLAYER, 3), players_bank=True)
    assert known_bank(reported) == KnownBank(Bank.PLAYER, 3)
