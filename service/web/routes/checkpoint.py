"""The newest checkpoint as a picture to photograph: a copy of it leaves the table's computer in a telephone."""

import io

import segno
from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from service.access.roles import Permission
from service.api.deps import PartsDep
from service.api.permissions import requires
from service.api.problems import ProblemError
from service.record.checkpoints.newest import newest_note, note_at
from service.record.checkpoints.witnessed import newest_witnessed
from service.web.templating import PageDep

router = APIRouter(include_in_schema=False)


@router.get("/checkpoint", dependencies=[requires(Permission.RESULTS)])
def read_checkpoint(page: PageDep, parts: PartsDep) -> HTMLResponse:
    """The newest checkpoint, to be photographed, with how far witnesses have signed."""
    note, witnessed = newest_note(parts.record), newest_witnessed(parts.record)
    return page.answer("checkpoint.html", note=note, witnessed=witnessed)


@router.get("/checkpoint/{entry}.svg", dependencies=[requires(Permission.RESULTS)])
def draw_checkpoint(entry: int, parts: PartsDep) -> Response:
    """The checkpoint of an entry as a QR code."""
    note = note_at(parts.record, parts.record.entry(entry) if entry < 10**18 else None)
    if note is None:
        raise ProblemError("no_checkpoint", "There is no such checkpoint yet.")
    drawn = io.BytesIO()
    code = segno.make(note.text, error="m", micro=False, encoding="utf-8")
    code.save(drawn, kind="svg", scale=6, border=4, light="white")
    return Response(drawn.getvalue(), media_type="image/svg+xml", headers={"Cache-Control": "private, max-age=3600"})
