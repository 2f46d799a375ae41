"""A problem (RFC 9457) and its response, of little weight: also for a program that serves no table."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Final

from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

from service.api.problem_codes import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.words.wording import Sayable

PROBLEM_JSON: Final = "application/problem+json"

_CODES: Final = {
    400: "bad_request",
    404: "not_found",
    405: "method_not_allowed",
    408: "too_slow",
    413: "too_large",
    422: "not_valid",
    500: "internal_error",
}
"""Codes of problems that carry none of their own: what the framework, the limits of a body and validation refuse."""


class FieldFault(BaseModel):
    """One field of the request that was wrong.

    Attributes:
        field: where it is, such as ``bank.box``.
        message: what is wrong with it, and what to send.
    """

    field: str
    message: str


class Problem(BaseModel):
    """A fault, as RFC 9457 writes it, with a stable word for programs and the faults field by field.

    Attributes:
        type: always ``about:blank``: ``code`` says which problem it is.
        title: the HTTP status in words.
        status: the HTTP status.
        detail: what was wrong and what to do, for people.
        instance: the path that was asked.
        code: which problem it is, for programs; docs/integrators.md lists them.
        errors: the fields that were wrong, where some were.
        epoch: of ``record_restored``: the epoch in which the record goes on.
        go_on: of ``record_restored``: the cursor to go on from.
    """

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    code: Annotated[str, Field(json_schema_extra={"enum": sorted(PROBLEMS)})]
    errors: list[FieldFault] = []
    epoch: str | None = None
    go_on: str | None = None


def problem_response(
    status: int,
    detail: Sayable | str,
    instance: str,
    *,
    code: str | None = None,
    errors: Sequence[FieldFault] = (),
    headers: Mapping[str, str] | None = None,
    epoch: str | None = None,
    go_on: str | None = None,
) -> JSONResponse:
    """A problem as a response."""
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=str(detail),
        instance=instance,
        code=code or _CODES.get(status, "bad_request"),
        errors=list(errors),
        epoch=epoch,
        go_on=go_on,
    )
    left_out = {name for name in ("errors", "epoch", "go_on") if not getattr(problem, name)}
    body = problem.model_dump(exclude=left_out)
    return JSONResponse(body, status, headers=dict(headers or {}), media_type=PROBLEM_JSON)
