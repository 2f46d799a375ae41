"""The audit: the rate of silent errors of a table, and an export to recompute it."""

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
    """The error rate of verified hands and throws, with upper bounds, by model version and month.

    Measured by people who read randomly drawn verified hands and throws without seeing the machine's reading.
    """
    return audit_figures(table.name, table.answering.log.history())


@router.get("/export", response_class=StreamingResponse, responses={**_LINES, **problems(404, 422, 503)})
def export_audit_log(
    parts: PartsDep,
    table: AskedTableDep,
    month: Annotated[
        str | None,
        Query(pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$", description="only draws of this month (UTC); by default all"),
    ] = None,
) -> StreamingResponse:
    """The signed data behind the figures; `houseway audit check FILE` recomputes them."""
    lines = export_audit(parts.record, table.answering.log, month)
    first = next(lines)  # fails here, before the response starts, if the record cannot be read
    name = "-".join(filter(None, ("houseway-audit", table.name, month)))
    return StreamingResponse(
        (f"{line}\n" for line in chain((first,), lines)),
        media_type=_JSONL,
        headers={"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}.jsonl"'},
    )
