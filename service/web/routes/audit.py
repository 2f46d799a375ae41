"""The audit on the page: what was drawn is asked without its reading; verdicts on differences; the figures."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.permissions import PersonDep, requires
from service.table.audit.audit_log import AuditOutcome, AuditVerdict, Reading, Seen, SeenHand, SeenThrow
from service.table.audit.auditor import NotNextError, drawn_reading
from service.table.audit.error_rates import audit_figures
from service.table.audit.sampling import reader_version
from service.web.review_forms import DICE_AT_MOST, AnswerError, read_answer
from service.web.templating import TablePage, TablePageDep
from service.words.wording import Sayable
from vision.reading import HandReading

router = APIRouter(prefix="/tables/{table}/audit", include_in_schema=False)

_AUDIT = requires(Permission.AUDIT)


@router.get("", dependencies=[requires(Permission.RESULTS)])
def read_audit(page: TablePageDep, answered: Annotated[int | None, Query(ge=1, lt=2**63)] = None) -> HTMLResponse:
    """What is asked now, and the figures."""
    return _audit(page, answered=answered)


@router.post("/answer", dependencies=[_AUDIT])
async def answer(
    page: TablePageDep,
    person: PersonDep,
    draw: Annotated[int, Form(ge=1, lt=2**63)],
    item: Annotated[int, Form(ge=0, lt=2**31)],
) -> Response:
    """Take what a person sees."""
    return await run_in_threadpool(_answer, page, draw, item, await page.form(), person.name)


@router.post("/verdict", dependencies=[_AUDIT])
def decide(
    page: TablePageDep,
    person: PersonDep,
    answer: Annotated[int, Form(ge=1, lt=2**63)],
    verdict: Annotated[AuditVerdict, Form()],
) -> Response:
    """Take a person's verdict on a difference."""
    try:
        page.table.answering.decide(answer, verdict, person.name)
    except NotNextError as error:
        return _audit(page, status=409, refused=error.words)
    return RedirectResponse(f"{page.table.at}/audit", status_code=303)


def _answer(page: TablePage, draw: int, index: int, sent: dict[str, str], by: str) -> Response:
    try:
        done = page.table.answering.answer(draw, index, read_answer(sent), by)
    except NotNextError as error:
        return _audit(page, status=409, refused=error.words)
    except AnswerError as error:
        return _audit(page, status=422, refused=error.words, sent=sent)
    query = (
        f"?answered={done.answer.seq}" if done.answer is not None and done.outcome is not AuditOutcome.UNDECIDED else ""
    )
    return RedirectResponse(f"{page.table.at}/audit{query}", status_code=303)


def _audit(
    page: TablePage,
    *,
    status: int = 200,
    answered: int | None = None,
    refused: Sayable | None = None,
    sent: dict[str, str] | None = None,
) -> HTMLResponse:
    parts, table = page.parts, page.table
    history = table.answering.log.history()
    answers = (item for item in history.items if item.answer is not None and item.answer.seq == answered)
    done, undecided = next(answers, None), history.undecided
    shown = done if undecided is None else undecided
    current = table.live.state.current
    return page.answer(
        "audit.html",
        status=status,
        path=f"{page.table.at}/audit",
        asked=table.answering.question(),
        undecided=undecided,
        shown=shown,
        seen=None if shown is None or shown.answer is None else _laid(shown.answer.seen),
        read=None if shown is None else _laid(drawn_reading(parts.record, shown)),
        figures=audit_figures(table.name, history),
        in_use=None if current is None else reader_version(current.versions),
        settings=parts.config.audit,
        refused=refused,
        sent=sent or {},
        dice_rows=range(1, DICE_AT_MOST + 1),
        is_kept=lambda sha256: parts.record.evidence.path(sha256).exists(),
    )


def _laid(what: Seen | Reading | None) -> dict[str, object] | None:
    """What was seen or read, for the page: the faces of a hand, low before high, or dice; empty for something else."""
    if isinstance(what, SeenHand):
        faces = [str(tile) for tile in what.tiles]
        return {"low": faces[:2], "high": faces[2:], "split": what.split}
    if isinstance(what, HandReading):
        return {"low": list(map(str, what.low)), "high": list(map(str, what.high)), "split": True}
    if isinstance(what, SeenThrow):
        return {"dice": [_die(value, role) for value, role in what.dice]}
    if isinstance(what, tuple):
        return {"dice": [_die(die.value, die.role) for die in what]}
    return None if what is None else {}


def _die(value: int | None, role: str | None) -> dict[str, object]:
    return {"value": value, "role": role, "colour": "", "cocked": False, "status": "verified"}
