"""The witness of a hub: its key, and the checkpoints of remote tables that it co-signed."""

from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool

from service.access.roles import Permission
from service.api.conditional import TEXT
from service.api.deps import PartsDep, ScopeDep, TableName
from service.api.permissions import requires
from service.api.problems import ProblemError, problems
from service.hub.cosigning import newest, note_at
from service.rounds.reports import FrozenModel

router = APIRouter(prefix="/v1", tags=["record"])

_RESULTS = requires(Permission.RESULTS)


class WitnessOut(FrozenModel):
    """This service as a witness.

    Attributes:
        key: its public key, `NAME+ID+KEY`, for `houseway record verify --witness`.
    """

    key: str


@router.get("/witness", dependencies=[_RESULTS])
async def get_witness(parts: PartsDep) -> WitnessOut:
    """The key with which this service co-signs the checkpoints of its remote tables."""
    return WitnessOut(key=parts.hub.witness.signer.key.text)


@router.get(
    "/tables/{table}/checkpoint",
    dependencies=[_RESULTS],
    response_class=Response,
    responses={**TEXT, **problems(404, 422, 503)},
)
async def get_table_checkpoint(parts: PartsDep, scope: ScopeDep, table: TableName) -> Response:
    """The newest checkpoint of a remote table that this service co-signed: a C2SP note for `houseway record verify`."""
    scope.table_of(table)
    cosigned = await run_in_threadpool(newest, parts.hub.reader, table)
    note = None if cosigned is None else await run_in_threadpool(note_at, parts.hub.reader, table, cosigned)
    if note is None:
        raise ProblemError("no_checkpoint", "There is no such checkpoint yet.")
    return Response(note.text, media_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
