"""Exception handlers: every exception of a route becomes a problem (RFC 9457), or a page about it."""

from __future__ import annotations

import logging
from functools import partial
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Match

from calibration.files.calibration_file import CalibrationError
from engine.errors import EngineError, RulebookVersionError, UnknownRulebookError, WagerError
from service.api.desk import TableRefusedError, TableUnreachableError, TakenError
from service.api.problems import PROBLEMS, FieldFault, ProblemError, problem_response
from service.hub.table_client import TableAwayError
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

    _Answer: TypeAlias = Callable[[Request, Any], dict[str, Any]]
    """Makes the arguments of `problem_response` from an exception."""

_TOO_LONG: Final = sentence("What was sent is too large, or took too long to arrive.")
_NOT_POSSIBLE: Final = sentence("This request is not possible here.")
"""For pages in other languages: refusals that the framework words itself."""

_log = logging.getLogger(__name__)

_CODES: Final[dict[type[Exception], str]] = {
    UnknownRoundError: "unknown_round",
    NewerRevisionError: "newer_revision",
    ForeignCursorError: "foreign_cursor",
    RestoredError: "record_restored",
    CursorError: "not_a_cursor",
    KeyReusedError: "key_reused",
    ReviewError: "not_allowed",
    ImageError: "not_readable",
    CalibrationError: "bad_calibration",
    UnknownRulebookError: "unknown_rulebook",
    RulebookVersionError: "unknown_rulebook",
    WagerError: "not_allowed",
    EngineError: "not_a_deal",
    TakenError: "taken",
    TableUnreachableError: "table_unreachable",
}
"""Codes of exceptions whose messages say what was wrong and what to do."""


def install(app: FastAPI, page: Callable[[Request, int, Sayable | str], Response]) -> None:
    """Answer every exception of an application with a problem, or in a browser with a page about it."""

    async def handle(
        answer_to: Callable[[Request, Any], dict[str, Any]], request: Request, error: Exception
    ) -> Response:
        answer = answer_to(request, error)
        if wants_page(request):
            return page(request, answer["status"], answer["detail"])
        return problem_response(instance=request.url.path, **answer)

    for kind, answer_to in _ANSWERS.items():
        app.add_exception_handler(kind, partial(handle, answer_to))
    for kind in _CODES:
        app.add_exception_handler(kind, partial(handle, _known))
    app.add_exception_handler(Exception, partial(_unexpected, page))


def _problem(_: Request, error: ProblemError) -> dict[str, Any]:
    return {"status": error.status, "detail": error.detail, "code": error.code, "headers": error.headers}


def _known(_: Request, error: Exception) -> dict[str, Any]:
    code = next(_CODES[kind] for kind in type(error).__mro__ if kind in _CODES)
    restored = {"epoch": error.epoch, "go_on": error.go_on} if isinstance(error, RestoredError) else {}
    return {"status": PROBLEMS[code].status, "detail": words_of_error(error), "code": code, **restored}


def _refused_by_table(_: Request, error: TableRefusedError) -> dict[str, Any]:
    return {"status": error.status, "detail": error.words, "code": error.code}


def _no_record(_: Request, error: RecordUnavailableError) -> dict[str, Any]:
    detail = words("The record cannot be written or read now: %(why)s", why=words_of(error.finding))
    return {"status": 503, "detail": detail, "code": "record_unavailable"}


def _no_picture(_: Request, error: TableAwayError) -> dict[str, Any]:
    detail = words("The table that has this picture cannot be reached now: %(why)s", why=words_of(error.finding))
    return {"status": 503, "detail": detail, "code": "table_unreachable"}


def _not_valid(_: Request, error: RequestValidationError) -> dict[str, Any]:
    faults = [_with_field(fault, error.body) for fault in error.errors()]
    errors = [FieldFault(field=field, message=fault_message(fault)) for field, fault in faults]
    return {"status": 422, "detail": faults_words(faults), "errors": errors}


def _with_field(fault: Mapping[str, Any], body: object) -> tuple[str, Mapping[str, Any]]:
    """A fault with the name of its field; one of JSON syntax, which has a position, with line and column."""
    first, *field = fault["loc"]
    if fault["type"] != "json_invalid":
        return ".".join(map(str, field)) or str(first), fault
    at = JSONDecodeError("", str(body), field[0])
    return str(first), {**fault, "ctx": {**fault["ctx"], "line": at.lineno, "column": at.colno}}


def _by_framework(request: Request, error: HTTPException) -> dict[str, Any]:
    headers = dict(error.headers or {})
    if error.status_code == 405 and (allowed := _methods_at(request)):
        headers["Allow"] = ", ".join(allowed)
    return {"status": error.status_code, "detail": _detail(error, request, headers), "headers": headers}


_ANSWERS: Final[dict[type[Exception], _Answer]] = {
    ProblemError: _problem,
    TableRefusedError: _refused_by_table,
    RecordUnavailableError: _no_record,
    TableAwayError: _no_picture,
    RequestValidationError: _not_valid,
    HTTPException: _by_framework,
}


async def _unexpected(
    page: Callable[[Request, int, Sayable | str], Response], request: Request, error: Exception
) -> Response:
    _log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = words("Something went wrong in the service. Its log has the details. Please report it.")
    if wants_page(request):
        try:
            return page(request, 500, detail)
        except Exception:  # noqa: BLE001  it may meet the same fault
            _log.exception("the page about this fault failed too")
    return problem_response(500, detail, request.url.path)


def wants_page(request: Request) -> bool:
    """Whether the request comes from a person in a browser, not from a program."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")


def _methods_at(request: Request) -> list[str]:
    """The methods of all routes of a path; the framework names only those of the first."""
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
