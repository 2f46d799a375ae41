"""Figures for Prometheus: what is counted, and that it can be scraped."""

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families

from service.api.collectors import LocalCollector
from service.record.health import Check
from service.record.ledger import Ledger, open_record
from service.record.store.entries import Draft
from service.rounds.judge.rules_in_force import TableRules
from service.table.live_state import LiveState
from service.table.metrics import Metrics, TableMetrics
from service.table.worker import Instruments, Worker
from service.words.codes import ServiceCode
from tests.service.api.test_http import play
from tests.service.stand_ins import (
    EMPTY,
    HOUSE_RIGHT,
    WRONG,
    FakeReader,
    FakeSource,
    app_of,
    bad_frame,
    config,
    die,
    frames,
    hand,
    reading,
    signed_in,
    wait_until,
)
from vision.capture import CaptureStatistics
from vision.findings import Code, Finding

DOUBTED = reading(
    replace(
        hand("house", *WRONG, "uncertain"),
        doubts=(Finding.of(Code.LOW_CONFIDENCE, face="6-1", percent=71, next="6-2").regarding("6-1"),),
    ),
    dice=(replace(die(4, status="uncertain"), doubts=(Finding(Code.DIE_MAY_LEAN),)),),
)


def _value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


def test_what_is_read_and_what_becomes_of_rounds_is_counted() -> None:
    says = [HOUSE_RIGHT, HOUSE_RIGHT, EMPTY, EMPTY, *[DOUBTED] * 4, *[EMPTY] * 3]
    settings, way = config(), TableRules.of("crown-6.1")
    ledger = Ledger(open_record(settings), "test", way)
    live, source = LiveState(3, stale_after_s=10), FakeSource([bad_frame(), *frames(len(says))], live=True)
    metrics = Metrics()
    counted = TableMetrics(metrics, "test")
    worker = Worker(
        settings, live, way, ledger, Instruments(FakeReader(list(says)), open_frames=lambda _: source), counted
    )
    worker.start()
    found = metrics.registry
    try:
        wait_until(lambda: _value(found, "houseway_rounds_total", table="test", status="needs_review") == 1)
        wait_until(lambda: _value(found, "houseway_pictures_total", table="test") == len(says))
    finally:
        worker.stop()
        ledger.record.close()
    assert _value(found, "houseway_rounds_total", table="test", status="verified") == 1
    assert _value(found, "houseway_pictures_total", table="test") == len(says)
    assert _value(found, "houseway_hands_total", table="test", status="verified") == 2
    assert _value(found, "houseway_hands_total", table="test", status="uncertain") == 1
    assert _value(found, "houseway_doubts_total", table="test", what="hand", reason="classifier") == 1
    assert _value(found, "houseway_doubts_total", table="test", what="die", reason="leaning") == 1
    assert _value(found, "houseway_verdicts_total", table="test", verdict="correct") == 1
    assert _value(found, "houseway_verdicts_total", table="test", verdict="needs_review") == 1
    assert _value(found, "houseway_read_seconds_count", table="test", stage="detect") == len(says)
    assert _value(found, "houseway_read_seconds_sum", table="test", stage="total") == pytest.approx(
        len(says) * 0.061234
    )
    assert _value(found, "houseway_source_openings_total", table="test") == 1
    assert _value(found, "houseway_source_faults_total", table="test") == 1
    assert _value(found, "houseway_service_starts", table="test") == 1


def test_a_scrape_tells_health_memory_latency_and_who_waits() -> None:
    app = app_of(config(), reader=FakeReader(), watch=False)
    parts = app.state.parts
    play(app)
    parts.only.live.check(Check.of("clock", ServiceCode.NOT_REACHED, ok=False, why="put back"))
    with signed_in(app) as client:
        client.get("/v1/tables/test")
        client.get("/v1/tables/none")
        client.get("/nothing/here")
        client.request("BREW", "/v1/tables")
        plain = client.get("/metrics")
        openmetrics = client.get("/metrics", headers={"Accept": "application/openmetrics-text"})
    assert plain.headers["content-type"].startswith("text/plain")
    assert openmetrics.headers["content-type"].startswith("application/openmetrics-text")
    assert openmetrics.text.endswith("# EOF\n")
    found = {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(plain.text)
        for sample in family.samples
    }
    assert found["houseway_check_ok", "clock", "test"] == 0
    assert found["houseway_healthy", "test"] == 0
    assert found["houseway_record_append_seconds_count",] == 2  # the key, and the round
    assert found["houseway_waiting_requests", "changes"] == 0
    assert found["houseway_http_requests_total", "GET", "/v1/tables/{table}", "200"] == 1
    assert found["houseway_http_requests_total", "GET", "/v1/tables/{table}", "404"] == 1
    assert found["houseway_http_requests_total", "GET", "none", "404"] == 1
    assert found["houseway_http_requests_total", "other", "/v1/tables", "405"] == 1
    assert found["process_resident_memory_bytes",] > 10_000_000
    assert found["process_start_time_seconds",] > 0


def test_starts_are_counted_over_the_life_of_a_record() -> None:
    settings = config()
    for expected in (1, 2, 3):
        record = open_record(settings)
        assert Ledger(record, "test", TableRules.of("crown-6.1")).begin({}) == expected
        record.append(Draft("health", {}, table="test"))
        record.close()


def test_how_the_source_is_can_be_scraped() -> None:
    metrics, live = Metrics(), LiveState(3, stale_after_s=10)
    metrics.registry.register(LocalCollector({"test": live}, live.news))
    assert _value(metrics.registry, "houseway_capture_gaps_total", table="test") is None
    seen = CaptureStatistics("running", 10, 7, 2, 1, gaps=4, lag_ms=40.0, worst_lag_ms=90.0, restarts=3)
    live.watch_capture(lambda: seen)
    found = metrics.registry
    fates = ("delivered", "dropped", "bad")
    pictures = [_value(found, "houseway_capture_pictures_total", table="test", fate=fate) for fate in fates]
    assert pictures == [7, 2, 1]
    assert _value(found, "houseway_capture_gaps_total", table="test") == 4
    assert _value(found, "houseway_capture_restarts_total", table="test") == 3
    assert [_value(found, "houseway_capture_lag_seconds", table="test", of=of) for of in ("median", "worst")] == [
        0.04,
        0.09,
    ]
    live.watch_capture(lambda: CaptureStatistics("opening"))
    assert _value(found, "houseway_capture_lag_seconds", table="test", of="median") is None
