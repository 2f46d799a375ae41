"""The pits."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.api.hub_schemas import PitOut, PitsOut
from service.api.permissions import requires
from service.api.sight import SightDep

router = APIRouter(prefix="/v1", tags=["tables"])


@router.get("/pits", dependencies=[requires(Permission.WATCH)])
async def list_pits(sight: SightDep) -> PitsOut:
    """Every pit with the states of its tables."""
    return PitsOut(pits=tuple(map(PitOut.of, (await sight.overview()).pits)))
