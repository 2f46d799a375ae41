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
    state = parts.writer.state
    if state.name != "writing":
        raise ProblemError(503, "not_ready", f"The floor's database takes nothing now: {state.why or state.name}.")
    return ReadyOut()
