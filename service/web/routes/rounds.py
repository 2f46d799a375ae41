"""Recorded rounds on the page: the review queue, the history, and one round's replay with the form that decides it."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from calibration.table.places import BOX_PLACES, HOUSE
from service.access.roles import Permission
from service.http.deps import Parts
from service.http.permissions import CallerDep, requires
from service.record.ledger import NewerRevisionError
from service.record.results import report_of
from service.rounds.review import ReviewError
from service.web.decision_form import DICE_AT_MOST, read_decision
from service.web.round_history import RoundPage, Search, picture_of, search
from service.web.templating import Page, PageDep
from service.words.wording import Sayable

router = APIRouter(include_in_schema=False)

_RESULTS = requires(Permission.RESULTS)

RoundId = Annotated[str, Path(max_length=64)]
_PLACES = tuple(map(str, (HOUSE, *BOX_PLACES)))


@router.get("/history", dependencies=[_RESULTS])
def read_history(page: PageDep, asked: Annotated[Search, Query()]) -> HTMLResponse:
    """Rounds that somebody looks for."""
    return page.answer("history.html", asked=asked, found=_search(page.parts, asked))


@router.get("/review", dependencies=[_RESULTS])
def read_queue(page: PageDep, before: Annotated[int | None, Query(ge=1, lt=2**63)] = None) -> HTMLResponse:
    """Rounds that need review."""
    found = _search(page.parts, Search(review=True, before=before))
    recorded = [report_of(entry) for entry in page.parts.record.of_rounds([played.id for played in found.rounds])]
    pictures = {
        played.id: picture_of(report for report in recorded if report.id == played.id) for played in found.rounds
    }
    return page.answer("review.html", found=found, pictures=pictures)


@router.get("/rounds/{round_id}", dependencies=[_RESULTS])
def read_round(page: PageDep, round_id: RoundId, decided: bool = False) -> HTMLResponse:  # noqa: FBT001, FBT002  a query
    """A round, revision by revision, and the form to decide it."""
    return _round(page, round_id, decided=decided)


@router.post("/rounds/{round_id}/review", dependencies=[requires(Permission.REVIEW)])
async def decide(page: PageDep, round_id: RoundId, caller: CallerDep) -> Response:
    """Take a decision from the form."""
    return await run_in_threadpool(_decide, page, round_id, await page.form(), caller.name)


def _search(parts: Parts, asked: Search) -> RoundPage:
    return search(parts.record, parts.config.table.name, asked, parts.config.page.zone)


def _decide(page: Page, round_id: str, sent: dict[str, str], by: str) -> Response:
    ledger = page.parts.ledger
    try:
        decided = ledger.review(round_id, read_decision(sent, ledger.newest(round_id), by), None, by)
    except NewerRevisionError as error:
        return _round(page, round_id, status=409, refused=error.words)
    except ReviewError as error:
        return _round(page, round_id, status=422, refused=error.words, sent=sent)
    page.parts.live.record_if_newer(decided)
    return RedirectResponse(f"/rounds/{round_id}?decided=true", status_code=303)


def _round(
    page: Page,
    round_id: str,
    *,
    status: int = 200,
    refused: Sayable | None = None,
    sent: dict[str, str] | None = None,
    decided: bool = False,
) -> HTMLResponse:
    revisions = tuple(report for _, report in page.parts.ledger.revisions(round_id))
    played = revisions[-1]
    laid = {hand.place for hand in played.hands}
    return page.answer(
        "round.html",
        status=status,
        path=f"/rounds/{round_id}",
        played=played,
        picture=picture_of(revisions),
        revisions=revisions,
        refused=refused,
        decided=decided,
        sent=sent or {},
        free=tuple(place for place in _PLACES if place not in laid),
        dice_rows=range(1, min(DICE_AT_MOST, len(played.dice) + 2) + 1),
        kept={one.sha256 for each in revisions for one in each.evidence if _is_kept(page.parts, one.sha256)},
    )


def _is_kept(parts: Parts, sha256: str) -> bool:
    return parts.record.evidence.path(sha256).exists()
