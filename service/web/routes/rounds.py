"""Recorded rounds on the page: the review queue, the history, and one round's replay with the form that decides it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.http.deps import Parts, PartsDep
from service.http.errors import ProblemError
from service.http.permissions import CallerDep, requires
from service.record.ledger import NewerRevisionError, UnknownRoundError
from service.record.results import report_of
from service.rounds.review import ReviewError
from service.web.decision_form import DICE_AT_MOST, read_decision
from service.web.round_history import Search, picture_of, search
from service.web.templating import answer

router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)

RoundId = Annotated[str, Path(max_length=64)]
_PLACES = ("house", *(f"box{number}" for number in range(1, 9)))


@router.get("/history", dependencies=[_RESULTS], response_class=HTMLResponse)
def read_history(request: Request, parts: PartsDep, asked: Annotated[Search, Query()]) -> HTMLResponse:
    """Rounds that somebody looks for."""
    found = search(parts.record, parts.config.table.name, asked, parts.config.page.zone)
    return answer(request, parts, "history.html", {"asked": asked, "found": found})


@router.get("/review", dependencies=[_RESULTS], response_class=HTMLResponse)
def read_queue(
    request: Request, parts: PartsDep, before: Annotated[int | None, Query(ge=1, lt=2**63)] = None
) -> HTMLResponse:
    """Rounds that need review."""
    asked = Search(review=True, before=before)
    found = search(parts.record, parts.config.table.name, asked, parts.config.page.zone)
    recorded = [report_of(entry) for entry in parts.record.of_rounds([played.id for played in found.rounds])]
    pictures = {
        played.id: picture_of(report for report in recorded if report.id == played.id) for played in found.rounds
    }
    return answer(request, parts, "review.html", {"found": found, "pictures": pictures})


@router.get("/rounds/{round_id}", dependencies=[_RESULTS], response_class=HTMLResponse)
def read_round(request: Request, round_id: RoundId, parts: PartsDep, decided: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002  a query
    """A round, revision by revision, and the form to decide it."""
    return _round(request, parts, round_id, decided=decided)


@router.post("/rounds/{round_id}/review", dependencies=[requires(Permission.REVIEW)], response_class=HTMLResponse)
async def decide(request: Request, round_id: RoundId, parts: PartsDep, caller: CallerDep) -> Response:
    """Take a decision from the form."""
    sent = {name: value for name, value in (await request.form()).items() if isinstance(value, str)}
    return await run_in_threadpool(_decide, request, parts, round_id, sent, caller.name)


def _decide(request: Request, parts: Parts, round_id: str, sent: dict[str, str], by: str) -> Response:
    try:
        asked = read_decision(sent, parts.ledger.newest(round_id), by)
        decided = parts.ledger.review(round_id, asked, None, by)
    except UnknownRoundError as error:
        raise _unknown(error) from None
    except NewerRevisionError as error:
        return _round(request, parts, round_id, status=409, refused=str(error))
    except ReviewError as error:
        return _round(request, parts, round_id, status=422, refused=str(error), sent=sent)
    parts.desk.record_if_newer(decided)
    return RedirectResponse(f"/rounds/{round_id}?decided=true", status_code=303)


def _round(
    request: Request,
    parts: Parts,
    round_id: str,
    *,
    status: int = 200,
    refused: str = "",
    sent: dict[str, str] | None = None,
    decided: bool = False,
) -> HTMLResponse:
    try:
        revisions = tuple(report for _, report in parts.ledger.revisions(round_id))
    except UnknownRoundError as error:
        raise _unknown(error) from None
    played = revisions[-1]
    laid = {hand.place for hand in played.hands}
    return answer(
        request,
        parts,
        "round.html",
        {
            "path": f"/rounds/{round_id}",
            "played": played,
            "picture": picture_of(revisions),
            "revisions": revisions,
            "refused": refused,
            "decided": decided,
            "sent": sent or {},
            "free": tuple(place for place in _PLACES if place not in laid),
            "dice_rows": range(1, min(DICE_AT_MOST, len(played.dice) + 2) + 1),
            "kept": {one.sha256 for each in revisions for one in each.evidence if _is_kept(parts, one.sha256)},
        },
        status=status,
    )


def _unknown(error: UnknownRoundError) -> ProblemError:
    return ProblemError(404, "unknown_round", str(error))


def _is_kept(parts: Parts, sha256: str) -> bool:
    return parts.record.evidence.path(sha256).exists()
