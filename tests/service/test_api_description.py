"""The OpenAPI description, held against the service by generated requests."""

from __future__ import annotations

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

from service.app import create_app
from stand_ins import FakeReader, config
from test_http import play, show


TOKEN = "a-token-of-some-length"  # noqa: S105  made up
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


def _app() -> FastAPI:
    app = create_app(config(max_wait_s=0.0, token=TOKEN), reader=FakeReader(), watch=False)
    show(app)
    play(app)
    return app


SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", _app(), headers=HEADERS)


# The event stream never ends, so no generated request can wait for its answer.
@SCHEMA.exclude(path="/v1/events").parametrize()
@settings(max_examples=15, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_described(case: schemathesis.Case) -> None:
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
