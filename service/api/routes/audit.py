"""The audit: the rate of silent errors of this table, and all that is needed to recompute it."""

from itertools import chain
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse

from service.access.roles import Permission
from service.api.deps import AskedTableDep, PartsDep
from service.api.permissions import requires
from service.api.problems import problems
from service.table.audit.audit_export import export_audit
from service.table.audit.error_rates import FiguresReport, audit_figures

router = APIRouter(prefix="/v1/audit", tags=["audit"], dependencies=[requires(Permission.RESULTS)])

_JSONL: Final = "application/jsonl"
_LINES: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "JSON lines: key and method, entries with signatures, populations, figures, an end",
        "content": {_JSONL: {"schema": {"type": "string"}}},
    }
}


@router.get("", responses=problems(404, 422, 503))
def get_audit(table: AskedTableDep) -> FiguresReport:
    """How often verified hands and throws were read wrongly, with upper bounds, by model version and month.

    Measured by persons who are shown verified hands and throws drawn at random, without the reading.
    """
    return audit_figures(table.name, table.answering.log.history())


@router.get("/export", response_class=StreamingResponse, responses={**_LINES, **problems(404, 422, 503)})
def export_audit_log(
    parts: PartsDep,
    table: AskedTableDep,
    month: Annotated[
        str | None,
        Query(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", description="only the draws of this month (UTC); all if left out"),
    ] = None,
) -> StreamingResponse:
    """Everything that the figures follow from, signed; `houseway audit check FILE` recomputes it."""
    lines = export_audit(parts.record, table.answering.log, month)
    begun = next(lines)  # a record that cannot be read is told before anything is sent
    name = "-".join(filter(None, ("houseway-audit", table.name, month)))
    return StreamingResponse(
        (f"{line}\n" for line in chain((begun,), lines)),
        media_type=_JSONL,
        headers={"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}.jsonl"'},
    )
