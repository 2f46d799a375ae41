"""The manager's figures, compared with small records that were counted by hand."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from service.record.ledger import Ledger, open_record
from service.record.projections.projector import Projector
from service.record.projections.round_search import RoundFilter, find_rounds
from service.record.shifts.period_figures import Trend, count_period
from service.record.shifts.round_figures import RoundCounts
from service.record.shifts.shift_figures import count
from service.record.store.entries import timestamp
from service.rounds.judge.rules_in_force import TableRules
from tests.service.record.shifts.test_shifts import UTC_ZONE, with_rounds
from tests.service.stand_ins import EMPTY, HOUSE_RIGHT, HOUSE_WRONG, config, report_round, revisions

MONDAY = date(2026, 11, 23)
RULE = "crown-6.1 7.5.4"


def at(text: str) -> dict[str, str]:
    return {"opened_at": timestamp(datetime.fromisoformat(text).replace(tzinfo=UTC)), "status": "verified"}


def test_a_record_is_counted() -> None:
    """Three rounds on a Wednesday; a hand of the second is set right after a moment."""
    rules, started = TableRules.of("crown-6.1"), datetime(2026, 11, 25, tzinfo=UTC)
    ledger = Ledger(open_record(config()), "test", rules)
    laid = {
        -1: (HOUSE_WRONG, EMPTY),  # the day before
        0: (HOUSE_RIGHT, EMPTY),
        6: (HOUSE_WRONG, HOUSE_WRONG, HOUSE_RIGHT, EMPTY),  # put right
        7: (HOUSE_RIGHT, HOUSE_RIGHT),
        24: (HOUSE_WRONG, EMPTY),  # the day after
    }
    for hour, readings in laid.items():
        ledger.dealers.name({6: "D-1042", 7: "D-7"}.get(hour), "till")
        for played in revisions(f"r{hour}", started + timedelta(hours=hour), *readings):
            ledger.revise(report_round(played, table="test", rules=rules, versions={}))
    projector = Projector(ledger.record)
    day = started.date()
    assert (found := count(projector, day, UTC_ZONE, (), ["test"]).of(["test"]).whole).rounds == 3
    period = count_period(projector, day, day, UTC_ZONE, ["test"])
    assert period.whole == found
    assert found.mistakes == 1
    assert found.per_hundred == pytest.approx(100 / 3)
    assert {each.hour: (each.counts.rounds, each.played) for each in period.hours if each.counts.rounds} == {
        0: (1, 1),
        6: (1, 1),
        7: (1, 1),
    }
    assert [(each.name, each.rounds, each.mistakes) for each in period.dealers] == [
        ("D-1042", 1, 1),
        ("D-7", 1, 0),
        ("", 1, 0),
    ]
    ((rule, times),) = period.rules
    assert times == 1
    # Each bar leads to exactly its rounds, although the hand lies right now.
    filters = {"since": day, "until": day}
    for asked in (filters | {"mistake": True}, filters | {"rule": rule}, filters | {"rule": rule, "dealer": "D-1042"}):
        wanted = RoundFilter.model_validate(asked).in_zone(UTC_ZONE)
        assert [each.id for each in find_rounds(projector, wanted).played] == ["r6"]
    wanted = RoundFilter(rule=rule[:-1], since=day).in_zone(UTC_ZONE)
    assert find_rounds(projector, wanted).rounds == ()
    every = RoundFilter(mistake=True).in_zone(UTC_ZONE)
    assert [each.id for each in find_rounds(projector, every).played] == ["r24", "r6", "r-1"]


def test_time_and_boxes_are_means_of_the_rounds_that_show_them() -> None:
    projector = with_rounds(
        [
            at("2026-11-25T20:10") | {"lasted_s": 60.0, "boxes": "135"},
            at("2026-11-25T20:20") | {"lasted_s": 120.0, "boxes": "2"},
            at("2026-11-25T20:30") | {"lasted_s": None, "boxes": ""},  # its end was not seen, and nothing at a box
            at("2026-11-26T20:30") | {"table": "other"},
        ]
    )
    period = count_period(projector, MONDAY, date(2026, 11, 29), UTC_ZONE, ["test", "other"])
    assert (period.whole.seconds, period.whole.in_play) == (90.0, 2.0)
    hour = period.hours[20]
    assert (hour.counts.rounds, hour.played, hour.rounds_an_hour) == (4, 2, 2.0)
    assert period.rounds_an_hour == 2.0
    assert period.hours[19].rounds_an_hour == 0.0
    projector.database.dispose()


@pytest.mark.parametrize(
    ("zone", "hour"), [("Australia/Adelaide", 7), ("Asia/Kathmandu", 2), ("Asia/Macau", 4), ("Pacific/Chatham", 10)]
)
def test_hours_are_those_of_the_clock_on_the_wall(zone: str, hour: int) -> None:
    """20:40 UTC is 07:10 in Adelaide and 02:25 in Kathmandu."""
    projector = with_rounds([at("2026-11-25T20:40")])
    period = count_period(projector, MONDAY, date(2026, 11, 29), ZoneInfo(zone))
    assert [each.hour for each in period.hours if each.counts.rounds] == [hour]
    projector.database.dispose()


def test_a_week_starts_on_monday() -> None:
    projector = with_rounds([at("2026-11-22T23:00"), at("2026-11-23T00:00"), at("2026-11-29T23:59")])
    period = count_period(projector, date(2026, 11, 20), date(2026, 11, 30), UTC_ZONE)
    assert [(each.since.day, each.until.day, each.counts.rounds) for each in period.weeks] == [
        (20, 22, 1),
        (23, 29, 2),
        (30, 30, 0),
    ]
    projector.database.dispose()


def test_rules_of_one_round_count_once_each_and_not_if_a_person_found_it_right() -> None:
    wrong = {"ever_wrong": True, "wrong_rules": f"{RULE}\ncrown-6.1 7.4.1"}
    projector = with_rounds(
        [
            at("2026-11-25T20:10") | wrong,
            at("2026-11-25T20:20") | {"ever_wrong": True, "wrong_rules": RULE},
            at("2026-11-25T20:30") | wrong | {"decided_wrong": False},
        ]
    )
    period = count_period(projector, MONDAY, MONDAY + timedelta(days=6), UTC_ZONE)
    assert period.rules == ((RULE, 2), ("crown-6.1 7.4.1", 1))
    assert period.whole.mistakes == 2
    projector.database.dispose()


@pytest.mark.parametrize(
    ("newer", "older", "change"),
    [
        ((1000, 30), (1000, 10), 1),
        ((1000, 10), (1000, 30), -1),
        ((1000, 11), (1000, 10), 0),  # that may be chance
        ((0, 0), (1000, 10), 0),
        ((1000, 0), (1000, 0), 0),
        ((10, 10), (10, 10), 0),
    ],
)
def test_a_trend_is_more_than_chance(newer: tuple[int, int], older: tuple[int, int], change: int) -> None:
    counts = [RoundCounts("", rounds=rounds, mistakes=mistakes) for rounds, mistakes in (newer, older)]
    assert Trend(counts[0], counts[1], weeks=4).change == change


def test_the_trend_compares_as_many_weeks() -> None:
    projector = with_rounds([at(f"2026-11-{day:02}T12:00") for day in (1, 8, 15, 16, 22, 23)])
    trend = count_period(projector, date(2026, 10, 26), date(2026, 11, 29), UTC_ZONE).trend
    assert trend is not None
    assert (trend.weeks, trend.newer.rounds, trend.older.rounds) == (2, 3, 2)
    assert count_period(projector, MONDAY, MONDAY, UTC_ZONE).trend is None
    projector.database.dispose()
