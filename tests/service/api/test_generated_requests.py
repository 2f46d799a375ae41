"""Requests generated from the OpenAPI description are answered as it says."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from starlette.types import Receive, Scope, Send

from tests.amount import amount
from tests.service.api.test_http import play, show
from tests.service.stand_ins import FakeReader, app_of, config, key_for

pytestmark = pytest.mark.slow


def test_answers_are_as_described() -> None:
    import schemathesis  # noqa: PLC0415 - takes seconds, and only this test needs it
    from schemathesis.core.result import Ok  # noqa: PLC0415
    from schemathesis.specs.openapi.checks import positive_data_acceptance  # noqa: PLC0415

    app = app_of(config(max_wait_s=0.0), reader=FakeReader(), watch=False)
    show(app, at=datetime(9000, 1, 1, tzinfo=UTC))  # never too old, however long the generating takes
    play(app)
    headers = {**key_for(app), "Host": "localhost"}

    async def stays_open(scope: Scope, receive: Receive, send: Send) -> None:
        """The application without its lifespan, which would close its record after the first request."""
        if scope["type"] == "http":
            await app(scope, receive, send)
            return
        for _ in range(2):
            await send({"type": f"{(await receive())['type']}.complete"})

    described = schemathesis.openapi.from_asgi("/openapi.json", stays_open, headers=headers)
    # The event stream never ends, so no generated request can wait for its answer.
    for operation in described.exclude(path="/v1/events").get_all_operations():
        assert isinstance(operation, Ok)

        @given(case=operation.ok().as_strategy())
        @settings(max_examples=amount(5, 15), derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
        def answered(case: schemathesis.Case[Any]) -> None:
            # No schema can tell a picture, or four tiles of one set; refusing such requests is right.
            case.call_and_validate(headers=headers, excluded_checks=[positive_data_acceptance])

        answered()
    app.state.parts.record.close()
