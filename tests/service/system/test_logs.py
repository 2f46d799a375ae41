"""Logs: one object a line, ids of requests and rounds, and never a secret."""

import contextvars
import json
import logging
from collections.abc import Callable
from typing import Any

import pytest

from service.api.middleware import REQUEST_ID_HEADER
from service.system.logs import REQUESTS, configure_logging, request_id, round_id
from service.system.service_settings import LogConfig
from tests.service.stand_ins import FakeReader, app_of, config, signed_in

SECRET = "a-secret-of-25-characters"  # noqa: S105


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    return lambda: capsys.readouterr().err


def _objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_one_object_a_line_with_what_it_is_about(written: Callable[[], str]) -> None:
    configure_logging(LogConfig(format="json"))

    def about() -> None:
        request_id.set("r-1")
        round_id.set("abc")
        logging.getLogger("service.test").warning("two\nlines of %s", "text", extra={"count": 3})

    contextvars.copy_context().run(about)
    (told,) = _objects(written())
    assert told.pop("time").endswith("+00:00")
    assert told == {
        "level": "warning",
        "logger": "service.test",
        "message": "two\nlines of text",
        "request": "r-1",
        "round": "abc",
        "count": 3,
    }


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_secret_is_written_in_a_message_a_field_or_a_traceback(written: Callable[[], str], form: Any) -> None:  # noqa: ANN401
    configure_logging(LogConfig(format=form), [SECRET, ""])
    log = logging.getLogger("service.test")
    log.error("it is %s", SECRET, extra={"given": SECRET, "nested": {"one": SECRET}})
    try:
        raise ValueError(f"postgresql://user:hunter2@host/name and {SECRET}")  # noqa: TRY301
    except ValueError:
        log.exception("failed")
    text = written()
    assert SECRET not in text
    assert "hunter2" not in text
    assert "***" in text
    assert "Traceback" in text


def test_no_request_of_ours_is_written_with_its_address(written: Callable[[], str]) -> None:
    configure_logging(LogConfig())
    for client in ("httpx2", "httpcore2.connection"):
        logging.getLogger(client).info('HTTP Request: POST http://127.0.0.1:8161/services/%s "200 OK"', SECRET)
    assert not written()


def test_less_than_the_level_is_not_written(written: Callable[[], str]) -> None:
    configure_logging(LogConfig(level="warning"))
    logging.getLogger("service.test").info("quiet")
    assert not written()


def test_people_are_not_told_of_each_request(written: Callable[[], str]) -> None:
    configure_logging(LogConfig())
    with signed_in(app_of(config(), reader=FakeReader(), watch=False)) as client:
        client.get("/v1/tables/test")
    assert "/v1/tables" not in written()


def test_a_flood_of_one_message_is_a_line_with_a_count(written: Callable[[], str]) -> None:
    configure_logging(LogConfig(format="json"))
    handler = logging.getLogger().handlers[0]

    def log(message: str, at_s: float) -> None:
        told = {"name": "service.test", "levelno": logging.WARNING, "msg": message, "created": 1_800_000_000.0 + at_s}
        handler.handle(logging.makeLogRecord(told))

    for number in range(40):
        log("the disk is full", number / 40)
    log("something else", 2.0)
    log("later", 10.5)
    log("the disk is full", 10.6)
    log("the disk is full", 10.7)
    handler.close()
    assert [(each["message"], each.get("repeated")) for each in _objects(written())] == [
        ("the disk is full", None),
        ("something else", None),
        ("the disk is full (repeated: 39)", 39),
        ("later", None),
        ("the disk is full", None),
        ("the disk is full (repeated: 1)", 1),
    ]


def test_each_request_has_an_id_and_a_line(written: Callable[[], str]) -> None:
    configure_logging(LogConfig(format="json"))
    with signed_in(app_of(config(), reader=FakeReader(), watch=False)) as client:
        given = client.get("/v1/tables/test", headers={REQUEST_ID_HEADER: "from-the-proxy.7"})
        made = client.get(f"/v1/rounds/{SECRET}")
        odd = client.get("/healthz", headers={REQUEST_ID_HEADER: "two words"})
    assert given.headers[REQUEST_ID_HEADER] == "from-the-proxy.7"
    assert len(made.headers[REQUEST_ID_HEADER]) == len(odd.headers[REQUEST_ID_HEADER]) == 32
    text = written()
    lines = [told for told in _objects(text) if told["logger"] == REQUESTS]
    assert [(told["route"], told["status"], told["request"]) for told in lines] == [
        ("/v1/tables/{table}", 200, "from-the-proxy.7"),
        ("/v1/rounds/{round_id}", made.status_code, made.headers[REQUEST_ID_HEADER]),
    ]
    assert all(told["spent_ms"] >= 0 for told in lines)
    assert not [told for told in _objects(text) if told["logger"].startswith("service") and SECRET in str(told)]
    assert request_id.get() is None
