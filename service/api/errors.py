"""Every fault leaves the service as a problem (RFC 9457): what was wrong, and what to do."""

from __future__ import annotations

import logging
from functools import partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from calibration.files.calibration_file import CalibrationError
from engine.errors import EngineError, RulebookVersionError, UnknownRulebookError, WagerError
from service.api.problem import PROBLEM_JSON, FieldFault, problem_response
from service.record.ledger import NewerRevisionError, UnknownRoundError
from service.record.store.entries import KeyReusedError, RecordUnavailableError
from service.record.store.stored_logs import CursorError, ForeignCursorError, RestoredError
from service.rounds.review import ReviewError
from service.words.findings import words_of, words_of_error
from service.words.validation import fault_message, faults_words
from service.words.wording import Paraphrase, Words, sentence, words
from vision.capture.images import ImageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import FastAPI, Request
    from starlette.responses import Response

    from service.words.wording import Sayable

_TOO_LONG: Final = sentence("What was sent is too large, or took too long to arrive.")
_NOT_POSSIBLE: Final = sentence("This request is not possible here.")
"""For pages of other languages, what the framework refuses with words of its own."""

_log = logging.getLogger(__name__)

_OF_EXCEPTIONS: Final[dict[type[Exception], tuple[int, str]]] = {
    UnknownRoundError: (404, "unknown_round"),
    NewerRevisionError: (409, "newer_revision"),
    ForeignCursorError: (409, "foreign_cursor"),
    RestoredError: (409, "record_restored"),
    CursorError: (422, "not_a_cursor"),
    KeyReusedError: (422, "key_reused"),
    ReviewError: (422, "not_allowed"),
    ImageError: (422, "not_readable"),
    CalibrationError: (422, "bad_calibration"),
    UnknownRulebookError: (422, "unknown_rulebook"),
    RulebookVersionError: (422, "unknown_rulebook"),
    WagerError: (422, "not_allowed"),
    EngineError: (422, "not_a_deal"),
}
"""Status and code of what routes let pass; their messages say what was wrong and what to do."""


class ProblemError(Exception):
    """Raised by a route to answer with a problem: HTTP status, a stable word for programs, what was wrong and to do."""

    def __init__(
        self, status: int, code: str, detail: Sayable | str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(str(detail))
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of a route's problem responses."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {PROBLEM_JSON: {"schema": schema}}}
        for status in statuses
    }


def install(app: FastAPI, page: Callable[[Request, int, Sayable | str], Response]) -> None:
    """Turn every exception of an application into a problem, or a page of it for persons who asked for one."""

    def answer(request: Request, status: int, detail: Sayable | str, **more: Any) -> Response:  # noqa: ANN401  of problem_response
        if wants_page(request):
            return page(request, status, detail)
        return problem_response(status, detail, request.url.path, **more)

    @app.exception_handler(ProblemError)
    async def _problem(request: Request, error: ProblemError) -> Response:
        return answer(request, error.status, error.detail, code=error.code, headers=error.headers)

    @app.exception_handler(RequestValidationError)
    async def _not_valid(request: Request, error: RequestValidationError) -> Response:
        named = [
            (".".join(str(part) for part in fault["loc"][1:]) or str(fault["loc"][0]), fault)
            for fault in error.errors()
        ]
        faults = [FieldFault(field=field, message=fault_message(fault)) for field, fault in named]
        return answer(request, 422, faults_words(named), errors=faults)

    @app.exception_handler(RecordUnavailableError)
    async def _no_record(request: Request, error: RecordUnavailableError) -> Response:
        detail = words("The record cannot be written or read now: %(why)s", why=words_of(error.finding))
        return answer(request, 503, detail, code="record_unavailable", headers={"Retry-After": "5"})

    @app.exception_handler(HTTPException)
    async def _framework(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if error.status_code == 405 and (allowed := _methods_at(request)):
            headers["Allow"] = ", ".join(allowed)
        return answer(request, error.status_code, _detail(error, request, headers), headers=headers)

    async def _known(status: int, code: str, request: Request, error: Exception) -> Response:
        more = {"epoch": error.epoch, "go_on": error.go_on} if isinstance(error, RestoredError) else {}
        return answer(request, status, words_of_error(error), code=code, **more)

    app.add_exception_handler(Exception, partial(_unexpected, page))
    for kind, (status, code) in _OF_EXCEPTIONS.items():
        app.add_exception_handler(kind, partial(_known, status, code))


async def _unexpected(
    page: Callable[[Request, int, Sayable | str], Response], request: Request, error: Exception
) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = words("Something went wrong in the service. Its log has the details. Please report it.")
    if wants_page(request):
        try:
            return page(request, 500, detail)
        except Exception:  # noqa: BLE001  it may meet the same fault
            _log.exception("the page that tells of it failed too")
    return problem_response(500, detail, request.url.path)


def wants_page(request: Request) -> bool:
    """Whether a person in a browser asks, not a program."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")


def _methods_at(request: Request) -> list[str]:
    """What a path takes: each method is a route of its own, and the framework names those of the first."""
    routes = (route for route in request.app.routes if route.matches(request.scope)[0] is not Match.NONE)
    return sorted({method for route in routes for method in getattr(route, "methods", None) or ()})


def _detail(error: HTTPException, request: Request, headers: Mapping[str, str]) -> Sayable | str:
    path = request.url.path
    if error.status_code == 404 and wants_page(request):
        return words("There is no page at %(path)s.", path=path)
    if error.status_code == 404:
        return words("%(path)s does not exist; /openapi.json lists the addresses that do.", path=path)
    if error.status_code == 405:
        allowed = headers.get("Allow", "other methods")
        asked = {"method": request.method, "path": path, "allowed": allowed}
        return words("%(method)s is not possible here; %(path)s takes %(allowed)s.", **asked)
    elsewhere = _TOO_LONG if error.status_code in {408, 413} else _NOT_POSSIBLE
    return Paraphrase(str(error.detail), Words(elsewhere, {}))
