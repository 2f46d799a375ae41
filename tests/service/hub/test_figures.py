"""The figures of each table: declared once, with everything that page, API and metrics need."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.api.table_schemas import TableOut
from service.hub.overview import TableSummary, recorded_now
from service.hub.table_figures import FIGURES, Figure, FigureValue, figures_of
from service.hub.table_states import State
from service.record.ledger import Ledger
from service.record.projections.projector import Projector
from service.record.store.entries import timestamp
from service.rounds.judge.rules_in_force import TableRules
from service.words.languages import LANGUAGES, translations
from tests.service.api.test_http import play
from tests.service.hub.feeds import REPORTS
from tests.service.hub.feeds import play as play_at
from tests.service.hub.hubs import collect
from tests.service.hub.test_all_logs import mixed
from tests.service.record.shifts.test_shifts import with_rounds
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

AT = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
EXAMPLES: dict[type, FigureValue] = {int: 2, float: 2.5, datetime: AT}
TABLE = TableSummary(
    name="t1",
    title="T1",
    pit=None,
    state=State.WELL,
    since=AT,
    unanswered={},
    figures={each.name: EXAMPLES[each.unit] for each in FIGURES},
    round=None,
    recorded_at=None,
)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_each_has_a_field_a_metric_and_a_translated_cell(figure: Figure) -> None:
    field = TableOut.model_fields[figure.name]
    assert (field.description or "").startswith(figure.meaning)
    assert getattr(TableOut.of(TABLE, local=None, remote=None), figure.name) == TABLE.figures[figure.name]
    assert re.fullmatch(r"houseway_table_[a-z_]+", figure.metric)
    assert figure.metric.endswith("_timestamp_seconds") is (figure.unit is datetime)
    assert "%(value)s" in figure.cell
    cells = {language: translations(language).gettext(figure.cell) for language in LANGUAGES}
    assert [language for language, text in cells.items() if text == figure.cell] == ["en"], "make languages"


def test_each_has_a_value_for_local_and_remote_tables(store_url: str) -> None:
    """Each of the two tables has a round with a verified hand and one to review."""
    with mixed(store_url) as (record, writer, feed):
        ledger = Ledger(record, "own", TableRules.of("crown-6.1"))
        ledger.revise(REPORTS["doubt"].model_copy(update={"id": "o9", "number": 9, "table": "own"}))
        play_at(feed, "doubt", "r9")
        collect(writer, {"t1": feed})
        Projector(record).catch_up()
        rows = recorded_now(record.database, ["own"]).rows
        values = {
            (name, figure): value for name, row in rows.items() if name for figure, value in figures_of(row).items()
        }
    long_ago = {"rounds_last_hour", "boxes_in_play", "round_seconds", "mistakes_last_day"}
    assert not [key for key, value in values.items() if bool(value) is (key[1] in long_ago)]
    assert set(rows) == {"own", "t1"}


def test_a_table_that_was_remote_has_the_figures_of_its_present_log(store_url: str) -> None:
    """A round that waits in the log that this service followed cannot be decided here any more."""
    with mixed(store_url) as (record, writer, feed):
        play_at(feed, "doubt", "r9")
        collect(writer, {"t1": feed})
        Projector(record).catch_up()
        was_remote = recorded_now(record.database, ["t1"]).rows["t1"]
        is_remote = recorded_now(record.database, []).rows["t1"]
    assert (figures_of(was_remote)["waiting"], figures_of(is_remote)["waiting"]) == (0, 1)
    assert (was_remote.round_round, is_remote.round_round) == (None, "r9")


def test_they_are_unlike_each_other() -> None:
    for of in ("name", "metric", "cell", "meaning"):
        assert len({getattr(figure, of) for figure in FIGURES}) == len(FIGURES)


def test_a_local_table_tells_its_last_verified_hand() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    with signed_in(app) as client:
        assert client.get("/v1/tables/test").json()["verified_hand_at"] is None
        app.state.parts.only.ledger.revise(play(app))
        app.state.parts.projector.catch_up()
        app.state.parts.overview.news.notify()
        shown = client.get("/v1/tables/test").json()
        at = datetime.fromisoformat(shown["verified_hand_at"])
        assert shown["round"]["id"] == "r1"
        found = {
            sample.name: sample.value
            for family in text_string_to_metric_families(client.get("/metrics").text)
            for sample in family.samples
            if sample.labels.get("table") == "test"
        }
        assert found["houseway_table_last_verified_hand_timestamp_seconds"] == at.timestamp()
        assert found["houseway_table_rounds_to_review"] == 0


def test_those_of_the_last_hour_and_day() -> None:
    now = datetime.now(UTC)
    played = [
        {"opened_at": timestamp(now - timedelta(minutes=minutes)), "status": "verified"} | more
        for minutes, more in (
            (5, {"boxes": "135", "lasted_s": 60.0, "house_hand": "2-1 6-3 / 6-6 5-5", "dealer": "D-7"}),
            (50, {"boxes": "24", "lasted_s": 75.0, "house_hand": "4-1 6-3 / 6-6 5-5"}),
            (55, {"ever_wrong": True}),
            (70, {"ever_wrong": True, "boxes": "12345678"}),
            (80, {"ever_wrong": True, "decided_wrong": False}),
            (25 * 60, {"ever_wrong": True}),
        )
    ]
    projector = with_rounds(played)
    row = recorded_now(projector.database, ["test"]).rows["test"]
    figures = figures_of(row)
    assert (row.house_hand, row.round_dealer, row.round_boxes) == ("2-1 6-3 / 6-6 5-5", "D-7", "135")
    assert (figures["rounds_last_hour"], figures["mistakes_last_day"]) == (3, 2)
    assert (figures["boxes_in_play"], figures["round_seconds"]) == (2.5, 67.5)
    projector.database.dispose()
