"""Problem responses (RFC 9457): the codes, and the exception by which a route answers with one."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import BaseModel, Field
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from service.words.wording import Sayable

PROBLEM_JSON: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """HTTP status and meaning of a problem, and the seconds after which a retry makes sense, if it does."""

    status: int
    meaning: str
    retry_after_s: int | None = None


PROBLEMS: Final[dict[str, Kind]] = {
    "account_not_ready": Kind(403, "the person must choose a password or add a second factor on the page first"),
    "another_person": Kind(422, "the decision names another person than the one signed in"),
    "another_picture": Kind(409, "the picture has changed since the page showed it"),
    "bad_calibration": Kind(422, "this is not a calibration, or it does not fit the picture"),
    "bad_request": Kind(400, "the request or its body is malformed"),
    "bank_differs": Kind(409, "the bank in the request differs from the one that was seen or entered"),
    "bank_not_known": Kind(409, "who banks is not known: send it"),
    "box_numbering_differs": Kind(409, "the table's layout numbers its boxes from the other side"),
    "busy": Kind(503, "too many such requests at once; try again after `Retry-After`", retry_after_s=5),
    "cannot_print": Kind(503, "packages that PDF files need are not installed; `detail` names them"),
    "dice_differ": Kind(409, "the dice in the request differ from those of the round"),
    "foreign_checkpoint": Kind(409, "the checkpoint belongs to another record, or is not signed by this one"),
    "foreign_cursor": Kind(409, "the cursor belongs to another record, or to entries that were lost"),
    "hand_not_read": Kind(409, "no hand was read where a wager lies"),
    "hand_not_verified": Kind(409, "a person must check the hand first"),
    "internal_error": Kind(500, "a fault of the service; its log has the details"),
    "key_reused": Kind(422, "the Idempotency-Key was used with a different request"),
    "method_not_allowed": Kind(405, "the path takes other methods; `Allow` names them"),
    "newer_revision": Kind(409, "the round has a newer revision: read it first"),
    "no_calibration": Kind(404, "the table has no calibration"),
    "no_checkpoint": Kind(404, "nothing has been signed yet, or no witness has signed it"),
    "no_picture": Kind(422, "the form has no file named `picture`"),
    "no_picture_yet": Kind(404, "no picture has been read since the service started"),
    "no_pictures": Kind(503, "no pictures arrive from the source"),
    "no_round_yet": Kind(404, "no round has been seen since the service started"),
    "not_a_checkpoint": Kind(422, "this is not a checkpoint"),
    "not_a_cursor": Kind(422, "this is not a cursor"),
    "not_a_deal": Kind(422, "these are not four tiles of one set"),
    "not_allowed": Kind(422, "the rulebook or the state of the round does not allow it"),
    "not_allowed_for_pits": Kind(403, "this concerns all tables, but the key or account is limited to pits"),
    "not_allowed_for_role": Kind(403, "the role of the key or account does not permit this"),
    "not_calibrated": Kind(409, "this needs a calibration first"),
    "not_extended": Kind(409, "the record does not contain that checkpoint's entry"),
    "not_found": Kind(404, "there is nothing at this path"),
    "not_from_our_page": Kind(403, "the request did not come from the service's own page"),
    "not_readable": Kind(422, "the file is not a picture that can be read"),
    "not_ready": Kind(503, "a check fails, so nothing is verified; `detail` names it"),
    "not_signed_in": Kind(401, "no valid key or session"),
    "not_valid": Kind(422, "fields are missing or wrong; `errors` names them"),
    "only_for_persons": Kind(403, "only for people who are signed in, not for keys"),
    "record_restored": Kind(409, "the record was restored and lacks the cursor's entry; continue from `go_on`"),
    "record_unavailable": Kind(503, "the record cannot be written or read now; try again", retry_after_s=5),
    "table_elsewhere": Kind(404, "another service runs this table; ask that service"),
    "table_needed": Kind(422, "this service has several tables: name one with `table`"),
    "table_unreachable": Kind(503, "the remote table cannot be reached; nothing was recorded", retry_after_s=5),
    "taken": Kind(409, "another person has claimed this"),
    "too_costly": Kind(422, "reading the picture took more memory or time than `[read]` of the settings allows"),
    "too_large": Kind(413, "the body is larger than `max_upload_mb`"),
    "too_many_requests": Kind(429, "try again after `Retry-After`"),
    "too_slow": Kind(408, "the body did not arrive within `max_upload_s`"),
    "unknown_alarm": Kind(404, "there is no such alarm, or it was raised again"),
    "unknown_host": Kind(421, "the request is addressed to another host name"),
    "unknown_picture": Kind(404, "there is no such picture, or it was removed after its export"),
    "unknown_pit": Kind(404, "this service has no such pit"),
    "unknown_round": Kind(404, "the record has no such round"),
    "unknown_rulebook": Kind(422, "there is no such rulebook, House Way or version"),
    "unknown_table": Kind(404, "this service has no such table"),
    "unsupported_media_type": Kind(415, "the body is neither a form nor a picture"),
}
"""By code, the problems that the service answers with; docs/integrators.md has the same table."""

CODE_OF_STATUS: Final = {
    PROBLEMS[code].status: code
    for code in (
        "bad_request",
        "not_found",
        "method_not_allowed",
        "too_slow",
        "too_large",
        "not_valid",
        "internal_error",
    )
}
"""Codes of refusals by the framework, by the limits on bodies and by validation, which have only a status."""


class ProblemError(Exception):
    """Raised to answer with a problem.

    Args:
        code: one of `PROBLEMS`.
        detail: the fault and its remedy, for people.
        headers: of the response, in addition to ``Retry-After`` where the problem has one.
    """

    def __init__(self, code: str, detail: Sayable | str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(detail))
        self.code = code
        self.detail = detail
        self.headers = {**_retry_header(code), **(headers or {})}

    @property
    def status(self) -> int:
        """The HTTP status."""
        return PROBLEMS[self.code].status


class FieldFault(BaseModel):
    """An invalid field of the request.

    Attributes:
        field: its path, such as ``bank.box``.
        message: the fault, and what to send instead.
    """

    field: str
    message: str


class Problem(BaseModel):
    """A problem as in RFC 9457, with a stable code for programs and the invalid fields.

    Attributes:
        type: always ``about:blank``: ``code`` identifies the problem.
        title: the HTTP status in words.
        status: the HTTP status.
        detail: the fault and its remedy, for people.
        instance: path of the request.
        code: identifies the problem, for programs; docs/integrators.md lists the codes.
        errors: the invalid fields; omitted if there are none.
        epoch: only for ``record_restored``: the record's current epoch.
        go_on: only for ``record_restored``: the cursor to continue from.
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
    """The response for a problem; a missing or unknown code is replaced by that of the status."""
    if code not in PROBLEMS:
        code = CODE_OF_STATUS.get(status, "bad_request")
    problem = Problem(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=str(detail),
        instance=instance,
        code=code,
        errors=list(errors),
        epoch=epoch,
        go_on=go_on,
    )
    empty = {name for name in ("errors", "epoch", "go_on") if not getattr(problem, name)}
    return JSONResponse(
        problem.model_dump(exclude=empty),
        status,
        headers={**_retry_header(code), **(headers or {})},
        media_type=PROBLEM_JSON,
    )


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI description of a route's problem responses."""
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        status: {"description": HTTPStatus(status).phrase, "content": {PROBLEM_JSON: {"schema": schema}}}
        for status in statuses
    }


def _retry_header(code: str) -> dict[str, str]:
    seconds = PROBLEMS[code].retry_after_s
    return {} if seconds is None else {"Retry-After": str(seconds)}
