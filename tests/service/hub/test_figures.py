"""The figures of each table: declared once, with everything that page, API and metrics need."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.api.table_schemas import TableOut
from service.hub.overview import TableSummary
from service.hub.table_figures import FIGURES, Figure
from service.hub.table_states import State
from service.words.languages import LANGUAGES, translations
from tests.service.api.test_http import play
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

AT = datetime(2026, 1, 1, 20, 0, tzinfo=UTC)
TABLE = TableSummary("t1", "T1", None, State.WELL, AT, {}, 2, None, None, AT - timedelta(minutes=2))


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_each_has_a_field_a_metric_a_cell_and_a_value(figure: Figure) -> None:
    field = TableOut.model_fields[figure.name]
    assert (field.description or "").startswith(figure.meaning)
    value = figure.value(TABLE)
    assert value == getattr(TableOut.of(TABLE, local=None, remote=None), figure.name)
    assert figure.metric.endswith("_timestamp_seconds") is isinstance(value, datetime)
    assert re.fullmatch(r"houseway_table_[a-z_]+", figure.metric)
    assert "%(value)s" in figure.cell
    said = {language: translations(language).gettext(figure.cell) for language in LANGUAGES}
    assert [language for language, text in said.items() if text == figure.cell] == ["en"]


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
