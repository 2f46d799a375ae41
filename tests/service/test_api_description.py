"""The OpenAPI description, held against the service by generated requests."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from service.app import create_app
from tests.service.stand_ins import FakeReader, config, key_for
from tests.service.test_http import play, show

if TYPE_CHECKING:
    from fastapi import FastAPI


def _app() -> FastAPI:
    app = create_app(config(max_wait_s=0.0), reader=FakeReader(), watch=False)
    show(app, at=datetime(9000, 1, 1, tzinfo=UTC))  # never too old, however long the generating takes
    play(app)
    return app


APP = _app()
HEADERS = {**key_for(APP), "Host": "localhost"}
SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", APP, headers=HEADERS)


# The event stream never ends, so no generated request can wait for its answer.
@SCHEMA.exclude(path="/v1/events").parametrize()
@settings(max_examples=15, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: schemathesis.Case[Any]) -> None:
    # What makes a picture, or four tiles of one set, no schema can say; that such requests are refused is right.
    case.call_and_validate(headers=HEADERS, excluded_checks=[positive_data_acceptance])


def test_every_problem_is_described() -> None:
    paths = SCHEMA.raw_schema["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert list(answer["content"]) == ["application/problem+json"], (method, path, status)
    assert SCHEMA.raw_schema["openapi"].startswith("3.1")
