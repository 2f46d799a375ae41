"""Whether the floor does its work."""

from fastapi import APIRouter

from service.access.roles import Permission
from service.floor.parts import FloorDep
from service.http.errors import ProblemError, problems
from service.http.permissions import requires
from service.http.schemas import ReadyOut

router = APIRouter(tags=["health"])


@router.get("/readyz", dependencies=[requires(Permission.WATCH)], responses=problems(503))
async def get_readiness(parts: FloorDep) -> ReadyOut:
    """The floor collects entries into its database."""
    if not parts.record.state.ok:
        raise ProblemError(503, "not_ready", f"Nothing can be recorded now: {parts.record.state.message}")
    return ReadyOut()
