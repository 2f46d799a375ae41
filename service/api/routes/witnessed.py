"""The floor as the witness of its tables: its key, and what it co-signed last."""

from typing import Any

from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.deps import PartsDep, TableName
from service.api.errors import ProblemError, problems
from service.api.permissions import requires
from service.api.sight import SightDep
from service.hub.cosigning import newest, note_at
from service.rounds.reports import FrozenModel

router = APIRouter(prefix="/v1", tags=["record"])

_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class WitnessOut(FrozenModel):
    """The floor as a witness.

    Attributes:
        key: its public key, `NAME+ID+KEY`, for `houseway record verify --witness`.
    """

    key: str


@router.get("/witness", dependencies=[requires(Permission.RESULTS)])
async def get_witness(parts: PartsDep) -> WitnessOut:
    """The key with which the floor co-signs the checkpoints of its tables."""
    return WitnessOut(key=parts.hub.witness.signer.key.text)


@router.get(
    "/tables/{table}/checkpoint",
    dependencies=[requires(Permission.RESULTS)],
    response_class=Response,
    responses={**_TEXT, **problems(404, 422, 503)},
)
async def get_table_checkpoint(parts: PartsDep, sight: SightDep, table: TableName) -> Response:
    """The newest checkpoint of a table that the floor co-signed, as a C2SP note for `houseway record verify`."""
    sight.table_of(table)
    cosigned = await run_in_threadpool(newest, parts.hub.reader, table)
    note = None if cosigned is None else await run_in_threadpool(note_at, parts.hub.reader, table, cosigned)
    if note is None:
        raise ProblemError(404, "no_checkpoint", "There is no such checkpoint yet.")
    return Response(note.text, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
