"""The overview: states by the newest alarms, rounds of all tables, and figures of shifts."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from service.hub.overview import NO_PIT, Overview, overview_of, recorded_now
from service.hub.table_client import SelfReport
from service.hub.table_states import State, TableNow
from service.record.projections.projector import Projector
from service.record.projections.round_search import RoundFilter, Wanted, find_rounds, fits
from service.record.results import report_of
from service.record.shifts.period_figures import count_period
from service.record.shifts.shift_figures import count
from service.record.store.all_logs import LogsReader
from service.record.store.database_reader import DatabaseReader
from service.record.store.entries import RESULTS, timestamp
from service.record.store.faults import Fault
from service.rounds.reports import RoundReport
from service.system.remote_settings import PitConfig
from service.words.codes import HubCode
from tests.service.hub.feeds import BEGAN, RecordedFeed, acknowledge, check, play
from tests.service.hub.hubs import collected, hub_config
from vision.findings import Finding

UTC_ZONE = ZoneInfo("UTC")


@pytest.fixture
def reader(hub_url: str) -> Iterator[LogsReader]:
    with LogsReader(hub_url) as made:
        yield made


def projector_of(reader: LogsReader) -> Projector:
    return Projector(DatabaseReader(reader.database))


def many(seed: int, rounds: int = 9) -> RecordedFeed:
    """A feed of a day of rounds, some wrong, some set right later, some in doubt, some decided."""
    chance, feed = random.Random(seed), RecordedFeed(table="own")  # noqa: S311  no secret
    for number in range(1, rounds + 1):
        at = chance.uniform(0.0, 24 * 60 - 1)
        first, last = chance.choice(("right", "wrong", "doubt")), chance.choice(("right", "wrong", "doubt"))
        play(feed, first, f"r{number}", 1, minutes=at)
        if chance.random() < 0.7:
            play(feed, last, f"r{number}", 2, minutes=at, kind=chance.choice(("round", "review")))
    return feed


def now(name: str, **told: Any) -> TableNow:  # noqa: ANN401  what a test says
    """A table that answers and is well but for what is said."""
    level = told.pop("level", "well")
    report = SelfReport(level, "verifying", None, None, (), {}, 0.0)
    return TableNow(name, report=report, collected_at=timestamp(), **told)


def shown(
    reader: LogsReader, url: str, states: Mapping[str, TableNow], pits: Mapping[str, str] | None = None
) -> Overview:
    config = hub_config(url, {name: {"url": f"http://127.0.0.1:1/{name}"} for name in states})
    pits = pits or {}
    named = tuple(PitConfig(name=pit, title=pit.title()) for pit in sorted(set(pits.values())))
    tables = tuple(table.model_copy(update={"pit": pits.get(table.name)}) for table in config.remote)
    config = config.model_copy(update={"tables": tables, "pits": named})
    return overview_of(config, states, recorded_now(reader.database))


def test_tables_are_shown_the_worst_first_by_what_was_recorded(hub_url: str, reader: LogsReader) -> None:
    feeds = {name: RecordedFeed(table="own") for name in ("alarm", "answered", "look", "well", "cut", "refused", "bad")}
    raised = {name: play(feeds[name], "wrong", "r1") for name in ("alarm", "answered", "cut")}
    acknowledge(feeds["answered"], f"{raised['answered'].seq}001.1")
    play(feeds["look"], "doubt", "r1")
    check(feeds["alarm"], "clock")
    away, refused = Finding.of(HubCode.NOT_REACHED, why="x"), Finding.of(HubCode.NOT_STORED, why="x")
    states = {name: now(name) for name in (*feeds, "attention", "never")}
    states["cut"].away, states["bad"] = away, now("bad", level="fault")
    states["refused"].away = None
    states["attention"] = now("attention", level="attention")
    states["never"] = TableNow("never")
    states["refused"].refused = Fault(3, refused)
    with collected(hub_url, feeds):
        projector_of(reader).catch_up()
        hub = shown(reader, hub_url, states, {"alarm": "east", "look": "west"})
    assert [(table.name, table.state.value) for table in hub.tables] == [
        ("refused", "refused"),
        ("cut", "unreachable"),
        ("never", "unreachable"),
        ("bad", "cannot_verify"),
        ("alarm", "alarm"),
        ("look", "look"),
        ("attention", "look"),
        ("answered", "well"),
        ("well", "well"),
    ]
    alarm, look = hub.by_name["alarm"], hub.by_name["look"]
    assert dict(alarm.unanswered) == {"house_hand_wrong": 1, "health": 1}
    assert (alarm.round and alarm.round.verdict, look.waiting, look.round and look.round.status) == (
        "wrong",
        1,
        "needs_review",
    )
    assert hub.by_name["never"].recorded_at is None
    assert alarm.recorded_at == datetime.fromisoformat(feeds["alarm"].head.at)
    assert [(pit.name, pit.tables, pit.alarms) for pit in hub.pits] == [
        ("east", 1, 2),
        ("west", 1, 1),
        (NO_PIT, 7, 1),
    ]
    assert [table.name for table in hub.of("east", None)] == ["alarm"]
    assert [table.name for table in hub.of(None, State.LOOK)] == ["look", "attention"]
    assert hub.states == {
        State.REFUSED: 1,
        State.UNREACHABLE: 2,
        State.CANNOT_VERIFY: 1,
        State.ALARM: 1,
        State.LOOK: 2,
        State.WELL: 2,
    }
    assert hub.waiting == 1


def as_they_stand(reader: LogsReader) -> dict[tuple[str, str], list[RoundReport]]:
    """All revisions of the rounds of all tables, by table and id."""
    found: dict[tuple[str, str], list[RoundReport]] = {}
    for held in reader.all_followed():
        if held.entry.kind in RESULTS:
            found.setdefault((held.table, str(held.entry.round)), []).append(report_of(held.entry))
    return found


def test_rounds_of_all_tables_are_those_that_fit(hub_url: str, reader: LogsReader) -> None:
    feeds = {f"t{number}": many(number) for number in range(4)}
    searches = [
        Wanted(),
        Wanted(verdict="wrong"),
        Wanted(status="needs_review"),
        Wanted(place="box2"),
        Wanted(verdict="wrong", number=3),
        Wanted(text="6-6"),
        Wanted(text="nobody"),
        Wanted(dealer="nobody"),
        replace(Wanted(), started=BEGAN + timedelta(hours=6), ended=BEGAN + timedelta(hours=18)),
    ]
    with collected(hub_url, feeds):
        projector, every = projector_of(reader), as_they_stand(reader)
        projector.catch_up()
        for wanted in searches:
            found = []
            before = None
            while True:
                page = find_rounds(projector, wanted, before=before, limit=5)
                found += [(one.table, one.played.id, one.played.opened_at) for one in page.rounds]
                if (before := page.next) is None:
                    break
            assert {one[:2] for one in found} == {of for of, told in every.items() if fits(told[-1], wanted)}
            assert len({one[:2] for one in found}) == len(found)
            assert [at for *_, at in found] == sorted((at for *_, at in found), reverse=True)
        only = find_rounds(projector, Wanted(), ["t1"], limit=100).rounds
        assert {one.table for one in only} == {"t1"}
        assert find_rounds(projector, Wanted(), []).rounds == ()


def test_figures_of_a_shift_are_those_of_the_rounds(hub_url: str, reader: LogsReader) -> None:
    feeds = {f"t{number}": many(number, 20) for number in range(3)}
    day = date(2026, 1, 1)
    with collected(hub_url, feeds):
        projector = projector_of(reader)
        projector.catch_up()
        hub = count(projector, day, UTC_ZONE, ())
        every = as_they_stand(reader)
        for name in feeds:
            own = [told for (table, _), told in every.items() if table == name]
            for row, span in zip(hub.of([name]).shifts, hub.spans, strict=True):
                in_span = [told for told in own if span.holds(told[-1].opened_at)]
                assert row.rounds == len(in_span)
                assert row.mistakes == sum(map(was_mistaken, in_span))
            assert hub.of([name]).whole.mistakes
        whole = hub.of(feeds).whole
        assert whole.rounds == 60 == whole.verified + whole.decided + whole.waiting
        assert count(projector, day + timedelta(days=1), UTC_ZONE, ()).counted == {}


def was_mistaken(revisions: list[RoundReport]) -> bool:
    """Whether a hand lay wrong at some time; where a person decided, on that word."""
    decided = any(hand.review is not None for hand in revisions[-1].hands if hand.house_way is not None)
    asked = revisions[-1:] if decided else revisions
    return any(
        hand.house_way is not None and hand.house_way.verdict == "wrong" for each in asked for hand in each.hands
    )


def test_figures_are_counted_by_dealer_over_tables_and_shifts(hub_url: str, reader: LogsReader) -> None:
    feeds = {name: RecordedFeed(table=name) for name in ("t1", "t2")}
    play(feeds["t1"], "right", "r1", dealer="ben")
    play(feeds["t1"], "wrong", "r2", minutes=600, dealer="ann")
    play(feeds["t1"], "right", "r3", minutes=610)
    play(feeds["t2"], "doubt", "r4", minutes=1, dealer="ann")
    with collected(hub_url, feeds):
        projector_of(reader).catch_up()
        day = date(2026, 1, 1)
        hub, second = (count_period(projector_of(reader), day, day, UTC_ZONE, of) for of in (None, ["t2"]))
    told = {each.name: (each.rounds, each.mistakes) for each in hub.dealers}
    assert told == {"ann": (2, 1), "ben": (1, 0), "": (1, 0)}
    assert list(told) == ["ann", "ben", ""]
    assert [each.name for each in second.dealers] == ["ann"]
    assert hub.whole.rounds == 4


def test_a_moment_is_read_as_utc(hub_url: str, reader: LogsReader) -> None:
    feed = RecordedFeed(table="own")
    play(feed, "right", "r1", minutes=0.5)
    play(feed, "right", "r2", minutes=0.5 + 1e-5)
    with collected(hub_url, {"t1": feed}):
        projector_of(reader).catch_up()
        zone = ZoneInfo("Australia/Melbourne")
        local = BEGAN.astimezone(zone)
        found = find_rounds(
            projector_of(reader), RoundFilter(since=local.date(), until=local.date()).in_zone(zone)
        ).rounds
        assert [one.played.id for one in found] == ["r2", "r1"]
        assert found[0].played.opened_at.astimezone(UTC).date() == BEGAN.date()
