"""Shifts: that they follow one another without a gap, and that the figures of a day add up."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import insert

from service.record.projections.projector import Projector
from service.record.shifts.round_figures import RoundCounts
from service.record.shifts.shift_figures import count, shift_named, shift_on, shifts_of
from service.record.store import schema
from service.record.store.database import fresh_database
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import timestamp
from service.system.service_settings import ShiftConfig

ZONES = ("UTC", "Asia/Macau", "Australia/Melbourne", "America/Havana", "Europe/Berlin", "Australia/Lord_Howe")
DAY_AND_NIGHT = (ShiftConfig(name="Night", starts=time(18)), ShiftConfig(name="Day", starts=time(6)))
UTC_ZONE = ZoneInfo("UTC")
starts = st.sets(st.times().map(lambda at: at.replace(second=0, microsecond=0)), max_size=5)
# Days on which clocks are changed somewhere in ZONES, among others.
days = st.dates(date(2026, 1, 1), date(2026, 12, 31)) | st.sampled_from(
    [date(2026, 3, 8), date(2026, 3, 29), date(2026, 4, 5), date(2026, 10, 4), date(2026, 10, 25), date(2026, 11, 1)]
)
dealers = st.sampled_from((None, "D-1042", "ann"))
kinds = st.sampled_from(("verified", "confirmed", "needs_review"))


def named(at: set[time]) -> tuple[ShiftConfig, ...]:
    return tuple(ShiftConfig(name=f"from {each}", starts=each) for each in at)


@given(days, st.sampled_from(ZONES), starts)
def test_shifts_follow_one_another_and_days_too(day: date, zone: str, at: set[time]) -> None:
    shifts = named(at)
    today, tomorrow = (shifts_of(each, ZoneInfo(zone), shifts) for each in (day, day + timedelta(days=1)))
    for one, next_one in zip((*today, *tomorrow), (*today[1:], *tomorrow), strict=False):
        assert one.started <= one.ended == next_one.started


@given(st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 31)), st.sampled_from(ZONES), starts)  # noqa: DTZ001
def test_there_is_one_shift_at_every_moment(moment: datetime, zone: str, at: set[time]) -> None:
    now, shifts = moment.replace(tzinfo=UTC), named(at)
    on = shift_on(now, ZoneInfo(zone), shifts)
    assert on.holds(now)
    assert shift_named(on.day, on.starts, ZoneInfo(zone), shifts) == on


def with_rounds(rounds: Sequence[dict[str, Any]]) -> Projector:
    projector = Projector(DatabaseReader(fresh_database()))
    projector.catch_up()
    with projector.database.begin() as connection:
        for number, each in enumerate(rounds, start=1):
            row = dict.fromkeys(schema.ROUND, "") | {"log": 1, "table": "test", "round": f"r{number}", "first": number}
            row |= {"number": number, "position": number, "ever_wrong": False, "decided_wrong": None, "dealer": None}
            row |= {"lasted_s": None, "verified_hand_at": None}
            connection.execute(insert(schema.rounds).values(row | each))
    return projector


@settings(deadline=None)
@given(days, st.sampled_from(ZONES), starts, st.lists(st.tuples(st.floats(0, 0.999), kinds, st.booleans(), dealers)))
def test_the_parts_add_up_to_the_whole(
    day: date, zone: str, at: set[time], played: Sequence[tuple[float, str, bool, str | None]]
) -> None:
    spans = shifts_of(day, ZoneInfo(zone), named(at))
    length = spans[-1].ended - spans[0].started
    opened = [spans[0].started + share * length for share, *_ in played]
    rounds = [
        {"opened_at": timestamp(moment), "status": status, "ever_wrong": wrong, "dealer": dealer}
        for moment, (_, status, wrong, dealer) in zip(opened, played, strict=True)
    ]
    projector = with_rounds(rounds)
    found = count(projector, day, ZoneInfo(zone), named(at)).of(["test"])
    projector.database.dispose()
    assert found.whole.rounds == len(played)
    of_shifts = [sum(span.holds(moment) for moment in opened) for span in spans]
    assert [row.rounds for row in found.shifts] == of_shifts
    for key in ("rounds", "verified", "decided", "waiting", "mistakes"):
        assert sum(getattr(row, key) for row in found.shifts) == getattr(found.whole, key)
    for row in (found.whole, *found.shifts):
        assert row.verified + row.decided + row.waiting == row.rounds
        assert row.mistakes <= row.rounds


@pytest.mark.parametrize(
    ("moment", "name", "day"),
    [
        ("2026-11-25T05:59", "Night", 24),
        ("2026-11-25T06:00", "Day", 25),
        ("2026-11-25T17:59", "Day", 25),
        ("2026-11-25T18:00", "Night", 25),
        ("2026-11-26T00:00", "Night", 25),
    ],
)
def test_a_night_that_crosses_midnight_is_one_shift(moment: str, name: str, day: int) -> None:
    on = shift_on(datetime.fromisoformat(moment).replace(tzinfo=UTC), UTC_ZONE, DAY_AND_NIGHT)
    assert (on.name, on.day.day, on.ended - on.started) == (name, day, timedelta(hours=12))


@pytest.mark.parametrize(("at", "name"), [("18:00", "Night"), ("03:30", "Night"), ("06:00", "Day"), ("12:00", "Day")])
def test_a_shift_is_named_by_a_time_in_it(at: str, name: str) -> None:
    found = shift_named(date(2026, 11, 25), time.fromisoformat(at), UTC_ZONE, DAY_AND_NIGHT)
    assert (found.name, found.day) == (name, date(2026, 11, 25))


def test_counts_without_a_round_have_no_rate() -> None:
    assert RoundCounts("06:00").rate is None


@pytest.mark.parametrize(
    ("ever_wrong", "decided_wrong", "mistakes"),
    [
        (False, None, 0),
        (True, None, 1),
        (True, False, 0),  # a person said that it lay right
        (True, True, 1),
    ],
)
def test_where_a_person_decided_that_word_counts(
    mistakes: int, *, ever_wrong: bool, decided_wrong: bool | None
) -> None:
    told = {"opened_at": "2026-11-25T06:00:00.000000Z", "status": "confirmed"}
    projector = with_rounds([told | {"ever_wrong": ever_wrong, "decided_wrong": decided_wrong}])
    assert count(projector, date(2026, 11, 25), UTC_ZONE, ()).of(["test"]).whole.mistakes == mistakes
    projector.database.dispose()


def test_a_shift_is_found_by_its_start_where_clocks_are_set_forward() -> None:
    """At 02:00 clocks go to 03:00 in Melbourne: the shifts of 02:00 and 02:30 start at the same moment as that."""
    zone, shifts = ZoneInfo("Australia/Melbourne"), named({time(2), time(2, 30), time(3)})
    for start in (time(2), time(2, 30), time(3)):
        assert shift_named(date(2026, 10, 4), start, zone, shifts).starts == start
